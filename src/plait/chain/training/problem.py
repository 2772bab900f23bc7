"""The objective of a CRF from labelled sequences: features are numbered once, weights are in one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from plait.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array, UInt64Array
from plait.chain._corpus import Encoder, seen_labels
from plait.chain._objective import Objective
from plait.chain.crf import Crf
from plait.chain.labels import LabelSpace
from plait.core._frozen import freeze
from plait.core._weights import Scorer
from plait.core.tables import bits_for
from plait.errors import DataError, OptionError
from plait.features.label_templates import VIEWS, LabelTemplates
from plait.learn.divergence import check_learned

BLOCK_BYTES = 1 << 26  # scores and gradients of blocks
MAX_ROW_LABELS = 65534  # labels that one row of a frozen table holds


@dataclass(frozen=True)
class Example:
    """A sequence with its labels: padded atoms, numbers of marks and types, and the mask of each item."""

    atoms: UInt64Array
    marks: Int32Array
    types: Int32Array
    masks: UInt8Array | None = None


class EncodedView(NamedTuple):
    """The features of one view as rows of weights, and the rows of every item."""

    keys: UInt64Array  # of the features, those of one row side by side
    members: Int64Array  # how many features each row has
    times: Int64Array  # how often each row is used
    ids: Int32Array  # rows of all items
    starts: Int64Array  # [items + 1]: where those of an item begin
    block_of: Int32Array  # [items][groups]: the blocks of an item, which stand for more rows; -1: none
    block_ids: Int32Array  # rows of all blocks
    block_starts: Int64Array

    @property
    def items(self) -> tuple[Int32Array, Int64Array, Int32Array, Int32Array, Int64Array]:
        """Which rows every item has."""
        return self.ids, self.starts, self.block_of, self.block_ids, self.block_starts


@dataclass(frozen=True)
class Rows:
    """The features of one view: their keys, and the positions of their weights."""

    keys: UInt64Array
    starts: Int64Array  # [features + 1], absolute
    codes: Int32Array  # the label of each weight

    @cached_property
    def order(self) -> Int64Array:
        """The features by key, in the order of a frozen table."""
        return np.argsort(self.keys)


@dataclass(frozen=True)
class Tied:
    """The rows of one view in the objective, each for one or several tied features."""

    starts: Int64Array  # [rows + 1], absolute
    codes: Int32Array  # the label of each weight
    members: Int64Array  # [rows]

    def all_starts(self) -> Int64Array:
        """[features + 1]: where their weights begin when every feature has its own, from 0 on."""
        return np.concatenate([[0], np.cumsum(np.repeat(np.diff(self.starts), self.members))]).astype(np.int64)

    def places(self) -> Int64Array:
        """For the weights of all features, the positions among the weights of the rows, from 0 on."""
        all_starts = self.all_starts()
        moved = np.repeat(self.starts[:-1] - self.starts[0], self.members) - all_starts[:-1]
        return np.repeat(moved, np.diff(all_starts)) + np.arange(all_starts[-1])


class CrfProblem:
    """An objective over one weight vector: label-only scores, then a row for each feature.

    ``masks`` are the label masks that ``Example.masks`` refers to: (s, t) rows of 0 and −inf, the first of zeros. With
    ``tie``, features that occur at the same items are one row of the objective; that is correct if all weights start
    from 0. With ``share``, blocks of features that many items share are summed once; that pays if all data is evaluated
    at a time.
    """

    def __init__(
        self,
        space: LabelSpace,
        features: LabelTemplates,
        examples: Iterable[Example],
        *,
        cutoff: int = 1,
        unseen: bool = False,
        masks: tuple[Float64Array, Float64Array] | None = None,
        tie: bool = False,
        share: bool = True,
    ) -> None:
        self.space = space
        self.features = features
        _check_widths(space, features)
        encoders = {
            # without blocks there is no memory for them either
            view: Encoder(features.segments(view) if share else [range(len(templates))])
            for view, templates in features.by_view.items()
        }
        kept = []
        for example in examples:
            if len(example.marks):
                for view, keys in features.keys(example.atoms):
                    encoders[view].add(keys)
                kept.append((example.marks, example.types, example.masks))
        if not kept:
            raise DataError("no labelled sequences to train on")
        self.lengths = np.array([len(marks) for marks, _, _ in kept], dtype=np.int64)
        sentences = np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)
        gold_s, gold_t = np.concatenate([s for s, _, _ in kept]), np.concatenate([t for _, t, _ in kept])
        first = np.zeros(len(gold_s), dtype=bool)
        first[sentences[:-1]] = True
        S, T = len(space.marks), len(space.types)
        self.label_size = self.size = sum(math.prod(shape) for shape in self._label_shapes().values())
        self.rows: dict[str, Rows] = {}
        self.tied: dict[str, Tied] = {}
        encoded: dict[str, EncodedView] = {}
        self.parameters = self.size  # of the objective
        for view in [view for view in VIEWS if view in encoders]:
            width = space.widths[view]
            max_blocks = BLOCK_BYTES // (16 * width) if share else 0
            of_view = EncodedView(*encoders.pop(view).finish(cutoff, tie, max_blocks))
            encoded[view] = of_view
            if unseen:
                offsets = np.arange(len(of_view.members) + 1, dtype=np.int64) * width
                codes = np.tile(np.arange(width, dtype=np.int32), len(of_view.members))
            else:
                gold = gold_codes(view, gold_s, gold_t, first, S, T)
                offsets, codes = seen_labels(*of_view.items, gold, len(of_view.members), width)
            self.tied[view] = tied = Tied(offsets + self.parameters, codes, of_view.members)
            self.rows[view] = Rows(of_view.keys, tied.all_starts() + self.size, codes[tied.places()])
            self.parameters += len(codes)
            self.size += len(self.rows[view].codes)
        mask_s, mask_t = masks or (np.zeros((1, S)), np.zeros((1, T)))
        nothing = np.zeros(0, np.int64)
        self._counts = np.concatenate([*(e.times for e in encoded.values()), nothing])
        self.chart = space.chart()
        self.objective = Objective(
            self.chart,
            sentences,
            gold_s,
            gold_t,
            np.concatenate([np.zeros(len(s), np.uint8) if m is None else m for s, _, m in kept]),
            np.ascontiguousarray(mask_s),
            np.ascontiguousarray(mask_t),
            [encoded[view].items if view in encoded else None for view in VIEWS],
            [len(encoded[view].members) if view in encoded else 0 for view in VIEWS],
            np.concatenate([*(t.starts[:-1] for t in self.tied.values()), [self.parameters]]).astype(np.int64),
            np.concatenate([*(t.codes for t in self.tied.values()), nothing]).astype(np.int32),
            self._counts,
            np.concatenate([*(e.members for e in encoded.values()), nothing]),
        )

    def members(self) -> Int64Array:
        """For each number of the objective how many weights it represents."""
        labels = np.ones(self.label_size, dtype=np.int64)
        return np.concatenate([labels, *(np.repeat(t.members, np.diff(t.starts)) for t in self.tied.values())])

    def weights(self, sums: Float64Array) -> Float64Array:
        """All weights from the numbers of the objective, which are the sums of tied weights."""
        found = [sums[: self.label_size]]
        for tied in self.tied.values():
            each = sums[tied.starts[0] : tied.starts[-1]] / np.repeat(tied.members, np.diff(tied.starts))
            found.append(each[tied.places()])
        return np.concatenate(found)

    def _label_shapes(self) -> dict[str, tuple[int, ...]]:
        """The label-only scores that are learnt, in the order of the weight vector.

        With one mark, sts would duplicate what the tst of one tag have in common: a weaker prior on that, and a tenth
        more iterations.
        """
        S, T = len(self.space.marks), len(self.space.types)
        return {"start": (S, T), **({"sts": (S, S, T)} if S > 1 else {}), "tst": (S, T, T)}

    def label_tables(self, w: Float64Array) -> dict[str, Float64Array]:
        """start, sts and tst out of the weight vector."""
        S, T = len(self.space.marks), len(self.space.types)
        tables = {"start": np.zeros((S, T)), "sts": np.zeros((S, S, T)), "tst": np.zeros((S, T, T))}
        at = 0
        for name, shape in self._label_shapes().items():
            tables[name].reshape(-1)[:] = w[at : at + math.prod(shape)]
            at += math.prod(shape)
        return tables

    def set_scores(self, w: Float64Array) -> None:
        """Set the label-only scores of the chart."""
        self.chart.set_scores(*self.label_tables(w).values())

    def batches(self, items: int) -> list[Int64Array]:
        """The numbers of the sequences, in batches of about ``items`` items."""
        cuts = np.unique(np.cumsum(self.lengths) // max(items, 1), return_index=True)[1][1:]
        return np.split(np.arange(len(self.lengths), dtype=np.int64), cuts)

    def shares(self, threads: int) -> list[tuple[int, int]]:
        """Ranges of rows with about the same work, one for each thread."""
        total = np.cumsum(self._counts)
        if threads <= 1 or len(total) == 0:
            return [(0, self.objective.rows)]
        cuts = [int(np.searchsorted(total, total[-1] * k / threads)) for k in range(1, threads)]
        return list(pairwise([0, *cuts, self.objective.rows]))

    def freeze(self, w: Float64Array, bits: int = 16, prune_below: float = 0.0) -> Crf:
        """The weights as a model for use."""
        check_learned(w)
        tables: dict[str, Scorer] = {}
        for view, rows in self.rows.items():
            values = w[rows.starts[0] : rows.starts[-1]].astype(np.float32)
            kept = np.abs(values) > prune_below
            before = np.concatenate([[0], np.cumsum(kept)])[rows.starts - rows.starts[0]]
            # rows lie by frequency here, and by key in a frozen table
            order = rows.order
            counts = np.diff(before)[order]
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            places = np.repeat(before[:-1][order] - starts[:-1], counts) + np.arange(starts[-1])
            width = self.space.widths[view]
            tables[view] = freeze(
                rows.keys[order], starts, rows.codes[kept].astype(np.uint16)[places], values[kept][places], width,
                bits_for(width, bits),
            )  # fmt: skip
        return Crf(self.space, self.features, tables, self.label_tables(w))

    def start_from(self, crf: Crf) -> Float64Array:
        """A weight vector with the weights of another model for the features they share; labels must be the same."""
        if (crf.space.marks, crf.space.types) != (self.space.marks, self.space.types):
            raise OptionError(
                "the warm-start model has a different label set; train from scratch, or on data with the same labels"
            )
        w = np.zeros(self.size)
        if self.parameters != self.size:
            raise ValueError("tied features cannot start from different weights; make the problem without tie")
        labels = dict(crf.labels)
        if "sts" not in self._label_shapes():  # a model of an older version may have both
            labels["tst"] = labels["tst"] + labels["sts"].reshape(1, -1, 1)
        w[: self.label_size] = np.concatenate([labels[name].ravel() for name in self._label_shapes()])
        for view, rows in self.rows.items():
            table = crf.tables.get(view)
            if table is None:
                continue
            for k in range(len(rows.keys)):
                a, b = rows.starts[k], rows.starts[k + 1]
                w[a:b] = table.scores(rows.keys[k : k + 1])[rows.codes[a - rows.starts[0] : b - rows.starts[0]]]
        return w


def _check_widths(space: LabelSpace, features: LabelTemplates) -> None:
    for view in features.by_view:
        if space.widths[view] > MAX_ROW_LABELS:
            raise OptionError(
                f"templates over {view} need {space.widths[view]} weights per row, more than {MAX_ROW_LABELS}; "
                f"choose templates without pairs of tags, or fewer tags"
            )


def gold_codes(view: str, s: Int32Array, t: Int32Array, first: BoolArray, S: int, T: int) -> Int32Array:
    """Which label of the view each item has; −1 where a pair would need an item before the first."""
    if view == "s":
        return s
    if view == "t":
        return t
    if view == "st":
        return (s * T + t).astype(np.int32)
    labels, size = (s, S) if view == "ss" else (t, T)
    pairs = np.concatenate([[0], labels[:-1] * size + labels[1:]]).astype(np.int32)
    return np.where(first, -1, pairs).astype(np.int32)
