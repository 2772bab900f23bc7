"""Training of the first-order CRF: AdaGrad on its likelihood, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plait.arrays import Int64Array
from plait.core._frozen import FrozenWeights, freeze
from plait.core._goldrows import GoldRows
from plait.core._weights import Scorer
from plait.core.tables import bits_for
from plait.graph._crf import add_gradient, arc_scores, gold_features
from plait.graph._eisner import marginals
from plait.graph.arc_crf import ArcCrf
from plait.graph.features import Encoded, GraphFeatures
from plait.graph.options import GraphOptions
from plait.graph.spanning import spanning_marginals
from plait.learn.adagrad import AdaGradTrainer
from plait.learn.divergence import check_score
from plait.learn.records import PassRecord
from plait.learn.task import Track, no_track
from plait.trees.arc_labels import ArcLabels
from plait.trees.tree import Tree

START = 1.0  # of AdaGrad's sums of squares: from 0 the first step has full size, however small the gradient
NEGLIGIBLE = 1e-4  # arcs less probable than this move no weights: a fifth of the time, the same accuracy


@dataclass(frozen=True)
class ArcExample:
    """A sentence with its tree."""

    encoded: Encoded
    tree: Tree


@dataclass
class ArcCrfTrainer:
    """Stochastic training: a record after each pass; without a measure the last pass counts, otherwise the best."""

    options: GraphOptions
    features: GraphFeatures
    labels: ArcLabels
    examples: Sequence[ArcExample]
    track: Track = no_track

    def __post_init__(self) -> None:
        self.best_epoch = 0
        self.rows = gold_rows(self.features, self.labels, self.examples, self.options.arc_cutoff)
        self.w = self.rows.w  # and one more weight that is always 0
        self.squares = self.rows.squares
        self.squares[:] = START
        self.size = len(self.rows.codes)

    def run(
        self, epochs: int, seed: int, measure: Callable[[ArcCrf], dict[str, float]] | None = None, decides: str = ""
    ) -> Iterator[PassRecord]:
        """The passes; afterwards ``rows.w`` are the weights of the best, by the score that ``decides``."""
        dev_scores = None if measure is None else lambda _: measure(ArcCrf(self.features, self.labels, self.rows))
        passes = AdaGradTrainer(
            self, len(self.examples), epochs=epochs, seed=seed, measure=dev_scores, decides=decides, track=self.track
        )
        yield from passes.run()
        self.best_epoch = passes.best_epoch

    def step(self, examples: Int64Array) -> float:
        """Move the weights by some sentences; −log P of their gold trees before."""
        loss = sum(self.descend(self.examples[i]) for i in examples.tolist())
        self.rows.step(self.options.arc_rate, self.options.arc_decay)
        return loss

    def descend(self, example: ArcExample, threshold: float = NEGLIGIBLE) -> float:
        """Add the gradient of one sentence to the rows; −log P(gold tree)."""
        factors = self.features.one_best(example.encoded, self.rows)
        free = np.full(len(example.encoded) + 1, -1, dtype=np.int32)
        _, _, total = arc_scores(factors, self.labels.mask, free, sums=True)
        assert total is not None
        log_z, p = (marginals if self.labels.projective else spanning_marginals)(total)
        check_score(log_z)
        heads, labels = example.tree.heads, example.tree.labels
        add_gradient(self.rows, factors, p, heads, labels, self.labels.mask, threshold)
        gold = sum(
            float(self.rows.scores(np.array(factors.keys_of(int(heads[m]), m), dtype=np.uint64))[labels[m]])
            for m in range(1, len(heads))
        )
        return log_z - gold

    def frozen(self, bits: int = 16) -> FrozenWeights:
        """The weights for use."""
        rows, w = self.rows, self.rows.w[:-1]
        kept = w != 0
        counts = np.concatenate([[0], np.cumsum(kept)])
        starts = counts[rows.starts].astype(np.int64)
        return freeze(rows.keys, starts, rows.codes[kept], w[kept], rows.labels, bits_for(rows.labels, bits))


def gold_rows(features: GraphFeatures, labels: ArcLabels, examples: Sequence[ArcExample], cutoff: int) -> GoldRows:
    """Rows for the features that gold arcs show at least ``cutoff`` times, with the labels they show them with."""
    keys, codes = [], []
    for example in examples:
        found, owners = gold_features(features.one_best(example.encoded, Scorer()), example.tree.heads)
        keys.append(found)
        codes.append(example.tree.labels[owners])
    key = np.concatenate([*keys, np.zeros(0, dtype=np.uint64)])
    code = np.concatenate([*codes, np.zeros(0, dtype=np.uint16)])
    order = np.lexsort((code, key))
    key, code = key[order], code[order]
    if cutoff > 1 and len(key):
        ends = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1], [True]]))
        times = np.repeat(np.diff(ends), np.diff(ends))
        key, code = key[times >= cutoff], code[times >= cutoff]
    new = np.concatenate([[True], (key[1:] != key[:-1]) | (code[1:] != code[:-1])]) if len(key) else np.zeros(0, bool)
    key, code = key[new], code[new]
    first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if len(key) else np.zeros(0, np.int64)
    starts = np.concatenate([first, [len(key)]]).astype(np.int64)
    return GoldRows(np.ascontiguousarray(key[first]), starts, np.ascontiguousarray(code), len(labels.names))
