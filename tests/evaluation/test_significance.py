"""p-values against SciPy and against slow twins."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.errors import OptionError
from plait.evaluation import mcnemar, paired_bootstrap, paired_permutation, significance
from plait.evaluation.significance import binomial_p

stats = pytest.importorskip("scipy.stats", reason="SciPy is the reference for p-values and is not installed")


@given(st.integers(0, 400), st.integers(0, 400))
@settings(deadline=None)
def test_exact_mcnemar_is_the_binomial_test(a: int, b: int) -> None:
    wanted = stats.binomtest(a, a + b, 0.5).pvalue if a + b else 1.0
    assert binomial_p(a, b) == pytest.approx(wanted, rel=1e-9)


def test_exact_mcnemar_of_many_disagreements_is_finite() -> None:
    assert 0 < binomial_p(5_100, 4_900) == pytest.approx(stats.binomtest(5_100, 10_000, 0.5).pvalue, rel=1e-9)
    assert binomial_p(3_000, 0) == 0.0


@pytest.mark.parametrize(("a", "b"), [(10, 25), (25, 10), (4, 4), (1, 0), (0, 0), (5, 6)])
def test_chi2_has_the_continuity_correction(a: int, b: int) -> None:
    right_a = np.array([True] * a + [False] * b + [True] * 7)
    right_b = np.array([False] * a + [True] * b + [True] * 7)
    found = mcnemar(right_a, right_b)
    chi2 = max(0, abs(a - b) - 1) ** 2 / (a + b) if a + b else 0.0
    assert (found.only_a, found.only_b) == (a, b)
    assert found.chi2 == pytest.approx(chi2)
    assert found.chi2_p == pytest.approx(stats.chi2.sf(chi2, 1))


def f1(rows: list[list[int]]) -> float:
    right, gold, predicted = (sum(column) for column in zip(*rows, strict=True))
    return 200 * right / (gold + predicted) if gold + predicted else 0.0


def random_counts(seed: int, sentences: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 9, (2, sentences))
    systems = []
    for _ in "ab":
        predicted = rng.integers(1, 9, (2, sentences))
        right = np.minimum(np.minimum(gold, predicted), rng.integers(0, 9, (2, sentences)))
        systems.append(np.stack([right, gold, predicted], axis=2))
    return systems[0], systems[1]


@pytest.mark.parametrize("seed", range(4))
def test_bootstrap_equals_its_slow_twin(seed: int) -> None:
    a, b = random_counts(seed, 12)
    found = paired_bootstrap(a, b, samples=300, seed=seed)
    rng = np.random.default_rng(seed)
    draws = [rng.integers(0, 12, 12).tolist() for _ in range(300)]
    for k in range(2):
        observed = f1(a[k].tolist()) - f1(b[k].tolist())
        differences = [f1([a[k, i].tolist() for i in d]) - f1([b[k, i].tolist() for i in d]) for d in draws]
        extreme = sum(abs(d - observed) >= abs(observed) - 1e-9 for d in differences)
        assert found[k].p == pytest.approx((1 + extreme) / 301)
        assert (found[k].low, found[k].high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))


@pytest.mark.parametrize("seed", range(4))
def test_permutation_comes_near_all_swaps(seed: int) -> None:
    a, b = random_counts(seed, 8)
    found = paired_permutation(a, b, samples=20_000, seed=seed)
    for k in range(2):
        observed = abs(f1(a[k].tolist()) - f1(b[k].tolist()))
        extreme = 0
        for coins in range(2**8):
            pairs = [(b[k, i], a[k, i]) if coins >> i & 1 else (a[k, i], b[k, i]) for i in range(8)]
            swapped_a, swapped_b = ([side.tolist() for side in row] for row in zip(*pairs, strict=True))
            extreme += abs(f1(swapped_a) - f1(swapped_b)) >= observed - 1e-9
        assert found[k] == pytest.approx(extreme / 2**8, abs=0.02)


def test_equal_systems_never_differ() -> None:
    a, _ = random_counts(1, 10)
    assert [row.p for row in paired_bootstrap(a, a, samples=50)] == [1, 1]
    assert paired_permutation(a, a, samples=50) == [1, 1]


def test_the_seed_decides_the_p_values() -> None:
    a, b = random_counts(2, 30)
    assert paired_bootstrap(a, b, samples=200, seed=5) == paired_bootstrap(a, b, samples=200, seed=5)
    assert paired_permutation(a, b, samples=200, seed=5) == paired_permutation(a, b, samples=200, seed=5)
    assert paired_bootstrap(a, b, samples=200, seed=5) != paired_bootstrap(a, b, samples=200, seed=6)


def test_no_samples_and_no_sentences_are_refused() -> None:
    a, b = random_counts(2, 3)
    with pytest.raises(OptionError, match="samples is 0"):
        paired_bootstrap(a, b, samples=0)
    with pytest.raises(OptionError, match="seed is -1"):
        paired_bootstrap(a, b, seed=-1)
    with pytest.raises(OptionError, match="no sentences"):
        paired_permutation(a[:, :0], b[:, :0])


@pytest.mark.parametrize("batch", [1, 40, 7 * 40, 10**6])
def test_p_values_do_not_depend_on_the_size_of_batches(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    a, b = random_counts(3, 40)
    whole = paired_permutation(a, b, samples=50), paired_bootstrap(a, b, samples=50)
    monkeypatch.setattr(significance, "BATCH", batch)
    assert (paired_permutation(a, b, samples=50), paired_bootstrap(a, b, samples=50)) == whole


def test_batches_are_of_bounded_size_and_hold_all_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "BATCH", 100)
    assert list(significance._batches(30, 7)) == [3, 3, 1]
    assert list(significance._batches(30, 6)) == [3, 3]
    assert list(significance._batches(500, 2)) == [1, 1]


@pytest.mark.parametrize("test", [paired_bootstrap, paired_permutation])
def test_memory_does_not_grow_with_the_samples(monkeypatch: pytest.MonkeyPatch, test: Callable[..., object]) -> None:
    monkeypatch.setattr(significance, "BATCH", 2000)
    a, b = random_counts(3, 1000)
    tracemalloc.start()
    try:
        test(a, b, samples=200)
        assert tracemalloc.get_traced_memory()[1] < 400_000  # all samples at once are 1.6 MB
    finally:
        tracemalloc.stop()


def test_ten_thousand_samples_and_seed_0_are_the_defaults() -> None:
    a, b = random_counts(3, 10)
    assert paired_permutation(a, b) == paired_permutation(a, b, samples=10_000, seed=0)
    assert paired_bootstrap(a, b) == paired_bootstrap(a, b, samples=10_000, seed=0)


def test_measures_without_words_are_zero() -> None:
    assert significance.f1_of(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])).tolist() == [0.0, 100.0]
