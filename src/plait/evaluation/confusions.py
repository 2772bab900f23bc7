"""Confusions: the pairs of gold and predicted values that error patterns count.

Tags and labels are compared as a whole. FEATS are compared feature by feature, since complete sets are too diverse to
form patterns, and lemmas by the edit script from the form: ``keep:~-ies+y`` says more than the lemma of one word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from plait.data.document import UNSPECIFIED
from plait.evaluation.pairing import Pairing
from plait.morphology.edit_scripts import EditScript

Pair = tuple[str, str]  # gold, predicted


def confusions(pairing: Pairing, column: str) -> Iterator[Pair]:
    """The values of all aligned words with a gold value, including correct ones.

    A feature that one side lacks is ``no Name`` there; those that both lack are not named.
    """
    gold, predicted = pairing.gold, pairing.predicted
    values = predicted.column(column)
    found = zip(gold.forms, gold.column(column), pairing.partner.tolist(), strict=True)
    for form, x, j in found:
        if j < 0:
            continue
        y = values[j]
        if column == "feats":
            yield from _features(x, y)
        elif column == "lemmas":
            if (x, y) == (UNSPECIFIED, UNSPECIFIED) or x == UNSPECIFIED != form:
                continue
            yield _script(form, x), _script(predicted.forms[j], y)
        elif x != UNSPECIFIED:
            yield x, y


def _features(x: str, y: str) -> Iterator[Pair]:
    gold, predicted = (
        {} if feats == UNSPECIFIED else dict(part.partition("=")[::2] for part in feats.split("|")) for feats in (x, y)
    )
    for name in sorted({*gold, *predicted}):
        a, b = (f"{name}={side[name]}" if name in side else f"no {name}" for side in (gold, predicted))
        yield a, b


def _script(form: str, lemma: str) -> str:
    return UNSPECIFIED if lemma == UNSPECIFIED != form else str(EditScript.between(form, lemma))


def confusion_f1(pairing: Pairing, column: str) -> dict[str, float]:
    """The F1 of every value, over the words that have a partner."""
    pairs = Counter(confusions(pairing, column))
    in_gold, in_predicted = Counter[str](), Counter[str]()
    for (x, y), count in pairs.items():
        in_gold[x] += count
        in_predicted[y] += count
    return {x: 200.0 * pairs[x, x] / (count + in_predicted[x]) for x, count in in_gold.items()}
