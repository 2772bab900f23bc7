"""User dictionaries: reading them, and their matches in a text."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple

from plait.errors import FormatError, OptionError

MODES = ("force", "merge", "prefer")
DEFAULT_COST = -8.0  # nats: enough to overrule a doubt, not to overrule evidence
LOWEST_COST = -10_000.0  # beyond it the scores of everything else would drown in rounding
LONGEST_WORD = 256  # characters: the time of lookups grows with the number of different lengths

DictionarySource = str | PathLike[str] | IO[str] | IO[bytes] | Mapping[str, Any] | Iterable[Any]


class Entry(NamedTuple):
    """A word, its tag ("" to let the model choose), and its cost (negative: a bonus)."""

    word: str
    tag: str = ""
    cost: float = DEFAULT_COST


class Match(NamedTuple):
    """Where an entry occurs in a text."""

    start: int
    end: int
    entry: Entry


class UserDictionary:
    """Words that constrain a segmenter.

    ``force``: every match becomes a word; of overlapping matches the leftmost wins, then the longest. ``merge``: words
    of the model that together spell an entry are merged. ``prefer``: the score of an entry is raised by ``-cost``, so
    that it wins if the model prefers something else by less.

    >>> d = UserDictionary.of({"云计算": "NN", "计算": ""})
    >>> [(m.start, m.end, m.entry.tag) for m in d.longest("搞云计算的")]
    [(1, 4, 'NN')]
    """

    def __init__(self, entries: Iterable[Entry], mode: str = "force") -> None:
        if mode not in MODES:
            raise OptionError(f'unknown dictionary mode "{mode}"; expected {", ".join(MODES)}')
        self.mode = mode
        self.entries: dict[str, Entry] = {}
        for entry in entries:
            self.entries[entry.word] = check_entry(entry)
        self._first: dict[str, list[int]] = {}  # lengths of the words that begin with a character, longest first
        for word in self.entries:
            lengths = self._first.setdefault(word[0], [])
            if len(word) not in lengths:
                lengths.append(len(word))
        for lengths in self._first.values():
            lengths.sort(reverse=True)

    def tag_of(self, word: str) -> str:
        """The tag of a word; "" where it has none, or is no entry."""
        entry = self.entries.get(word)
        return "" if entry is None else entry.tag

    @classmethod
    def of(cls, source: DictionarySource | UserDictionary, mode: str = "force") -> UserDictionary:
        """From a path, an open file, a dict (word → tag, or (tag, cost)) or a list of words and tuples."""
        if isinstance(source, UserDictionary):
            return source if source.mode == mode else cls(source.entries.values(), mode)
        if isinstance(source, (str, PathLike)) or hasattr(source, "read"):
            text, name = dictionary_text(source, "one word per line")
            return cls(_entries(io.StringIO(text, newline=None), name), mode)
        if isinstance(source, Mapping):
            return cls([_entry((word, *_several(value))) for word, value in source.items()], mode)
        if not isinstance(source, Iterable):
            raise OptionError(f"the dictionary is {source!r}; expected a file, or words as a list or dict")
        return cls([_entry(_several(item)) for item in source], mode)

    def __len__(self) -> int:
        return len(self.entries)

    def at(self, text: str, start: int) -> Iterator[Match]:
        """The matches that begin at one place, longer ones first."""
        for length in self._first.get(text[start], ()):
            entry = self.entries.get(text[start : start + length])
            if entry is not None and start + length <= len(text):
                yield Match(start, start + length, entry)

    def all(self, text: str) -> Iterator[Match]:
        """Every match, from left to right, longer ones first."""
        for start in range(len(text)):
            yield from self.at(text, start)

    def longest(self, text: str) -> Iterator[Match]:
        """The leftmost longest matches, none overlapping another."""
        start = 0
        while start < len(text):
            match = next(self.at(text, start), None)
            if match is not None:
                yield match
            start = start + 1 if match is None else match.end


def dictionary_text(source: Any, lines: str) -> tuple[str, str]:
    """The text of a path or an open file, and its name; ``lines`` says for an error what is on them."""
    is_path = isinstance(source, (str, PathLike))
    name = str(source if is_path else getattr(source, "name", "<dictionary>"))
    try:
        content = Path(source).read_bytes() if is_path else source.read()
        return content.decode("utf-8-sig") if isinstance(content, bytes) else content, name
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8 text", file=name, expected=f"a dictionary with {lines}") from error
    except OSError as error:
        raise OptionError(f"dictionary {name}: {error.strerror}; check the path and its permissions") from error


def check_entry(entry: Entry) -> Entry:
    """The entry; an OptionError if it is invalid."""
    word, cost = entry.word, entry.cost
    if not isinstance(word, str):
        raise OptionError(f"dictionary word {word!r} is of type {type(word).__name__}; expected a str")
    if not word.strip() or word != word.strip():
        raise OptionError(f"dictionary word {word!r} is empty, or starts or ends with whitespace")
    if len(word) > LONGEST_WORD:
        raise OptionError(
            f"dictionary word {word[:20]!r}... has {len(word)} characters; expected at most {LONGEST_WORD}"
        )
    if not LOWEST_COST <= cost <= 0:
        raise OptionError(
            f"dictionary word {word!r} costs {cost}; expected a cost of 0 or below, which favours the word, down to "
            f"{LOWEST_COST:g}"
        )
    return entry


def _several(value: Any) -> Sequence[Any]:
    return (value,) if isinstance(value, str) or not isinstance(value, Sequence) else value


def _entry(parts: Sequence[Any]) -> Entry:
    if not 1 <= len(parts) <= 3 or not isinstance(parts[0], str):
        raise OptionError(f"dictionary entry {parts!r}; expected a word, an optional tag and an optional cost")
    tag = "" if len(parts) < 2 or parts[1] is None else str(parts[1])
    try:
        cost = DEFAULT_COST if len(parts) < 3 or parts[2] is None else float(parts[2])
    except (TypeError, ValueError) as error:
        raise OptionError(f"dictionary word {parts[0]!r} costs {parts[2]!r}; expected a number") from error
    return check_entry(Entry(parts[0], tag, cost))


def _entries(lines: Iterable[str], name: str) -> list[Entry]:
    """One word per line; tag and cost after tabs, or after spaces if there are no tabs; # starts a comment line."""
    entries: list[Entry] = []
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        if not line.strip() or line.startswith("#"):
            continue
        parts: list[str | None] = (
            [part.strip() or None for part in line.split("\t")] if "\t" in line else [*line.split()]
        )
        try:
            entries.append(_entry(parts))
        except OptionError as error:
            raise FormatError(
                str(error), file=name, line=number, hint="write WORD, WORD<tab>TAG, or both and a cost"
            ) from error
    return entries
