"""Every tree of up to five words, and random larger ones, against the definitions written out."""

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.projectivity import (
    deprojectivize,
    is_projective,
    nonprojective_arcs,
    projective_order,
    projectivize,
)
from plait.data.trees import is_tree

SCHEMES = ("head", "path", "head+path")


def all_trees(n: int) -> Iterator[list[int]]:
    return (list(heads) for heads in product(range(n + 1), repeat=n) if is_tree(heads))


def ancestors(heads: list[int], k: int) -> set[int]:
    found = {0}
    while k:
        found.add(k)
        k = heads[k - 1]
    return found


def arcs_by_definition(heads: list[int]) -> list[int]:
    """The arcs h -> d between whose ends stands a word that h does not dominate."""
    return [
        d for d, h in enumerate(heads, 1) if any(h not in ancestors(heads, k) for k in range(min(h, d) + 1, max(h, d)))
    ]


def lifted_by_definition(heads: list[int]) -> list[int]:
    heads = list(heads)
    while wrong := arcs_by_definition(heads):
        smallest = min(wrong, key=lambda d: (abs(d - heads[d - 1]), d))
        heads[smallest - 1] = heads[heads[smallest - 1] - 1]
    return heads


@st.composite
def trees(draw: st.DrawFn, most: int = 40) -> list[int]:
    """A random tree: each word in a random order takes its head among those before it."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, i - 1))]
    return heads


LABELS = st.text(alphabet="ab↑↓", max_size=5)


@pytest.mark.parametrize("n", range(6))
def test_test_arcs_and_lifting_follow_the_definitions_on_every_small_tree(n: int) -> None:
    for heads in all_trees(n):
        assert nonprojective_arcs(heads) == arcs_by_definition(heads)
        assert is_projective(heads) == (not arcs_by_definition(heads))
        for scheme in SCHEMES:
            lifted, labels = projectivize(heads, ["x"] * n, scheme)
            assert is_projective(lifted)
            assert is_tree(lifted) or n == 0
            assert lifted == lifted_by_definition(heads)
            assert (labels == ["x"] * n) == is_projective(heads)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("n", range(1, 6))
def test_distinct_labels_are_enough_to_restore_every_small_tree(scheme: str, n: int) -> None:
    labels = [f"l{i}" for i in range(n)]
    trees = list(all_trees(n))
    restored = [deprojectivize(*projectivize(heads, labels, scheme)) == (heads, labels) for heads in trees]
    if scheme == "path":  # paths of several lifted arcs may run together
        assert sum(restored) >= 0.85 * len(restored)
    else:
        assert all(restored)


@given(trees())
def test_order_makes_any_tree_projective_and_leaves_projective_ones(heads: list[int]) -> None:
    order = projective_order(heads)
    place = {word: i for i, word in enumerate(order, 1)} | {0: 0}
    assert sorted(order) == list(range(1, len(heads) + 1))
    assert is_projective([place[heads[word - 1]] for word in order])
    assert (order == sorted(order)) == is_projective(heads)


@given(trees())
def test_lifting_a_random_tree_follows_the_definition(heads: list[int]) -> None:
    lifted, labels = projectivize(heads, ["x"] * len(heads))
    assert lifted == lifted_by_definition(heads)
    moved = [old != new for old, new in zip(heads, lifted, strict=True)]
    assert [label.startswith("x↑x") for label in labels] == moved


@given(trees(), st.data())
def test_lowering_gives_a_tree_with_the_same_root_and_no_marks_whatever_the_labels(
    heads: list[int], data: st.DataObject
) -> None:
    labels = data.draw(st.lists(LABELS, min_size=len(heads), max_size=len(heads)))
    lowered, plain = deprojectivize(heads, labels)
    assert is_tree(lowered)
    assert lowered.index(0) == heads.index(0)
    assert not any(mark in label for label in plain for mark in "↑↓")


def test_several_roots_are_lifted_and_lowered_as_well() -> None:
    heads = [0, 4, 0, 1]  # word 4 hangs on 1, across the root 3
    lifted, labels = projectivize(heads, ["r", "a", "r", "b"])
    assert is_projective(lifted)
    assert deprojectivize(lifted, labels) == (heads, ["r", "a", "r", "b"])


def test_marks_in_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="already marked"):
        projectivize([0], ["a↑b"])


@pytest.mark.parametrize("heads", [[2, 1], [1], [0, -1], [5]])
def test_what_is_no_tree_is_refused(heads: list[int]) -> None:
    for function in (is_projective, nonprojective_arcs, projective_order):
        with pytest.raises(ValueError, match="not a tree"):
            function(heads)


def test_long_sentence_is_tested_at_once() -> None:
    n = 200_000
    assert is_projective([0, *range(1, n)])
    assert is_projective([*range(2, n + 1), 0])


def test_search_is_breadth_first_and_left_to_right() -> None:
    # both 3 and 4 are x, and 4 is nearer to the root
    heads, labels = [0, 1, 2, 1, 1], ["root", "y", "x", "x", "obj↑x"]
    assert deprojectivize(heads, labels)[0] == [0, 1, 2, 1, 4]
