"""Lexicons: large lists of words with their tags and counts, as atoms for the templates of any system.

A lexicon only provides features: a template that uses the listed tags of a word has weights like any other. (A user
dictionary, given with a call, is a constraint: see ``UserDictionary``.) Files are

- tab-separated with a first line that names the columns: ``form``, and any of ``tag``, ``lemma``, ``feats``, ``count``,
- UniMorph's: lemma, form, features, with tabs between,
- jieba's: word, count, tag, with spaces between, count and tag optional,
- or plain: one word a line.

Lines that begin with ``#`` with ``name: value`` may precede the first entry; ``source`` and ``licence`` are
kept in the model. A form that occurs on several lines has the tags of all of them, and the sum of their counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from plait.arrays import AnyArray, UInt64Array
from plait.core._hashing import text_hash
from plait.errors import FormatError, OptionError
from plait.features._lexicon_table import WordTable, build_table

LEXICON_HELP = "FILE of words with tags and counts for lexicon features; several separated by commas"
LEXICON_COLUMNS = ("lex", "lextag", "lexcount", "lexlow", "lexsuf")  # of words
MATCH_COLUMNS = ("lexb", "lexm", "lexe", "lexbt", "lexet")  # of the units of a segmenter
COLUMNS = ("form", "tag", "lemma", "feats", "count")
SHORTEST_SUFFIX = 2
LONGEST_WORD = 64  # characters; longer entries are rejected
MAX_COUNT_CLASS = 15
MAX_CLASSES = 65_535
LONGEST_MATCH = 6  # units; longer ones are one class

UNIMORPH_UPOS = {"N": "NOUN", "V": "VERB", "V.PTCP": "VERB", "PRO": "PRON", "ADP": "ADP", "NUM": "NUM"}
_COMMENT = re.compile(r"#\s*(\w+)\s*:\s*(.*)")
_KEPT = ("source", "licence")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a lexicon."""

    form: str
    tag: str = ""  # with the features, if there are any
    count: int = 0
    lemma: str = ""
    upos: str = ""  # the tag alone


class Source(NamedTuple):
    """Where entries come from, for the header of a model."""

    name: str
    sha256: str
    entries: int
    licence: str = ""

    def header(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "sha256": self.sha256, "entries": self.entries, "licence": self.licence}

    @classmethod
    def read(cls, header: Mapping[str, Any]) -> Self:
        """The inverse of ``header``."""
        return cls(str(header["name"]), str(header["sha256"]), int(header["entries"]), str(header["licence"]))


class Lexicon:
    """Words with the tags they can have and how frequent they are.

    >>> lexicon = Lexicon.of({"run": ({"NOUN", "VERB"}, 100), "dog": ({"NOUN"}, 20)})
    >>> lexicon.describe("run"), lexicon.describe("cat")
    ('NOUN|VERB', None)
    >>> (lexicon.atoms(["Dog", "cat"], LEXICON_COLUMNS) != 0).tolist()
    [[False, False, False, True, False], [False, False, False, False, False]]
    """

    def __init__(self, table: WordTable, classes: Sequence[tuple[str, int]], sources: Sequence[Source] = ()) -> None:
        if len(table) and (len(classes) == 0 or int(table.values.max()) >= len(classes)):
            raise ValueError("the lexicon is damaged: a word without a class")
        self.table = table
        self.classes = tuple(classes)  # (tags with | between them, class of the count)
        self.sources = tuple(sources)
        # row −1 is that of words that are not listed
        rows = [[text_hash(tags or "known"), text_hash(tags.split("|")[0] or "known"), c + 1] for tags, c in classes]
        self._symbols = np.array([*rows, [0, 0, 0]], dtype=np.uint64)

    @classmethod
    def of(cls, entries: Mapping[str, tuple[Iterable[str], int]], sources: Sequence[Source] = ()) -> Self:
        """From form → (tags, count). The first tag is the most frequent one, if that is known."""
        classes: dict[tuple[str, int], int] = {}
        words, numbers = [], []
        for form in sorted(entries):
            tags, count = entries[form]
            key = "|".join(tags if isinstance(tags, (list, tuple)) else sorted(tags)), count_class(count)
            words.append(form)
            numbers.append(classes.setdefault(key, len(classes)))
        if len(classes) > MAX_CLASSES:
            raise OptionError(
                f"the lexicon has {len(classes):,} different sets of tags; expected at most {MAX_CLASSES:,}"
            )
        return cls(build_table(words, numbers), list(classes), sources)

    @classmethod
    def read(cls, paths: Sequence[str | Path]) -> Self:
        """One lexicon of several files."""
        entries: dict[str, dict[str, int]] = {}
        sources = []
        for path in paths:
            before = sum(map(len, entries.values()))
            listed, source = read_entries(path)
            for entry in listed:
                tags = entries.setdefault(entry.form, {})
                tags[entry.tag] = tags.get(entry.tag, 0) + entry.count
            sources.append(source._replace(entries=sum(map(len, entries.values())) - before))
        ordered = {
            form: ([tag for tag, _ in sorted(tags.items(), key=lambda t: (-t[1], t[0])) if tag], sum(tags.values()))
            for form, tags in entries.items()
        }
        return cls.of(ordered, sources)

    def __len__(self) -> int:
        return len(self.table)

    def describe(self, form: str) -> str | None:
        """The tags of a word, with | between them; None for one that is not listed."""
        number = self.table.get(form)
        return None if number < 0 else self.classes[number][0]

    def atoms(self, forms: Sequence[str], columns: Sequence[str]) -> UInt64Array:
        """[words][columns], 0 for words that are not listed."""
        found = np.zeros((len(forms), len(columns)), dtype=np.uint64)
        self.fill(found, columns, forms)
        return found

    def fill(self, atoms: UInt64Array, columns: Sequence[str], forms: Sequence[str]) -> None:
        """Fill the lexicon columns of a matrix with one row for each form."""
        mine = [name for name in LEXICON_COLUMNS if name in columns]
        if not mine or not len(forms):
            return
        numbers = self.table.words(forms)
        for k, name in enumerate(("lex", "lextag", "lexcount")):
            if name in mine:
                atoms[:, columns.index(name)] = self._symbols[numbers, k]
        if "lexlow" in mine:
            lower = self.table.words([form.lower() for form in forms])
            atoms[:, columns.index("lexlow")] = self._symbols[lower, 0]
        if "lexsuf" in mine:
            suffixes = self.table.suffixes(forms, SHORTEST_SUFFIX)
            length = np.minimum(suffixes[:, 1], 8).astype(np.uint64)
            symbol = self._symbols[suffixes[:, 0], 0]
            atoms[:, columns.index("lexsuf")] = np.where(symbol > 0, symbol ^ (length << np.uint64(56)), 0)

    def fill_units(
        self, atoms: UInt64Array, columns: Sequence[str], text: str, starts: Sequence[int], ends: Sequence[int]
    ) -> None:
        """Write which words begin, continue and end at each unit of a text: their lengths, and with the first tag."""
        mine = [name for name in MATCH_COLUMNS if name in columns]
        if not mine or not len(starts):
            return
        found = self.table.matches(text, starts, ends)
        length = np.minimum(found[:, :, 0], LONGEST_MATCH).astype(np.uint64)
        for k, name in enumerate(("lexb", "lexm", "lexe")):
            if name in mine:
                atoms[:, columns.index(name)] = length[:, k]
        for k, name in ((0, "lexbt"), (2, "lexet")):
            if name in mine:
                symbol = self._symbols[found[:, k, 1], 1]
                atoms[:, columns.index(name)] = np.where(symbol > 0, symbol ^ (length[:, k] << np.uint64(56)), 0)

    def header(self) -> dict[str, Any]:
        """What a model file stores beside the arrays."""
        return {
            "classes": [[tags, count] for tags, count in self.classes],
            "longest": self.table.longest,
            "sources": [source.header() for source in self.sources],
        }

    def arrays(self) -> dict[str, AnyArray]:
        """What a model file stores."""
        return {"starts": self.table.starts, "prints": self.table.prints, "values": self.table.values}

    @classmethod
    def from_parts(cls, header: Any, arrays: Mapping[str, AnyArray]) -> Self:
        """The inverse of ``header`` and ``arrays``; damage is a ValueError."""
        classes = [(tags, count) for tags, count in header["classes"]]
        if not all(isinstance(t, str) and type(c) is int and 0 <= c <= MAX_COUNT_CLASS for t, c in classes):
            raise ValueError("the lexicon is damaged: invalid classes")
        sources = [Source.read(source) for source in header["sources"]]
        longest = header["longest"]
        if type(longest) is not int or not 0 <= longest <= LONGEST_WORD:
            raise ValueError("the lexicon is damaged: invalid length")
        return cls(WordTable(arrays["starts"], arrays["prints"], arrays["values"], longest), classes, sources)


def read_lexicon(paths: str, files: dict[str, Any]) -> Lexicon | None:
    """The lexicon of the files given by --lexicon, if any; ``files`` caches files read before."""
    if not paths:
        return None
    key = f"lexicon {paths}"
    if key not in files:
        files[key] = Lexicon.read([path.strip() for path in paths.split(",")])
    found: Lexicon = files[key]
    return found


def read_entries(path: str | Path) -> tuple[list[Entry], Source]:
    """The lines of a lexicon and where they come from."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FormatError(f"cannot read the lexicon: {reason}", file=str(path), hint="check the path") from error
    from hashlib import sha256  # it loads OpenSSL, which would take a hundredth of the time of every start

    notes: dict[str, str] = {}
    entries = list(parse_lexicon(content, str(path), notes))
    digest = sha256(content).hexdigest()
    return entries, Source(notes.get("source", Path(path).name), digest, len(entries), notes.get("licence", ""))


def count_class(count: int) -> int:
    """Counts by powers of two, from 0 for an unknown count.

    >>> [count_class(n) for n in (0, 1, 2, 3, 4, 1000, 10**9)]
    [0, 1, 2, 2, 3, 10, 15]
    """
    return 0 if count <= 0 else min(MAX_COUNT_CLASS, 1 + int(math.log2(count)))


def parse_lexicon(content: bytes, name: str, notes: dict[str, str]) -> Iterator[Entry]:
    """The entry of each line; comments before the first entry go to ``notes``."""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeError as error:
        raise FormatError(f"not UTF-8: {error}", file=name, expected="text in UTF-8") from error
    parse = None
    begun = seen = False  # comments come before everything else
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if not begun and line.startswith("#"):
            comment = _COMMENT.match(line)
            if comment is not None and comment[1].lower() in _KEPT:
                notes[comment[1].lower()] = comment[2].strip()
            continue
        if parse is None:
            parse = _layout(line)
            if line.split("\t")[0] == "form":
                parse = _named(line.split("\t"), name, number)
                begun = True
                continue
        begun = seen = True
        try:
            entry: Entry = parse(line)
            if not entry.form or len(entry.form) > LONGEST_WORD or entry.count < 0:
                raise ValueError
        except (ValueError, IndexError):
            raise FormatError(
                "not a line of this lexicon", file=name, line=number, value=line[:60],
                expected=f"{parse.__doc__}, words of at most {LONGEST_WORD} characters",
            ) from None  # fmt: skip
        yield entry
    if not seen:
        raise FormatError("no entries", file=name, expected="one word per line, optionally with tag and count")


def _layout(line: str) -> Any:
    """How the lines are read, by the first of them."""
    if line.count("\t") == 2:
        return _unimorph
    if "\t" in line:
        return _tabbed
    return _jieba


def _unimorph(line: str) -> Entry:
    """lemma, form, features"""
    lemma, form, features = line.split("\t")
    kind = features.strip().split(";")[0]
    return Entry(form, features.strip(), 0, lemma, UNIMORPH_UPOS.get(kind, kind))


def _tabbed(line: str) -> Entry:
    """form, tag"""
    form, tag = line.split("\t")
    return Entry(form, tag.strip())


def _jieba(line: str) -> Entry:
    """word, count, tag, with spaces between, count and tag optional"""
    parts = line.split(" ")
    if len(parts) > 3 or not all(parts):
        raise ValueError
    count = int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else 0
    rest = parts[2:] if len(parts) > 1 and parts[1].isdecimal() else parts[1:]
    if len(rest) > 1:
        raise ValueError
    return Entry(parts[0], rest[0] if rest else "", count)


def _named(columns: Sequence[str], name: str, number: int) -> Any:
    known = {column: k for k, column in enumerate(columns)}
    if len(known) != len(columns) or not set(columns) <= set(COLUMNS):
        raise FormatError(
            "unknown or repeated columns", file=name, line=number, value=" ".join(columns),
            expected=f"form and any of {', '.join(COLUMNS[1:])}, each once",
        )  # fmt: skip

    def parse(line: str) -> Entry:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise ValueError
        cell = {name: cells[k] if cells[k] != "_" else "" for name, k in known.items()}
        both = "+".join(filter(None, (cell.get("tag"), cell.get("feats"))))
        count = int(cell["count"]) if "count" in cell else 0
        return Entry(cells[known["form"]], both, count, cell.get("lemma", ""), cell.get("tag", ""))

    parse.__doc__ = ", ".join(columns)
    return parse
