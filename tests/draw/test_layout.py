"""Arcs never lie on each other, whatever the tree and however narrow the page."""

from itertools import combinations, pairwise

import pytest
from drawn_trees import hard_trees, trees
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.data.projectivity import is_projective
from plait.draw import layout
from plait.draw.layout import LABEL_PAD, PASSING, Words, lay_out


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


def far_tree(n):
    """A tree whose arcs span far: most of them pass through every row."""
    return [0, *(i * 7919 % 104_729 % i + 1 for i in range(1, n))]


def passing(heads, first, end):
    """The trunks that pass a row without a word in it, counted the slow way: (head, side)."""
    found = set()
    for dependent, head in enumerate(heads, 1):
        low, high = sorted((head, dependent))
        if head and low < first and high >= end:
            found.add((head, dependent < head))
    met = {heads[i - 1] for i in range(first, end)}
    return {(head, side) for head, side in found if head not in met}


def test_lines_that_only_pass_are_bundled_when_there_are_too_many():
    heads = far_tree(600)
    rows = lay_out(words_of(heads), 400)
    bundled = 0
    for row in rows:
        expected = len(passing(heads, row.first + 1, row.first + 1 + len(row.middles)))
        bundles = [line for line in row.lines if line.bundled]
        alone = [line for line in row.lines if not line.bundled and not line.drops and line.head_port is None]
        assert len(alone) == min(expected, PASSING)
        assert sum(line.bundled for line in bundles) == max(0, expected - PASSING)
        assert all(line.marks[0].text == f"+{line.bundled}" for line in bundles)
        assert all(line.level == row.levels or row.roots for line in bundles)
        bundled += len(bundles)
    assert bundled > len(rows) / 2


def test_a_drawing_grows_with_the_words_whatever_the_tree():
    counts = [sum(len(row.lines) for row in lay_out(words_of(far_tree(n)), 960)) for n in (500, 1000, 2000)]
    assert counts[1] < 2.2 * counts[0]
    assert counts[2] < 2.2 * counts[1]


def test_rows_are_found_with_few_layouts(monkeypatch):
    calls = []
    places = layout._Plan._places
    monkeypatch.setattr(layout._Plan, "_places", lambda *a, **k: calls.append(a[1:]) or places(*a, **k))
    rows = lay_out(words_of(list(range(1000))), 960)
    assert len(calls) < 4.5 * len(rows)


def test_rows_end_as_late_as_the_width_allows():
    plan = layout._Plan(words_of(far_tree(200)))
    for first in range(0, 190, 7):
        ends = {plan.end_of_row(first, 400, guess) for guess in (1, 3, 8, 60)}
        for end in ends:
            assert end == first + 1 or plan._places(first, end, passing=False)[2] <= 400
            assert end == 200 or plan._places(first, end + 1, passing=False)[2] > 400
