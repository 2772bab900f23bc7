"""Chunks out of label sequences, counted as the conlleval script of the CoNLL shared tasks counts them.

Labels are ``PREFIX-TYPE`` with the prefixes B, I, O, E and S (BIO in both variants, IOE in both variants, BIES). Every
sequence has a reading, also one that its scheme forbids: a chunk begins at B and S, at I and E after O, E or S, and
wherever the type changes; it ends before the next one begins, before O, and after E and S.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.data.document import UNSPECIFIED


def chunks(labels: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The chunks of one sentence as (first token, token after the last, type), tokens counted from 0.

    >>> list(chunks(["B-NP", "I-NP", "O", "I-VP", "I-NP"]))
    [(0, 2, 'NP'), (3, 4, 'VP'), (4, 5, 'NP')]
    """
    begin: int | None = None
    before, type_before = "O", ""
    for i, label in enumerate(labels):
        prefix, type_ = split_label(label)
        opens = prefix != "O" and (prefix in "BS" or before in "OES" or type_ != type_before)
        if begin is not None and (opens or prefix == "O"):
            yield begin, i, type_before
            begin = None
        if opens:
            begin = i
        before, type_before = prefix, type_
    if begin is not None:
        yield begin, len(labels), type_before


def split_label(label: str) -> tuple[str, str]:
    """Prefix and type; a label without a prefix that we know, ``_`` among them, is outside."""
    prefix, _, type_ = label.partition("-")
    return (prefix, type_) if prefix in ("B", "I", "E", "S") and label != UNSPECIFIED else ("O", "")
