"""CoNLL-X, CoNLL-2009, CoNLL-2000, segmented, text and JSON: what goes where, and that nothing is lost."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.document import EmptyNode, Range, Sentence
from plait.errors import DataError, FormatError, FormatWarning, OptionError
from plait.formats import (
    FORMATS,
    Segmented,
    Skipped,
    find_format,
    read,
    segmented,
    stream,
    stream_text,
    writable,
    write,
)
from plait.formats.source import Source

X = """\
1\tAb|c%\tab\tN\tNN\tx|y\t2\tSBJ\t3\tP%|
2\tb\t_\tV\tVB\t_\t0\tROOT\t_\t_
3\tc\t_\tV\tVB\t_\t0\tROOT\t_\tQ

1\td\t_\t_\t_\t_\t_\t_\t_\t_

"""

X_ONE_ROOT = X.replace("3\tc\t_\tV\tVB\t_\t0", "3\tc\t_\tV\tVB\t_\t2")

X09 = """\
1\tHe\the\the\tPRP\tPRP\t_\tf\t2\t2\tSBJ\tSBJ\t_\t_\tA0\t_
2\tsees\tsee\tsee\tVBZ\tVBZ\ta|b\t_\t0\t0\tROOT\tROOT\tY\tsee.01\t_\t_
3\truns\trun\trun\tNNS\tVBZ\t_\t_\t2\t1\tOBJ\tOBJ\tY\trun.01\tA1\t_

1\tNo\tno\t_\tUH\t_\t_\t_\t0\t_\tROOT\t_\t_\t_

"""

CONLL2000 = "He PRP B-NP\n# # I-NP\n\nruns VBZ B-VP\n\n"


def text_of(sentences: object, format: object) -> str:
    file = io.StringIO()
    write(sentences, file, format)  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize(
    ("format", "content"), [("conllx", X), ("conll09", X09), ("conll2000", CONLL2000)], ids=["x", "09", "2000"]
)
def test_format_comes_back_byte_for_byte(format: str, content: str) -> None:
    assert text_of(stream(content.encode(), format), format) == content


@pytest.mark.parametrize(
    ("format", "content"), [("conllx", X_ONE_ROOT), ("conll09", X09), ("conll2000", CONLL2000)], ids=["x", "09", "2000"]
)
@pytest.mark.parametrize("through", ["conllu", "json"])
def test_nothing_is_lost_on_the_way_through_another_format(format: str, content: str, through: str) -> None:
    there = text_of(stream(content.encode(), format), through)
    assert list(stream(there.encode(), through)) == list(stream(content.encode(), format))
    assert text_of(stream(there.encode(), through), format) == content


def test_extra_columns_stand_in_misc() -> None:
    misc = [line.split("\t")[9] for line in text_of(stream(X_ONE_ROOT.encode(), "conllx"), "conllu").splitlines()[:3]]
    assert misc == ["Extra:pdeprel=P%25%7C|Extra:phead=3", "_", "Extra:pdeprel=Q"]


@pytest.mark.parametrize(
    "misc", ["Extra:b=1|Extra:a=2", "Extra:a", "Extra:a=1|SpaceAfter=No", "Extra:a=%", "_|Extra:a=1", "Extra:a=_|X=1"]
)
def test_misc_that_only_looks_like_extra_columns_stays_as_it_is(misc: str) -> None:
    content = f"1\ta\t_\t_\t_\t_\t0\troot\t_\t{misc}\n\n"
    assert text_of(stream(content.encode(), "conllu"), "conllu") == content


VALUES = st.text(alphabet="ab|%=_ 7C5", min_size=1, max_size=6)


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1), st.lists(st.text("ab=%|", min_size=1), max_size=3))
def test_any_extra_columns_come_back_from_conllu(rows: list[tuple[str, str, str]], names: list[str]) -> None:
    sentence = Sentence(["w"] * len(rows), extra={n: [row[i] for row in rows] for i, n in enumerate(names)})
    assert read(sentence.to_conllu().encode(), "conllu")[0].extra == sentence.extra


def test_several_roots_are_legal_in_conllx_and_refused_by_conllu() -> None:
    with pytest.raises(DataError, match="second root"):
        text_of(stream(X.encode(), "conllx"), "conllu")


@pytest.mark.parametrize("format", ["conllx", "conll09", "conll2000"])
def test_last_blank_line_and_newline_may_be_missing(format: str) -> None:
    content = {"conllx": X, "conll09": X09, "conll2000": CONLL2000}[format]
    whole = read(content.encode(), format)
    for cut, words in ((1, "without a blank line"), (2, "without a newline")):
        with pytest.warns(FormatWarning, match=words):
            assert read(content[:-cut].encode(), format) == whole
        with pytest.raises(FormatError, match=words):
            read(content[:-cut].encode(), format, strict=True)


def test_columns_of_conll09_go_to_their_places() -> None:
    sentence = read(X09.encode(), "conll09")[0]
    assert sentence.xpos == ["PRP", "VBZ", "NNS"]
    assert sentence.extra["ppos"] == ["PRP", "VBZ", "VBZ"]
    assert sentence.extra["apred2"] == ["_", "_", "_"]
    assert "apred1" not in read(X09.encode(), "conll09")[1].extra


def test_shared_task_files_come_back_byte_for_byte(data_files: Callable[[str], list[Path]]) -> None:
    for path in data_files("conll2000/*.txt"):
        assert text_of(stream(path, "conll2000"), "conll2000").encode() == path.read_bytes()
    for path in data_files("pd98/*.txt"):
        slash = segmented(Segmented("/"))
        assert text_of(stream(path, "segmented"), slash).encode() == path.read_bytes()


@pytest.mark.parametrize(
    ("line", "forms", "tags"),
    [
        ("a b/c _", ["a", "b/c", "_"], None),
        ("a_N b_c_V", ["a", "b_c"], ["N", "V"]),
        ("a/N 1/2/M //W", ["a", "1/2", "/"], ["N", "M", "W"]),
        ("a_b/N  c_d/V\t", ["a_b", "c_d"], ["N", "V"]),
        ("a/b_N", ["a/b"], ["N"]),
        ("中国_NR\u3000_PU", ["中国_NR\u3000"], ["PU"]),
    ],
)
def test_segmented_separator_is_found(line: str, forms: list[str], tags: list[str] | None) -> None:
    sentence = read(f"{line}\n".encode(), "segmented")[0]
    assert sentence.forms == forms
    assert sentence.upos == (tags or ["_"] * len(forms))


def test_segmented_options_choose_separator_and_column() -> None:
    chosen = segmented(Segmented(separator="|", tag="xpos"))
    sentence = read(b"a|N b_|V\n", chosen)[0]
    assert (sentence.forms, sentence.xpos, sentence.upos) == (["a", "b_"], ["N", "V"], ["_", "_"])
    assert text_of([sentence], chosen) == "a|N b_|V\n"
    assert read(b"a/N b/V\n", segmented(Segmented(separator="")))[0].forms == ["a/N", "b/V"]


def test_white_space_cannot_separate_word_and_tag() -> None:
    with pytest.raises(OptionError, match="whitespace separates words"):
        Segmented(separator=" ")


@pytest.mark.parametrize("sentence", [Sentence(["a b"]), Sentence(["a", "b"], upos=["N_N", "V"]), Sentence(["a\n"])])
def test_segmented_refuses_what_it_could_not_read_back(sentence: Sentence) -> None:
    with pytest.raises(DataError, match="cannot be written as segmented"):
        text_of([sentence], "segmented")


def test_segmented_names_the_word_without_a_tag_among_words_with_tags() -> None:
    with pytest.raises(DataError, match="the word 'b' has no tag, but other words have; tag all of them"):
        text_of([Sentence(["a", "b"], upos=["N", "_"])], "segmented")


def test_raw_text_is_read_as_strings_whatever_its_newlines() -> None:
    content = "\ufeffOne.\r\nTwo\r\n\r\n\r\n \r\nThree.".encode()
    assert list(stream_text(content, "lines")) == ["One.", "Two", "Three."]
    assert list(stream_text(content, "text")) == ["One.\nTwo", "Three."]
    for format in ("lines", "text"):
        with pytest.raises(FormatError, match="byte order mark"):
            list(stream_text(Source.open(content, "stop", None, strict=True), format))
    assert list(stream_text(b"", "text")) == list(stream_text(b"", "lines")) == []


def test_long_text_without_blank_lines_comes_in_parts_and_whole() -> None:
    lines = [f"line {i}" for i in range(300_000)]
    parts = list(stream_text("\n".join(lines).encode(), "text"))
    assert len(parts) > 2
    assert "\n".join(parts) == "\n".join(lines)


def test_raw_text_is_not_read_as_sentences_nor_sentences_as_text() -> None:
    with pytest.raises(OptionError, match="raw text"):
        stream(b"Hi", "text")
    with pytest.raises(OptionError, match="contains words"):
        list(stream_text(b"Hi", "conllu"))


def test_running_text_keeps_spaces_and_paragraphs() -> None:
    sentences = [
        Sentence(["Hi", "!"], misc=["SpaceAfter=No", "_"]),
        Sentence(["你", "好"], misc=["SpaceAfter=No"] * 2),
        Sentence(["再", "见"], misc=["SpaceAfter=No"] * 2),
        Sentence(["New"], comments=["# newpar id = 2"]),
        Sentence(["del"], comments=["# text = del  x"]),
    ]
    assert text_of(sentences, "text") == "Hi! 你好再见\n\nNew del  x\n"
    assert text_of(sentences, "lines") == "Hi!\n你好\n再见\nNew\ndel  x\n"
    assert text_of([], "text") == ""


def test_json_keeps_everything() -> None:
    sentence = Sentence(
        ["du", "x"],
        heads=[2, 0],
        comments=["# a"],
        ranges=[Range(1, 2, "dux")],
        empties=[EmptyNode(2, 1, ("_",) * 9)],
        extra={"chunk": ["B", "I"]},
    )
    assert read(text_of([sentence], "json").encode(), "json")[0] == sentence


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.conllu", "conllu"), ("a.b.CONLLU.xz", "conllu"), ("a.txt", "text"), ("x/a.jsonl.zst", "json")],
)
def test_format_is_inferred_from_the_suffix(path: str, name: str) -> None:
    assert find_format(None, path).name == name


@pytest.mark.parametrize("path", ["a", "a.xz", "a.conll", "-", b"bytes", ".conllu"])
def test_format_that_cannot_be_inferred_must_be_named(path: object) -> None:
    with pytest.raises(OptionError, match="specify it, one of conllu"):
        find_format(None, path)


def test_unknown_format_is_answered_with_the_nearest() -> None:
    with pytest.raises(OptionError, match="did you mean 'conllu'"):
        find_format("conlu")


def test_every_format_is_named_as_it_is_registered() -> None:
    assert all(name == format.name for name, format in FORMATS.items())
    assert Source(b"x").name == "<bytes>"


def test_long_paragraphs_come_in_parts_cut_where_a_sentence_ends():
    from plait.formats import stream_text

    lines = ["It rains, and", "it pours."] * 10_000
    parts = list(stream_text("\n".join(lines).encode(), "text"))
    assert "\n".join(parts) == "\n".join(lines)
    assert all(part.endswith("pours.") for part in parts)
    assert all(30_000 < len(part) < 33_000 for part in parts[:-1])
    endless = list(stream_text(b"and so on\n" * 50_000, "text"))
    assert max(map(len, endless)) <= 1 << 17
    assert "\n".join(endless) + "\n" == "and so on\n" * 50_000


def test_a_segmented_file_that_may_be_truncated_is_reported() -> None:
    """A word or tag that is cut off would go unnoticed otherwise."""
    with pytest.warns(FormatWarning, match="<bytes>:2: the file ends without a newline"):
        assert read(b"a_X b_Y\nc_X d_", "segmented").sentences[1].forms == ["c_X", "d_"]
    with pytest.raises(FormatError, match="ends without a newline"):
        read(b"the cat\nthe do", "segmented", strict=True)
    assert len(read(b"the cat\n\n\nthe dog\n", "segmented", strict=True)) == 2


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (Sentence(["a", "b"], heads=[2, 1]), "'a b' cannot be written as json: heads are not a tree"),
        (Sentence(["a"], heads=[7]), "heads are not a tree"),
        (Sentence([]), "the sentence has no words"),
        (Sentence(["a"], extra={"x": ["1", "2"]}), "extra is not an object of lists"),
        (Sentence(["a"], ranges=[Range(1, 5, "ab", ("_",) * 8)]), "ranges has an item"),
    ],
)
def test_what_the_reader_of_json_rejects_is_not_written(sentence: Sentence, words: str) -> None:
    with pytest.raises(DataError, match=words):
        write([sentence], io.BytesIO(), "json")


def test_null_columns_of_json_are_not_given() -> None:
    names = ("upos", "lemmas", "heads", "misc", "comments", "ranges", "empties", "extra", "offsets", "scores")
    nothing = ",".join(f'"{name}": null' for name in names)
    assert read(f'{{"forms": ["Hi"], {nothing}}}'.encode(), "json")[0] == Sentence(["Hi"])
    for field, words in (
        ('"forms": null', "forms is not a list"),
        ('"forms": ["a"], "comments": ""', "comments is not"),
    ):
        with pytest.raises(FormatError, match=words):
            read(f"{{{field}}}".encode(), "json")


def test_sentences_that_do_not_fit_the_first_one_are_skipped() -> None:
    """Whether words have tags in segmented text is decided by the first sentence that is written."""
    tagged, untagged = Sentence(["Hi"], upos=["INTJ"]), Sentence(["Yo"])
    skipped = Skipped()
    chosen = FORMATS["segmented"]
    assert list(writable([tagged, untagged, tagged], chosen, skipped)) == [tagged, tagged]
    assert skipped.count == 1
    assert list(writable([untagged, tagged, untagged], chosen, Skipped())) == [untagged, tagged, untagged]
    marked = Sentence(["\ufeffx"], upos=["X"])
    assert list(writable([marked, tagged, marked], chosen, Skipped())) == [tagged, marked]


def test_the_suffix_of_a_compressed_file_may_be_in_capitals(tmp_path: Path) -> None:
    write([Sentence(["Hi"])], tmp_path / "x.conllu.GZ")
    assert (tmp_path / "x.conllu.GZ").read_bytes()[:2] == b"\x1f\x8b"
    assert read(tmp_path / "x.conllu.GZ")[0].forms == ["Hi"]


def test_an_empty_text_comment_is_no_text() -> None:
    target = io.StringIO()
    write([Sentence(["Hi", "you"], comments=["# text ="])], target, "lines")
    assert target.getvalue() == "Hi you\n"
