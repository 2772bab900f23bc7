"""The weights of a model of the first column alone (UPOS), added to those of whole tags.

The product of two conditional random fields with the same features has the sums of their weights, so it costs nothing
in use. Without it, whole tags predict UPOS worse than a model of UPOS alone does, mostly with little data.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from plait.arrays import Float32Array, Int64Array
from plait.data.tags import JOINT, TagColumns
from plait.morphology.options import MorphOptions
from plait.morphology.problem import MorphProblem, Tagged
from plait.morphology.tags import PartNames


def first_values(tags: Sequence[str]) -> list[str]:
    """The first column of some tags."""
    return [tag.partition(JOINT)[0] for tag in tags]


def coarse_problem(problem: MorphProblem, train: Sequence[Tagged], options: MorphOptions) -> MorphProblem | None:
    """The same treebank with the first column alone; None if its weights cannot be those of parts of whole tags."""
    first = TagColumns(problem.names.columns.columns[0])
    values = sorted(set(first_values(problem.tags)))
    names = PartNames(first, values)
    parts = [part for value in values for part in names.of(value)]
    if (
        not (1 < len(values) < len(problem.tags))
        or len(parts) > len(values)
        or not set(parts) <= set(problem.part_names)
    ):
        return None
    tagged = [(forms, first_values(tags)) for forms, tags in train]
    coarse = MorphProblem(first, tagged, problem.features, options, same_words=problem)
    if options.order == 2 and class_numbers(coarse, problem) is None:
        options = dataclasses.replace(options, order=1)
        return MorphProblem(first, tagged, problem.features, options, same_words=problem)
    return coarse


def class_numbers(coarse: MorphProblem, problem: MorphProblem) -> Int64Array | None:
    """For each class of whole tags that of their first column; None if one class has several."""
    number = {tag: k for k, tag in enumerate(coarse.tags)}
    found = np.full(problem.parts.classes, -1)
    for tag, own in zip(first_values(problem.tags), problem.parts.coarse.tolist(), strict=True):
        of_value = int(coarse.parts.coarse[number[tag]])
        if found[own] not in (-1, of_value):
            return None
        found[own] = of_value
    return found


def spread_weights(coarse: MorphProblem, values: Float32Array, problem: MorphProblem) -> Float32Array:
    """The weights of the first column as weights of whole tags: each tag then scores what its first column did."""
    number = {name: k for k, name in enumerate(problem.part_names)}
    parts = np.array([number[name] for name in coarse.part_names])
    tags = parts[coarse.parts.labels]  # a tag of one column has one part
    width, own = problem.parts.parts, coarse.learner
    found = np.zeros(problem.learner.size, dtype=np.float32)

    label = np.concatenate([parts, tags])[coarse.labels]
    place = _feature_numbers(problem) * (width + len(problem.tags)) + problem.labels
    order = np.argsort(place)
    wanted = _feature_numbers(coarse) * (width + len(problem.tags)) + label
    np.add.at(found, order[np.searchsorted(place, wanted, sorter=order)], values[: own.pairs_at])

    pairs = _block(found, problem.learner.pairs_at, width)
    pairs[np.ix_(parts, parts)] = _block(values, own.pairs_at, len(parts))
    if coarse.tag_pair_codes is not None:
        before, after = np.divmod(coarse.tag_pair_codes, len(coarse.tags))
        pairs[tags[before], tags[after]] += values[own.tag_pairs_at : own.triples_at]
    if coarse.order == 2:
        classes = class_numbers(coarse, problem)
        assert classes is not None
        triples = values[own.triples_at : own.skips_at].reshape(3 * (coarse.parts.classes,))
        at, end = problem.learner.triples_at, problem.learner.skips_at
        found[at:end] = triples[np.ix_(classes, classes, classes)].ravel()
        _block(found, problem.learner.skips_at, width)[np.ix_(parts, parts)] = _block(values, own.skips_at, len(parts))
    return found


def _feature_numbers(problem: MorphProblem) -> Int64Array:
    """The number of the feature of each weight of a feature and a label."""
    return np.repeat(np.arange(len(problem.feature_keys)), np.diff(problem.starts))


def _block(values: Float32Array, at: int, width: int) -> Float32Array:
    """The weights of parts after parts that begin here, [width][width]."""
    return values[at : at + width * width].reshape(width, width)
