import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from plait.data.document import Range, Sentence
from plait.errors import DataError, FormatError, FormatWarning
from plait.formats import Skipped, read, stream, write
from plait.formats.compression import zstd_library

EVERYTHING = """\
# newdoc
# sent_id = s-1
# text = Vámonos al mar, 10 000.
#odd comment without a blank
0.1\tyo\tyo\tPRON\t_\tCase=Nom\t_\t_\t2:nsubj\t_
1-2\tVámonos\t_\t_\t_\tTypo=Yes\t_\t_\t_\tGloss=x
1\tVamos\tir\tVERB\tV\tMood=Imp\t0\troot\t0:root\t_
1.1\te\t_\t_\t_\t_\t_\t_\t1:x\t_
1.2\te\t_\t_\t_\t_\t_\t_\t1:x\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|3.1:x\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl:a\tSpaceAfter=No
6\t,\t,\tPUNCT\t_\t_\t7\tpunct\t7:punct\t_
7\t10 000\t10 000\tNUM\t_\tNumType=Card|NumForm=Digit\t5\tnummod\t5:nummod\tA b=c d|SpaceAfter=No
8\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_
8.1\tz\t_\t_\t_\t_\t_\t_\t1:x\t_

1\tpartly\t_\t_\t_\t_\t_\t_\t_\t_
2\tknown\u2028\x85\x0b\t_\t_\t_\t_\t1\tdep\t_\t_

"""


def text_of(sentences: object) -> str:
    file = io.StringIO()
    write(sentences, file, "conllu")  # type: ignore[arg-type]
    return file.getvalue()


def test_everything_in_the_format_comes_back_byte_for_byte() -> None:
    assert text_of(stream(EVERYTHING.encode(), "conllu")) == EVERYTHING


def test_parts_of_a_sentence_are_where_the_data_model_says() -> None:
    sentence = read(EVERYTHING.encode(), "conllu")[0]
    assert sentence.sent_id == "s-1"
    assert sentence.heads == [0, 1, 5, 5, 1, 7, 5, 1]
    assert sentence.ranges[1] == Range(3, 4, "al")
    assert [(e.after, e.minor) for e in sentence.empties] == [(0, 1), (1, 1), (1, 2), (8, 1)]
    assert read(EVERYTHING.encode(), "conllu")[1].heads == [-1, 1]


def test_every_treebank_comes_back_byte_for_byte(data_files: Callable[[str], list[Path]]) -> None:
    for path in data_files("ud/*/*.conllu*"):
        original = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        if len(original) < 20_000_000:  # the largest is read by the benchmark
            assert "".join(s.to_conllu() for s in stream(path)).encode() == original, path


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, zstd_library().compress, bytes])
def test_compression_is_recognised_by_content(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(pack(EVERYTHING.encode()) + pack(EVERYTHING.encode()))  # two members in one file
    assert text_of(stream(path)) == EVERYTHING * 2


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_written_file_is_compressed_by_suffix_and_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.conllu{suffix}"
    write(stream(EVERYTHING.encode(), "conllu"), path)
    assert text_of(stream(path)) == EVERYTHING
    assert path.read_bytes()[:1] != b"#" or suffix == ""
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_source_may_be_a_text_file_a_binary_file_or_bytes() -> None:
    assert text_of(stream(io.StringIO(EVERYTHING), "conllu")) == EVERYTHING
    assert text_of(stream(io.BytesIO(EVERYTHING.encode()), "conllu")) == EVERYTHING


def test_extra_blank_lines_are_passed_over_and_lines_still_counted() -> None:
    bad = "\n\n" + EVERYTHING.replace("\n\n", "\n\n\n\n\n") + "\nx\n\n"
    with (
        pytest.raises(FormatError, match=f":{bad.count(chr(10)) - 1}: "),
        pytest.warns(FormatWarning, match=":1: extra blank line; such lines are dropped"),
    ):
        read(bad.encode(), "conllu")


def test_skipping_leaves_out_bad_sentences_and_counts_why() -> None:
    good = EVERYTHING.split("\n\n")[1] + "\n\n"
    bad = [good.replace("\t1\tdep", "\t7\tdep"), good.replace("\t1\tdep", "\t9\tdep"), "# no words\n\n"]
    content = (good + "".join(bad) + good).encode() + b"1\t\xff\n\n" + good.encode()
    skipped = Skipped()
    document = read(content, "conllu", on_error="skip", skipped=skipped)
    assert text_of(document) == good * 3
    assert skipped.count == 4
    assert sorted(skipped.reasons.values()) == [1, 1, 2]
    assert "left out 4 sentences" in str(skipped)
    assert "<bytes>:5" in str(skipped)


def test_skipping_a_huge_line_or_sentence_goes_on_after_it() -> None:
    good = EVERYTHING.split("\n\n")[1] + "\n\n"
    skipped = Skipped()
    content = (good + "1\t" + "x" * 9_000_000 + "\n2\n\n" + good + "1\t" + "y" * 4_500_000 + "\n\n" + good).encode()
    assert text_of(stream(content, "conllu", on_error="skip", skipped=skipped)) == good * 3
    assert skipped.count == 2
    lines = [error.line for error in skipped.examples.values()]  # type: ignore[attr-defined]
    assert lines == [4]


def test_skipping_a_huge_line_may_end_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = EVERYTHING.split("\n\n")[1] + "\n\n"
    path = tmp_path / "a.conllu"
    skipped = Skipped()
    path.write_text(good + "x" * 9_000_000, encoding="utf-8")
    assert text_of(stream(path, on_error="skip", skipped=skipped)) == good
    path.write_text(good + "x\n" * 2_000_000, encoding="utf-8")
    monkeypatch.setattr("plait.formats.source.BLOCK_LIMIT", 2_000_000)
    assert text_of(stream(path, on_error="skip", skipped=skipped)) == good
    assert list(skipped.reasons) == ["the line is longer than N MiB", "the sentence is longer than N MiB"]


def test_tags_and_labels_of_a_treebank_are_shared_strings() -> None:
    first, second = read((EVERYTHING * 2).encode(), "conllu")[::2]
    assert first.upos[0] is second.upos[0]
    assert first.deprels[0] is second.deprels[0]


def test_long_sentence_is_read() -> None:
    n = 5000
    heads = [0, *range(1, n)]
    sentence = Sentence(["w"] * n, heads=heads, deprels=["dep"] * n)
    assert read(sentence.to_conllu().encode(), "conllu")[0] == sentence


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (Sentence([]), "no words"),
        (Sentence(["a\tb"]), "forms of word 1"),
        (Sentence(["a\nb"]), "forms of word 1"),
        (Sentence(["a"], upos=[""]), "upos of word 1 is empty"),
        (Sentence(["a"], upos=["N N"]), "must not contain a space"),
        (Sentence(["a", "b"], heads=[0, 0]), "second root"),
        (Sentence(["a", "b"], heads=[2, 1]), "cycle"),
        (Sentence(["a"], heads=[4]), "HEAD of token 1 is 4"),
        (Sentence(["a"], comments=["no mark"]), "comment"),
        (Sentence(["a"], ranges=[Range(1, 2, "ab")]), "out of place"),
        (Sentence(["a", "b"], ranges=[Range(1, 2, "")]), "multiword"),
        (Sentence(["a", "b\t"], ranges=[Range(1, 2, "ab", ("_",) * 7)]), "forms of word 2"),
        (Sentence(["a", "b"], ranges=[Range(1, 2, "ab", ("_", "X Y", *["_"] * 6))]), "multiword"),
        (Sentence(["\ud800"]), "surrogate pair"),
    ],
)
def test_what_would_not_be_well_formed_is_never_written(sentence: Sentence, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=words):
        write([sentence], tmp_path / "a.conllu")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [Sentence(["Hi"]), "Hi", None])
def test_what_is_no_list_of_sentences_is_not_written(wrong: object, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"write expects a Document or several sentences, such as \[sentence\], not"):
        write(wrong, tmp_path / "a.conllu")
    assert not (tmp_path / "a.conllu").exists()
