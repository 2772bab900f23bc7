"""All errors of a CoNLL-U file, including those that the reader accepts.

Level 1 requires a well-formed file: what the reader requires, and valid blank lines, sentence names, texts, features,
enhanced dependencies, multiword tokens and empty nodes. Level 2 also requires Universal Dependencies: universal tags,
complete trees whose roots are labelled root, and sent_id and text for every sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from plait.data.document import UNSPECIFIED, Sentence, split_comment
from plait.errors import FormatError
from plait.formats._columns import Splitter
from plait.formats.conllu import NAMES, parse_closed, sentence_name
from plait.formats.numerals import parse_number
from plait.formats.rows import no_sentences, note_ending
from plait.formats.source import EXTRA_BLANK_LINE, Source

# fmt: off
UNIVERSAL_TAGS = frozenset([
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
    "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
])
# fmt: on

# (what, line, column, value, expected) -> error of this sentence
Fault: TypeAlias = Callable[[str, int, str | None, str | None, str], FormatError]


class Validation:
    """One pass over a CoNLL-U source; iterate over it for the faults, then read the counts.

    >>> check = Validation(Source(b"1\\tHi\\t_\\tINTJ\\t_\\tb=1|a=2\\t0\\troot\\t_\\t_\\n\\n"))
    >>> [fault.what for fault in check], check.sentences, check.words
    (['the features are not in order'], 1, 1)
    """

    def __init__(self, source: Source, *, level: int = 1) -> None:
        self.source = source
        self.level = level
        self.sentences = 0
        self.words = 0
        self._reported: list[FormatError] = []
        self._noticed: list[FormatError] = []  # of the file as a whole
        self._names: dict[str, int] = {}  # sent_id: the line where it was first seen
        self._splitter = Splitter()
        source.report = self._reported.append  # type: ignore[assignment]
        source.notice = self._notice

    def __iter__(self) -> Iterator[FormatError]:
        expected: int | None = 1  # the line where the next sentence should begin; None after a block not seen
        for line, block in self.source.blocks():
            yield from self._told()
            if self._reported:
                yield from self._reported
                self._reported.clear()
                expected = None
            if expected is not None and line > expected:
                yield self._extra_blank_line(expected)
            expected = line + block.count("\n") + 2
            yield from self._check_block(line, block)
        yield from self._told()
        yield from self._reported
        if self.source.ordinal == 0:
            yield no_sentences(self.source)
        elif expected is not None and not self._reported and self.source.line_count >= expected:
            yield self._extra_blank_line(expected)

    def _notice(self, error: FormatError, done: str) -> None:
        if error.what != EXTRA_BLANK_LINE:  # of which each one is reported here, not the first alone
            self._noticed.append(error)

    def _told(self) -> list[FormatError]:
        told, self._noticed = self._noticed, []
        return told

    def _extra_blank_line(self, line: int) -> FormatError:
        return FormatError(
            EXTRA_BLANK_LINE, file=self.source.name, line=line, expected="one after each sentence", hint="remove it"
        )

    def _check_block(self, line: int, block: str) -> Iterator[FormatError]:
        self.sentences += 1
        try:
            sentence = parse_closed(block, line, self.source, self._splitter)
            self.words += len(sentence)
        except FormatError as error:
            yield error
            return
        note_ending(block, line, self.source)
        name = sentence_name(block, self.source)

        def fault(what: str, at: int, column: str | None, value: str | None, expected: str) -> FormatError:
            return self.source.fault(what, at, sentence=name, column=column, value=value, expected=expected)

        rows = block.split("\n")
        yield from self._check_comments(sentence, rows, line, fault)
        table = [(at, row.split("\t")) for at, row in enumerate(rows, line) if row[0] != "#"]
        known = {fields[0] for _, fields in table if "-" not in fields[0]} | {"0"}
        for at, fields in table:
            yield from _check_spaces(fields, at, fault)
            yield from _check_feats(fields[5], at, fault)
            yield from _check_deps(fields[0], fields[8], known, at, fault)
            yield from _check_others(fields, at, fault)
            if self.level >= 2:
                yield from _check_universal(fields, at, fault)

    def _check_comments(self, sentence: Sentence, rows: list[str], line: int, fault: Fault) -> Iterator[FormatError]:
        lines: dict[str, int] = {}
        for at, row in enumerate(rows[: len(sentence.comments)], line):
            key, _ = split_comment(row)
            if key in ("sent_id", "text"):
                if key in lines:
                    yield fault(f"a second {key}", at, None, row, f"one {key} in a sentence")
                lines.setdefault(key, at)
        name, text = sentence.sent_id, sentence.comment("text")
        if name is not None:
            first = self._names.setdefault(name, lines["sent_id"])
            if first != lines["sent_id"]:
                yield fault(f"the name is taken, by line {first}", lines["sent_id"], "sent_id", name, "unique names")
        if text is not None:
            text, spelt = (" ".join(t.split()) for t in (text, sentence.surface_text()))  # any white space will do
            if text != spelt:
                at = _difference(text, spelt)
                what = f"forms and SpaceAfter spell {spelt[at : at + 30]!r} from character {at + 1} on"
                yield fault(what, lines["text"], "text", text[at : at + 30], "the text that the words spell")
        for key in ("sent_id", "text") if self.level >= 2 else ():
            if key not in lines:
                yield fault(f"the sentence has no {key}", line, None, None, f"a comment # {key} = ...")


def _difference(a: str, b: str) -> int:
    """The first place where two strings differ."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _check_spaces(fields: list[str], at: int, fault: Fault) -> Iterator[FormatError]:
    for name, field in zip(NAMES, fields, strict=True):
        if field[0] == " " or field[-1] == " ":
            yield fault("the value begins or ends with a space", at, name, field, "spaces only inside words")


def _check_feats(feats: str, at: int, fault: Fault) -> Iterator[FormatError]:
    if feats == UNSPECIFIED:
        return
    pairs = feats.split("|")
    names = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals or not value:
            yield fault(f"{pair!r} is not a feature", at, "FEATS", feats, "Name=Value|Name=Value")
            return
        names.append(name)
    if len(set(names)) < len(names):
        yield fault("a feature is given twice", at, "FEATS", feats, "values of one feature joined by commas")
    lowered = [pair.lower() for pair in pairs]
    if lowered != sorted(lowered):
        expected = "|".join(sorted(pairs, key=str.lower))
        yield fault("the features are not in order", at, "FEATS", feats, expected)


def _check_deps(id: str, deps: str, known: set[str], at: int, fault: Fault) -> Iterator[FormatError]:
    if deps == UNSPECIFIED:
        return
    if "-" in id:
        yield fault("a multiword token has no dependencies", at, "DEPS", deps, "_")
        return
    keys = []
    for pair in deps.split("|"):
        head, colon, label = pair.partition(":")
        if not colon or not label:
            yield fault(f"{pair!r} is not a dependency", at, "DEPS", deps, "head:label|head:label")
            return
        if head not in known:
            yield fault(f"there is no word or empty node {head}", at, "DEPS", deps, "heads that exist")
            return
        if head == id:
            yield fault("the word depends on itself", at, "DEPS", deps, "another head")
        major, _, minor = head.partition(".")
        keys.append((int(major), int(minor or 0), label))
    if len(set(keys)) < len(keys):
        yield fault("a dependency is given twice", at, "DEPS", deps, "each one once")
    elif keys != sorted(keys):
        yield fault("the dependencies are not in order", at, "DEPS", deps, "order by head, then by label")


def _check_others(fields: list[str], at: int, fault: Fault) -> Iterator[FormatError]:
    """Multiword tokens and empty nodes must not have values in columns that only words have."""
    if parse_number(fields[0]) is not None:
        return
    kind = "a multiword token" if "-" in fields[0] else "an empty node"
    for c in (2, 3, 4, 6, 7) if "-" in fields[0] else (6, 7):
        if fields[c] != UNSPECIFIED:
            yield fault(f"{kind} has no {NAMES[c]} of its own", at, NAMES[c], fields[c], "_")


def _check_universal(fields: list[str], at: int, fault: Fault) -> Iterator[FormatError]:
    if parse_number(fields[0]) is None:
        return
    if fields[3] not in UNIVERSAL_TAGS:
        yield fault("not a universal tag", at, "UPOS", fields[3], "one of " + " ".join(sorted(UNIVERSAL_TAGS)))
    if fields[6] == UNSPECIFIED:
        yield fault("the head is unknown", at, "HEAD", fields[6], "a complete tree")
    elif (fields[6] == "0") != (fields[7].split(":")[0] == "root"):
        yield fault(f"HEAD is {fields[6]}", at, "DEPREL", fields[7], "root where HEAD is 0, and only there")
