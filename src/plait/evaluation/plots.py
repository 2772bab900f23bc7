"""Plots of the tables; requires matplotlib (``pip install plait[plot]``)."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from plait.errors import OptionError
from plait.evaluation.breakdown import frequent_patterns
from plait.evaluation.tables import Table, column_values

FORMATS = ("png", "svg")


def plot_breakdown(
    path: str | os.PathLike[str], tables: Sequence[Table], names: Sequence[str], column: str, top: int = 25
) -> None:
    """One column of a breakdown as bars, a colour for every system; the suffix of the path decides the format.

    top: rows that are drawn; of tags and labels these are the most frequent ones.
    """
    keys, values = column_values(tables, column, top)
    _plot(Path(path), tables[0].title, f"{column}, %", keys, values, names)


def plot_patterns(
    path: str | os.PathLike[str], patterns: Sequence[Counter[tuple[str, str]]], names: Sequence[str], top: int = 15
) -> None:
    """The most frequent error patterns as bars, as in Figures 6 and 7 of Li et al. (2012), one colour a system."""
    keys = frequent_patterns(patterns, top)
    labels, values = [f"{x} → {y}" for x, y in keys], [[p[key] for key in keys] for p in patterns]
    _plot(Path(path), "Error patterns, gold → predicted", "errors", labels, values, names)


def _plot(
    path: Path, title: str, measure: str, labels: Sequence[str], values: Iterable[Sequence[Any]], names: Sequence[str]
) -> None:
    """Bars in a figure without the global state of pyplot, so that no window is opened and other code is unaffected."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OptionError("plots need matplotlib; install it with: pip install plait[plot]") from error
    figure = Figure(figsize=(max(5.0, 1.5 + 0.55 * len(labels)), 4.0), layout="constrained")
    axes: Any = figure.add_subplot()
    width = 0.8 / len(names)
    for k, (row, name) in enumerate(zip(values, names, strict=True)):
        axes.bar([i + (k - (len(names) - 1) / 2) * width for i in range(len(labels))], row, width, label=name)
    slanted = max(map(len, labels), default=0) > 4
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(labels)), labels, **turned)
    if len(names) > 1:
        axes.legend()
    axes.set_ylabel(measure)
    axes.set_title(title)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    """Write the picture atomically and reproducibly."""
    format = path.suffix[1:].lower()
    if format not in FORMATS:
        raise OptionError(f"{path}: plots can be written as {' or '.join(FORMATS)}, not {path.suffix!r}")
    import matplotlib

    from plait.files import open_atomic

    drawn = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "plait"}):
        figure.savefig(drawn, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)
    with open_atomic(path, "wb") as file:
        file.write(drawn.getvalue())
