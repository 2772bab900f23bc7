"""Missing values: ``"_"`` and head −1 in the columns of a sentence, as in its file; None in Python, JSON and tables.

CoNLL-U does not distinguish a missing value from a literal underscore. A FORM is never missing, so ``_`` there is the
word; a LEMMA ``_`` is the lemma of that word, and missing for any other; in the other columns ``_`` is never a value.
"""

from __future__ import annotations

from collections.abc import Iterable

UNKNOWN = -1
UNSPECIFIED = "_"


def given(values: Iterable[str]) -> list[str | None]:
    """The values of a text column, None for missing ones.

    >>> given(["NOUN", "_"])
    ['NOUN', None]
    """
    return [None if value == UNSPECIFIED else value for value in values]


def given_lemmas(lemmas: Iterable[str], forms: Iterable[str]) -> list[str | None]:
    """Likewise for lemmas: that of the word ``_`` is ``_``.

    >>> given_lemmas(["dog", "_", "_"], ["dogs", "bark", "_"])
    ['dog', None, '_']
    """
    pairs = zip(lemmas, forms, strict=True)
    return [None if lemma == UNSPECIFIED != form else lemma for lemma, form in pairs]


def given_heads(heads: Iterable[int]) -> list[int | None]:
    """Likewise for heads.

    >>> given_heads([2, 0, -1])
    [2, 0, None]
    """
    return [None if head == UNKNOWN else head for head in heads]


def stored(values: Iterable[str | None]) -> list[str]:
    """The values as a column stores them.

    >>> stored(["NOUN", None])
    ['NOUN', '_']
    """
    return [UNSPECIFIED if value is None else value for value in values]
