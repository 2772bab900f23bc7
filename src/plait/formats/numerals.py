"""Numerals of words and heads, by table: the same few thousand make up a fifth of every treebank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_TABLE = 2048  # longer sentences exist, but pay for their numerals each time

_IDS = [str(i) for i in range(1, _TABLE + 1)]
_NUMBERS = {"_": -1, **{str(i): i for i in range(_TABLE + 1)}}
_NUMERALS = {number: numeral for numeral, number in _NUMBERS.items()}


def ids(n: int) -> list[str]:
    """The IDs of n words as written: "1", "2", ..., "n".

    >>> ids(3)
    ['1', '2', '3']
    """
    return _IDS[:n] if n <= _TABLE else [str(i) for i in range(1, n + 1)]


def parse_heads(numerals: Sequence[str]) -> list[int] | None:
    """The HEAD column as numbers, −1 for ``_``; None when any is not a plain number.

    >>> parse_heads(["2", "0", "_"])
    [2, 0, -1]
    """
    try:
        return list(map(_NUMBERS.__getitem__, numerals))
    except KeyError:
        heads = [-1 if numeral == "_" else parse_number(numeral) for numeral in numerals]
        return None if None in heads else heads  # type: ignore[return-value]


def write_heads(heads: Iterable[int]) -> list[str]:
    """The HEAD column as written."""
    return [_NUMERALS.get(head) or str(head) for head in heads]


def parse_number(numeral: str) -> int | None:
    """The number that the digits spell, or None: no sign, no space, no leading zero, no foreign digits.

    >>> parse_number("10"), parse_number("010"), parse_number("+1"), parse_number("１")
    (10, None, None, None)
    """
    if not (numeral.isascii() and numeral.isdigit()) or len(numeral) > 9:
        return None
    return None if numeral[0] == "0" and numeral != "0" else int(numeral)
