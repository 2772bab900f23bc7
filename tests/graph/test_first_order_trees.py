"""Best trees, partition functions and marginals against full enumeration, up to five words."""

import numpy as np
import pytest
from graph_bruteforce import arcs, trees

from plait.graph._eisner import best_tree, marginals
from plait.graph.spanning import best_spanning_tree, spanning_marginals

KINDS = [(True, best_tree, marginals), (False, best_spanning_tree, spanning_marginals)]


def random_scores(n: int, seed: int, forbidden: float = 0.0) -> np.ndarray:
    random = np.random.default_rng([n, seed])
    score = random.normal(0, 2, (n + 1, n + 1))
    score[random.random(score.shape) < forbidden] = -np.inf
    return score


@pytest.mark.parametrize(("projective", "best", "_"), KINDS, ids=["projective", "any"])
@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_the_best_tree_is_the_best_of_all(projective, best, _, n, forbidden):
    for seed in range(20):
        score = random_scores(n, seed, forbidden)
        every = {heads: sum(score[h, m] for h, m in arcs(heads)) for heads in trees(n, projective)}
        top = max(every.values())
        heads, total = best(score)
        assert total == pytest.approx(top)
        if np.isfinite(top):
            assert every[tuple(heads)] == pytest.approx(top)


@pytest.mark.parametrize(("projective", "_", "sums"), KINDS, ids=["projective", "any"])
@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_partition_and_marginals_equal_enumeration(projective, _, sums, n, forbidden):
    for seed in range(10):
        score = random_scores(n, seed, forbidden)
        z, p = 0.0, np.zeros((n + 1, n + 1))
        for heads in trees(n, projective):
            weight = np.exp(sum(score[h, m] for h, m in arcs(heads)))
            z += weight
            for h, m in arcs(heads):
                p[h, m] += weight
        log_z, found = sums(score)
        if z == 0:
            assert log_z == -np.inf
            continue
        assert log_z == pytest.approx(np.log(z))
        np.testing.assert_allclose(found, p / z, atol=1e-9)


@pytest.mark.parametrize("sums", [marginals, spanning_marginals])
def test_marginals_of_a_long_sentence_sum_to_one_for_each_word(sums):
    log_z, p = sums(random_scores(90, 1) * 20)
    assert np.isfinite(log_z)
    np.testing.assert_allclose(p[:, 1:].sum(axis=0), 1.0, atol=1e-6)
    assert p[0].sum() == pytest.approx(1.0)


def test_the_best_tree_has_one_root_even_when_two_would_score_more():
    score = np.array([[0.0, 9, 9], [0, 0, -5], [0, -6, 0]])
    for best in (best_tree, best_spanning_tree):
        assert best(score) == ([0, 1], 4.0)


def test_scores_that_are_not_square_are_refused():
    with pytest.raises(ValueError, match="square"):
        best_tree(np.zeros((2, 3)))
