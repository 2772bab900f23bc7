"""Chunks out of label sequences, counted as the conlleval script of the CoNLL shared tasks counts them.

Labels are ``PREFIX-TYPE`` with the prefixes B, I, O, E and S (BIO in both variants, IOE in both variants, BIES). Every
sequence has a reading, even one that its scheme forbids: see ``plait.data.schemes``.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.data.schemes import BIO, OUTSIDE, Span


def chunks(labels: Sequence[str]) -> list[Span]:
    """The chunks of one sentence as (first token, token after the last, type), tokens counted from 0.

    >>> [tuple(chunk) for chunk in chunks(["B-NP", "I-NP", "O", "I-VP", "I-NP"])]
    [(0, 2, 'NP'), (3, 4, 'VP'), (4, 5, 'NP')]
    """
    return BIO.decode([*map(plain_label, labels)])


def plain_label(label: str) -> str:
    """The label as conlleval reads it; one without a known prefix, ``_`` among them, is outside."""
    prefix, _, type_ = label.partition("-")
    return f"{prefix}-{type_}" if prefix in ("B", "I", "E", "S") else OUTSIDE
