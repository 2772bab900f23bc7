"""L-BFGS against its textbook twin: two loops over vectors in double precision, the same line search."""

import numpy as np
import pytest

from plait.learn.lbfgs import C1, C2, LBFGS

SIZE = 20


def quadratic(seed, size=SIZE):
    """½ wᵀAw − bᵀw with eigenvalues over three orders of magnitude."""
    random = np.random.default_rng(seed)
    axes = np.linalg.qr(random.normal(size=(size, size)))[0]
    a = axes @ np.diag(np.geomspace(0.1, 100.0, size)) @ axes.T
    b = random.normal(size=size)
    return (lambda w: (0.5 * w @ a @ w - b @ w, a @ w - b)), np.linalg.solve(a, b)


def logistic(seed, size=SIZE, examples=60):
    random = np.random.default_rng(seed)
    x = random.normal(size=(examples, size))
    y = np.sign(x @ random.normal(size=size) + random.normal(size=examples))

    def function(w):
        margins = y * (x @ w)
        pull = -y / (1.0 + np.exp(margins))
        return np.logaddexp(0.0, -margins).sum() + 0.5 * w @ w, x.T @ pull + w

    return function


def twin(function, w, memory, iterations):
    """Liu and Nocedal (1989), line by line; the points it goes through."""
    pairs, points = [], []
    value, gradient = function(w)
    for _ in range(iterations):
        q = gradient.copy()
        alphas = []
        for s, y in reversed(pairs):
            alphas.append(s @ q / (y @ s))
            q -= alphas[-1] * y
        if pairs:
            s, y = pairs[-1]
            q *= (s @ y) / (y @ y)  # γ, the scale of the first guess of the inverse Hessian
        for (s, y), alpha in zip(pairs, reversed(alphas), strict=True):
            q += s * (alpha - y @ q / (y @ s))
        direction, slope = -q, -float(gradient @ q)
        step, low, high = (1.0 if pairs else 1.0 / np.linalg.norm(gradient)), 0.0, np.inf
        while True:
            new_value, new_gradient = function(w + step * direction)
            if new_value > value + C1 * step * slope:
                high = step
            elif new_gradient @ direction < C2 * slope:
                low = step
            else:
                break
            step = 2 * low if np.isinf(high) else (low + high) / 2
        pairs = [*pairs, (step * direction, new_gradient - gradient)][-memory:]
        w, value, gradient = w + step * direction, new_value, new_gradient
        points.append(w)
    return points


def iterates(function, start, memory, iterations):
    minimiser = LBFGS(function, start, iterations=iterations, memory=memory, delta=0.0, tolerance=0.0)
    records, points = [], []
    for record in minimiser.run(records):
        records.append(record)
        points.append(minimiser.w.copy())
    return points


@pytest.mark.parametrize("memory", [1, 3, 6])
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("problem", [lambda seed: quadratic(seed)[0], logistic])
def test_every_iterate_is_that_of_the_textbook(problem, seed, memory):
    function = problem(seed)
    mine, theirs = (minimise(function, np.zeros(SIZE), memory, 8) for minimise in (iterates, twin))
    assert len(mine) == 8
    for k, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        # the pairs are kept in single precision, so small differences grow from step to step
        assert np.abs(a - b).max() <= 1e-5 * 4**k * max(1.0, np.abs(b).max()), f"iteration {k + 1}"


def test_the_minimum_of_a_quadratic_is_its_closed_form():
    function, minimum = quadratic(3)
    minimiser = LBFGS(function, np.zeros(SIZE), iterations=300, delta=0.0, tolerance=1e-9)
    records = []
    for record in minimiser.run(records):
        records.append(record)
    assert np.allclose(minimiser.w, minimum, atol=1e-5)


def test_the_first_direction_after_one_step_has_the_length_that_gamma_gives():
    """With one pair along the first axis, a gradient across it is scaled by γ = sᵀy / yᵀy alone."""
    minimiser = LBFGS(lambda w: (0.0, w), np.zeros(2))
    minimiser._remember(np.array([2.0, 0.0], dtype=np.float32), np.array([8.0, 0.0], dtype=np.float32))
    minimiser.gradient = np.array([0.0, 4.0])
    direction, slope = minimiser._direction()
    assert direction.tolist() == pytest.approx([0.0, -1.0])  # γ = 16 / 64
    assert slope == pytest.approx(-4.0)
    minimiser.gradient = np.array([4.0, 0.0])
    assert minimiser._direction()[0].tolist() == pytest.approx([-1.0, 0.0])  # the curvature along the step is known: 4


@pytest.mark.parametrize(("curvature", "start", "most"), [(1e-3, 100.0, 5), (1e3, 0.01, 7)])
def test_steps_that_are_too_short_or_too_long_are_mended_as_in_the_textbook(curvature, start, most):
    """The first step has length 1: far too short where the function is flat, far too long where it is steep."""
    scale = curvature * np.array([1.0, 3.0, 0.5])

    evaluations = {"mine": 0, "theirs": 0}

    def counted(who):
        def function(w):
            evaluations[who] += 1
            return 0.5 * float(w @ (scale * w)), scale * w

        return function

    start = start * np.array([1.0, -0.5, 2.0])
    minimiser = LBFGS(counted("mine"), start, iterations=5, memory=3, delta=0.0, tolerance=0.0)
    records = []
    for record in minimiser.run(records):
        records.append(record)
    theirs = twin(counted("theirs"), start, 3, 5)
    assert np.allclose(minimiser.w, theirs[-1], rtol=1e-4, atol=1e-4 * start[0])
    assert evaluations["mine"] == evaluations["theirs"]
    assert 1 + sum(record.evaluations for record in records) == evaluations["mine"]
    assert records[0].evaluations == most
    assert all(record.seconds > 0 for record in records)


@pytest.mark.parametrize(
    ("curvature", "gradient"),
    [
        (-1.0, 3.0),  # as if rounding had turned the scale round
        (-1.0, 0.5),
        (1e308, 1e-10),  # the slope along the direction is too small for a number
    ],
)
def test_a_direction_that_does_not_descend_gives_way_to_the_gradient(curvature, gradient):
    minimiser = LBFGS(lambda w: (0.0, w), np.zeros(2))
    minimiser._remember(np.array([1.0, 0.0], dtype=np.float32), np.array([1.0, 0.0], dtype=np.float32))
    minimiser.products[:] = [[1.0, 1.0], [1.0, curvature]]
    minimiser.gradient = np.array([0.0, gradient])
    direction, slope = minimiser._direction()
    assert direction.tolist() == [0.0, -gradient]
    assert slope == -(gradient**2)


def test_a_step_that_just_fulfils_both_conditions_of_wolfe_is_taken():
    points = {0.0: (0.0, 1.0), -1.0: (-C1, C2)}
    minimiser = LBFGS(lambda w: (points[w[0]][0], np.array([points[w[0]][1]])), np.zeros(1))
    assert next(minimiser.run([])).evaluations == 1
    assert minimiser.w.tolist() == [-1.0]


def test_a_step_across_the_valley_to_the_same_height_is_not_taken():
    minimiser = LBFGS(lambda w: (0.5 * float(w @ w), w), np.array([0.5]))  # the first step has length 1
    assert next(minimiser.run([])).objective == 0.0
    assert minimiser.w.tolist() == [0.0]


def test_weights_are_kept_in_double_precision():
    assert LBFGS(lambda w: (0.0, w), np.zeros(2, dtype=np.float32)).w.dtype == np.float64


def test_a_line_search_ends_after_thirty_evaluations():
    calls = []

    def stubborn(w):
        calls.append(w)
        return (0.0 if len(calls) == 1 else 1.0), np.array([1.0])

    minimiser = LBFGS(stubborn, np.zeros(1))
    assert list(minimiser.run([])) == []
    assert len(calls) == 31  # the start, and thirty tries
