"""The objective and its gradient: against enumeration, against finite differences, and at the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from crf_bruteforce import all_labellings, log_sum, score_of
from scipy.optimize import minimize

from plait.chain.labels import hybrid_space, linear_space
from plait.chain.training.likelihood import Likelihood
from plait.chain.training.problem import CrfProblem, Example
from plait.data.schemes import BIES
from plait.features.label_templates import LabelTemplates
from plait.features.templates import Template
from plait.learn.workers import start_workers

TEMPLATES = [
    Template(tuple(text.split()))
    for text in ("w0 s0", "w-1 s0", "w0 t0", "w+1 t0", "w0 s0 t0", "w0 s-1 s0", "w0 t-1 t0", "s-1 t-1 s0")
]


def examples(space, features, count=6, seed=0):
    """Random words under random legal labels."""
    rng = np.random.default_rng(seed)
    S, T = len(space.marks), len(space.types)
    made = []
    while len(made) < count:
        n = int(rng.integers(1, 4))
        atoms = rng.integers(1, 4, size=(n + 2 * features.pad, len(features.columns))).astype(np.uint64)
        s, t = rng.integers(S, size=n), rng.integers(T, size=n)
        allowed = {name: getattr(space, name) for name in ("begin", "end", "pair", "triple")}
        zeros = {"start": np.zeros((S, T)), "sts": np.zeros((S, S, T)), "tst": np.zeros((S, T, T))}
        flat = {"s": np.zeros((n, S)), "t": np.zeros((n, T))}
        if score_of(allowed | zeros, flat, tuple(s), tuple(t)) == 0:
            made.append(Example(atoms, s.astype(np.int32), t.astype(np.int32)))
    return made


def problem_of(structure, unseen=True):
    if structure == "hybrid":
        space, texts = hybrid_space(BIES.marks, ["A", "O"], BIES), TEMPLATES
    else:
        space = linear_space(BIES.labels(["A"]), BIES)
        texts = [Template(t) for t in (("w0", "y0"), ("w-1", "w0", "y0"), ("w0", "y-1", "y0"), ("y-1", "y0"))]
    features = LabelTemplates(texts, ("w",))
    made = examples(space, features)
    return CrfProblem(space, features, made, unseen=unseen), made


def objective_by_hand(problem, made, w, sigma):
    """Every labelling of every example, its score put together from the weight vector."""
    tables = problem.label_tables(w)
    space, features = problem.space, problem.features
    labels = {name: getattr(space, name) for name in ("begin", "end", "pair", "triple")} | tables
    S, T = len(space.marks), len(space.types)
    total = w @ w / (2 * sigma * sigma)
    for example in made:
        n = len(example.marks)
        x = {"s": np.zeros((n, S)), "t": np.zeros((n, T)), "st": np.zeros((n, S, T))}
        x |= {"ss": np.zeros((n, S, S)), "tt": np.zeros((n, T, T))}
        for view, keys in features.keys(example.atoms):
            rows = problem.rows[view]
            place = {int(key): k for k, key in enumerate(rows.keys)}
            for i in range(n):
                for key in keys[i]:
                    if int(key) in place:
                        a, b = rows.starts[place[int(key)]], rows.starts[place[int(key)] + 1]
                        flat = x[view][i].reshape(-1)
                        flat[rows.codes[a - rows.starts[0] : b - rows.starts[0]]] += w[a:b]
        total += log_sum([score for score, _, _ in all_labellings(labels, x)])
        total -= score_of(labels, x, tuple(example.marks), tuple(example.types))
    return total


@pytest.mark.parametrize("unseen", [True, False])
@pytest.mark.parametrize("structure", ["hybrid", "cross"])
def test_objective_equals_enumeration_and_gradient_finite_differences(structure, unseen):
    problem, made = problem_of(structure, unseen)
    rng = np.random.default_rng(1)
    w = rng.normal(size=problem.size)
    with start_workers(2) as workers:
        likelihood = Likelihood(problem, 1.5, workers)
        value, gradient = likelihood(w)
        assert value == pytest.approx(objective_by_hand(problem, made, w, 1.5), rel=1e-10)
        for k in rng.choice(problem.size, size=min(60, problem.size), replace=False):
            step = np.zeros_like(w)
            step[k] = 1e-5
            slope = (likelihood(w + step)[0] - likelihood(w - step)[0]) / 2e-5
            assert gradient[k] == pytest.approx(slope, abs=1e-5)


def test_gradient_is_the_same_for_any_number_of_threads():
    problem, _ = problem_of("hybrid")
    w = np.random.default_rng(2).normal(size=problem.size)
    results = []
    for count in (1, 2, 3):
        with start_workers(count) as workers:
            results.append(Likelihood(problem, 1.0, workers)(w))
    for value, gradient in results[1:]:
        assert value == results[0][0]
        assert np.array_equal(gradient, results[0][1])


def test_own_lbfgs_finds_the_optimum_that_scipy_finds():
    from plait.learn.lbfgs import LBFGS

    problem, _ = problem_of("hybrid")
    with start_workers(1) as workers:
        likelihood = Likelihood(problem, 1.0, workers)
        ours = LBFGS(likelihood, np.zeros(problem.size), delta=0.0, tolerance=1e-7, iterations=500)
        records = []
        for record in ours.run(records):
            records.append(record)
        right = minimize(likelihood, np.zeros(problem.size), jac=True, method="L-BFGS-B", options={"gtol": 1e-8})
    assert ours.value == pytest.approx(right.fun, abs=1e-6)
    np.testing.assert_allclose(ours.w, right.x, atol=1e-3)


def test_hybrid_with_cross_product_features_has_the_same_optimum():
    """Features of s,t pairs at the item, and label steps of equal power: both models fit the same distributions.

    With one type every label pair (s', s) of the hybrid is one label pair of the cross-product, weight for weight.
    """
    hybrid = hybrid_space(BIES.marks, ["A"], BIES)
    cross = linear_space([f"{mark}-A" for mark in BIES.marks], BIES)
    joint = LabelTemplates([Template(("w0", "s0", "t0")), Template(("w-1", "s0", "t0"))], ("w",))
    plain = LabelTemplates([Template(("w0", "y0")), Template(("w-1", "y0"))], ("w",))
    made = examples(hybrid, joint, count=12, seed=3)
    twins = [Example(e.atoms, np.zeros_like(e.marks), e.marks) for e in made]
    values = []
    for space, features, data, label_only in ((hybrid, joint, made, "sts"), (cross, plain, twins, "tst")):
        problem = CrfProblem(space, features, data, unseen=True)
        S, T = len(space.marks), len(space.types)
        # the hybrid also has tst weights, which double up with sts here; hold them at 0
        free = np.ones(problem.size, dtype=bool)
        if label_only == "sts":
            free[S * T + S * S * T : problem.label_size] = False
        with start_workers(1) as workers:
            likelihood = Likelihood(problem, 1.0, workers)

            def function(x, likelihood=likelihood, free=free):
                value, gradient = likelihood(np.where(free, x, 0.0))
                return value, np.where(free, gradient, 0.0)

            found = minimize(function, np.zeros(problem.size), jac=True, method="L-BFGS-B", options={"gtol": 1e-9})
            values.append((found.fun, problem.freeze(found.x, 32)))
    assert values[0][0] == pytest.approx(values[1][0], abs=1e-6)
    for example, twin in zip(made, twins, strict=True):
        _, p = values[0][1].probabilities(example.atoms)
        _, q = values[1][1].probabilities(twin.atoms)
        np.testing.assert_allclose(p["s"], q["t"], atol=1e-3)


def test_hybrid_and_cross_product_agree_on_several_types_when_neither_has_label_steps():
    """Features of (s, t) at the item and the hard constraints alone: the same model in two structures."""
    types = ["A", "B", "C"]
    hybrid = hybrid_space(BIES.marks, types, BIES)
    names = [f"{mark}-{kind}" for mark in BIES.marks for kind in types]
    cross = linear_space(names, BIES)
    joint = LabelTemplates([Template(("w0", "s0", "t0")), Template(("w-1", "s0", "t0"))], ("w",))
    plain = LabelTemplates([Template(("w0", "y0")), Template(("w-1", "y0"))], ("w",))
    made = examples(hybrid, joint, count=15, seed=4)
    twins = [Example(e.atoms, np.zeros_like(e.marks), (e.marks * len(types) + e.types).astype(np.int32)) for e in made]
    optima = []
    for space, features, data in ((hybrid, joint, made), (cross, plain, twins)):
        problem = CrfProblem(space, features, data, unseen=True)
        free = np.arange(problem.size) >= problem.label_size  # no weight for labels alone
        with start_workers(1) as workers:
            likelihood = Likelihood(problem, 1.0, workers)

            def function(x, likelihood=likelihood, free=free):
                value, gradient = likelihood(np.where(free, x, 0.0))
                return value, np.where(free, gradient, 0.0)

            found = minimize(function, np.zeros(problem.size), jac=True, method="L-BFGS-B", options={"gtol": 1e-9})
            optima.append((found.fun, problem.freeze(found.x, 32)))
    assert optima[0][0] == pytest.approx(optima[1][0], abs=1e-6)
    for example, twin in zip(made, twins, strict=True):
        _, p = optima[0][1].probabilities(example.atoms)
        _, q = optima[1][1].probabilities(twin.atoms)
        by_pair = q["t"].reshape(len(example.marks), len(BIES.marks), len(types))
        np.testing.assert_allclose(p["s"], by_pair.sum(axis=2), atol=1e-3)
        np.testing.assert_allclose(p["t"], by_pair.sum(axis=1), atol=1e-3)


def test_adagrad_comes_close_to_the_optimum():
    from plait.chain.options import CrfOptions
    from plait.chain.training.fitting import fit_crf
    from plait.learn.task import TrainingTask

    problem, _ = problem_of("hybrid")
    task = TrainingTask(train=[])
    slow, _, record = fit_crf(problem, task, CrfOptions(delta=0.0, epochs=200))
    fast = fit_crf(problem, task, CrfOptions(optimizer="adagrad", epochs=300, batch=2, rate=0.1)).crf
    with start_workers(1) as workers:
        likelihood = Likelihood(problem, 1.0, workers)
        best = record["epochs"][-1]["objective"]
        w = problem.start_from(fast)
        assert likelihood(w)[0] < best * 1.05
        assert likelihood(problem.start_from(slow))[0] == pytest.approx(best, rel=1e-3)


def test_a_linear_chain_has_one_weight_for_each_label_pair():
    problem, _ = problem_of("cross")
    T = len(problem.space.types)
    assert problem.label_size == T + T * T
    w = np.arange(1.0, problem.size + 1)
    tables = problem.label_tables(w)
    assert tables["start"].ravel().tolist() == w[:T].tolist()
    assert not tables["sts"].any()
    assert tables["tst"].ravel().tolist() == w[T : T + T * T].tolist()


def test_a_warm_start_of_a_linear_chain_keeps_the_scores_of_a_model_with_two_weights_for_a_label_pair():
    problem, _ = problem_of("cross")
    rng = np.random.default_rng(5)
    older = problem.freeze(rng.normal(size=problem.size), 32)
    T = len(problem.space.types)
    older.labels["sts"] = rng.normal(size=(1, 1, T))
    tables = problem.label_tables(problem.start_from(older))
    for a in range(T):
        for b in range(T):
            expected = older.labels["sts"][0, 0, a] + older.labels["tst"][0, a, b]
            assert tables["sts"][0, 0, a] + tables["tst"][0, a, b] == pytest.approx(expected)
