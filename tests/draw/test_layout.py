"""Arcs never lie on each other, whatever the tree and however narrow the page."""

from itertools import combinations, pairwise

import pytest
from drawn_trees import hard_trees, trees
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.data.projectivity import is_projective
from plait.draw.layout import LABEL_PAD, Words, lay_out


def words_of(heads, label="nsubj"):
    n = len(heads)
    return Words([f"w{i}" for i in range(n)], ["NOUN"] * n, [head - 1 for head in heads], [label] * n)


def overlap(a, b, c, d):
    return max(a, c) < min(b, d) - 1e-6


@settings(deadline=None, max_examples=150)
@given(trees(), st.sampled_from([None, 120, 250, 400]))
def test_no_two_lines_lie_on_each_other(heads, width):
    for row in lay_out(words_of(heads), width):
        for a, b in combinations(row.lines, 2):
            assert a.level != b.level or not overlap(a.left, a.right, b.left, b.right)
        ports = [x for line in row.lines for _, x in line.drops]
        ports += [line.head_port for line in row.lines if line.head_port is not None]
        ports += [x for _, _, x in row.roots]
        for x, y in combinations(sorted(ports), 2):
            assert abs(x - y) > 1


@settings(deadline=None, max_examples=150)
@given(trees(), st.sampled_from([None, 120, 250, 400]))
def test_labels_stand_free_of_each_other_and_of_the_verticals_of_projective_trees(heads, width):
    for row in lay_out(words_of(heads), width):
        marks = [(line.level, m.x - m.width / 2, m.x + m.width / 2) for line in row.lines for m in line.marks]
        for (level, a, b), (other, c, d) in combinations(marks, 2):
            assert level != other or not overlap(a, b, c, d)
        if is_projective(heads):
            verticals = [(x, line.level) for line in row.lines for _, x in line.drops]
            verticals += [(line.head_port, line.level) for line in row.lines if line.head_port is not None]
            for level, a, b in marks:
                assert all(not a - 1 < x < b + 1 for x, top in verticals if top >= level)


@settings(deadline=None, max_examples=150)
@given(trees(), st.sampled_from([None, 120, 250]))
def test_every_arc_ends_with_an_arrow_and_lines_that_leave_a_row_come_in_again_in_order(heads, width):
    rows = lay_out(words_of(heads), width)
    arrows = sorted((line.head, word) for row in rows for line in row.lines for word, _ in line.drops)
    assert arrows == sorted((head - 1, word) for word, head in enumerate(heads) if head)
    for above, below in pairwise(rows):
        leaving = sorted((line.level, line.head) for line in above.lines if line.open_right)
        coming = sorted((line.level, line.head) for line in below.lines if line.open_left)
        assert [head for _, head in leaving] == [head for _, head in coming]
    assert [word for row in rows for word in range(row.first, row.first + len(row.middles))] == list(range(len(heads)))


def test_arcs_of_neighbours_are_long_enough_for_their_labels():
    (row,) = lay_out(words_of([2, 0], "a:very:long:label"), None)
    (line,) = row.lines
    (mark,) = line.marks
    assert line.right - line.left > mark.width + 2 * LABEL_PAD


def test_rows_are_no_wider_than_asked_and_a_multiword_token_stays_together():
    n = 60
    plain = words_of(list(range(n)))
    glued = Words(plain.forms, plain.tags, plain.heads, plain.labels, frozenset(range(4, 7)))
    rows = lay_out(glued, 400)
    assert max(row.width for row in rows) < 500
    assert not {row.first for row in rows} & glued.glued


@pytest.mark.parametrize(("shape", "n"), [("chain", 2000), ("flat", 2000), ("nested", 800), ("crossing", 2000)])
def test_long_sentences_of_any_shape_are_laid_out(shape, n):
    rows = lay_out(words_of(hard_trees(n)[shape]), 960)
    assert sum(len(row.middles) for row in rows) == n
    assert max(row.width for row in rows) < 2000
