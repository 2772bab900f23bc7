"""Both oracles rebuild every tree, and the lazy one never swaps more."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from transition_trees import all_trees, random_tree

from plait.data.trees import is_tree
from plait.formats import read
from plait.transition._oracle import LEFT, RIGHT, SHIFT, SWAP, components, oracle


def rebuild(kinds: Sequence[int], n: int) -> list[int]:
    """Figure 1 by the letter, its conditions asserted; one root child at most."""
    stack, buffer, heads = [0], list(range(1, n + 1)), [-1] * n
    for kind in kinds:
        if kind == SHIFT:
            stack.append(buffer.pop(0))
            continue
        i, j = stack[-2:]
        if kind == SWAP:
            assert 0 < i < j
            stack[-2:] = [j]
            buffer.insert(0, i)
        elif kind == LEFT:
            assert i != 0
            stack[-2:] = [j]
            heads[i - 1] = j
        else:
            assert kind == RIGHT
            assert i != 0 or (len(stack) == 2 and not buffer)
            stack[-2:] = [i]
            heads[j - 1] = i
    assert stack == [0]
    assert buffer == []
    return heads


def check(heads: list[int]) -> tuple[int, int]:
    swaps = []
    for lazy in (False, True):
        kinds = oracle(heads, lazy)[0].tolist()
        assert rebuild(kinds, len(heads)) == heads
        assert len(kinds) == 2 * len(heads) + 2 * kinds.count(SWAP)
        swaps.append(kinds.count(SWAP))
    assert swaps[1] <= swaps[0]
    return swaps[0], swaps[1]


@pytest.mark.parametrize("n", range(1, 6))
def test_all_trees_are_rebuilt(n: int) -> None:
    count = 0
    for heads in all_trees(n):
        check(heads)
        count += 1
    assert count == [1, 2, 9, 64, 625][n - 1]


def test_random_trees_are_rebuilt() -> None:
    random = Random(1)
    for n in range(1, 41):
        for _ in range(10):
            check(random_tree(n, random))


def test_projective_trees_need_no_swap() -> None:
    assert SWAP not in oracle([2, 0, 2, 5, 3])[0].tolist()
    assert check([3, 4, 0, 3]) == (1, 1)


def test_lazy_oracle_saves_swaps_inside_a_component() -> None:
    fewer = sum(eager - lazy for eager, lazy in map(check, all_trees(5)))
    assert fewer > 0


def test_components_are_what_arc_standard_builds_alone() -> None:
    heads = [3, 4, 0, 3]  # the arc 2 <- 4 crosses 1 <- 3
    assert components(heads) == [1, 2, 3, 4]
    assert components([2, 0, 2]) == [0, 0, 0]


def test_an_empty_sentence_needs_no_transition() -> None:
    assert oracle([])[0].tolist() == []


@pytest.mark.parametrize("heads", [[2, 1], [0, 0], [-1, 0], [5]])
def test_what_is_no_tree_is_refused(heads: list[int]) -> None:
    with pytest.raises(ValueError, match="not a tree"):
        oracle(heads)


def test_every_basque_tree_is_rebuilt(data_files: Callable[[str], list[Path]]) -> None:
    eager_swaps = lazy_swaps = trees = 0
    for path in data_files("ud/eu_bdt1/*.conllu*"):
        for sentence in read(path):
            if is_tree(sentence.heads):
                eager, lazy = check(sentence.heads)
                eager_swaps, lazy_swaps, trees = eager_swaps + eager, lazy_swaps + lazy, trees + 1
    assert trees > 8000
    assert 0 < lazy_swaps <= eager_swaps
