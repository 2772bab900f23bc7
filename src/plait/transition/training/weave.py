"""Training of ``transition-weave``: the internal segmenter and taggers, then the search on their candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plait.core._weights import Scorer
from plait.data.trees import held_out_trees, trees_or_none
from plait.errors import OptionError
from plait.learn.dropout import WordDropout
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.options import written_options
from plait.system import find_system
from plait.transition._oracle import SHIFT
from plait.transition.mirror import LEFT_TO_RIGHT
from plait.transition.options import TransitionWeaveOptions
from plait.transition.training.found_words import HeldOut
from plait.transition.training.label_filter import arcs_between
from plait.transition.training.model import Example, gold_transitions, transitions_of_words
from plait.transition.training.readings import (
    Reading,
    training_lattices,
    training_lemmas,
    training_tags,
    words_of_training,
)
from plait.transition.training.systems import fit_reader, in_training
from plait.transition.weave import SEGMENTER_SYSTEM, TransitionWeave
from plait.trees.arc_labels import ArcLabels
from plait.trees.training.inner_tagger import fit_tagger


def fit_transition_weave(task: TrainingTask, options: TransitionWeaveOptions) -> TransitionWeave:
    """Train segmenter and tagger, apply them to the training data by jackknifing, train the search on that."""
    for name, told in (("guide", bool(options.guide)), ("direction", options.direction != LEFT_TO_RIGHT)):
        if told:
            raise OptionError(f"transition-weave does not support --{name}; remove it, or use transition-joint")
    kind: Any = find_system(SEGMENTER_SYSTEM).Options
    chosen = options.segmenter_options, SEGMENTER_SYSTEM
    segmenter_options = written_options(kind, *chosen, dev=bool(task.dev), prune=options.prune)
    train, trees = trees_or_none(task.train)
    dev = held_out_trees(task.dev) if trees else [s for s in task.dev if len(s)]
    reader = fit_reader(task, options, train)
    options = reader.options
    segmenter = fit_tagger(SEGMENTER_SYSTEM, task, segmenter_options)
    readings = [[reading] for reading in training_lattices(task, train, segmenter, options)]
    if options.gold_words:
        for sentence, of_sentence in zip(train, readings, strict=True):
            of_sentence.append(Reading.given(sentence))
    tags_of_readings = training_tags(task, train, readings, reader)
    lemmatized = training_lemmas(task, train, readings, tags_of_readings, reader)
    seen_words, in_other_folds = words_of_training(task, train, segmenter, reader.features, options)
    labels = ArcLabels.read(train if trees else (), labelled=True, projective=False)
    classes = reader.classes
    dropout = WordDropout(train, options.word_dropout, task.seed)
    examples = []
    seen: set[tuple[int, int, int]] = set()
    for k, sentence in enumerate(train):
        gold = reader.own_numbers(sentence)
        arc_labels = [labels.number[label] for label in sentence.deprels] if trees else []
        for (words, own), tags, with_lemmas in zip(readings[k], tags_of_readings[k], lemmatized[k], strict=True):
            candidates = tags.within(*options.candidate_limits())
            of_own = candidates._replace(tags=candidates.tags[own], counts=candidates.counts[own])
            chosen_tags = of_own.choices(gold)
            if trees:
                lazy = options.oracle == "lazy"
                actions, choices, moved = gold_transitions(sentence.heads, arc_labels, chosen_tags, lazy)
            else:
                actions, choices, moved = transitions_of_words(chosen_tags)
            atoms = reader.candidate_atoms(words, candidates, with_lemmas, in_other_folds[k])
            shifted = _first_shifts(actions, moved, own)
            hidden = dropout.chances(words.forms, with_lemmas.lemmas if with_lemmas is not None else None)
            examples.append(Example(atoms, candidates, actions, choices, hidden, words.lattice, shifted))
            for numbers in () if not trees else (gold, of_own.tags[np.arange(len(gold)), chosen_tags]):
                seen |= arcs_between(classes[numbers].tolist(), sentence.heads, arc_labels)
    model, label_filter = in_training(TransitionWeave, reader, labels, seen, dropout)

    def system(weights: Mapping[str, Scorer], training: dict[str, Any]) -> TransitionWeave:
        return TransitionWeave(
            options, reader.features, weights, labels, label_filter, reader.tagger, reader.morphology,
            training=training, segmenter=segmenter, seen_words=seen_words,
        )  # fmt: skip

    held_out = HeldOut(dev, segmenter, reader.columns, options.word_probability, trees)

    def measure(weights: Mapping[str, Scorer]) -> Outcome:
        return held_out.measure(system(weights, {}))

    frozen, _, training = fit_online(task, options, model, examples, measure if dev else None, held_out.decides)
    training["tagger"], training["segmenter"] = reader.tagger.training, segmenter.training
    training |= reader.morphology.training
    return system(frozen, training)


def _first_shifts(actions: Any, moved: Sequence[int], gold_words: Sequence[int]) -> Any:
    """The candidate word that each first SHIFT takes, counting from 1; 0 for other transitions."""
    found, front = [], 0
    for action, word in zip(actions.tolist(), moved, strict=True):
        fresh = action == SHIFT and word > front
        front = word if fresh else front
        found.append(gold_words[word - 1] + 1 if fresh else 0)
    return np.array(found, dtype=np.int32)
