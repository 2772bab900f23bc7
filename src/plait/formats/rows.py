"""Common code of the column formats: rows with a fixed number of fields, and error messages for rows and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from plait.data._tree import find_fault
from plait.data.document import Sentence
from plait.data.trees import tree_fault
from plait.errors import DataError, FormatError
from plait.formats._columns import Splitter
from plait.formats.numerals import ids, parse_heads, parse_number
from plait.formats.source import Source, sentences_lost

UNWRITABLE = "\t\n\r\0"

UNCLOSED = {
    "newline": "the file ends without a blank line after its last sentence",
    "nothing": "the file ends without a newline",
}
CLOSED, CLOSE_IT = "a blank line after every sentence", "the file may be truncated; if it is complete, add a blank line"


# (block, number of its first line, source, splitter) -> sentence
Parse: TypeAlias = Callable[[str, int, Source, Splitter], Sentence]


def read_blocks(source: Source, parse: Parse) -> Iterator[Sentence]:
    """The sentences that ``parse`` makes of the blocks; what it raises is reported, and none at all is an error."""
    splitter = Splitter()
    for line, block in source.blocks():
        try:
            sentence = parse(block, line, source, splitter)
        except FormatError as error:
            error.lost = sentences_lost(block.encode())
            source.report(error)
        else:
            note_ending(block, line, source)
            yield sentence
    if source.ordinal == 0:
        raise no_sentences(source)


def split_words(
    block: str, line: int, source: Source, splitter: Splitter, names: Sequence[str], head: int
) -> tuple[list[list[str]], list[int]]:
    """The columns of a block in which ID counts the words and several roots are allowed, and its heads."""
    columns = splitter.split(block, len(names), 0)
    if columns is None or columns[0] != ids(len(columns[0])):
        explain_words(block, line, source, names)
    heads = parse_heads(columns[head])
    if heads is None or find_fault(heads, False)[0]:
        explain_words(block, line, source, names)
    return columns, heads


def joined_words(sentence: Sentence, columns: Sequence[Sequence[str]], format: str) -> str:
    """The inverse, without the column ID; DataError where the sentence cannot be written so."""
    if not is_writable(columns, len(sentence), UNWRITABLE) or find_fault(sentence.heads, False)[0]:
        refuse(sentence, format)
    return "\n".join([*map("\t".join, zip(ids(len(sentence)), *columns, strict=True)), "", ""])


def note_ending(block: str, line: int, source: Source) -> None:
    """Report a file that ends without a blank line: it may be truncated, and will be written back with one."""
    if source.ending != "blank":
        source.note(
            UNCLOSED[source.ending],
            line + block.count("\n"),
            CLOSED,
            CLOSE_IT,
            "the sentence is assumed to be complete",
        )


def no_sentences(source: Source) -> FormatError:
    """The error for a treebank file without any sentence."""
    return FormatError(
        "the file is empty" if source.bytes_read == 0 else "the file has only blank lines",
        file=source.name,
        line=1,
        expected="at least one sentence",
        hint="check that the file is complete",
    )


class Place(NamedTuple):
    """A line of a sentence: where a fault stands."""

    source: Source
    line: int
    sentence: str

    def fault(
        self, what: str, expected: str | None, hint: str, *, column: str | None = None, value: str | None = None
    ) -> FormatError:
        """What is wrong there, what was expected, and what to do."""
        return self.source.fault(
            what, self.line, sentence=self.sentence, column=column, value=value, expected=expected, hint=hint
        )

    def rows(self, lines: Sequence[str]) -> Iterator[tuple[Place, str]]:
        """Consecutive lines, of which this place is the first."""
        return ((self._replace(line=number), line) for number, line in enumerate(lines, self.line))


def check_row(row: str, place: Place, names: Sequence[str], *, tabs: bool = True) -> list[str]:
    """The fields of a row, as many as there are names, none of them empty; FormatError otherwise."""
    separator = "tabs" if tabs else "single spaces or tabs"
    expected = f"{len(names)} columns separated by {separator}"
    fields = (row if tabs else row.replace("\t", " ")).split("\t" if tabs else " ")
    if not row.strip():
        raise place.fault(
            "the line has only whitespace", "a blank line between sentences", "remove the whitespace", value=row
        )
    if tabs and row.startswith("#"):
        hint = "move comments before the first word, in formats that have them, or remove the line"
        raise place.fault("a comment instead of a word", expected, hint, value=row)
    if len(fields) != len(names):
        hint = "is this the right format?"
        if len(row.split()) == len(names):
            hint = f"separate columns by {separator}, not by other white space"
        raise place.fault(
            f"the line has {len(fields)} column{'' if len(fields) == 1 else 's'}", expected, hint, value=row
        )
    for name, field in zip(names, fields, strict=True):
        if not field:
            raise place.fault(
                "the column is empty", "a value", "write _ for unspecified values", column=name, value=field
            )
    return fields


def check_word_id(numeral: str, expected: int, place: Place) -> None:
    """FormatError unless the ID is the one expected, in formats where every row is a word."""
    if parse_number(numeral) != expected:
        what = "the ID is out of order" if parse_number(numeral) is not None else "not a word's number"
        hint = "number the words 1, 2, 3, ...; a blank line ends a sentence"
        raise place.fault(what, str(expected), hint, column="ID", value=numeral)


def check_head(numeral: str, words: int, place: Place) -> int:
    """The number of a head; FormatError when it is none or names no word."""
    if numeral == "_":
        return -1
    head = parse_number(numeral)
    if head is None or head > words:
        what = "not a word's number" if head is None else f"the sentence has {words} word{'' if words == 1 else 's'}"
        hint = "correct it" if head is None else "correct it, or add the missing words"
        raise place.fault(what, f"0 to {words}, or _ when unknown", hint, column="HEAD", value=numeral)
    return head


def check_tree(heads: Sequence[int], places: Sequence[Place], *, one_root: bool) -> None:
    """FormatError unless the heads are a tree (or several trees); places[i] is where word i+1 stands."""
    code, token = find_fault(heads, one_root)
    if code:
        raise places[token - 1 if token else 0].fault(
            tree_fault(heads, one_root=one_root) or "not a tree",
            "one tree over all words" + (", with one root" if one_root else ""),
            "correct the heads, or write _ for those unknown",
            column="HEAD",
            value=str(heads[token - 1]) if token else None,
        )


def explain_words(block: str, line: int, source: Source, names: Sequence[str]) -> NoReturn:
    """Find what is wrong with a sentence in a format where every line is a word and several roots are allowed."""
    place = Place(source, line, f"#{source.ordinal}")
    places, lines = zip(*place.rows(block.split("\n")), strict=True)
    rows = [check_row(row, at, names) for at, row in zip(places, lines, strict=True)]
    for number, (at, row) in enumerate(zip(places, rows, strict=True), 1):
        check_word_id(row[0], number, at)
    head = names.index("HEAD")
    heads = [check_head(row[head], len(rows), at) for at, row in zip(places, rows, strict=True)]
    check_tree(heads, places, one_root=False)
    raise unexplained(place)


def unexplained(place: Place) -> FormatError:
    """The error for a sentence that is rejected without a known reason, which should not occur."""
    return place.fault("the sentence is not well-formed", None, "please report this file")


def is_writable(columns: Sequence[Sequence[str]], n: int, unwritable: str) -> bool:
    """Whether there are words, the columns are equally long, and no value is empty or holds a character of these."""
    return n > 0 and all(
        len(column) == n and "" not in column and not any(c in text for c in unwritable)
        for column in columns
        for text in ("\x1f".join(column),)
    )


def refuse(sentence: Sentence, format: str, *, one_root: bool = False, spaceless: Sequence[str] = ()) -> NoReturn:
    """Raise the reason why the sentence cannot be written in this format, so that nothing unreadable is written."""
    raise unwritable(sentence, format, next(_reasons(sentence, one_root, spaceless)))


def unwritable(sentence: Sentence, format: str, reason: str) -> DataError:
    """The error for a sentence that a format cannot hold."""
    name = f'sentence "{sentence.sent_id}"' if sentence.sent_id else f"the sentence {sentence.text[:40]!r}"
    return DataError(f"{name} cannot be written as {format}: {reason}")


def _reasons(sentence: Sentence, one_root: bool, spaceless: Sequence[str]) -> Iterator[str]:
    if not len(sentence):
        yield "it has no words"
    for comment in sentence.comments:
        if not comment.startswith("#") or any(c in comment for c in "\n\r\0"):
            yield f"comment {comment!r} is not one line that begins with '#'"
    columns = {
        name: getattr(sentence, name) for name in ("forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps")
    }
    for name, column in {**columns, "misc": sentence.misc, **sentence.extra}.items():
        if len(column) != len(sentence):
            yield f"column {name} has {len(column)} values for {len(sentence)} words"
        for i, value in enumerate(column, 1):
            if not value:
                yield f"{name} of word {i} is empty; write _ for unspecified values"
            if any(c in value for c in UNWRITABLE):
                yield f"{name} of word {i} is {value!r}; it must not contain tab, newline, carriage return, NUL"
            if name in spaceless and " " in value:
                yield f"{name} of word {i} is {value!r}; it must not contain a space"
    fault = tree_fault(sentence.heads, one_root=one_root)
    if fault:
        yield f"{fault}; correct the tree or leave its heads unknown"
    yield "a multiword token or empty node is out of place, or one of its columns cannot be written"
