"""The tree in a terminal: every word in its line, in the width that is there, aligned in any script."""

import io
import os

import pytest
from drawn_trees import drawn_sentences, hard_trees
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import Sentence
from plait.data.document import Range
from plait.draw.display import cell_width, visible
from plait.draw.structure import parents
from plait.draw.text import TreeStyle, _is_taken, terminal_style, tree_text


def tree(words, heads, **more):
    return tree_text(Sentence(words.split(), heads=heads, **more)).splitlines()


def test_a_projective_tree():
    assert tree("Mary reads the red book .", [2, 0, 5, 5, 2, 2]) == [
        " ╭─ Mary",
        "─┼─ reads",
        " │ ╭─ the",
        " │ ├─ red",
        " ├─┴─ book",
        " ╰─ .",
    ]


def test_lines_of_a_non_projective_tree_cross_and_do_not_touch():
    assert tree("A hearing is scheduled on the issue today", [2, 4, 4, 0, 7, 7, 2, 4]) == [
        "   ╭─ A",
        " ╭─┼─ hearing",
        " ├─│─ is",
        "─┼─│─ scheduled",
        " │ │ ╭─ on",
        " │ │ ├─ the",
        " │ ╰─┴─ issue",
        " ╰─ today",
    ]


def test_words_without_a_head_stand_apart():
    assert tree("a b c", [2, 0, -1]) == [" ╭─ a", "─┴─ b", " · c"]
    assert tree("a b c d", [2, -1, 0, 3]) == [" ╭─ a", "·╰─ b", "─┬─ c", " ╰─ d"]
    assert tree("a b", [-1, -1], upos=["X", "Y"]) == ["a  X", "b  Y"]


def test_wide_and_combining_characters_are_aligned():
    s = Sentence(["我", "cafe\u0301", "天安门", "👩\u200d🔬"], upos=["A", "B", "C", "D"], heads=[2, 0, 2, 2])
    lines = tree_text(s).splitlines()
    assert {cell_width(line[: -len(line.split()[-1])]) for line in lines} == {4 + 6 + 2}


def test_multiword_tokens_are_bracketed():
    s = Sentence(["I", "do", "n't", "go"], heads=[4, 4, 4, 0], ranges=[Range(2, 3, "don't")])
    assert [line[8:].strip() for line in tree_text(s).splitlines()] == ["", "┐ don't", "┘", ""]


@settings(deadline=None, max_examples=150)
@given(drawn_sentences(), st.integers(20, 90))
def test_every_word_has_its_line_and_no_line_is_too_long(sentence, width):
    lines = tree_text(sentence, TreeStyle(width)).splitlines()
    assert all(cell_width(line) <= max(width, 62) for line in lines)
    assert all(cell_width(line) == cell_width(visible(line)) for line in lines)  # nothing that a terminal would obey
    assert len(lines) >= len(sentence)


@pytest.mark.parametrize("shape", ["chain", "flat", "nested", "crossing"])
def test_two_thousand_words_of_any_depth_fit(shape):
    n = 2000
    s = Sentence([f"word{i}" for i in range(n)], heads=hard_trees(n)[shape])
    lines = tree_text(s, TreeStyle(80)).splitlines()
    assert max(map(cell_width, lines)) <= 80
    assert all(any(f"word{i}" in line for line in lines) for i in (0, 1, 999, 1998, 1999))


def test_cycles_are_opened():
    assert parents([2, 3, 1]) == [-1, 2, 0]
    assert tree("a b c", [2, 3, 1]) == ["·╭─ a", " │ ╭─ b", " ╰─┴─ c"]


def test_an_empty_sentence_says_so():
    assert tree_text(Sentence([])) == "(no words)\n"


def test_colours_are_for_terminals_and_for_those_who_want_them(monkeypatch):
    assert terminal_style(io.StringIO()) == TreeStyle()
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    try:
        with os.fdopen(slave, "w") as terminal:
            monkeypatch.setenv("TERM", "xterm")
            monkeypatch.delenv("NO_COLOR", raising=False)
            assert terminal_style(terminal).color
            monkeypatch.setenv("NO_COLOR", "1")
            assert not terminal_style(terminal).color
            assert terminal_style(terminal).width
    finally:
        os.close(master)
    s = Sentence(["Hi"], heads=[0])
    assert "\x1b[1mHi\x1b[0m" in tree_text(s, TreeStyle(color=True))
    assert "\x1b" not in tree_text(s)


def test_a_giant_word_does_not_widen_the_lines_of_others():
    s = Sentence(["a" * 1_000_000, *"bcdefgh"], upos=["X"] * 8, heads=[0] + [1] * 7)
    assert len(tree_text(s)) < 1_010_000
    assert max(map(cell_width, tree_text(s, TreeStyle(80)).splitlines())) <= 80


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=12), st.integers(0, 30), st.integers(0, 8))
def test_stretches_are_searched_as_one_by_one(drawn, first, length):
    stretches = []
    for start, size in drawn:
        if not any(a <= start + size and start <= b for a, b in stretches):
            stretches = sorted([*stretches, (start, start + size)])
    expected = any(a <= first + length and first <= b for a, b in stretches)
    assert _is_taken(stretches, first, first + length) == expected
