"""A trained conditional random field: best labelling, n-best, probabilities, and its parts in a model file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from plait.arrays import AnyArray, Float32Array, Float64Array, Int32Array, UInt64Array
from plait.chain._nbest import Ranking
from plait.chain._search import best, labelling_score, probabilities
from plait.chain.labels import LabelSpace
from plait.core._weights import Scorer
from plait.core.rows import check_weights
from plait.core.tables import open_table, prefixed, under
from plait.errors import DataError, ModelError, OptionError
from plait.features.label_templates import LabelTemplates
from plait.features.templates import stored_templates, template_texts
from plait.system import Parts
from plait.system.modelparts import open_names, table_parts

Scores = dict[str, Float32Array | None]  # by view; None where the model has no such features
Mask = dict[str, Float32Array]  # s, t: 0 where an item may have a label, −inf where not
Span = tuple[int, Sequence[tuple[int, int]]]  # where, (mark, type) of each item
Labelling = tuple[Int32Array, Int32Array, float]  # marks, types, score


NO_LABELLING = "what is given allows no analysis at all; give fewer words or tags, or take back some dictionary entries"

MAIN = "crf"  # in the header of a model, whose arrays have no prefix; those of a second CRF have its name
FLAGS = ("begin", "end", "pair", "triple")  # the constraints of a label space

PATIENCE = 20  # candidates per analysis: without hard constraints very many labellings mean the same analysis


def check_score(score: float) -> None:
    """A DataError if the score of the best labelling is −inf, that is if none is allowed."""
    if not math.isfinite(score):
        raise DataError(NO_LABELLING)


class Bonuses(NamedTuple):
    """Spans whose score is raised if they are labelled by one of several patterns; see ``_search.best``."""

    patterns: Int32Array  # [pattern][single, inside, last, head...], labels s * T + t
    columns: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], Sequence[float]]


class Crf:
    """Frozen weights over a label space. It is immutable: any number of threads may share it."""

    def __init__(
        self,
        space: LabelSpace,
        features: LabelTemplates,
        tables: Mapping[str, Scorer],
        labels: Mapping[str, Float64Array],
    ) -> None:
        self.space = space
        self.features = features
        self.tables = dict(tables)
        self.labels = dict(labels)  # start, sts, tst: the scores of labels alone
        self.chart = space.chart()
        self.chart.set_scores(*(np.ascontiguousarray(labels[name], np.float64) for name in ("start", "sts", "tst")))

    def scores(self, atoms: UInt64Array, mask: Mask | None = None, tags: Float32Array | None = None) -> Scores:
        """The scores of the chart for this sequence; ``tags`` are the scores of the view t, if already computed."""
        n = len(atoms) - 2 * self.features.pad
        S, T = len(self.space.marks), len(self.space.types)
        shapes = {"s": (n, S), "t": (n, T), "st": (n, S, T), "ss": (n, S, S), "tt": (n, T, T)}
        found: Scores = {}
        for view, shape in shapes.items():
            table = self.tables.get(view)
            if view == "t" and tags is not None:
                found[view] = tags
            elif table is not None:
                found[view] = self.features.compiled[view].scores(table, atoms, self.features.pad).reshape(shape)
            else:
                found[view] = np.zeros(shape, dtype=np.float32) if view in ("s", "t") else None
        for view, added in (mask or {}).items():
            table_scores = found[view]
            assert table_scores is not None
            table_scores += added
        return found

    def best(
        self,
        atoms: UInt64Array,
        mask: Mask | None = None,
        bonuses: Bonuses | None = None,
        tags: Float32Array | None = None,
    ) -> Labelling:
        """The best labelling and its score; a DataError if the mask allows none."""
        return self._best(self.scores(atoms, mask, tags), bonuses)

    def _best(self, scores: Scores, bonuses: Bonuses | None = None) -> Labelling:
        patterns, columns = (None, None) if bonuses is None else bonuses
        found = best(self.chart, scores, patterns, columns)
        check_score(found[2])
        return found

    def ranked(
        self, atoms: UInt64Array, mask: Mask | None = None, tags: Float32Array | None = None
    ) -> Iterator[Labelling]:
        """All labellings, best first, computed lazily; the first is always that of ``best``."""
        scores = self.scores(atoms, mask, tags)
        first, types_of_first, _ = self._best(scores)
        highest = labelling_score(self.chart, first, types_of_first, scores)
        yield first, types_of_first, highest
        for marks, types, score in Ranking(self.chart, scores):
            # of labellings as good as each other, up to rounding, the two searches may find different ones first
            if not (np.array_equal(marks, first) and np.array_equal(types, types_of_first)):
                yield marks, types, min(score, highest)

    def probabilities(
        self, atoms: UInt64Array, mask: Mask | None = None, spans: Sequence[Span] = (), tags: Float32Array | None = None
    ) -> tuple[float, dict[str, Float64Array]]:
        """log Z, and the probability of every label at every item (s, t, st), and of whole spans of labels."""
        log_z, found = probabilities(self.chart, self.scores(atoms, mask, tags), spans=spans, pairs=False)
        if not found and len(atoms) > 2 * self.features.pad:
            raise DataError(NO_LABELLING)
        return log_z, found

    def span_probabilities(
        self, atoms: UInt64Array, mask: Mask | None, propose: Callable[[dict[str, Float64Array]], Sequence[Span]]
    ) -> Float64Array:
        """The probabilities of the spans that ``propose`` returns, given the probabilities of labels."""
        scores = self.scores(atoms, mask)
        _, found = probabilities(self.chart, scores, pairs=False)
        if not found:
            raise DataError(NO_LABELLING)
        spans = probabilities(self.chart, scores, spans=propose(found), pairs=False)[1]["spans"]
        assert isinstance(spans, np.ndarray)
        return spans

    def parts(self, name: str = MAIN) -> Parts:
        """The entry of this name in the header, and the arrays of the model file."""
        entry = {
            "marks": list(self.space.marks),
            "types": list(self.space.types),
            "templates": template_texts(self.features.templates),
        }
        tables, arrays = table_parts(self.tables)
        arrays |= {f"space.{flag}": getattr(self.space, flag).astype(np.uint8) for flag in FLAGS}
        arrays |= {f"labels.{label}": array.astype(np.float32) for label, array in self.labels.items()}
        return {name: entry | tables}, prefixed(_prefix(name), arrays)

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Mapping[str, AnyArray], known: Sequence[str], name: str = MAIN
    ) -> Self:
        """The inverse of ``parts``; anything invalid is a ModelError."""
        try:
            if name not in header:
                raise ValueError("the CRF is missing")
            entry, arrays = header[name], under(_prefix(name), arrays)
            marks, types = (tuple(open_names(entry[part], part)) for part in ("marks", "types"))
            flags = {flag: arrays[f"space.{flag}"].astype(bool) for flag in FLAGS}
            space = LabelSpace(marks, types, **flags)
            S, T = len(marks), len(types)
            if flags["begin"].shape != (S, T):
                raise ValueError(f"constraints for {flags['begin'].shape} labels, not for {(S, T)}")
            features = LabelTemplates(stored_templates(entry["templates"]), known)
            tables: dict[str, Scorer] = {}
            for view, record in entry["tables"].items():
                table = open_table(record, under(f"{view}.", arrays))
                if view not in features.compiled or table.labels != space.widths[view]:
                    raise ValueError(f"table {view} does not belong to the templates or labels")
                tables[view] = table
            labels = {label: arrays[f"labels.{label}"].astype(np.float64) for label in ("start", "sts", "tst")}
            for array in labels.values():
                check_weights(array)
            return cls(space, features, tables, labels)
        except (KeyError, TypeError, ValueError, AttributeError, OptionError) as error:
            raise ModelError(f"damaged CRF: {error}; train or download the model again") from error


def _prefix(name: str) -> str:
    return "" if name == MAIN else f"{name}."
