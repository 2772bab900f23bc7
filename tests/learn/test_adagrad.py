"""AdaGrad's passes, on a model small enough to see through: one weight an example, pulled to its target."""

import numpy as np
import pytest

from plait.errors import ModelError
from plait.learn.adagrad import AdaGradTrainer

TARGETS = np.array([1.0, -2.0, 3.0, 0.5, -0.5])


class Pull:
    """½ (w − target)², by AdaGrad; the steps are written down."""

    def __init__(self):
        self.w = np.zeros(5)
        self.squares = np.zeros(5)
        self.size = 4
        self.steps = []

    def step(self, examples):
        self.steps.append(examples.tolist())
        gradient = self.w[examples] - TARGETS[examples]
        self.squares[examples] += gradient**2
        self.w[examples] -= 0.5 * gradient / np.sqrt(self.squares[examples] + 1e-9)
        return float(0.5 * (gradient**2).sum())


def trainer(model=None, **more):
    return AdaGradTrainer(model or Pull(), 5, **({"epochs": 4, "seed": 3, "batch": 2} | more))


def scoring(*scores):
    left = iter(scores)
    return lambda w: {"f1": next(left), "other": 1.0}


def test_every_pass_takes_all_examples_in_an_order_of_its_own():
    model = Pull()
    records = list(trainer(model).run())
    passes = [model.steps[k : k + 3] for k in range(0, 12, 3)]
    for epoch, steps in enumerate(passes, 1):
        order = np.random.default_rng([3, epoch]).permutation(5).tolist()
        assert steps == [order[:2], order[2:4], order[4:]]
    assert [(r.epoch, r.steps, r.features, r.dev) for r in records] == [(epoch, 3, 4, {}) for epoch in (1, 2, 3, 4)]
    assert records[0].loss == pytest.approx(0.5 * (TARGETS**2).sum())
    assert records[0].loss > records[-1].loss
    assert all(0 <= record.seconds < 60 for record in records)


def test_a_step_takes_one_example_by_default_and_loops_are_tracked():
    seen = []

    def track(items, label):
        seen.append((len(items), label))
        return items

    list(AdaGradTrainer(Pull(), 5, epochs=2, seed=1, track=track).run())
    assert seen == [(5, "epoch 1/2"), (5, "epoch 2/2")]


@pytest.mark.parametrize(
    ("scores", "best"), [((1.0, 3.0, 2.0, 3.0), 2), ((4.0, 3.0, 2.0, 1.0), 1), ((1.0, 2.0, 3.0, 4.0), 4)]
)
def test_the_best_pass_is_kept_the_earlier_of_equals(scores, best):
    model, weights = Pull(), []
    training = trainer(model, measure=scoring(*scores), decides="f1")
    for record in training.run():
        weights.append(model.w.copy())
        assert record.dev == {"f1": scores[record.epoch - 1], "other": 1.0}
    assert training.best_epoch == best
    assert model.w.tolist() == training.w.tolist() == weights[best - 1].tolist()


def test_without_development_data_the_last_pass_is_kept():
    model = Pull()
    training = trainer(model)
    for _ in training.run():
        last = model.w.copy()
    assert training.best_epoch == 4
    assert model.w.tolist() == last.tolist()


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_resumed_training_ends_where_an_uninterrupted_one_does(after):
    scores = (2.0, 3.0, 1.0, 2.5)
    whole = trainer(measure=scoring(*scores), decides="f1")
    list(whole.run())
    first = trainer(measure=scoring(*scores), decides="f1")
    running = first.run()
    for _ in range(after):
        next(running)
    header, arrays = first.state()
    arrays = {name: array.copy() for name, array in arrays.items()}
    second = trainer(measure=scoring(*scores[after:]), decides="f1")
    second.resume(header, arrays)
    assert (len(second.records), second.best_epoch) == (after, min(after, 2))
    list(second.run())
    assert second.w.tolist() == whole.w.tolist()
    assert second.model.squares.tolist() == whole.model.squares.tolist()
    assert [r.to_dict() for r in second.records] == [r.to_dict() for r in whole.records]


@pytest.mark.parametrize(
    ("header", "arrays", "words"),
    [
        ({"best_epoch": 1}, {}, "epoch 1 is not the best of its records"),
        ({"decides": "las"}, {}, "'las' is not the best by 'f1'"),
        ({"records": [{"epoch": 1}]}, {}, "dev"),
        ({}, {"w": None}, "arrays best, squares; expected w, squares, best"),
        ({}, {"more": np.zeros(5)}, "arrays best, more, squares, w; expected"),
        ({}, {"squares": np.array([1.0, -1.0, 1.0, 1.0, 1.0])}, "array squares holds negative numbers"),
        ({}, {"w": np.zeros(4)}, "array w is float64 of shape .4,."),
        ({}, {"w": np.zeros(5, dtype=np.float32)}, "array w is float32"),
        ({}, {"best": np.zeros(5, dtype=np.float32)}, "array best is float32"),
        ({}, {"squares": np.full(5, np.inf)}, "array squares contains values"),
    ],
)
def test_checkpoints_that_no_training_writes_are_refused(header, arrays, words):
    first = trainer(measure=scoring(2.0, 3.0, 1.0, 2.5), decides="f1")
    list(first.run())
    state = first.state()
    forged = {name: array for name, array in (state[1] | arrays).items() if array is not None}
    with pytest.raises((ValueError, KeyError), match=words):
        trainer(measure=scoring(), decides="f1").resume(state[0] | header, forged)
    trainer(measure=scoring(), decides="f1").resume(*state)


def test_more_passes_than_are_asked_for_are_refused():
    first = trainer()
    list(first.run())
    with pytest.raises(ModelError, match="more epochs than requested"):
        trainer(epochs=3).resume(*first.state())


@pytest.mark.parametrize("loss", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_ends_training(loss):
    model = Pull()
    model.step = lambda examples: loss
    with pytest.raises(ModelError, match="diverged"):
        next(trainer(model).run())


def test_weights_beyond_all_bounds_end_training():
    model = Pull()
    model.w[1] = 1e300
    model.step = lambda examples: 1.0
    with pytest.raises(ModelError, match="diverged"):
        next(trainer(model).run())


def test_the_measure_sees_the_weights_after_each_pass_and_time_is_taken():
    model, seen = Pull(), []
    training = trainer(model, measure=lambda w: {"f1": float(seen.append(w.copy()) is None)}, decides="f1")
    assert training.best.tolist() == [0.0] * 5
    for record in training.run():
        assert seen[-1].tolist() == model.w.tolist()
        assert record.seconds > 0
    assert len({tuple(w) for w in seen}) == 4


def test_weights_that_no_example_has_touched_are_resumed():
    first = trainer(epochs=2)
    list(first.run())
    header, arrays = first.state()
    arrays["squares"] = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    second = trainer()
    second.resume(header, arrays)
    assert second.model.squares.tolist() == [0.0, 1.0, 1.0, 1.0, 1.0]


def test_weights_in_single_precision_are_resumed():
    first, second = Pull(), Pull()
    for model in (first, second):
        model.w, model.squares = model.w.astype(np.float32), model.squares.astype(np.float32)
    training = trainer(first)
    list(training.run())
    trainer(second).resume(*training.state())
    assert second.w.tolist() == first.w.tolist()
