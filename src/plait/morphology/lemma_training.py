"""Training a ``lemmatizer``: scripts and exceptions are counted, the weights between them are learnt by AdaGrad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from plait.arrays import AnyArray, Int64Array
from plait.core._weights import Scorer
from plait.core.tables import Arrays, freeze_arrays
from plait.data.document import Sentence
from plait.features.templates import load_templates
from plait.learn.adagrad import AdaGradTrainer
from plait.learn.checkpoint import run_with_checkpoints
from plait.learn.freezing import Freezer, Measure
from plait.learn.outcome import Outcome
from plait.learn.records import training_record
from plait.learn.task import TrainingTask
from plait.morphology._known_words import KnownLemmas
from plait.morphology.lemma_exceptions import Exceptions, irregular_lemmas, learn_exceptions
from plait.morphology.lemma_features import FORM_COLUMNS, LEMMA_COLUMNS, LemmaTemplates
from plait.morphology.lemma_heaviest import heaviest_features
from plait.morphology.lemma_lexicon import read_lemmas
from plait.morphology.lemma_model import LemmaModel
from plait.morphology.lemma_options import LemmatizerOptions
from plait.morphology.lemma_problem import LeaveOneOutLemmas, LemmaProblem, build_problem, learn_scripts
from plait.morphology.lemma_words import Word, check_lemmas, count_lemmas, usual_lemma, without_tags, words_of
from plait.morphology.lemmatizer import Lemmatizer

UNTAGGED_WEIGHT = 0.2  # of a form without its tag; a form with a tag has 1
DECIDES = "lemmas"
BATCH = 1024  # words between two updates of the progress bar

Counts = dict[Word, Counter[str]]


def fit_lemmatizer(task: TrainingTask, options: LemmatizerOptions) -> Lemmatizer:
    """Train a lemmatizer on all words that have lemmas."""
    check_lemmas(task.train, task.dev)
    form_templates = LemmaTemplates(load_templates(options.form_templates, "lemmas"), FORM_COLUMNS)
    lemma_templates = LemmaTemplates(load_templates(options.lemma_templates, "lemmas"), LEMMA_COLUMNS)
    counts = count_lemmas(task.train, options.tag)
    untagged = without_tags(counts)
    scripts = learn_scripts(counts, options.cutoff)
    listed, sources = read_lemmas(options.lexicon, task.files)
    given = ((form, tag[0], lemma) for (form, tag), lemmas in counts.items() for lemma in lemmas)
    known = KnownLemmas.of([*given, *listed])
    words = [(word, lemmas, 1.0) for word, lemmas in counts.items()]
    words += [(word, lemmas, UNTAGGED_WEIGHT) for word, lemmas in untagged.items()]
    problem = build_problem(
        words, scripts, form_templates, lemma_templates, LeaveOneOutLemmas(counts, listed), task.track
    )

    def model_of(tables: Mapping[str, Scorer], exceptions: Exceptions) -> LemmaModel:
        return LemmaModel(scripts, form_templates, lemma_templates, tables, known, exceptions)

    def measure(tables: Mapping[str, Scorer]) -> Outcome:
        return _outcome(model_of(tables, Exceptions({})), counts, task.dev, options.tag)

    measured = measure if any(map(len, task.dev)) else None
    labels = {"edits": scripts.labels, "lemmas": 1}
    weights, training = _learn(task, options, problem, labels, measured)
    freezer = Freezer(weights, labels, measured)
    tables, scores = freezer.freeze(options.bits, options.slack, prune=options.prune, megabytes=options.megabytes)
    model = model_of(tables, Exceptions({}))
    model.exceptions = learn_exceptions({**counts, **untagged}, lambda form, tag: model.chosen(form, tag)[0])
    model.exceptions.add(irregular_lemmas(listed, scripts, {form for form, _ in counts}))
    model.learn_words(counts)
    training |= {"dev": scores, "scripts": len(scripts), "exceptions": len(model.exceptions)}
    training["heaviest"] = heaviest_features(weights["edits"], scripts, form_templates, counts)
    return Lemmatizer(options, model, sources, training=training)


def _outcome(model: LemmaModel, counts: Counts, dev: Iterable[Sentence], spec: str) -> Outcome:
    """Lemmas of the development set; words seen in training get their lemma from there, as they will in use."""
    outcome = Outcome(DECIDES)
    found: dict[Word, str] = {}
    for sentence in dev:
        pairs = [*words_of(sentence, spec)]
        for word, _ in pairs:
            if word not in found:
                found[word] = usual_lemma(counts[word]) if word in counts else model.chosen(*word)[0]
        if pairs:
            outcome.add(lemmas=([lemma for _, lemma in pairs], [found[word] for word, _ in pairs]))
    return outcome


def _learn(
    task: TrainingTask,
    options: LemmatizerOptions,
    problem: LemmaProblem | None,
    labels: Mapping[str, int],
    measure: Measure | None,
) -> tuple[dict[str, Arrays], dict[str, Any]]:
    """The weights of the best pass and the training record; no weights if every word has only one candidate."""
    if problem is None:
        nothing: Arrays = {
            "keys": np.zeros(0, np.uint64), "starts": np.zeros(1, np.int64),
            "labels": np.zeros(0, np.uint16), "values": np.zeros(0, np.float32),
        }  # fmt: skip
        return {"edits": nothing, "lemmas": nothing}, training_record([], 0, "")

    def dev_scores(w: AnyArray) -> dict[str, float]:
        assert measure is not None
        return measure({g: freeze_arrays(a, labels[g], 32) for g, a in problem.arrays(w).items()}).scores

    trainer = AdaGradTrainer(
        LemmaSteps(problem, options.rate, options.decay),
        problem.objective.words,
        epochs=options.epochs,
        seed=task.seed,
        batch=BATCH,
        measure=None if measure is None else dev_scores,
        decides=DECIDES,
        track=task.track,
    )
    run_with_checkpoints(trainer, task)
    decides = DECIDES if measure is not None else ""
    return problem.arrays(trainer.best), training_record(trainer.records, trainer.best_epoch, decides)


class LemmaSteps:
    """The weights of a lemmatizer as AdaGrad moves them: a step for each word."""

    def __init__(self, problem: LemmaProblem, rate: float, decay: float) -> None:
        self.objective = problem.objective
        self.size = self.objective.size
        self.rate = rate
        self.decay = decay
        self.w = np.zeros(self.size)
        self.squares = np.zeros(self.size)

    def step(self, examples: Int64Array) -> float:
        """Move the weights for these words, one after the other; their loss before."""
        return self.objective.adagrad_pass(examples, self.w, self.squares, self.rate, self.decay)
