"""Bad files: what each reader is given, and the words that its message must contain."""

import gzip
import lzma
import re

import pytest

from plait.errors import FormatError, FormatWarning
from plait.formats import read, stream_text
from plait.formats.compression import zstd_library
from plait.formats.source import Source


def rows(*lines: str, end: str = "\n\n") -> bytes:
    """Lines with their columns separated by blanks here and by tabs in the file."""
    return ("\n".join(line if line[:1] == "#" else "\t".join(line.split()) for line in lines) + end).encode()


GOOD = "1 Hi hi X _ _ 0 root _ _"
TWO = "2 ho ho X _ _ 1 dep _ _"
GOOD09 = "1 a a a N N _ _ 0 0 R R _ _"

BAD = [
    # CoNLL-U: rows and columns
    ("conllu", rows("1 Hi hi"), ":1: ", 'sentence "#1"', "3 columns", "expected 10 columns separated by tabs"),
    ("conllu", b"1 Hi hi X _ _ 0 root _ _\n\n", "1 column", "separate columns by tabs"),
    ("conllu", rows(GOOD + " more"), "11 columns"),
    ("conllu", b"1\t\thi\tX\t_\t_\t0\troot\t_\t_\n\n", "FORM is ''", "empty", "write _"),
    ("conllu", b"1\tHi\thi\tX\t_\t_\t0\troot\t_\t\n\n", "MISC is ''", "empty"),
    ("conllu", rows("# sent_id = w-7", GOOD, "# late", TWO), ":3: ", 'sentence "w-7"', "'# late'", "comment"),
    ("conllu", rows("# sent_id = w-7", "# text = x"), 'sentence "w-7"', "comments but no words"),
    ("conllu", rows(GOOD, end="\n \n") + rows(GOOD), ":2: ", "only whitespace", "blank line"),
    ("conllu", rows("1 a a X Y Z 0 root _ _").replace(b"Y", b"Y Y"), "XPOS is 'Y Y'", "space"),
    # CoNLL-U: IDs
    ("conllu", rows(GOOD, "3 ho ho X _ _ 1 dep _ _"), ":2: ", "ID is '3'", "out of order", "expected 2"),
    ("conllu", rows("0 Hi hi X _ _ 0 root _ _"), "ID is '0'", "expected 1"),
    ("conllu", rows("01 Hi hi X _ _ 0 root _ _"), "ID is '01'", "expected 1"),
    ("conllu", rows("x Hi hi X _ _ 0 root _ _"), "ID is 'x'", "not a number"),
    ("conllu", rows("2-1 Hiho _ _ _ _ _ _ _ _", GOOD, TWO), "ID is '2-1'", "reversed", "swap"),
    ("conllu", rows("1-1 Hi _ _ _ _ _ _ _ _", GOOD), "ID is '1-1'", "reversed"),
    ("conllu", rows("1-3 Hiho _ _ _ _ _ _ _ _", GOOD, TWO), "ID is '1-3'", "after the last word, 2"),
    ("conllu", rows(GOOD, "1-2 Hiho _ _ _ _ _ _ _ _", TWO), ":2: ", "ID is '1-2'", "misplaced", "before its first"),
    (
        "conllu",
        rows("1-2 ab _ _ _ _ _ _ _ _", GOOD, "2-3 bc _ _ _ _ _ _ _ _", TWO, "3 c c X _ _ 1 dep _ _"),
        ":3: ",
        "ID is '2-3'",
        "overlaps",
    ),
    ("conllu", rows("1-2 ab _ _ _ _ _ _ _ _", "0.1 e _ _ _ _ _ _ _ _", GOOD, TWO), "ID is '0.1'", "range"),
    ("conllu", rows("1-x ab _ _ _ _ _ _ _ _", GOOD), "ID is '1-x'", "range such as 3-4"),
    ("conllu", rows(GOOD, "1.2 e _ _ _ _ _ _ _ _"), ":2: ", "ID is '1.2'", "empty node", "expected 1.1"),
    ("conllu", rows(GOOD, "2.1 e _ _ _ _ _ _ _ _"), "ID is '2.1'", "expected 1.1"),
    ("conllu", rows("0.1 e _ _ _ _ _ _ _ _"), "no words"),
    # CoNLL-U: heads
    ("conllu", rows("1 Hi hi X _ _ x root _ _"), "HEAD is 'x'", "not a word's number", "0 to 1"),
    ("conllu", rows("1 Hi hi X _ _ -1 root _ _"), "HEAD is '-1'", "not a word's number"),
    ("conllu", rows("1 Hi hi X _ _ 9 root _ _"), "HEAD is '9'", "the sentence has 1 word"),
    ("conllu", rows("1 Hi hi X _ _ 99999999999999999999 root _ _"), "HEAD is '9999"),
    ("conllu", rows("1 Hi hi X _ _ 1 root _ _"), "HEAD is '1'", "its own head"),
    ("conllu", rows(GOOD, "2 a a X _ _ 3 d _ _", "3 b b X _ _ 2 d _ _"), "cycle", "one tree"),
    ("conllu", rows(GOOD, "2 a a X _ _ 0 root _ _"), ":2: ", "HEAD is '0'", "second root"),
    ("conllu", rows("1 a a X _ _ 2 d _ _", "2 b b X _ _ 1 d _ _"), "HEAD", "cycle"),
    # CoNLL-U: the file
    ("conllu", b"", "the file is empty", "at least one sentence"),
    ("conllu", b"\n\n\n", "only blank lines"),
    ("conllu", rows("1 Hi hi X _ _ 7 obj _ _", end="\n"), ":1: ", "without a blank line", "may be truncated"),
    ("conllu", rows(GOOD) + rows("1 Hi h", end=""), ":3: ", 'sentence "#2"', "without a newline", "may be truncated"),
    (
        "conllu",
        rows(GOOD) + rows(GOOD, "2 a\rb x X _ _ 1 d _ _".replace("\r", "\x01")).replace(b"\x01", b"\r"),
        "carriage",
    ),
    (
        "conllu",
        rows(GOOD) + rows(GOOD, TWO).replace(b"ho\t", b"h\xff\t", 1),
        ":4: ",
        "byte 4",
        "0xFF",
        "UTF-8",
        "iconv",
    ),
    ("conllu", rows(GOOD) + rows(GOOD).replace(b"hi", b"h\0"), ":3: ", "byte 7", "NUL"),
    ("conllu", rows(GOOD) + rows(GOOD).replace(b"hi", b"h" * 10_000_000), ":3: ", "longer than 4 MiB"),
    ("conllu", rows(GOOD).decode().encode("utf-16"), "UTF-8"),
    ("conllu", gzip.compress(rows(GOOD) * 50)[:-9], "compressed file is truncated", "again"),
    ("conllu", lzma.compress(rows(GOOD) * 50)[:-9], "compressed file is truncated", "again"),
    ("conllu", zstd_library().compress(rows(GOOD) * 50)[:-3], "compressed file is truncated", "again"),
    ("conllu", gzip.compress(rows(GOOD) * 50)[:20] + b"damage" * 20, "truncated or damaged"),
    # CoNLL-X
    ("conllx", rows("1 Hi hi"), "3 columns", "expected 10 columns"),
    ("conllx", rows(GOOD, "3 ho ho X _ _ 1 dep _ _"), ":2: ", "ID is '3'", "expected 2", "blank line ends"),
    ("conllx", rows("1-2 a _ _ _ _ _ _ _ _", GOOD, TWO), "ID is '1-2'", "expected 1"),
    ("conllx", rows("1 a a X _ _ 5 d _ _"), "HEAD is '5'", "has 1 word"),
    ("conllx", rows("1 a a X _ _ a d _ _"), "HEAD is 'a'", "not a word's number"),
    ("conllx", rows("1 a a X _ _ 1 d _ _"), "HEAD is '1'", "its own head"),
    ("conllx", rows("1 a a X _ _ 2 d _ _", "2 b b X _ _ 1 d _ _"), "cycle"),
    ("conllx", rows("# sent_id = 1", GOOD), "comment"),
    ("conllx", b"1\ta\t\tX\t_\t_\t0\td\t_\t_\n", "LEMMA is ''", "empty"),
    ("conllx", b"\n", "only blank lines"),
    ("conllx", rows(GOOD).replace(b"hi", b"\xe9"), "0xE9", "UTF-8"),
    # CoNLL-2009
    ("conll09", rows("1 a a a N N _ _ 0 0 R R"), "12 columns", "expected 14 columns"),
    ("conll09", rows(GOOD09 + " A0", GOOD09.replace("1", "2", 1)), ":2: ", "14 columns", "expected 15"),
    ("conll09", rows(GOOD09 + " A0 A1"), "16 columns", "expected 15 columns"),
    ("conll09", rows(GOOD09.replace("1", "2", 1)), "ID is '2'", "expected 1"),
    ("conll09", rows("1 a a a N N _ _ x 0 R R _ _"), "HEAD is 'x'", "not a word's number"),
    ("conll09", rows("1 a a a N N _ _ 2 0 R R _ _"), "HEAD is '2'", "has 1 word"),
    ("conll09", rows("1 a a a N N _ _ 1 0 R R _ _"), "its own head"),
    ("conll09", b"", "the file is empty"),
    # CoNLL-2000
    ("conll2000", b"He PRP B-NP\nruns VBZ\n\n", ":2: ", 'sentence "#1"', "2 columns", "expected 3 columns"),
    ("conll2000", b"He  B-NP\n\n", "TAG is ''", "empty"),
    ("conll2000", b"He PRP B-NP extra\n", "4 columns"),
    ("conll2000", b"He PRP B-NP\n \nHe PRP B-NP\n", ":2: ", "only whitespace"),
    ("conll2000", b"", "the file is empty"),
    # segmented
    ("segmented", b"a/N b/V\n" * 100 + b"c/N d\n", ":101: ", 'sentence "#101"', "WORD is 'd'", "no tag", "word/TAG"),
    ("segmented", b"a/N b/V\n" * 100 + b"/N\n", "'/N'", "no word before"),
    ("segmented", b" \n\n", "blank lines"),
    ("segmented", b"a b\0\n", "NUL"),
    ("segmented", b"a b\nc \xff\n", ":2: ", "0xFF"),
    # JSON
    ("json", b"{}\n", ":1: ", "forms"),
    ("json", b'{"forms": ["a"]}\n{"forms"\n', ":2: ", "not a sentence in JSON"),
    ("json", b'{"forms": ["a"], "heads": [7]}\n', "not a tree"),
    ("json", b'{"forms": ["a"], "heads": ["x"]}\n', "heads is not a list of numbers"),
    ("json", b'{"forms": ["a"], "upos": []}\n', "upos has 0 values for 1 words"),
    ("json", b'{"forms": ["a"], "ranges": [[1, 9, "x", []]]}\n', "ranges"),
    ("json", b'{"forms": []}\n', "no words"),
    ("json", b"[" * 100_000 + b"\n", "JSON"),
    ("json", b'{"forms": ["\\ud800"]}\n', "surrogate pair"),
    ("json", b"", "the file is empty"),
]


# what does no harm: an error when asked to be strict, otherwise a warning
STRICT = [
    ("conllu", rows(GOOD, end="\n"), ":1: ", "without a blank line", "may be truncated"),
    ("conllu", rows(GOOD) + rows(GOOD, end=""), ":3: ", "without a newline", "may be truncated"),
    ("conllu", rows(GOOD).replace(b"\n", b"\r\n"), ":1: ", "CR LF", "sed"),
    ("conllu", b"\xef\xbb\xbf" + rows(GOOD), ":1: ", "byte order mark"),
    ("conllx", rows(GOOD).replace(b"\n", b"\r\n"), "CR LF"),
    ("conll2000", b"He PRP B-NP\r\n\r\n", "CR LF"),
    ("conllu", rows(GOOD) + b"\n" + rows(GOOD), ":3: ", "extra blank line", "one after each", "remove it"),
    ("conllx", rows(GOOD, end="\n"), ":1: ", "without a blank line", "may be truncated"),
    ("conll09", rows(GOOD09) + b"\n\n", ":3: ", "extra blank line"),
    ("conll2000", b"\xef\xbb\xbfHe PRP B-NP\n\n", ":1: ", "byte order mark"),
    ("segmented", b"a b\nc d\r\n", ":2: ", "CR LF"),
    ("json", b'\xef\xbb\xbf{"forms": ["a"]}\n', ":1: ", "byte order mark"),
    ("json", b'{"forms": ["a"]}\r\n', ":1: ", "CR LF"),
]


@pytest.mark.parametrize("case", range(len(STRICT)), ids=lambda i: f"{STRICT[i][0]}-{STRICT[i][-1][:20]}")
def test_harmless_faults_are_reported_or_refused(case: int) -> None:
    format, content, *words = STRICT[case]
    with pytest.raises(FormatError) as caught:
        read(content, format, strict=True)
    with pytest.raises(FormatError, match=re.escape(str(caught.value))):
        read(content, format, strict=True, on_error="skip")  # the file is at fault, not one of its sentences
    assert [word for word in words if word not in str(caught.value)] == [], caught.value
    with pytest.warns(FormatWarning, match=re.escape(caught.value.what)):
        read(content, format)


@pytest.mark.filterwarnings("ignore::plait.errors.FormatWarning")
@pytest.mark.parametrize("case", range(len(BAD)), ids=lambda i: f"{BAD[i][0]}-{BAD[i][-1][:20]}")
def test_message_tells_where_what_and_what_to_do(case: int) -> None:
    format, content, *words = BAD[case]
    with pytest.raises(FormatError) as caught:
        read(content, format)
    message = str(caught.value)
    assert message.startswith("<bytes>:")
    assert "\n" not in message
    assert [word for word in words if word not in message] == [], message


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"a\n\xff\n", ":2: 0xFF UTF-8"), (b"a\nb\0\n", ":2: NUL"), (b"a\n" + b"b" * 5_000_000, ":2: longer")],
)
@pytest.mark.parametrize("format", ["lines", "text"])
def test_raw_text_with_bad_bytes_is_refused(format: str, content: bytes, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(stream_text(content, format))
    assert all(word in str(caught.value) for word in words.split())


def test_long_line_is_refused_without_being_held_in_memory() -> None:
    class Endless:
        given = 0

        def read(self, size: int) -> bytes:
            self.given += size
            assert self.given < 10 << 20, "the reader goes on past the limit"
            return b"x" * size

    with pytest.raises(FormatError, match="longer than 4 MiB"):
        next(Source(Endless()).blocks())  # type: ignore[arg-type]
