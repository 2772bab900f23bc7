"""Tables of results: rows kept as plain values, printed as aligned text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plait.draw.display import cell_width
from plait.evaluation.conll18 import Measure
from plait.evaluation.scores import SCORES, Scores

Cell = str | int | float | None

TITLES = {name: title for name, (_, _, title) in SCORES.items()}
COPIED = "copied"  # in the place of a score: the column was in the input of the model
# the score that speaks of a column alone
DIRECT = {
    "upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas", "head": "uas", "deprel": "las",
    "chunk": "chunk_f1",
}  # fmt: skip
ABOUT_WORDS = ("seg_precision", "seg_recall", "seg_upos_f1", "oov_recall")  # say nothing new where the words agree


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, and the rows; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def to_text(self) -> str:
        """Aligned columns; floats with two digits, names to the left, numbers to the right."""
        cells = [self.columns, *(tuple(_shown(cell) for cell in row) for row in self.rows)]
        widths = [max(cell_width(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [self.title] if self.title else []
        for row in cells:
            first, *rest = (" " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True))
            line = row[0] + first + "".join("  " + pad + cell for cell, pad in zip(row[1:], rest, strict=True))
            lines.append(line.rstrip())
        return "\n".join(lines) + "\n"

    def to_dict(self) -> list[dict[str, Cell]]:
        """One record per row, by the columns' names in lower case."""
        names = [column.lower() for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


def scores_table(scores: Scores) -> Table:
    """All scores that apply, one a row; where the words agree one row says so."""
    rows: list[tuple[Cell, ...]] = [("sentences", scores.sentences), ("tokens", scores.tokens)]
    copied = {DIRECT[column] for column in scores.copied if column in DIRECT}
    for name, title in TITLES.items():
        value: Cell = COPIED if name in copied else getattr(scores, name)
        if value is not None and not (scores.conll18 is None and name in ABOUT_WORDS):
            rows.append((title, value))
    return Table("", ("measure", "%"), tuple(rows))


def conll18_table(measures: Mapping[str, Measure]) -> Table:
    """The table of the CoNLL 2018 shared task."""
    rows = tuple((name, m.precision, m.recall, m.f1, m.aligned_accuracy) for name, m in measures.items())
    return Table("CoNLL 2018", ("metric", "precision", "recall", "F1", "aligned accuracy"), rows)


def main_column(table: Table) -> str:
    """The column of a breakdown that is drawn: F1 or, without it, the last score."""
    return "F1" if "F1" in table.columns else table.columns[-1]


def compared(tables: Sequence[Table], names: Sequence[str]) -> Table:
    """The table of one system; of several, what is worth a comparison: the scores, not the counts."""
    if len(tables) == 1:
        return tables[0]
    counts = ("gold", "predicted", "right", "precision", "recall", "sentences", "tokens")
    return side_by_side(tables, names, [column for column in tables[0].columns[1:] if column not in counts])


def side_by_side(tables: Sequence[Table], names: Sequence[str], columns: Sequence[str]) -> Table:
    """Chosen columns of several tables with the same kind of rows, a group of columns for every table."""
    keys: dict[Cell, Any] = {}
    for table in tables:
        keys |= dict.fromkeys(row[0] for row in table.rows)
    records = [{row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows} for table in tables]
    rows = tuple((key, *(record.get(key, {}).get(column) for column in columns for record in records)) for key in keys)
    header = (tables[0].columns[0], *(f"{column} {name}" for column in columns for name in names))
    return Table(tables[0].title, header, rows)


def column_values(tables: Sequence[Table], column: str, limit: int) -> tuple[list[str], list[list[float]]]:
    """The names of the first rows, and for each table their values in one column; 0 where there is none."""
    keys = list(dict.fromkeys(str(row[0]) for table in tables for row in table.rows))[:limit]
    values = []
    for table in tables:
        at = table.columns.index(column)
        found = {str(row[0]): row[at] for row in table.rows}
        values.append([value if isinstance(value := found.get(key), int | float) else 0.0 for key in keys])
    return keys, values


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
