"""Files as they come from Windows: CR LF, a byte order mark, no blank line at the end, UTF-16."""

import io
import warnings

import pytest

from plait.errors import FormatError, FormatWarning
from plait.formats import Skipped, read, write
from plait.formats import source as source_module
from plait.formats.source import Source
from plait.formats.validation import Validation

CONTENT = {
    "conllu": "# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    "conllx": "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    "conll09": "1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tR\tR\t_\t_\n\n",
    "conll2000": "He PRP B-NP\nruns VBZ B-VP\n\n",
    "segmented": "a_N b_V\n",
    "json": '{"forms":["a"]}\n',
}


def told(content: bytes, format: str) -> tuple[list[list[str]], list[str]]:
    """What is read, and the warnings without the place."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forms = [sentence.forms for sentence in read(content, format)]
    return forms, [str(w.message).split(": ", 1)[1] for w in caught]


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 1 << 20])
@pytest.mark.parametrize("format", CONTENT)
def test_every_reader_takes_files_from_windows_and_says_so_once(
    format: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "CHUNK", chunk)
    clean = CONTENT[format] * 3
    forms, none = told(clean.encode(), format)
    assert none == []
    assert len(forms) == 3
    crlf, bom = "the lines end in CR LF (Windows); read as LF", "the file begins with a byte order mark; left out"
    assert told(clean.replace("\n", "\r\n").encode(), format) == (forms, [crlf])
    assert told(b"\xef\xbb\xbf" + clean.encode(), format) == (forms, [bom])
    assert told(b"\xef\xbb\xbf" + clean.replace("\n", "\r\n").encode(), format) == (forms, [bom, crlf])
    unclosed = ["the file ends without a newline; the sentence is assumed to be complete"] * (
        format != "json"  # a truncated line of JSON is an error
    )
    assert told(clean.strip("\n").replace("\n", "\r\n").encode(), format) == (forms, [crlf, *unclosed])


@pytest.mark.parametrize("chunk", [1, 4, 1 << 20])
def test_the_first_line_with_cr_lf_is_named(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "CHUNK", chunk)
    third = CONTENT["conllu"].replace("\n\n", "\r\n\n")
    with pytest.warns(FormatWarning, match="<bytes>:8: the lines end in CR LF"):
        read((CONTENT["conllu"] * 2 + third).encode(), "conllu")


def test_they_are_written_as_files_should_be() -> None:
    file = io.BytesIO()
    with pytest.warns(FormatWarning):
        write(
            read(b"\xef\xbb\xbf" + CONTENT["conllu"].strip().replace("\n", "\r\n").encode(), "conllu"), file, "conllu"
        )
    assert file.getvalue() == CONTENT["conllu"].encode()


def test_skipping_a_windows_file_loses_nothing_but_bad_sentences() -> None:
    bad = CONTENT["conllu"].replace("\t0\t", "\t9\t")
    content = (CONTENT["conllu"] * 50 + bad + CONTENT["conllu"] * 50).replace("\n", "\r\n").encode()
    skipped = Skipped()
    with pytest.warns(FormatWarning, match="CR LF"):
        assert len(read(content, "conllu", on_error="skip", skipped=skipped)) == 100
    assert skipped.count == 1


@pytest.mark.parametrize(
    ("old", "new"), [(b"\n\n", b"\n \n"), (b"\n\n", b"\n\t\n"), (b"\n", b"\r")], ids=["space", "tab", "CR alone"]
)
@pytest.mark.filterwarnings("ignore::plait.errors.FormatWarning")
def test_sentences_that_nothing_parts_are_counted_one_by_one(old: bytes, new: bytes) -> None:
    good = CONTENT["conllu"].encode()
    skipped = Skipped()
    left = read(
        good + (good * 7).strip().replace(old, new) + b"\n\n" + good, "conllu", on_error="skip", skipped=skipped
    )
    assert (len(left), skipped.count) == (2, 7)
    assert "left out 7 sentences" in str(skipped)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("format", CONTENT)
def test_utf_16_is_refused_as_a_whole(encoding: str, format: str) -> None:
    with pytest.raises(FormatError, match=r":1: the file is in UTF-16; expected text in UTF-8; .*iconv"):
        read(CONTENT[format].encode(encoding), format, on_error="skip")


def test_carriage_returns_without_end_are_not_held_in_memory() -> None:
    class Endless:
        given = 0

        def read(self, size: int) -> bytes:
            self.given += size
            assert self.given < 20 << 20, "the reader goes on past the limit"
            return b"\r" * size

    with pytest.raises(FormatError, match="longer than 4 MiB"):
        next(Source(Endless()).blocks())  # type: ignore[arg-type]


def test_validation_reports_each_once_and_goes_on() -> None:
    content = b"\xef\xbb\xbf" + (CONTENT["conllu"] * 2 + CONTENT["conllu"].replace("\t0\t", "\t9\t") * 2).replace(
        "\n", "\r\n"
    ).encode().removesuffix(b"\r\n")
    check = Validation(Source(content))
    faults = [(fault.line, fault.what) for fault in check]
    assert faults == [
        (1, "the file begins with a byte order mark"),
        (1, "the lines end in CR LF (Windows)"),
        (8, "the sentence has 1 word"),
        (11, "the file ends without a blank line after its last sentence"),
    ]
    assert check.sentences == 4
