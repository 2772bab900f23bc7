"""An evaluation as one HTML page: all tables, charts, and drawings of the sentences with the most errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import plait
from plait.arrays import BoolArray
from plait.draw.display import is_right_to_left, markup
from plait.draw.page import FOOT, asset, page_head
from plait.evaluation.breakdown import breakdowns, error_patterns, frequent_patterns, possible_breakdowns
from plait.evaluation.charts import bar_chart, interval_chart
from plait.evaluation.comparison import PATTERN_COLUMNS, Comparison, pattern_columns
from plait.evaluation.measures import labelled_right, tag_column
from plait.evaluation.pairing import Pairing
from plait.evaluation.scores import Scores
from plait.evaluation.tables import (
    TITLES,
    Cell,
    Table,
    column_values,
    compared,
    conll18_table,
    main_column,
    scores_table,
    side_by_side,
)
from plait.evaluation.words import NO_HEAD

CHARTED = ("upos", "xpos", "uas", "las", "tlas", "clas", "seg_f1", "seg_upos_f1", "chunk_f1")
BARS = 25  # rows of a breakdown that are drawn
PATTERNS = 15
SENTENCES = 5  # drawn
LONGEST = 40  # words of a drawn sentence


def report_page(
    pairings: Sequence[Pairing],
    scores: Sequence[Scores],
    names: Sequence[str],
    *,
    gold: str = "gold",
    comparison: Comparison | None = None,
    punct: bool = True,
    by: Sequence[str] = (),
    command: str = "",
) -> str:
    """The page for one system or, with ``comparison``, for two.

    names: of the systems, as the page shows them. by: breakdowns; all that gold allows when empty.
    command: what makes the page again.
    """
    page = _Report(pairings, scores, names, comparison, punct)
    page.overview(gold, command)
    for name in by or possible_breakdowns(*pairings):
        page.by(name)
    page.errors()
    page.examples()
    return page.html()


@dataclass
class _Report:
    pairings: Sequence[Pairing]
    scores: Sequence[Scores]
    names: Sequence[str]
    comparison: Comparison | None
    punct: bool

    def __post_init__(self) -> None:
        self.letters = ("A", "B")[: len(self.pairings)]
        same_words = self.scores[0].conll18 is None
        self.charted = [name for name in CHARTED if not (same_words and name.startswith("seg"))]
        self.sections: list[tuple[str, str]] = []

    def add(self, title: str, *parts: str) -> None:
        self.sections.append((title, "\n".join(parts)))

    def html(self) -> str:
        title = "plait: evaluation of " + " and ".join(self.names)
        links = "".join(f'<a href="#s{k}">{markup(name)}</a>' for k, (name, _) in enumerate(self.sections))
        body = "".join(
            f'<section id="s{k}">\n<h2>{markup(name)}</h2>\n{content}\n</section>\n'
            for k, (name, content) in enumerate(self.sections)
        )
        return page_head(title, asset("report.css")) + f"<h1>Evaluation</h1>\n<nav>{links}</nav>\n{body}{FOOT}"

    def overview(self, gold: str, command: str) -> None:
        """The systems, their scores, and the significance of the difference."""
        first = self.scores[0]
        letters = self.letters if len(self.letters) > 1 else ("predicted",)
        counted = "counted" if self.punct else "left out of the attachment scores"
        rows = [("gold", f"{gold}: {first.sentences:,} sentences, {first.tokens:,} words")]
        for letter, name, pairing in zip(letters, self.names, self.pairings, strict=True):
            rows.append((letter, ", ".join(filter(None, (name, _generator(pairing))))))
        for letter, score in zip(letters, self.scores, strict=True):
            if score.copied:
                whose = "" if len(self.letters) == 1 else f"{letter}: "
                rows.append(("copied", f"{whose}{', '.join(score.copied)} (from the input of the model, not scored)"))
        rows += [("punctuation", counted), ("evaluated by", f"plait {plait.__version__}")]
        listed = "".join(f"<dt>{markup(term)}</dt><dd>{markup(told)}</dd>" for term, told in rows)
        if command:
            listed += f"<dt>command</dt><dd><code>{markup(command)}</code></dd>"
        overview = f"<dl>{listed}</dl>"
        shown = [name for name in self.charted if all(getattr(score, name) is not None for score in self.scores)]
        values = [[getattr(score, name) for name in shown] for score in self.scores]
        chart = bar_chart("Scores, %", [TITLES[name] for name in shown], values, self.letters, top=100)
        parts = [overview, chart]
        if self.comparison is None:
            parts.append(_table(scores_table(first)))
        else:
            parts += [_table(self.comparison.table()), self._intervals()]
        self.add("Scores", *parts)
        if first.conll18 is not None:
            tables = [conll18_table(score.conll18) for score in self.scores if score.conll18 is not None]
            table = tables[0] if len(tables) == 1 else side_by_side(tables, self.letters, ("F1", "aligned accuracy"))
            self.add("CoNLL 2018", _table(table))

    def _intervals(self) -> str:
        assert self.comparison is not None
        rows = [row for row in self.comparison.differences if row.measure in self.charted]
        chart = interval_chart(
            "A − B with the 95 % interval of the bootstrap",
            [TITLES[row.measure] for row in rows],
            [(row.difference, row.bootstrap.low, row.bootstrap.high) for row in rows],
            ("B is better", "A is better"),
        )
        told = "A − B in per cent points with the 95 % interval of the bootstrap; filled where it leaves zero out."
        return f"<p>{told}</p>{chart}"

    def by(self, name: str) -> None:
        """One breakdown: a chart of its main column and the table."""
        tables = breakdowns(self.pairings, name, punct=self.punct)
        column = main_column(tables[0])
        keys, values = column_values(tables, column, BARS)
        chart = bar_chart(f"{tables[0].title}: {column}, %", keys, values, self.letters, top=100)
        table = _table(compared(tables, self.letters))
        self.add(tables[0].title, f"<p>{markup(column)}, per cent</p>", chart, table)

    def errors(self) -> None:
        """The error patterns, gold → predicted."""
        for column in pattern_columns(*self.pairings):
            patterns = [error_patterns(pairing, column) for pairing in self.pairings]
            keys = frequent_patterns(patterns, PATTERNS)
            if not keys:
                continue
            labels = [f"{x} → {y}" for x, y in keys]
            counts = [[pattern[key] for key in keys] for pattern in patterns]
            chart = bar_chart("Errors, gold → predicted", labels, counts, self.letters)
            parts = ["<p>How often a word of the first value was given the second.</p>", chart]
            if self.comparison is not None:
                parts.append(_table(self.comparison.pattern_table(column, PATTERNS)))
            self.add(f"Errors in {PATTERN_COLUMNS[column]}", *parts)

    def examples(self) -> None:
        """The sentences with most wrong words or, of two systems, with the largest difference; drawn if words agree."""
        from plait.draw.svg import sentence_svg

        gold = self.pairings[0].gold
        if not all(pairing.same_words for pairing in self.pairings) or not gold.has("heads"):
            return
        wrong = [~_right(pairing) for pairing in self.pairings]
        counts = [np.bincount(gold.sentence, w, minlength=len(gold.sentences)) for w in wrong]
        weight = counts[0] if len(counts) == 1 else np.abs(counts[0] - counts[1])
        short = np.array([len(s) <= LONGEST for s in gold.sentences])
        chosen = [int(i) for i in np.argsort(-weight, kind="stable") if weight[i] > 0 and short[i]][:SENTENCES]
        parts = []
        for i in chosen:
            sentence = gold.sentences[i]
            direction = ' dir="rtl"' if is_right_to_left(sentence.forms) else ""
            name = sentence.sent_id or f"sentence {i + 1}"
            parts.append(f"<h3>{markup(name)}</h3><p{direction}>{markup(sentence.text)}</p>")
            parts.append(f"<p>gold</p>{_wide(sentence_svg(sentence))}")
            for letter, pairing, w in zip(self.letters, self.pairings, wrong, strict=True):
                first = int(gold.first[i])
                ids = [k + 1 for k in range(len(sentence)) if w[first + k]]
                who = "predicted" if len(self.letters) == 1 else letter
                count = f"{len(ids)} wrong" if ids else "all right"
                drawn = sentence_svg(pairing.predicted.sentences[i], marked=ids)
                parts.append(f"<p>{who}: {count}</p>{_wide(drawn)}")
        if parts:
            what = "most wrong words" if len(self.pairings) == 1 else "the largest difference"
            note = f"Up to {LONGEST} words, with {what}; wrong are words with another tag, head or label than gold."
            self.add("Sentences", f"<p>{note}</p>", *parts)


def _right(pairing: Pairing) -> BoolArray:
    """[gold words], are tag, head and label right where gold gives them?"""
    gold = pairing.gold
    column = tag_column(gold)
    tags, open_tag = pairing.same(column), ~gold.given(column)
    open_head = gold.heads == NO_HEAD
    attached = labelled_right(pairing) if gold.has("deprels") else pairing.head_right
    if column in pairing.copied:  # neither merit nor fault of the model
        open_tag[:] = True
    if "heads" in pairing.copied:
        open_head = np.ones(len(gold), np.bool_)
    return np.asarray((tags | open_tag) & (attached | open_head))


def _generator(pairing: Pairing) -> str:
    """The generator of the predicted file, if a comment of its first sentence names it (plait and UDPipe do so)."""
    comments = pairing.predicted.sentences[0].comments if pairing.predicted.sentences else ()
    found = [comment.partition("=")[2].strip() for comment in comments if comment.startswith("# generator =")]
    return f"made by {found[0]}" if found else ""


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{markup(column)}</th>' for column in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{markup(_cell(row[0]))}</th>'
        + "".join(f"<td>{markup(_cell(cell))}</td>" for cell in row[1:])
        + "</tr>\n"
        for row in table.rows
    )
    return _wide(f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>")


def _cell(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return "" if cell is None else f"{cell:.2f}" if isinstance(cell, float) else cell


def _wide(content: str) -> str:
    return f'<div class="scroll">{content}</div>'
