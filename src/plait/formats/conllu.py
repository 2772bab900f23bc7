"""CoNLL-U, byte for byte: a file that is read without a notice is written back identically.

A valid sentence is parsed by a few operations on whole columns; anything else is examined line by line, to find the
line, the column and the value that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import dropwhile
from typing import NoReturn

from plait.data._tree import find_fault
from plait.data.document import EmptyNode, Range, Sentence, split_comment
from plait.errors import FormatError
from plait.formats._columns import Splitter, leading_comments
from plait.formats.extra import EXTRA, extra_from_misc, extra_in_misc
from plait.formats.numerals import ids, parse_heads, parse_number, write_heads
from plait.formats.rows import (
    CLOSE_IT,
    CLOSED,
    UNCLOSED,
    Place,
    check_head,
    check_row,
    check_tree,
    read_blocks,
    refuse,
    unexplained,
)  # fmt: skip
from plait.formats.source import Source

NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
SPACELESS = ("upos", "xpos", "feats", "deprels", "deps")  # where, with ID and HEAD, no space may stand
WITHOUT_SPACE = 0b01_1111_1001  # the same columns, by their place from the right


def read_conllu(source: Source) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U source, one at a time.

    >>> next(read_conllu(Source(b"# sent_id = a\\n1\\tHi\\thi\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")))
    <Sentence of 1 words: Hi>
    """
    return read_blocks(source, parse_closed)


def write_conllu(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Each sentence as text; DataError where one cannot be well-formed CoNLL-U."""
    return map(write_sentence, sentences)


def parse_closed(block: str, line: int, source: Source, splitter: Splitter) -> Sentence:
    """As ``parse_block``; for an invalid last sentence of a truncated file, the truncation is reported first."""
    try:
        return parse_block(block, line, source, splitter)
    except FormatError:
        if source.ending != "blank" and block.rpartition("\n")[2].count("\t") == 9:
            check_ending(block, line, source)
        raise


def parse_block(block: str, line: int, source: Source, splitter: Splitter) -> Sentence:
    """One sentence from its lines, the first of which has this number; FormatError where it is not sound."""
    comments, start = leading_comments(block)
    columns = splitter.split(block, 10, WITHOUT_SPACE, start)
    if columns is None:
        explain(block, line, source)
    ranges: list[Range] = []
    empties: list[EmptyNode] = []
    if columns[0] != ids(len(columns[0])) and not take_out_others(columns, ranges, empties):
        explain(block, line, source)
    heads = parse_heads(columns[6])
    if heads is None or find_fault(heads)[0]:
        explain(block, line, source)
    sentence = Sentence.__new__(Sentence)  # the columns are known to be equally long
    _, sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats = columns[:6]
    sentence.heads = heads
    sentence.deprels, sentence.deps, sentence.misc = columns[7:]
    sentence.comments = comments
    sentence.ranges = ranges
    sentence.empties = empties
    sentence.extra = {}
    sentence.offsets = sentence.score = sentence._scores = sentence.trace = None
    if EXTRA in block:
        extra_from_misc(sentence)
    return sentence


def has_empty_field(body: str) -> bool:
    """Whether two separators stand together somewhere in the rows, or one at their edge."""
    return "\t\t" in body or "\t\n" in body or "\n\t" in body or body[:1] == "\t" or body[-1:] == "\t"


def take_out_others(columns: list[list[str]], ranges: list[Range], empties: list[EmptyNode]) -> bool:
    """Move the rows of multiword tokens and empty nodes out of the columns; False if an ID is out of order."""
    seen = 0  # words before this row
    covered = 0  # the last word of the last range
    waiting = False  # whether the row before is a range, whose first word must follow
    others: list[int] = []
    wanted = ids(len(columns[0]))
    for at, number in enumerate(columns[0]):
        if number == wanted[seen]:
            seen, waiting = seen + 1, False
            continue
        others.append(at)
        major, mark, minor = number.partition("-" if "-" in number else ".")
        first, second = parse_number(major), parse_number(minor)
        if waiting or first is None or second is None:
            return False
        row = tuple(column[at] for column in columns[1:])
        if mark == "-":
            if first != seen + 1 or second <= first or first <= covered:
                return False
            ranges.append(Range(first, second, row[0], row[1:]))
            covered, waiting = second, True
        else:
            before = empties[-1].minor if empties and empties[-1].after == seen else 0
            if first != seen or second != before + 1:
                return False
            empties.append(EmptyNode(first, second, row))
    for at in reversed(others):
        for column in columns:
            del column[at]
    return seen > 0 and covered <= seen and not waiting


def sentence_name(block: str, source: Source) -> str:
    """The name of a sentence in errors: its sent_id, or its number in the file."""
    for row in block.split("\n"):
        if not row.startswith("#"):
            break
        key, value = split_comment(row)
        if key == "sent_id":
            return value
    return f"#{source.ordinal}"


def check_ending(block: str, line: int, source: Source) -> None:
    """FormatError if the last sentence of the file is not closed, so that a truncated file is detected."""
    if source.ending != "blank":
        place = Place(source, line + block.count("\n"), sentence_name(block, source))
        raise place.fault(UNCLOSED[source.ending], CLOSED, CLOSE_IT)


def explain(block: str, line: int, source: Source) -> NoReturn:
    """Find what is wrong with a sentence, line by line, and raise it."""
    if source.ending == "nothing" and block.rpartition("\n")[2].count("\t") != 9:
        check_ending(block, line, source)
    place = Place(source, line, sentence_name(block, source))
    rows = list(dropwhile(lambda row: row[1].startswith("#"), place.rows(block.split("\n"))))
    if not rows:
        hint = "remove the comments, or the blank line after them"
        raise place.fault("the sentence has comments but no words", "a line for each word", hint)
    table = [(at, check_row(row, at, NAMES)) for at, row in rows]
    words = _explain_ids([(at, fields[0]) for at, fields in table])
    for at, fields in table:
        for c in (3, 4, 5, 7, 8):
            if " " in fields[c]:
                what, expected = "the column contains a space", "spaces only in FORM, LEMMA and MISC"
                raise at.fault(what, expected, "remove it", column=NAMES[c], value=fields[c])
    heads = [check_head(f[6], len(words), at) for at, f in table if parse_number(f[0]) is not None]
    check_tree(heads, words, one_root=True)
    raise unexplained(place)


def _explain_ids(numbers: list[tuple[Place, str]]) -> list[Place]:
    """Where each word stands; FormatError at the first ID that is not in order."""
    count = sum(parse_number(number) is not None for _, number in numbers)
    words: list[Place] = []
    covered = minor = 0
    range_open: str | None = None
    for place, number in numbers:
        seen = len(words)

        def fault(what: str, expected: str, hint: str = "number the words 1, 2, 3, ...") -> FormatError:
            return place.fault(what, expected, hint, column="ID", value=number)  # noqa: B023 (raised at once)

        if range_open is not None and parse_number(number) is None:
            hint = "put the range before its first word"
            raise fault(f"it is preceded by the range {range_open}", f"word {seen + 1}", hint)
        if parse_number(number) is not None:
            if int(number) != seen + 1:
                raise fault("the ID is out of order", str(seen + 1))
            words.append(place)
            minor, range_open = 0, None
        elif "-" in number:
            start, end = map(parse_number, number.partition("-")[::2])
            if start is None or end is None:
                raise fault("not a range of words", "a range such as 3-4")
            if end <= start:
                what = "the range of the multiword token is reversed"
                raise fault(what, "first-last, first below last", "swap its ends")
            if start <= covered:
                raise fault("the range overlaps the one before", f"a first word after {covered}", "correct the ranges")
            if end > count:
                raise fault(f"the range ends after the last word, {count}", f"at most {count}", "correct the range")
            if start != seen + 1:
                raise fault("the range is misplaced", f"{seen + 1}-...", "put it directly before its first word")
            covered, range_open = end, number
        elif "." in number:
            major, _, tail = number.partition(".")
            if parse_number(major) != seen or parse_number(tail) != minor + 1:
                hint = "number the empty nodes after word i as i.1, i.2, ..."
                raise fault("the ID of the empty node is not in order", f"{seen}.{minor + 1} after word {seen}", hint)
            minor += 1
        else:
            raise fault("not a number, a range or an empty node's number", str(seen + 1))
    if not words:
        raise numbers[0][0].fault("the sentence has no words", "word 1", "remove it or give its words")
    return words


def write_sentence(sentence: Sentence) -> str:
    """One sentence as CoNLL-U with its closing blank line; DataError when it cannot be well-formed.

    >>> write_sentence(Sentence(["Hi"], heads=[0], deprels=["root"]))
    '1\\tHi\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n'
    """
    s = sentence
    misc = extra_in_misc(s) if s.extra else s.misc
    columns = (ids(len(s)), s.forms, s.lemmas, s.upos, s.xpos, s.feats, write_heads(s.heads), s.deprels, s.deps, misc)
    if not all(len(column) == len(s) for column in columns):
        _refuse(s)
    rows = list(map("\t".join, zip(*columns, strict=True)))
    if s.ranges or s.empties:
        rows = _with_others(s, rows)
    body = "\n".join(rows)
    if (
        not rows
        or body.count("\t") != 9 * len(rows)
        or body.count("\n") != len(rows) - 1
        or has_empty_field(body)
        or find_fault(s.heads)[0]
        or "\r" in body
        or "\0" in body
        or (" " in body and any(" " in value for name in SPACELESS for value in getattr(s, name)))
        or not all(map(_is_comment, s.comments))
    ):
        _refuse(s)
    return "\n".join([*s.comments, body, "", ""])


def _is_comment(line: str) -> bool:
    return line[:1] == "#" and "\n" not in line and "\r" not in line and "\0" not in line


def _refuse(sentence: Sentence) -> NoReturn:
    refuse(sentence, "conllu", one_root=True, spaceless=SPACELESS)


def _with_others(sentence: Sentence, words: list[str]) -> list[str]:
    """The rows of the words with those of multiword tokens and empty nodes in their places."""
    before: dict[int, list[str]] = {}
    rests = [*(columns[1:] for _, _, columns in sentence.empties), *(rest for _, _, _, rest in sentence.ranges)]
    if any(len(rest) != 8 or any(" " in field for field in rest[1:7]) for rest in rests):  # UPOS to DEPS
        _refuse(sentence)
    for after, minor, columns in sentence.empties:
        before.setdefault(after + 1, []).append("\t".join((f"{after}.{minor}", *columns)))
    for start, end, form, rest in sentence.ranges:
        before.setdefault(start, []).append("\t".join((f"{start}-{end}", form, *rest)))
    rows: list[str] = []
    for i, word in enumerate(words, 1):
        rows += before.pop(i, ())
        rows.append(word)
    rows += before.pop(len(words) + 1, ())
    numbers = [row.partition("\t")[0] for row in rows]
    if before or not take_out_others([list(numbers) for _ in range(10)], [], []):
        _refuse(sentence)
    return rows
