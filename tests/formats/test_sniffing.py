"""The format that a file's content tells, where its name does not."""

import gzip
from pathlib import Path

import pytest

from plait.errors import FormatWarning, OptionError
from plait.formats import find_input_format, read, sniff, stream_text
from plait.formats.sniffing import SAMPLE

CONLLU = "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
CONLLX = "1\tHi\thi\tI\tUH\t_\t0\tROOT\t_\t_\n\n"
CONLL09 = "1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tR\tR\t_\t_\n\n"
CONLL2000 = "He PRP B-NP\nreckons VBZ B-VP\n. . O\n\n"

CASES = [
    (CONLLU, "conllu"),
    ("# text = Hi\n" + CONLLX, "conllu"),
    (CONLLX.replace("_\n", "SpaceAfter=No\n"), "conllu"),
    (CONLLX.replace("\t_\t_\n", "\t0:root\t_\n"), "conllu"),
    ("1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + CONLLX, "conllu"),
    (CONLLX, "conllx"),
    (CONLLU.replace("\t_\t_\n", "\t0\troot\n"), "conllx"),  # PHEAD and PDEPREL
    (CONLLU[:-1] + "2\tyou\t_\tPRON\t_\t_\t0\troot\t_\t_\n\n", "conllx"),  # two roots
    (CONLL09, "conll09"),
    (CONLL2000, "conll2000"),
    (CONLL2000.replace(" ", "\t"), "conll2000"),
    ("Dogs NOUN _\nbark VERB _\n\n", "conll2000"),  # as written where there are no chunks
    ('{"forms": ["Hi"]}\n', "json"),
    ("我/r 爱/v 北京/ns 。/w\n" * 3, "segmented"),
    ("a_N b_V c_N\n" * 4, "segmented"),
    ("Hello there, you.\n", None),
    ("three words here\nand three more\n", None),
    ("and/or\n", None),
    ("either/or neither/nor\n", None),  # too little to go by
    ('{"text": "Hi"}\n', None),
    ("[" * 5000, None),
    ("1\ta\tb\n", None),
    ("", None),
    ("\n\n \n", None),
    ("\0\xff" * 50, None),
]


@pytest.mark.parametrize(("content", "name"), CASES)
@pytest.mark.parametrize("dress", [str, lambda text: "\ufeff" + text.replace("\n", "\r\n"), lambda text: "\n" + text])
def test_content_tells_the_format(content: str, name: str | None, dress, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(dress(content).encode())
    found = sniff(path)
    assert (found.name if found else None) == name
    path.write_bytes(gzip.compress(dress(content).encode()))
    assert sniff(path) == found


def test_a_line_that_the_sample_cuts_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("He PRP B-NP\n" * SAMPLE)
    assert not path.read_bytes()[:SAMPLE].endswith(b"\n")
    assert sniff(path) is not None


def test_columns_in_a_text_file_are_read_as_columns_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text(CONLL2000)
    with pytest.warns(FormatWarning, match=r"train\.txt: contains conll2000, not plain text"):
        assert read(path)[0].forms == ["He", "reckons", "."]
    assert list(stream_text(path, "text")) == [CONLL2000.strip()]
    path.write_text("He reckons.\n")
    assert list(stream_text(path)) == ["He reckons."]


def test_a_suffix_that_tells_is_believed(tmp_path: Path) -> None:
    (tmp_path / "a.lines").write_text(CONLL2000)
    assert find_input_format(None, tmp_path / "a.lines").name == "lines"
    (tmp_path / "a.conll").write_text(CONLLX)
    assert find_input_format(None, tmp_path / "a.conll").name == "conllx"


def test_unrecognised_formats_must_be_named_and_drawings_are_not_offered(tmp_path: Path) -> None:
    (tmp_path / "news").write_text("Dogs bark.\n")
    for source in (tmp_path / "news", "-", b"Dogs bark.", None):
        with pytest.raises(OptionError, match="--from") as caught:
            find_input_format(None, source)
        assert "json" in str(caught.value)
        assert "svg" not in str(caught.value)
    with pytest.raises(OptionError, match="an output format"):
        find_input_format(None, "a.svg")
    with pytest.raises(FileNotFoundError):
        find_input_format(None, tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        find_input_format(None, tmp_path)
