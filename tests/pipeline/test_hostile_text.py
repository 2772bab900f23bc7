"""Unexpected text, through Python and the command line: a valid analysis or a typed error, offsets right."""

import json
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import plait
from plait.data.trees import is_tree
from plait.errors import PlaitError
from plait.pipeline.wordlists import find_text

TEXTS = {
    "empty": "",
    "blank": " \t\n\r\n\u3000\u2003\u00a0 ",
    "nul": "Dogs\x00bark.\x00",
    "lone surrogates": "Dogs \ud800bark\udfff.",
    "replacement": "Dogs \ufffd bark \ufffd\ufffd.",
    "zero width": "Do\u200bgs\u200d ba\ufeffrk\u2060.",
    "bidi": "\u202eDogs \u2066bark\u2069.\u200f",
    "emoji": "👩‍👩‍👧‍👦 bark 🇨🇳🏳️‍🌈👍🏽.",
    "combining": "D\u0301\u0302\u0303ogs b" + "a\u0300" * 500,
    "scripts": "Dogs 狗叫 собаки كلاب เห่า 개 いぬ.",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029",
    "line ends": "Dogs bark.\r\nMary reads.\rDogs\u2028bark.\x0b\x0c.",
    "tabs": "Dogs\tbark\t.\t",
    "conllu": "1\tDogs\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n# text = x",
    "private": "\ue000\uf8ff\U000f0000\U0010ffff\ufdd0\uffff",
    "quotes": "“”‘’«»„\"'`´" * 50,
}


@pytest.fixture(scope="module", params=["easyfirst-joint", "transition-joint"])
def nlp(tiny_file, request):
    options = "epochs=2" if "easy" in request.param else "epochs=2 beam=2 folds=2 tagger_epochs=2"
    return plait.train(
        "pipeline", train=tiny_file, parser=request.param, parser_options=options,
        segmenter_options="structure=linear optimizer=adagrad epochs=4",
    )  # fmt: skip


def check(nlp, text):
    """Every sentence has one tree, every token its place; only white space is between the tokens."""
    document = nlp(text)
    end = 0
    for sentence in document:
        assert is_tree(sentence.heads)
        assert "_" not in sentence.upos
        for first, last, form, _ in sentence.surface_tokens():
            start, stop = sentence[first - 1].start, sentence[last - 1].end
            assert not text[end:start].strip()
            assert end <= start < stop
            assert "".join(text[start:stop].split()) == "".join(form.split())
            end = stop
    assert not text[end:].strip()
    assert plait.Document.from_dict(document.to_dict()) == document
    return document


@pytest.mark.parametrize("name", TEXTS)
def test_strange_text_gets_trees_and_right_offsets(nlp, name):
    document = check(nlp, TEXTS[name])
    try:
        written = document.to_conllu()
    except PlaitError:  # what no CoNLL-U can hold, such as a tab in a word
        return
    if written and "\ud800" not in TEXTS[name]:
        assert [s.forms for s in plait.read(written.encode(), "conllu")] == [s.forms for s in document]


@pytest.mark.parametrize("text", ["x" * 1_000_000, "狗" * 13_000, "。" * 13_000, "😀" * 13_000, "a." * 5000],
                         ids=["1 MB", "one letter", "stops", "emoji", "short"])  # fmt: skip
def test_long_text_without_spaces_is_analysed(nlp, text):
    assert check(nlp, text).token_count > 0


@given(st.text(max_size=80))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_offsets_are_right_for_any_text(nlp, text):
    check(nlp, text)


@given(st.lists(st.text(max_size=8), max_size=12))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_are_taken_as_they_are(nlp, words):
    document = nlp(plait.Sentence(words))
    assert [s.forms for s in document] == [words]
    assert not words or is_tree(document[0].heads)
    try:
        assert nlp(words) == document
    except plait.DataError:
        assert find_text(words)


@pytest.fixture(scope="module")
def model_file(tiny_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "m.plait"
    plait.train("pipeline", train=tiny_file, parser_options="epochs=1",
                segmenter_options="structure=linear optimizer=adagrad epochs=2").save(path)  # fmt: skip
    return path


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00d", b"\x80abc. Dogs", b"\x00" * 100, "狗".encode() * 2000,
                                     b"\xed\xa0\x80 x", b"x" * 1_000_000], ids=range(7))  # fmt: skip
def test_the_command_line_takes_any_bytes_or_says_why_not(model_file, content):
    done = subprocess.run(
        [sys.executable, "-m", "plait", "parse", "--model", model_file, "--input", "-", "--from", "text",
         "--to", "json"],
        input=content, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    if done.returncode == 2:
        assert done.stderr.startswith(b"error: ")
        assert done.stderr.count(b"\n") == 1
    else:
        for line in done.stdout.splitlines():
            assert is_tree(json.loads(line)["heads"])
