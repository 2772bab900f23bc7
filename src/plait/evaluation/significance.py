"""Significance of the difference of two systems: McNemar's test, paired bootstrap and paired permutation.

McNemar's test uses the units on which one system is right and the other wrong. Bootstrap and permutation tests use
whole sentences, whose words are not independent, and work for every measure that is a ratio of counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from plait.arrays import BoolArray, Float64Array, Int64Array
from plait.errors import OptionError
from plait.options import check_positive

BATCH = 2**19  # sentences of resamples held at a time, 4 MB of float64


class McNemar(NamedTuple):
    """McNemar's test on paired right and wrong units."""

    only_a: int  # units that A alone has right
    only_b: int
    exact_p: float  # two-sided binomial test
    chi2: float  # with continuity correction
    chi2_p: float


def mcnemar(right_a: BoolArray, right_b: BoolArray) -> McNemar:
    """Test whether A and B are right equally often, from what each has right.

    >>> round(mcnemar(np.array([True] * 9 + [False]), np.array([False] * 9 + [True])).exact_p, 6)
    0.021484
    """
    only_a = int((right_a & ~right_b).sum())
    only_b = int((right_b & ~right_a).sum())
    chi2 = max(0, abs(only_a - only_b) - 1) ** 2 / (only_a + only_b) if only_a + only_b else 0.0
    return McNemar(only_a, only_b, binomial_p(only_a, only_b), chi2, math.erfc(math.sqrt(chi2 / 2)))


def binomial_p(a: int, b: int) -> float:
    """Two-sided probability of a split at least as uneven as a : b when both sides are equally likely."""
    # 2 · (C(n, 0) + … + C(n, min(a, b))) / 2^n, with log C(n, k) = sum over i ≤ k of log((n - i + 1) / i)
    n = a + b
    i = np.arange(1, min(a, b) + 1)
    log_choose = np.concatenate(([0.0], np.cumsum(np.log((n - i + 1) / i))))
    return min(1.0, 2 * math.fsum(np.exp(log_choose - n * math.log(2)).tolist()))


class Bootstrap(NamedTuple):
    """The paired bootstrap of a difference A − B, in per cent points."""

    p: float
    low: float  # the middle 95 % of the resampled differences
    high: float


def f1_of(counts: Float64Array) -> Float64Array:
    """The measure in per cent from [..., 3] counts of right, gold and predicted; 0 where there is nothing."""
    total = counts[..., 1] + counts[..., 2]
    return np.asarray(200 * counts[..., 0] / np.where(total == 0, 1, total))


def paired_bootstrap(a: Int64Array, b: Int64Array, *, samples: int = 10_000, seed: int = 0) -> list[Bootstrap]:
    """Resample sentences with replacement (Koehn 2004; Berg-Kirkpatrick et al. 2012), for several measures at once.

    p is the share of resampled differences that are at least as far from the observed one as the observed one is from
    zero. More samples make p finer: the smallest possible one is 1 / (samples + 1).

    a, b: [measures][sentences][3], counts of right, gold and predicted of the two systems.
    """
    _check(a, b, samples, seed)
    observed = f1_of(a.sum(axis=1).astype(np.float64)) - f1_of(b.sum(axis=1).astype(np.float64))
    draws = []
    for weights in _resamples(a.shape[1], samples, np.random.default_rng(seed)):
        draws.append(f1_of(_weighted(weights, a)) - f1_of(_weighted(weights, b)))
    differences = np.concatenate(draws)  # [samples][measures]
    extreme = np.abs(differences - observed) >= np.abs(observed) - 1e-9
    low, high = np.quantile(differences, [0.025, 0.975], axis=0)
    p = (1 + extreme.sum(axis=0)) / (samples + 1)
    return [Bootstrap(*map(float, row)) for row in zip(p, low, high, strict=True)]


def paired_permutation(a: Int64Array, b: Int64Array, *, samples: int = 10_000, seed: int = 0) -> list[float]:
    """Swap the systems in every sentence by the toss of a coin (Noreen 1989), for several measures at once.

    The p-value is the share of tosses after which the difference is at least as large as the observed one.

    a, b: [measures][sentences][3], counts of right, gold and predicted of the two systems.
    """
    _check(a, b, samples, seed)
    total_a, total_b = a.sum(axis=1).astype(np.float64), b.sum(axis=1).astype(np.float64)
    observed = np.abs(f1_of(total_a) - f1_of(total_b))
    rng = np.random.default_rng(seed)
    extreme = np.zeros(len(a), np.int64)
    for size in _batches(a.shape[1], samples):
        coins = rng.integers(0, 2, (size, a.shape[1])).astype(np.float64)
        moved = _weighted(coins, b - a)
        difference = np.abs(f1_of(total_a + moved) - f1_of(total_b - moved))
        extreme += (difference >= observed - 1e-9).sum(axis=0)
    return [float(p) for p in (1 + extreme) / (samples + 1)]


def _resamples(sentences: int, samples: int, rng: np.random.Generator) -> Iterator[Float64Array]:
    """[resamples][sentences], how often each sentence was drawn, in batches."""
    for size in _batches(sentences, samples):
        batch = np.empty((size, sentences), np.float64)
        for row in batch:
            row[:] = np.bincount(rng.integers(0, sentences, sentences), minlength=sentences)
        yield batch


def _weighted(weights: Float64Array, counts: Int64Array) -> Float64Array:
    """[resamples][measures][3], the counts of the weighted sentences; whole numbers, so exact in float64."""
    measures, sentences, _ = counts.shape
    flat = counts.transpose(1, 0, 2).reshape(sentences, measures * 3).astype(np.float64)
    return np.asarray((weights @ flat).reshape(len(weights), measures, 3))


def _batches(sentences: int, samples: int) -> Iterator[int]:
    """The samples in batches of bounded memory."""
    size = max(1, BATCH // sentences)
    yield from [size] * (samples // size)
    if samples % size:
        yield samples % size


def _check(a: Int64Array, b: Int64Array, samples: int, seed: int) -> None:
    if seed < 0:
        raise OptionError(f"seed is {seed}; expected 0 or more")
    check_positive("samples", samples)
    if a.shape != b.shape:
        raise ValueError(f"counts of two systems must be over the same sentences, not {a.shape} and {b.shape}")
    if a.shape[1] == 0:
        raise OptionError("there are no sentences to resample")
