"""Kernels over rows, against NumPy."""

import numpy as np
import pytest

from plait.core._vectors import combine, dot, dots, first_above, largest


@pytest.mark.parametrize("n", [1, 2, 7, 8, 15, 16, 17, 24, 40, 41, 100])
def test_the_largest_of_a_row_is_the_first_of_equals(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        row = rng.integers(0, 5, n).astype(np.float32)
        assert largest(row) == int(np.argmax(row))


@pytest.mark.parametrize("n", [1, 8, 15, 16, 24, 31, 64])
def test_the_largest_of_a_row_that_has_none_is_a_place_in_it(n):
    assert largest(np.full(n, np.nan, dtype=np.float32)) == 0


def test_the_largest_of_an_empty_row_is_refused():
    with pytest.raises(ValueError, match="empty"):
        largest(np.zeros(0, dtype=np.float32))


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 23, 24, 40, 41])
def test_the_next_place_above_a_limit(n):
    rng = np.random.default_rng(n)
    for _ in range(50):
        row, limit = rng.integers(-3, 4, n).astype(np.float32), float(rng.integers(-4, 4))
        for first in range(n + 1):
            expected = next((i for i in range(first, n) if row[i] > limit), n)
            assert first_above(row, first, limit) == expected
    assert first_above(np.full(n, -np.inf, dtype=np.float32), 0, -np.inf) == n
    with pytest.raises(ValueError, match="place"):
        first_above(np.zeros(n, dtype=np.float32), n + 1, 0.0)


@pytest.mark.parametrize("n", [0, 1, 7, 4096, 9001])
def test_long_vectors_are_multiplied_and_combined_piece_by_piece(n):
    rng = np.random.default_rng(n)
    rows = [rng.standard_normal(n).astype(np.float32) for _ in range(3)]
    x, weights, out = rng.standard_normal(n), rng.standard_normal(3), np.zeros(n)
    y = rng.standard_normal(n)
    assert dot(x, y) == pytest.approx(float(x @ y), rel=1e-12, abs=1e-12)
    assert np.allclose(dots(rows, x), [row @ x for row in rows])
    combine(0.5, x, rows, weights, out)
    assert np.allclose(out, 0.5 * x + sum(w * row for w, row in zip(weights, rows, strict=True)))
    with pytest.raises(ValueError, match="lengths"):
        dots([np.zeros(n + 1, dtype=np.float32)], x)
    with pytest.raises(ValueError, match="lengths"):
        dot(x, np.zeros(n + 1))
