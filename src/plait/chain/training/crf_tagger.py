"""Training ``crf-tagger``, and the taggers that other CRF systems have inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from plait.chain.crf import Crf
from plait.chain.crf_tagger import CrfTagger
from plait.chain.labels import linear_space
from plait.chain.options import CrfOptions, CrfTaggerOptions
from plait.chain.training.fitting import FittedCrf, fit_crf, make_problem
from plait.chain.training.heaviest import heaviest_features
from plait.chain.training.problem import Example
from plait.chain.training.warm_start import warm_model
from plait.data.tags import TagColumns
from plait.features.label_templates import LabelTemplates
from plait.features.templates import load_templates
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources, show_word
from plait.learn.task import TrainingTask
from plait.system.modelparts import read_tagset

Tagged = tuple[Sequence[str], Sequence[str]]  # forms, tags


def fit_crf_tagger(task: TrainingTask, options: CrfTaggerOptions) -> CrfTagger:
    """Train the tagger."""
    columns = TagColumns(options.tag)
    tags = read_tagset(task.train, columns, task.dev)
    resources = WordResources.read(options, task.files)
    fitted = fit_tagger(
        [(s.forms, columns.read(s)) for s in task.train if len(s)],
        [(s.forms, columns.read(s)) for s in task.dev if len(s)],
        tags,
        task,
        options,
        options.templates,
        warm_model(options.warm_start, CrfTagger),
        resources=resources,
    )
    return CrfTagger(options, fitted.crf, resources, training=fitted.training)


def fit_tagger(
    train: Sequence[Tagged],
    dev: Sequence[Tagged],
    tags: Sequence[str],
    task: TrainingTask,
    options: CrfOptions,
    templates: str,
    warm: Crf | None = None,
    part: str = "",
    resources: WordResources = NO_RESOURCES,
) -> FittedCrf:
    """Train a linear-chain CRF on words and tags."""
    chosen = resources.extended(load_templates(templates, "chain"), "chain", "crf")
    features = LabelTemplates(chosen, KNOWN_COLUMNS)
    resources.check(features.columns)
    number = {tag: i for i, tag in enumerate(tags)}
    reader = resources.reader(features.columns, features.pad)

    def examples() -> Iterator[Example]:
        for forms, gold in task.track(train, "features"):
            yield Example(
                reader.atoms(forms),
                np.zeros(len(forms), dtype=np.int32),
                np.array([number[tag] for tag in gold], dtype=np.int32),
            )

    problem = make_problem(linear_space(tags), features, examples(), options)
    held_out = [(reader.atoms(forms), list(gold)) for forms, gold in dev]

    def measure(crf: Crf) -> dict[str, float]:
        right = total = 0
        for atoms, gold in held_out:
            predicted = crf.best(atoms)[1].tolist()
            right += sum(tags[p] == g for p, g in zip(predicted, gold, strict=True))
            total += len(gold)
        return {"accuracy": 100.0 * right / total}

    fitted = fit_crf(problem, task, options, measure if held_out else None, "accuracy", warm, part)
    sources = ((reader.atoms(forms), lambda column, i, forms=forms: show_word(column, forms[i])) for forms, _ in train)
    fitted.training["heaviest"] = heaviest_features(problem, fitted.w, sources)
    return fitted
