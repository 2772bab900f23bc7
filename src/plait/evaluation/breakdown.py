"""Breakdowns of scores by arc length, sentence length, tag and label, and error patterns X → Y."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress

import numpy as np

from plait.arrays import BoolArray
from plait.data.provenance import NAMES
from plait.errors import DataError, OptionError
from plait.evaluation.confusions import confusion_f1, confusions
from plait.evaluation.measures import attached_words, labelled_right, tag_column
from plait.evaluation.pairing import Pairing, copied_by_any
from plait.evaluation.tables import Cell, Table
from plait.evaluation.words import NO_HEAD, ROOT, Words

ARC_LENGTHS = ((1, 1), (2, 2), (3, 4), (5, 7), (8, 10), (11, 15), (16, 20), (21, None))
SENTENCE_LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None))
Copied = frozenset[str]  # columns that came from the input of a model
BREAKDOWNS = ("length", "sentence", "tag", "label")


def breakdown(pairing: Pairing, by: str, *, punct: bool = True) -> Table:
    """One of the tables by name: ``length`` (of the arc), ``sentence`` (its length), ``tag`` or ``label``.

    Columns that the prediction copied from the input of its model are omitted.
    """
    return breakdowns([pairing], by, punct=punct)[0]


def breakdowns(pairings: Sequence[Pairing], by: str, *, punct: bool = True) -> list[Table]:
    """The table of each system, with the same columns: those that none of them copied."""
    tables = {"length": by_arc_length, "sentence": by_sentence_length, "tag": by_tag, "label": by_label}
    if by not in tables:
        raise OptionError(f"no breakdown by {by!r}; expected one of {', '.join(BREAKDOWNS)}")
    copied = copied_by_any(pairings)
    return [tables[by](pairing, copied, punct=punct) for pairing in pairings]


def possible_breakdowns(*pairings: Pairing) -> tuple[str, ...]:
    """The breakdowns that apply: gold has the columns, and all systems predict them."""
    gold, copied = pairings[0].gold, copied_by_any(pairings)
    tag = tag_column(gold)
    tags, trees = (gold.has(column) and column not in copied for column in (tag, "heads"))
    allowed = {
        "length": trees,
        "sentence": tags or trees or not pairings[0].same_words or not copied,
        "tag": gold.has(tag) and (tags or trees),
        "label": trees and "deprels" not in copied,
    }
    return tuple(name for name in BREAKDOWNS if allowed[name])


def by_arc_length(pairing: Pairing, copied: Copied, *, punct: bool) -> Table:
    """Attachment by the distance of word and head (McDonald and Nivre 2007).

    Recall is over gold arcs of that length, precision over predicted ones; an arc is right when its head is.
    """
    _need_heads(pairing, copied & {"heads"})
    gold, predicted = pairing.gold, pairing.predicted
    of_gold, of_predicted = _counted(pairing, punct)
    right_predicted = np.zeros(len(predicted), np.bool_)  # a right arc over other words may have another length there
    right_predicted[pairing.partner[pairing.head_right]] = True
    rows = []
    for name, low, high in [("root", 0, 0), *((_range_name(a, b), a, b) for a, b in ARC_LENGTHS)]:
        in_gold = _has_length(gold, low, high) & of_gold
        in_predicted = _has_length(predicted, low, high) & of_predicted
        right, found = int((in_gold & pairing.head_right).sum()), int((in_predicted & right_predicted).sum())
        rows.append(_row(name, int(in_gold.sum()), int(in_predicted.sum()), right, found))
    return Table(
        "Attachment by arc length", ("length", *PRECISION_RECALL), tuple(row for row in rows if row[1] or row[2])
    )


def by_sentence_length(pairing: Pairing, copied: Copied, *, punct: bool) -> Table:
    """Recall of tags and arcs by the number of words in the gold sentence."""
    gold = pairing.gold
    lengths = np.diff(gold.first)
    of_gold, _ = _counted(pairing, punct)
    shares: list[tuple[str, BoolArray, BoolArray]] = []
    if not pairing.same_words:
        shares.append(("words", pairing.paired, np.ones(len(gold), np.bool_)))
    column = tag_column(gold)
    if gold.has(column) and column not in copied:
        shares.append((column.upper(), pairing.same(column), gold.given(column)))
    if gold.has("heads") and "heads" not in copied:
        shares.append(("UAS", pairing.head_right, of_gold))
        if gold.has("deprels") and "deprels" not in copied:
            shares.append(("LAS", labelled_right(pairing), of_gold & gold.given("deprels")))
    rows: list[tuple[Cell, ...]] = []
    for low, high in SENTENCE_LENGTHS:
        chosen = (lengths >= low) & (lengths <= (high or np.inf))
        words = chosen[gold.sentence]
        if chosen.any():
            values = [
                _percent(int((right & words & among).sum()), int((words & among).sum())) for _, right, among in shares
            ]
            rows.append((_range_name(low, high), int(chosen.sum()), int(words.sum()), *values))
    return Table("By sentence length", ("length", "sentences", "tokens", *(name for name, _, _ in shares)), tuple(rows))


def by_tag(pairing: Pairing, copied: Copied, *, punct: bool) -> Table:
    """Precision, recall and F1 of every tag and, where gold has trees, the attachment of its words."""
    gold = pairing.gold
    column = tag_column(gold)
    if not gold.has(column):
        raise DataError("gold has neither UPOS nor XPOS; a breakdown by tag needs gold tags")
    attached = gold.has("heads") and "heads" not in copied
    if column in copied and not attached:
        raise DataError(_copied_note(column, "a breakdown by tag needs predicted tags or trees"))
    right = pairing.same(column)
    rows = _by_value(pairing, column, right, gold.given(column))
    names: tuple[str, ...] = ("tag", *PRECISION_RECALL)
    if column in copied:  # how often each occurs is all that there is to say of the tags
        rows, names = [row[:2] for row in rows if row[1]], names[:2]
    if not attached:
        return Table(f"By tag ({column.upper()})", names, tuple(rows))
    of_gold, _ = _counted(pairing, punct)
    tags = np.array(gold.column(column), dtype=object)
    kinds = [("UAS", pairing.head_right, of_gold)]
    if "deprels" not in copied:
        kinds.append(("LAS", labelled_right(pairing), of_gold & pairing.given("deprels")))
    extended: list[tuple[Cell, ...]] = []
    for row in rows:
        of_tag = [((tags == row[0]) & words, good) for _, good, words in kinds]
        extended.append((*row, *(_percent(int((words & good).sum()), int(words.sum())) for words, good in of_tag)))
    return Table(f"By tag ({column.upper()})", (*names, *(name for name, _, _ in kinds)), tuple(extended))


def by_label(pairing: Pairing, copied: Copied, *, punct: bool) -> Table:
    """Precision, recall and F1 of every label; right is a word with its gold head and label."""
    _need_heads(pairing, copied & {"heads", "deprels"})
    of_gold, of_predicted = _counted(pairing, punct)
    right = pairing.head_right & pairing.same("deprels")
    rows = _by_value(pairing, "deprels", right, of_gold & pairing.gold.given("deprels"), of_predicted)
    return Table("By label, with the head", ("label", *PRECISION_RECALL), tuple(rows))


def error_patterns(pairing: Pairing, column: str | None = None) -> Counter[tuple[str, str]]:
    """How often a word with gold value X was predicted as Y, for X ≠ Y; unaligned words are omitted.

    column: ``upos``, ``xpos``, ``deprels``, ``feats`` (feature by feature) or ``lemmas`` (as edit scripts); the tag
    when None.
    """
    return Counter((x, y) for x, y in confusions(pairing, column or tag_column(pairing.gold)) if x != y)


def value_f1(pairing: Pairing, column: str | None = None) -> dict[str, float]:
    """The F1 of every value of a column."""
    column = column or tag_column(pairing.gold)
    if column in ("feats", "lemmas"):
        return confusion_f1(pairing, column)
    rows = _by_value(pairing, column, pairing.same(column), pairing.gold.given(column))
    return {str(row[0]): float(row[6]) for row in rows if isinstance(row[6], float)}


def frequent_patterns(patterns: Sequence[Counter[tuple[str, str]]], limit: int) -> list[tuple[str, str]]:
    """The most frequent patterns of all systems together."""
    together: Counter[tuple[str, str]] = sum(patterns, Counter())
    return sorted(together, key=lambda key: (-together[key], key))[:limit]


PRECISION_RECALL = ("gold", "predicted", "right", "precision", "recall", "F1")


def _row(name: str, gold: int, predicted: int, right: int, right_predicted: int | None = None) -> tuple[Cell, ...]:
    found = right if right_predicted is None else right_predicted
    precision, recall = _percent(found, predicted), _percent(right, gold)
    total = (precision or 0.0) + (recall or 0.0)
    f1 = 2 * (precision or 0.0) * (recall or 0.0) / total if total else 0.0
    return name, gold, predicted, right, precision, recall, f1


def _by_value(
    pairing: Pairing, column: str, right: BoolArray, of_gold: BoolArray, of_predicted: BoolArray | None = None
) -> list[tuple[Cell, ...]]:
    """A row per value of a column, the most frequent in gold first; over the same words, what gold leaves open is not
    counted."""
    gold, predicted = pairing.gold.column(column), pairing.predicted
    counted = predicted.given(column) if of_predicted is None else predicted.given(column) & of_predicted
    if pairing.same_words:
        counted &= of_gold
    in_gold, in_right = (Counter(compress(gold, words.tolist())) for words in (of_gold, right & of_gold))
    in_predicted = Counter(compress(predicted.column(column), counted.tolist()))
    values = sorted({*in_gold, *in_predicted}, key=lambda value: (-in_gold[value], value))
    return [_row(value, in_gold[value], in_predicted[value], in_right[value]) for value in values]


def _has_length(words: Words, low: int, high: int | None) -> BoolArray:
    if low == 0:
        return np.asarray(words.heads == ROOT)
    lengths = words.arc_lengths
    return np.asarray((lengths >= low) & (lengths <= (high or np.inf)))


def _counted(pairing: Pairing, punct: bool) -> tuple[BoolArray, BoolArray]:
    """The gold and the predicted words whose attachment counts."""
    of_gold, of_predicted = attached_words(pairing, punct)
    if of_predicted is None:
        of_predicted = of_gold if pairing.same_words else np.ones(len(pairing.predicted), np.bool_)
    return of_gold, of_predicted & (pairing.predicted.heads != NO_HEAD)


def _need_heads(pairing: Pairing, copied: Copied) -> None:
    if not pairing.gold.has("heads"):
        raise DataError("gold has no heads; a breakdown by arc length or label needs gold trees")
    if copied:
        raise DataError(_copied_note(min(copied), "a breakdown by arc length or label needs predicted trees"))


def _copied_note(column: str, needed: str) -> str:
    return f"the column {NAMES[column]} was copied from the input of the model, not predicted; {needed}"


def _range_name(low: int, high: int | None) -> str:
    return f"{low}" if high == low else f"{low}–{high}" if high else f"{low}+"


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
