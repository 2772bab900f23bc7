"""The vote: elected values, and elected trees against all trees one by one."""

from itertools import product

import numpy as np
import pytest

from plait.committee.voting import elect, elect_tree
from plait.data.projectivity import is_projective
from plait.data.trees import is_tree


def all_trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_the_elected_tree_is_the_one_with_the_most_weight_behind_it(seed, projective):
    random = np.random.default_rng(seed)
    n, members = int(random.integers(1, 6)), int(random.integers(2, 5))
    trees = all_trees(n)
    ballots = [trees[i] for i in random.integers(0, len(trees), members)]
    weights = random.random((members, n)) + 0.01

    def behind(heads: tuple[int, ...]) -> tuple[int, float]:
        voters = [[k for k in range(members) if ballots[k][i] == heads[i]] for i in range(n)]
        without = sum(not found for found in voters)
        return -without, sum(weights[k, i] for i, found in enumerate(voters) for k in found)

    eligible = [tree for tree in trees if not projective or is_projective(tree)]
    found = tuple(elect_tree(ballots, weights, projective=projective))
    assert found in eligible
    assert behind(found) == pytest.approx(max(map(behind, eligible)))
    if not projective:
        assert behind(found)[0] == 0  # every arc has a vote


def test_one_vote_with_enough_weight_wins_against_two():
    assert elect(["a", "b", "b"], [3.0, 1.0, 1.0]) == ("a", 0.6)
    assert elect(["a", "b", "b"], [1.0, 1.0, 1.0])[0] == "b"


def test_votes_without_any_weight_elect_the_first():
    assert elect(["a", "b"], [0.0, 0.0]) == ("a", 0.5)
