"""Batch training: L-BFGS with development scores now and then, left and resumed at any iteration."""

import numpy as np
import pytest

from plait.errors import ModelError
from plait.learn.batch import BatchTrainer
from plait.learn.lbfgs import LBFGS

SIZE = 8


def logistic(w):
    random = np.random.default_rng(1)
    x = random.normal(size=(30, SIZE))
    y = np.sign(x @ random.normal(size=SIZE) + random.normal(size=30))
    margins = y * (x @ w)
    return float(np.logaddexp(0.0, -margins).sum() + 0.05 * w @ w), x.T @ (-y / (1.0 + np.exp(margins))) + 0.1 * w


def trainer(iterations=7, measured=None, function=logistic, memory=3, **more):
    minimizer = LBFGS(function, np.zeros(SIZE), iterations=iterations, memory=memory, delta=0.0)

    def measure(w):
        if measured is not None:
            measured.append(w.copy())
        return {"f1": float(w[0])}

    return BatchTrainer(minimizer, **({"dev_every": 3, "measure": measure, "decides": "f1"} | more))


def test_records_tell_what_each_iteration_did():
    measured = []
    training = trainer(measured=measured)
    for record in training.run():
        value, gradient = logistic(training.w)
        assert record.objective == value
        assert record.gradient == pytest.approx(np.linalg.norm(gradient))
        assert record.features == SIZE
        assert 1 <= record.evaluations < 10
        assert 0 <= record.seconds < 60
    records = training.records
    assert [r.epoch for r in records] == [1, 2, 3, 4, 5, 6, 7]
    assert [bool(r.dev) for r in records] == [False, False, True, False, False, True, True]  # each third, and the last
    assert [r.dev["f1"] for r in records if r.dev] == [w[0] for w in measured]
    assert training.best_epoch == 7


def test_without_development_data_nothing_is_measured():
    training = trainer(measure=None)
    assert [record.dev for record in training.run()] == [{}] * 7


@pytest.mark.parametrize("after", [1, 2, 4, 6])
def test_a_resumed_training_does_what_an_uninterrupted_one_does(after):
    whole = trainer()
    list(whole.run())
    first = trainer(iterations=after)  # which looks at the development data after its last iteration
    list(first.run())
    second = trainer()
    second.resume(*first.state())
    assert len(second.records) == after
    list(second.run())
    assert second.w.tolist() == whole.w.tolist()
    assert [r.to_dict() for r in second.records] == [r.to_dict() for r in whole.records]


def state(training):
    list(training.run())
    header, arrays = training.state()
    return header, dict(arrays)


@pytest.mark.parametrize(
    ("lbfgs", "arrays", "words"),
    [
        ({"objectives": []}, {}, "objectives"),
        ({"value": 0.5}, {}, "another value than the last"),
        ({"objectives": [1.0]}, {}, "another value than the last"),
        ({"objectives": [float("nan")] * 8}, {}, "not numbers"),
        ({}, {"w": np.zeros(SIZE - 1)}, "array w is float64 of shape .7,."),
        ({}, {"w": np.zeros(SIZE, dtype=np.float32)}, "array w is float32"),
        ({}, {"gradient": np.zeros(1)}, "array gradient"),
        ({}, {"gradient": None}, "arrays .*; expected those of at most 3 steps"),
        ({}, {"products": np.zeros((6, 6))}, "array products is not that of the steps"),
        ({}, {"products": np.zeros((5, 5))}, "array products is float64 of shape .5, 5."),
        ({}, {"step1": np.zeros(SIZE)}, "array step1 is float64"),
        ({}, {"change2": None}, "expected those of at most 3 steps"),
        ({}, {"change0": np.zeros(SIZE, dtype=np.float32)}, "array products is not that of the steps"),
        ({}, {"more": np.zeros(1)}, "arrays .*more.*; expected those"),
    ],
)
def test_states_that_no_training_writes_are_refused(lbfgs, arrays, words):
    header, saved = state(trainer())
    forged = {name: array for name, array in (saved | arrays).items() if array is not None}
    with pytest.raises(ValueError, match=words):
        trainer().resume({**header, "lbfgs": header["lbfgs"] | lbfgs}, forged)
    trainer().resume(header, saved)


def test_a_state_with_more_steps_than_the_memory_holds_is_refused():
    with pytest.raises(ValueError, match="at most 2 steps"):
        trainer(memory=2).resume(*state(trainer()))


def test_a_state_with_another_number_of_records_is_refused():
    header, arrays = state(trainer())
    with pytest.raises(ValueError, match="8 objectives after 6 iterations"):
        trainer().resume({**header, "records": header["records"][:-1]}, arrays)
    with pytest.raises(ModelError, match="more epochs than requested"):
        trainer(iterations=6).resume(header, arrays)


@pytest.mark.parametrize("where", [0, 1])
def test_a_value_or_gradient_that_is_no_number_ends_training(where):
    """The start is sound; the function breaks at the third point."""
    calls = []

    def breaking(w):
        calls.append(w)
        value, gradient = logistic(w)
        if len(calls) < 3:
            return value, gradient
        return (-np.inf, gradient) if where == 0 else (value - 1e9, np.full(SIZE, np.inf))

    with pytest.raises(ModelError, match="diverged"), np.errstate(all="ignore"):
        list(trainer(function=breaking).run())


def parabola(w):
    return float(0.5 * w @ w), w.copy()


def test_training_ends_at_a_gradient_of_nearly_0():
    """From (1, 0, ...) the first step of length 1 meets the minimum exactly."""
    minimizer = LBFGS(parabola, np.eye(SIZE)[0], iterations=50, delta=0.0)
    records = []
    for record in minimizer.run(records):
        records.append(record)
    assert len(records) == 1
    assert minimizer.w.tolist() == [0.0] * SIZE


@pytest.mark.parametrize(("gradient", "w", "finished"), [(1e-5, 0.5, True), (2e-5, 0.5, False), (4e-5, 4.0, True)])
def test_the_gradient_is_small_beside_the_weights(gradient, w, finished):
    minimizer = LBFGS(parabola, np.full(1, w))
    minimizer.gradient = np.full(1, gradient)
    assert minimizer._finished() == finished


@pytest.mark.parametrize(("gain", "finished"), [(0.1, True), (0.125, False), (0.2, False)])
def test_training_ends_when_the_last_iterations_gain_little(gain, finished):
    minimizer = LBFGS(parabola, np.ones(1), delta=0.0625, period=3)
    minimizer.gradient, minimizer.value = np.ones(1), 2.0
    minimizer.objectives = [9.0, 9.0, 8.0, 2.0 + gain, 2.0 + gain / 2, 2.0, 2.0]
    assert minimizer._finished() == finished
    minimizer.objectives = minimizer.objectives[-3:]
    assert not minimizer._finished()


def test_a_function_on_which_no_step_helps_ends_training_without_a_record():
    """The gradient lies: the value rises in its direction."""
    minimizer = LBFGS(lambda w: (float(w.sum()), -np.ones(2)), np.zeros(2))
    assert list(minimizer.run([])) == []
    assert minimizer.w.tolist() == [0.0, 0.0]


def test_a_memory_that_misleads_is_forgotten():
    """Where the remembered curvature points nowhere useful, steepest descent is tried before training gives up."""
    minimizer = LBFGS(parabola, np.array([3.0, 4.0]))
    minimizer.value, minimizer.gradient = parabola(minimizer.w)
    minimizer.objectives = [minimizer.value]
    minimizer._remember(np.array([1.0, 0.0], np.float32), np.array([1e-9, 0.0], np.float32))
    minimizer._direction = lambda: (np.array([1e30, 0.0]), -1e31) if minimizer.steps else (-minimizer.gradient, -25.0)
    assert minimizer._iterate() > 0
    assert minimizer.value < 12.5
    assert len(minimizer.steps) == 1


def test_a_step_without_curvature_is_not_remembered():
    minimizer = LBFGS(parabola, np.zeros(2))
    minimizer._remember(np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32))
    minimizer._remember(np.array([1.0, 0.0], np.float32), np.array([-1.0, 0.0], np.float32))
    minimizer._remember(np.array([1.0, 0.0], np.float32), np.zeros(2, np.float32))
    assert minimizer.steps == minimizer.changes == []
    minimizer._remember(np.array([0.0, 1.0], np.float32), np.array([0.0, 1.0], np.float32))
    minimizer._remember(np.array([1e-12, 1.0], np.float32), np.array([1.0, 0.0], np.float32))  # next to none
    assert len(minimizer.steps) == 1


def test_a_memory_is_forgotten_even_where_no_step_helps():
    minimizer = LBFGS(lambda w: (1.0, np.ones(2)), np.zeros(2))
    minimizer.value, minimizer.gradient = 0.0, np.ones(2)
    minimizer._remember(np.array([1.0, 0.0], np.float32), np.array([1.0, 0.0], np.float32))
    assert minimizer._iterate() == 0
    assert minimizer.steps == minimizer.changes == []
    assert minimizer.products.shape == (0, 0)


def test_a_state_before_the_first_iteration_has_no_steps():
    header, arrays = LBFGS(parabola, np.ones(2)).state()
    assert header == {"value": np.inf, "objectives": []}
    assert {name: array.shape for name, array in arrays.items()} == {"w": (2,), "products": (0, 0)}


def with_pairs(*pairs):
    """The state of a training that remembers these steps and changes."""
    steps, changes = ([np.array(pair[k], dtype=np.float32) for pair in pairs] for k in (0, 1))
    basis = np.array([*steps, *changes], dtype=np.float64).reshape(-1, 2)
    arrays = {"w": np.ones(2), "gradient": np.ones(2), "products": basis @ basis.T}
    arrays |= {f"step{k}": step for k, step in enumerate(steps)} | {f"change{k}": c for k, c in enumerate(changes)}
    return {"value": 3.0, "objectives": [4.0, 3.0]}, arrays


@pytest.mark.parametrize("pairs", [(), [([1, 0], [2, 1])], [([1, 0], [2, 1]), ([0, 1e-5], [1e-5, 1e-5])]])
def test_a_state_with_any_number_of_steps_is_resumed(pairs):
    minimizer = LBFGS(parabola, np.zeros(2))
    header, arrays = with_pairs(*pairs)
    minimizer.resume(header, arrays)
    assert len(minimizer.steps) == len(minimizer.changes) == len(pairs)
    assert minimizer.products.tolist() == arrays["products"].tolist()


@pytest.mark.parametrize("pair", [([1, 0], [-1, 0]), ([1, 0], [0, 1])])
def test_steps_without_curvature_are_refused(pair):
    with pytest.raises(ValueError, match="array products is not that of the steps and changes"):
        LBFGS(parabola, np.zeros(2)).resume(*with_pairs(([1, 0], [2, 1]), pair))


@pytest.mark.parametrize(
    ("pair", "change"),
    [(([1, 0], [2, 1]), lambda p: p * (1 + 4e-6)), (([1, 0], [2, 1]), lambda p: p + 0.5),
     (([1e-5, 0], [2e-5, 1e-5]), lambda p: 2 * p)],
)  # fmt: skip
def test_products_that_are_nearly_those_of_the_steps_are_refused(pair, change):
    header, arrays = with_pairs(pair)
    with pytest.raises(ValueError, match="array products is not that of the steps and changes"):
        LBFGS(parabola, np.zeros(2)).resume(header, arrays | {"products": change(arrays["products"])})
