"""Decoding in two stages: the tagger and the first-order CRF prune, the chart searches the rest exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.arrays import AnyArray, Float64Array, Int32Array, Int64Array
from plait.data.document import Sentence
from plait.errors import DataError
from plait.graph.arc_crf import ArcCrf
from plait.graph.chart import ChartModel, Space
from plait.graph.features import Encoded
from plait.graph.nodes import Candidates
from plait.graph.pieces import LONGEST, best_in_pieces, pieces
from plait.graph.pruning import Keep, keep_arcs, keep_guide, keep_tags
from plait.trees.constraints import ArcConstraints
from plait.trees.guide import GuideTree
from plait.trees.inner_tagger import ProbabilisticTagger, Tags
from plait.trees.tree import OPEN, Tree


@dataclass(frozen=True)
class Constraints:
    """The constraints of an input: the number of each word's tag, or ``OPEN``, and arcs; FEATS and lemmas, if used."""

    tags: Int64Array
    arcs: ArcConstraints
    analysed: Sentence | None = None

    @property
    def labels(self) -> Int32Array:
        """The labels, entry 0 for the root."""
        return np.concatenate([[OPEN], self.arcs.labels]).astype(np.int32)


@dataclass(frozen=True)
class Analysis:
    """Tags, tree and score of a sentence; with probabilities, that of each word's arc and label."""

    tags: Tags
    tree: Tree
    score: float
    scores: list[float] | None = None


@dataclass(frozen=True)
class FirstOrder:
    """The results of the tagger and the first-order model, on which the chart is based."""

    p_tags: Float64Array
    best: AnyArray  # tags: the given ones, else the most probable
    encoded: Encoded
    allowed: Keep | None  # the arcs that given heads leave; None: all
    tree: Tree
    score: float
    p_arcs: Float64Array | None  # where they were asked for


@dataclass(frozen=True)
class GraphDecoder:
    """A tagger, a first-order CRF, and a chart; without one the first-order trees are the result."""

    options: Any
    tagger: ProbabilisticTagger
    crf: ArcCrf
    chart: ChartModel | None

    def best(
        self, forms: Sequence[str], given: Constraints, *, guide: GuideTree | None = None, scores: bool = False
    ) -> Analysis:
        """The best analysis of some words."""
        found = self._first_order(forms, given, scores=scores)
        tags, tree, score = found.best.astype(np.uint16), found.tree, found.score
        space = self._space(forms, given, found, guide)
        if space is not None:
            assert self.chart is not None
            tags, tree, score = self.chart.decode(space)
        p = None
        if scores:
            assert found.p_arcs is not None
            of_arcs = found.p_arcs[tree.heads[1:], np.arange(1, len(forms) + 1)]
            p = (of_arcs * self.crf.label_probabilities(found.encoded, tree)).tolist()
        return Analysis(tags, tree, score, p)

    def best_in_order(
        self, forms: Sequence[str], given: Constraints, on_search: Callable[[], None], guide: GuideTree | None = None
    ) -> Iterator[Analysis]:
        """All analyses of some words, the best first; ``on_search`` is called before each search."""
        found = self._first_order(forms, given)
        space = self._space(forms, given, found, guide)
        if space is not None:
            assert self.chart is not None
            yield from (Analysis(*one) for one in self.chart.decode_all(space, on_search))
            return
        for tree, score in self.crf.best_in_order(found.encoded, found.allowed, given.labels, on_search):
            yield Analysis(found.best.astype(np.uint16), tree, score)

    def uses_chart(self, words: int) -> bool:
        """Whether there is a chart for sentences of this length."""
        return self.chart is not None and words <= self.options.max_words

    def _first_order(self, forms: Sequence[str], given: Constraints, *, scores: bool = False) -> FirstOrder:
        """The results of the tagger and the first-order model; a DataError if the constraints allow no tree."""
        features = self.crf.features
        all_given = (given.tags >= 0).all()
        p_tags = features.one_hot(given.tags) if all_given else self.tagger.tag_probabilities(forms)
        best = np.where(given.tags >= 0, given.tags, p_tags.argmax(axis=1))
        encoded = features.encode(forms, best, None, given.analysed)
        allowed = given.arcs.allowed_arcs()
        p_arcs: Float64Array | None = None
        if len(forms) > LONGEST and not self.uses_chart(len(forms)) and allowed is None and (given.labels < 0).all():
            tree, score, p_arcs = best_in_pieces(self.crf, encoded, pieces(forms), sums=scores)
        elif scores or (self.uses_chart(len(forms)) and self.options.prune_arcs > 0):
            tree, score, p_arcs = self.crf.probabilities(encoded, allowed, given.labels)
        else:
            tree, score = self.crf.best(encoded, allowed, given.labels)
        if score == -np.inf:
            projective = "projective " if self.crf.labels.projective else ""
            raise DataError(
                f'no {projective}tree has the given heads and labels: "{forms[0]} ..." ({len(forms)} words); leave '
                "some of them unspecified"
            )
        return FirstOrder(p_tags, best, encoded, allowed, tree, score, p_arcs)

    def _space(
        self, forms: Sequence[str], given: Constraints, found: FirstOrder, guide: GuideTree | None
    ) -> Space | None:
        """The search space of the chart; None if the first-order result is final."""
        n, options, chart = len(forms), self.options, self.chart
        if chart is None or not self.uses_chart(n):
            return None
        if options.prune_arcs > 0:
            assert found.p_arcs is not None
            keep = keep_arcs(found.p_arcs, options.prune_arcs, found.tree.heads, options.max_heads)
        else:
            keep = keep_arcs(np.ones((n + 1, n + 1)), 0.0, found.tree.heads)
        if guide is not None:
            keep_guide(keep, guide)
        keep = keep if found.allowed is None else keep & found.allowed
        chosen = candidate_tags(found.p_tags, options.prune_tags if chart.pos is not None else None)
        chosen = [[int(g)] if g >= 0 else word for word, g in zip(chosen, given.tags.tolist(), strict=True)]
        atoms = chart.pos.atoms(forms, found.best) if chart.pos is not None else None
        candidates = Candidates.of(chosen, len(self.tagger.tags))
        encoded = chart.features.encode(forms, found.best, guide, given.analysed)
        return Space(encoded, candidates, keep, atoms, given.labels)


def candidate_tags(p: Float64Array, threshold: float | None) -> list[list[int]]:
    """The candidate tags of each word after pruning; without a threshold, only the best."""
    if threshold is None:
        return [[int(tag)] for tag in p.argmax(axis=1)]
    return keep_tags(p, threshold)
