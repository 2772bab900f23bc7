"""What is said of words without lemmas, and of dictionaries in jieba's format."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import plait
from plait.data import Sentence
from plait.errors import FormatError, OptionError
from plait.pipeline.missing import missing_lemmas
from plait.pipeline.userdict import UserWord, read_userdict


def test_words_without_lemmas_are_counted_and_the_first_is_named() -> None:
    whole = Sentence(["a", "b"], lemmas=["a", "b"])
    open_ones = Sentence(["cats", "sat", "_"], lemmas=["_", "_", "_"])  # the lemma of the word "_" is "_"
    assert missing_lemmas([], [whole]) is None
    assert missing_lemmas([], [Sentence(["a"], lemmas=["_"])]) is None  # none at all: nothing is learnt
    assert missing_lemmas([], []) is None
    assert missing_lemmas([], [whole, open_ones]) == (
        '2 of 5 words have no lemma (the first: "cats" in sentence 2); they are left out where lemmas are learnt'
    )
    assert missing_lemmas([], [whole, Sentence(["cats"])]) == (
        '1 of 3 words has no lemma (the first: "cats" in sentence 2); it is left out where lemmas are learnt'
    )


def test_the_first_such_word_of_the_files_is_named_by_its_line(tmp_path: Path) -> None:
    row = "{}\t{}\t{}\tX\t_\t_\t0\troot\t_\t_"
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    first.write_text("\n".join(["# text = x", row.format(1, "a", "a"), row.format("1-2", "ab", "_"), "", ""]))
    second.write_text(
        "\n".join([row.format(1, "_", "_"), row.format(2, "cats", "cat"), row.format(3, "s", "_"), "", ""])
    )
    sentences = [Sentence(["a", "s"], lemmas=["a", "_"])]
    for data in ([first, str(second)], (str(first), second)):
        told = missing_lemmas(data, sentences)
        assert told is not None
        assert f"(the first: {second}:3)" in told
    told = missing_lemmas([str(second)], sentences)
    assert told is not None
    assert f"(the first: {second}:3)" in told
    assert '"s" in sentence 1' in str(missing_lemmas([first], sentences))  # no such line in it
    assert '"s" in sentence 1' in str(missing_lemmas([], sentences))


def test_lines_may_end_in_any_way_and_words_contain_blanks(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_bytes(b"1\tNew York\t_\tX\t_\t_\t0\troot\t_\t_\r\n\r\n")
    told = missing_lemmas([file], [Sentence(["New York", "a"], lemmas=["_", "a"])])
    assert told is not None
    assert f"(the first: {file}:1)" in told


def test_lines_of_a_dictionary() -> None:
    lines = "云计算 5 n\n创新办 3\n\n凱特琳 nz\n台中\nNew York 7 NR\n"
    words = [
        UserWord("云计算", 5, "n"), UserWord("创新办", 3, None), UserWord("凱特琳", None, "nz"),
        UserWord("台中", None, None), UserWord("New York", 7, "NR"),
    ]  # fmt: skip
    assert read_userdict(io.StringIO(lines)) == words
    assert read_userdict(io.BytesIO(b"\xef\xbb\xbf" + lines.encode())) == words


@pytest.mark.parametrize("line", ["nz", "100", "云 计算", "New York City"])
def test_what_is_neither_count_nor_tag_belongs_to_the_word(line: str) -> None:
    assert read_userdict(io.StringIO(line)) == [UserWord(line, None, None)]


@pytest.mark.parametrize("count", ["-3", "1.5", "1e3", "３"])
def test_a_count_is_a_plain_number(count: str) -> None:
    with pytest.raises(FormatError) as error:
        read_userdict(io.StringIO(f"好\n坏 {count} a\n"))
    assert str(error.value) == (
        f"<dictionary>:2: the count of '坏' is {count}; expected a non-negative integer; "
        "write WORD, WORD COUNT or WORD COUNT TAG"
    )


def test_faults_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes("好\n".encode("gbk"))
    for file in (path, str(path)):
        with pytest.raises(FormatError) as error:
            read_userdict(file)
        assert str(error.value) == f"{path}: not UTF-8 text; expected a dictionary with WORD [COUNT] [TAG] on each line"
    with path.open("rb") as opened, pytest.raises(FormatError, match=r"words\.txt: not UTF-8 text"):
        read_userdict(opened)
    with pytest.raises(OptionError, match=r"^dictionary .*none\.txt: .+; check the path and its permissions$"):
        read_userdict(tmp_path / "none.txt")


@pytest.mark.parametrize("mode", ["force", "merge", "prefer"])
def test_a_word_of_the_dictionary_is_not_split_as_a_multiword_token(mode):
    nlp = plait.load("en")
    text = "I don't care."
    assert nlp(text)[0].forms == ["I", "do", "n't", "care", "."]
    found = nlp(text, dictionary={"don't": "VERB"}, mode=mode)[0]
    assert (found.forms, found.upos[1], found.ranges) == (["I", "don't", "care", "."], "VERB", [])
    assert nlp(text, dictionary=["care"], mode=mode)[0].forms == ["I", "do", "n't", "care", "."]
