"""User dictionaries in jieba's format: ``WORD [COUNT] [TAG]`` a line, separated by spaces."""

from __future__ import annotations

import re
from os import PathLike
from typing import IO, NamedTuple

from plait.errors import FormatError, OptionError
from plait.features.user_dictionary import Entry, check_entry, dictionary_text

UserdictFile = str | PathLike[str] | IO[str] | IO[bytes]

_TAG = re.compile(r"[a-z]+|[A-Z]+")
_NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?", re.IGNORECASE)


class UserWord(NamedTuple):
    """A line of a user dictionary; None where it says nothing."""

    word: str
    freq: int | None
    tag: str | None


def read_userdict(file: UserdictFile) -> list[UserWord]:
    """The words of a path or an open file; a fault is a FormatError with file and line.

    >>> import io
    >>> read_userdict(io.StringIO("云计算 5 n\\n创新办 3\\n凱特琳 nz\\n台中"))[2:]
    [UserWord(word='凱特琳', freq=None, tag='nz'), UserWord(word='台中', freq=None, tag=None)]
    """
    text, name = dictionary_text(file, "WORD [COUNT] [TAG] on each line")
    return [_parse(line, name, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parse(line: str, name: str, number: int) -> UserWord:
    fields = line.split()
    tag = fields.pop() if len(fields) > 1 and _TAG.fullmatch(fields[-1]) else None
    count = fields.pop() if len(fields) > 1 and _NUMBER.fullmatch(fields[-1]) else None
    try:
        if count is not None and not (count.isascii() and count.isdigit()):
            raise OptionError(f"the count of {fields[0]!r} is {count}; expected a non-negative integer")
        word = check_entry(Entry(" ".join(fields))).word
    except OptionError as error:
        raise FormatError(
            str(error), file=name, line=number, hint="write WORD, WORD COUNT or WORD COUNT TAG"
        ) from error
    return UserWord(word, None if count is None else int(count), tag)
