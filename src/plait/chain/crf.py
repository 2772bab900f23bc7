"""A conditional random field over a label space: trained weights, and everything that can be asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.chain._decoder import item_scores
from plait.chain._search import best, best_n, probabilities
from plait.chain.labels import LabelSpace
from plait.core._weights import Scorer
from plait.core.rows import check_weights
from plait.core.tables import Frozen, open_table
from plait.errors import DataError, ModelError, OptionError
from plait.features.labelled import LabelledTemplates
from plait.features.templates import stored_templates
from plait.system.modelparts import open_names

Arrays = dict[str, npt.NDArray[Any]]
Atoms = npt.NDArray[np.uint64]
Bonus = tuple[int, Sequence[tuple[int, int]], float]  # where, (mark, type) of each item, what it is worth
Stretch = tuple[int, Sequence[tuple[int, int]]]  # where, (mark, type) of each item
Labelling = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], float]  # marks, types, score


class Crf:
    """Frozen weights over a label space. Nothing in it changes in use: any number of threads may share it."""

    def __init__(
        self,
        space: LabelSpace,
        features: LabelledTemplates,
        tables: Mapping[str, Scorer],
        labels: Mapping[str, npt.NDArray[np.float64]],
    ) -> None:
        self.space = space
        self.features = features
        self.tables = dict(tables)
        self.labels = dict(labels)  # start, sts, tst: the scores of labels alone
        self.chart = space.chart()
        self.chart.set_scores(*(np.ascontiguousarray(labels[name], np.float64) for name in ("start", "sts", "tst")))

    def scores(self, atoms: Atoms, bars: Arrays | None = None) -> dict[str, npt.NDArray[np.float32] | None]:
        """What the chart adds up for this sequence; ``bars`` (s, t: 0 or −inf) forbid labels at items."""
        n = len(atoms) - 2 * self.features.pad
        S, T = len(self.space.marks), len(self.space.types)
        shapes = {"s": (n, S), "t": (n, T), "st": (n, S, T), "ss": (n, S, S), "tt": (n, T, T)}
        found: dict[str, npt.NDArray[np.float32] | None] = {}
        for view, shape in shapes.items():
            table = self.tables.get(view)
            if table is not None:
                found[view] = item_scores(table, self.features.compiled[view], atoms, self.features.pad).reshape(shape)
            else:
                found[view] = np.zeros(shape, dtype=np.float32) if view in ("s", "t") else None
        for view, bar in (bars or {}).items():
            table_scores = found[view]
            assert table_scores is not None
            table_scores += bar
        return found

    def best(self, atoms: Atoms, bars: Arrays | None = None, bonuses: Sequence[Bonus] = ()) -> Labelling:
        """The best labelling and its score."""
        return best(self.chart, **self.scores(atoms, bars), bonuses=bonuses)  # type: ignore[arg-type]

    def best_n(self, atoms: Atoms, count: int, bars: Arrays | None = None) -> list[Labelling]:
        """The best labellings, best first."""
        return best_n(self.chart, count, **self.scores(atoms, bars))  # type: ignore[arg-type]

    def probabilities(
        self, atoms: Atoms, bars: Arrays | None = None, stretches: Sequence[Stretch] = ()
    ) -> tuple[float, dict[str, npt.NDArray[np.float64]]]:
        """log Z, and the probability of every label at every item (s, t, st), and of whole stretches of labels."""
        scores: Any = self.scores(atoms, bars)
        log_z, found = probabilities(self.chart, **scores, stretches=stretches, pairs=False)
        if not found and len(atoms) > 2 * self.features.pad:
            raise DataError("what is given allows no analysis at all; give fewer words or tags")
        return log_z, found

    def parts(self, prefix: str = "") -> tuple[dict[str, Any], Arrays]:
        """Header entries and arrays for the model file."""
        header: dict[str, Any] = {
            "marks": list(self.space.marks),
            "types": list(self.space.types),
            "templates": [template.text for template in self.features.templates],
            "tables": {},
        }
        arrays: Arrays = {}
        for name in ("begin", "end", "pair", "triple"):
            arrays[f"{prefix}space.{name}"] = getattr(self.space, name).astype(np.uint8)
        for name, array in self.labels.items():
            arrays[f"{prefix}labels.{name}"] = array.astype(np.float32)
        for view, table in self.tables.items():
            assert isinstance(table, Frozen)
            header["tables"][view] = table.header()
            arrays.update({f"{prefix}{view}.{name}": array for name, array in table.arrays().items()})
        return header, arrays

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]], known: Sequence[str], prefix: str = ""
    ) -> Self:
        """The inverse of ``parts``; anything unsound is a ModelError."""
        try:
            marks, types = (tuple(open_names(header[name], name)) for name in ("marks", "types"))
            flags = {n: arrays[f"{prefix}space.{n}"].astype(bool) for n in ("begin", "end", "pair", "triple")}
            space = LabelSpace(marks, types, **flags)
            S, T = len(marks), len(types)
            if flags["begin"].shape != (S, T):
                raise ValueError(f"constraints for {flags['begin'].shape} labels, not for {(S, T)}")
            templates = stored_templates(header["templates"])
            features = LabelledTemplates(templates, known)
            tables: dict[str, Scorer] = {}
            for view, entry in header["tables"].items():
                under = f"{prefix}{view}."
                table = open_table(entry, {n.removeprefix(under): a for n, a in arrays.items() if n.startswith(under)})
                if view not in features.compiled or table.labels != space.widths[view]:
                    raise ValueError(f"table {view} does not belong to the templates or labels")
                tables[view] = table
            labels = {n: arrays[f"{prefix}labels.{n}"].astype(np.float64) for n in ("start", "sts", "tst")}
            for array in labels.values():
                check_weights(array)
            return cls(space, features, tables, labels)
        except (KeyError, TypeError, ValueError, AttributeError, OptionError) as error:
            raise ModelError(f"damaged CRF: {error}; train or fetch the model again") from error
