"""The heaviest features of every label, in words. Keys cannot be read back, so the training data is asked for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.chain.crf import Crf
from plait.chain.fitting import CrfProblem
from plait.features.sequence import place_atom

Show = Callable[[str, int], str]  # (column, item) -> what stands there
Source = tuple[npt.NDArray[np.uint64], Show]  # padded atoms, and how to read them

SEQUENCES = 3000  # looked at; features that do not show up in them stay unnamed


def heaviest_features(
    problem: CrfProblem, crf: Crf, sources: Iterable[Source], count: int = 8
) -> dict[str, list[list[Any]]]:
    """For each mark and type its heaviest features that look at nothing else."""
    features = problem.features
    wanted: dict[str, dict[int, list[tuple[str, float]]]] = {}
    found: dict[str, list[list[Any]]] = {}
    for view, names in (("s", problem.space.marks), ("t", problem.space.types)):
        table = crf.tables.get(view)
        if table is None:
            continue
        rows = problem.rows[view]
        values = problem.last[rows.starts[0] : rows.starts[-1]]
        keys = np.repeat(rows.keys, np.diff(rows.starts))
        for number, name in enumerate(names):
            shown = name.replace("\t", " ").replace("\n", "+")
            found[shown] = []
            of_label = np.flatnonzero(rows.codes == number)
            for j in of_label[np.argsort(-values[of_label], kind="stable")[: 4 * count]]:
                wanted.setdefault(view, {}).setdefault(int(keys[j]), []).append((shown, float(values[j])))
    looked_for = {view: np.array(sorted(keys), dtype=np.uint64) for view, keys in wanted.items()}
    for atoms, show in islice(sources, SEQUENCES):
        for view, table_keys in features.keys(atoms):
            left = wanted.get(view)
            if not left:
                continue
            for i, k in np.argwhere(np.isin(table_keys, looked_for[view])).tolist():
                for shown, value in left.pop(int(table_keys[i, k]), ()):
                    template = features.by_view[view][k]
                    n = len(table_keys)
                    text = " ".join(f"{atom}={_shown(atom, i, n, problem, show)}" for atom in template.atoms)
                    found[shown].append([text, round(value, 4)])
    return {name: sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:count] for name, pairs in found.items()}


def _shown(atom: str, i: int, n: int, problem: CrfProblem, show: Show) -> str:
    column, offset = place_atom(atom, problem.features.columns)
    at = i + offset
    return "<start>" if at < 0 else "<end>" if at >= n else show(column, at)


def show_form(column: str, form: str) -> str:
    """What a column of words or units says of this form."""
    if column.startswith("pre"):
        return form[: int(column[3:])]
    if column.startswith("suf"):
        return form[-int(column[3:]) :]
    if column.startswith("che"):
        return form[-int(column[3:])]
    if column.startswith("ch"):
        return form[int(column[2:]) - 1]
    if column == "len":
        return str(len(form))
    return form.lower() if column == "low" else form
