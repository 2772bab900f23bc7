"""Columns that CoNLL-U does not have, kept in its MISC column as ``Extra:NAME=VALUE``, after all else, by name.

``|`` and ``%`` in a value are written ``%7C`` and ``%25``. A value of ``_`` is not written, except on the first word
when the whole column is ``_``, so that the column itself is not lost.
"""

from __future__ import annotations

from plait.data.document import UNSPECIFIED, Sentence

EXTRA = "Extra:"


def extra_in_misc(sentence: Sentence) -> list[str]:
    """The MISC column with the extra columns in it.

    >>> extra_in_misc(Sentence(["Hi", "you"], misc=["SpaceAfter=No", "_"], extra={"chunk": ["B-NP", "_"]}))
    ['SpaceAfter=No|Extra:chunk=B-NP', '_']
    """
    pairs: list[list[str]] = [[] for _ in sentence.forms]
    for name in sorted(sentence.extra):
        key = f"{EXTRA}{_escape(name).replace('=', '%3D')}="
        column = sentence.extra[name]
        bare = all(value == UNSPECIFIED for value in column)
        for i, value in enumerate(column):
            if value != UNSPECIFIED or (bare and i == 0):
                pairs[i].append(key + _escape(value))
    return [
        "|".join(added if misc == UNSPECIFIED else [misc, *added]) if added else misc
        for misc, added in zip(sentence.misc, pairs, strict=True)
    ]


def extra_from_misc(sentence: Sentence) -> None:
    """Take the extra columns out of MISC again, unless ``extra_in_misc`` would not write the same bytes back."""
    columns: dict[str, list[str]] = {}
    rest: list[str] = []
    for i, misc in enumerate(sentence.misc):
        parts = misc.split("|")
        while parts and parts[-1].startswith(EXTRA):
            name, equals, value = parts.pop()[len(EXTRA) :].partition("=")
            if not equals:
                return
            column = columns.setdefault(_unescape(name.replace("%3D", "=")), [UNSPECIFIED] * len(sentence))
            column[i] = _unescape(value)
        rest.append("|".join(parts) or UNSPECIFIED)
    given = sentence.misc
    sentence.misc, sentence.extra = rest, dict(sorted(columns.items()))
    if extra_in_misc(sentence) != given:
        sentence.misc, sentence.extra = given, {}


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("|", "%7C")


def _unescape(text: str) -> str:
    return text.replace("%7C", "|").replace("%25", "%")
