"""The heaviest features of the parts of tags, in words."""

from __future__ import annotations

import numpy as np

from plait.core.tables import Arrays
from plait.features.heaviest import HeavyFeatures, Named
from plait.features.sequence import describe
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
            said = template, COLUMNS, i - int(starts[i]), len(words), lambda column, at, w=words: _value(column, w[at])
            heavy.name([key], lambda _, said=said: describe(*said))  # type: ignore[misc]
    return heavy.named()


def _value(column: str, word: str) -> str:
    if column in LOWER_COLUMNS:
        return show_word(column[1:], word.lower())
    return f"~{word}" if column == "k" else show_word(column, word)
