"""The heaviest features of the parts of tags, in words."""

from __future__ import annotations

import numpy as np

from plait.core.tables import Arrays
from plait.features.heaviest import HeavyFeatures, Named
from plait.features.sequence import place_atom
from plait.features.templates import Template
from plait.features.word_resources import show_word
from plait.morphology.features import COLUMNS, LOWER_COLUMNS
from plait.morphology.problem import MorphProblem


def heaviest_features(problem: MorphProblem, weights: dict[str, Arrays]) -> Named:
    """For each part its heaviest features, as the training data shows them."""
    heavy = HeavyFeatures()
    for group in ("form", "context"):
        heavy.add_table(weights[group], problem.part_names)
    wanted = np.array(sorted(heavy.unnamed), dtype=np.uint64)
    templates = (*problem.features.form_templates, *problem.features.context_templates)
    lengths = [len(forms) for forms, _ in problem.numbered]
    starts = np.repeat(np.cumsum([0, *lengths[:-1]]), lengths)
    ends = starts + np.repeat(lengths, lengths)
    for k, template in enumerate(templates):
        keys, places = np.unique(problem.keys[:, k], return_index=True)
        for key, i in zip(*(part[np.isin(keys, wanted)].tolist() for part in (keys, places)), strict=True):
            words = problem.forms[int(starts[i]) : int(ends[i])]
            heavy.name([key], lambda _, t=template, w=words, at=i - int(starts[i]): describe(t, w, at))  # type: ignore[misc]
    return heavy.named()


def describe(template: Template, words: list[str], i: int) -> str:
    """A filled template as a person reads it: ``w-1=the lsuf3=ing``."""
    return " ".join(f"{atom}={_value(*place_atom(atom, COLUMNS), words, i)}" for atom in template.atoms)


def _value(column: str, offset: int, words: list[str], i: int) -> str:
    at = i + offset
    if not 0 <= at < len(words):
        return "<start>" if at < 0 else "<end>"
    if column in LOWER_COLUMNS:
        return show_word(column[1:], words[at].lower())
    return f"~{words[at]}" if column == "k" else show_word(column, words[at])
