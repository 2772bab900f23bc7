"""Right-to-left parsing: the mirror image of a sentence, whose last word comes first.

A parser that reads from the end makes different errors, which makes it useful in a committee (Sagae & Lavie 2006).
"""

from __future__ import annotations

from collections.abc import Iterable

from plait.data.document import Sentence

LEFT_TO_RIGHT, RIGHT_TO_LEFT = "left-to-right", "right-to-left"
COLUMNS = ("upos", "xpos", "feats", "lemmas", "deprels")


def mirrored(sentence: Sentence) -> Sentence:
    """Words, tags and tree from right to left.

    >>> sentence = Sentence(["a", "b", "c"], heads=[0, 1, 2])
    >>> mirrored(sentence).forms, mirrored(sentence).heads
    (['c', 'b', 'a'], [2, 3, 0])
    """
    twin = Sentence(sentence.forms[::-1])
    copy_mirrored(sentence, twin, (*COLUMNS, "heads"))
    return twin


def copy_mirrored(source: Sentence, target: Sentence, columns: Iterable[str]) -> None:
    """Write columns of one sentence into its mirror image; scores, total score and trace as well."""
    for column in columns:
        values = getattr(source, column)[::-1]
        if column == "heads":
            values = [len(source) + 1 - head if head > 0 else head for head in values]
        setattr(target, column, values)
    target.scores = None if source.scores is None else source.scores[::-1]
    target.score = source.score
    target.trace = source.trace
