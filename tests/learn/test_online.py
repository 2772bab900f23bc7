"""The loop, on a model small enough to see through: one feature per example, the label is what is learnt."""

import numpy as np
import pytest

from plait.core._delta import Delta
from plait.core._kernel import HashKernel
from plait.core._weights import Weights
from plait.learn.learners import LEARNERS, Violation
from plait.learn.online import OnlineTrainer


class Toy:
    """Predicts a label from one key; ties go to label 0."""

    def __init__(self, table=None):
        self.tables = {"all": table or Weights(3)}

    def violation(self, example):
        key, gold = example
        predicted = int(np.argmax(self.tables["all"].scores(np.array([key], dtype=np.uint64))))
        if predicted == gold:
            return None
        delta = Delta()
        delta.add(key, gold, 1.0)
        delta.add(key, predicted, -1.0)
        return Violation({"all": delta}, {"all": 1.0})


EXAMPLES = [(key, key % 3) for key in range(1, 40)]


def accuracy(tables):
    right = sum(int(np.argmax(tables["all"].scores(np.array([k], dtype=np.uint64)))) == g for k, g in EXAMPLES)
    return {"accuracy": 100.0 * right / len(EXAMPLES)}


def trainer(model=None, epochs=4, **more):
    return OnlineTrainer(model or Toy(), EXAMPLES, LEARNERS["perceptron"], epochs=epochs, seed=3, **more)


def test_a_record_per_epoch_tells_updates_and_dev_scores():
    records = list(trainer(measure=accuracy).run())
    assert [record.epoch for record in records] == [1, 2, 3, 4]
    assert records[0].updates > 0 == records[-1].updates
    assert records[-1].dev == {"accuracy": 100.0}


def test_the_earliest_best_epoch_is_kept():
    scores = iter([50.0, 70.0, 70.0, 60.0, 70.0, 70.0, 70.0])
    training = trainer(measure=lambda tables: {"score": next(scores)})
    list(training.run())
    assert training.best_epoch == 2


def test_without_dev_data_the_last_epoch_is_kept():
    training = trainer()
    list(training.run())
    assert training.best_epoch == 4


def test_patience_stops_after_epochs_without_gain():
    training = trainer(epochs=20, patience=2, measure=lambda tables: {"score": 1.0})
    assert len(list(training.run())) == 3


@pytest.mark.parametrize("table", [lambda: Weights(3), lambda: HashKernel(3, 10)])
def test_a_resumed_run_equals_an_uninterrupted_one(table):
    whole = trainer(Toy(table()), epochs=6, measure=accuracy)
    list(whole.run())
    first = trainer(Toy(table()), epochs=2, measure=accuracy)
    list(first.run())
    second = trainer(Toy(table()), epochs=6, measure=accuracy)
    second.resume(*first.state())
    assert len(list(second.run())) == 4
    assert [r.to_dict() for r in second.records] == [r.to_dict() for r in whole.records]
    mine, theirs = second.frozen(32)[0]["all"], whole.frozen(32)[0]["all"]
    assert all(np.array_equal(a, b) for a, b in zip(mine.arrays().values(), theirs.arrays().values(), strict=True))


def test_another_seed_gives_another_order():
    seen = []

    class Watching(Toy):
        def violation(self, example):
            seen.append(example[0])
            return super().violation(example)

    for seed in (1, 1, 2):
        list(OnlineTrainer(Watching(), EXAMPLES, LEARNERS["perceptron"], epochs=1, seed=seed).run())
    n = len(EXAMPLES)
    assert seen[:n] == seen[n : 2 * n] != seen[2 * n :]
    assert sorted(seen[2 * n :]) == sorted(k for k, _ in EXAMPLES)


def test_few_bits_are_taken_only_while_dev_does_not_move():
    training = trainer()
    list(training.run())
    for worst, expected in [(100.0, 8), (50.0, 16)]:
        training.measure = lambda tables, worst=worst: {"score": worst if tables["all"].bits == 8 else 100.0}
        assert training.frozen()[0]["all"].bits == expected
    training.measure = lambda tables: {"score": float(tables["all"].bits)}
    assert training.frozen()[0]["all"].bits == 32


@pytest.mark.parametrize("measure", [None, accuracy])
def test_a_model_is_squeezed_into_the_megabytes_it_may_take(measure):
    model = Toy()
    random = np.random.default_rng(1)
    for key in range(1000, 4000):
        model.tables["all"].update(key, 1, float(random.integers(1, 1000)))
    training = trainer(model, epochs=1, measure=measure)
    list(training.run())

    def size(**options):
        tables, _ = training.frozen(16, **options)
        return sum(array.nbytes for array in tables["all"].arrays().values()) / 1e6

    whole = size()
    assert size(megabytes=whole) == whole
    for part in (0.8, 0.3):
        assert 0.9 * part * whole < size(megabytes=part * whole) <= part * whole
    assert size(megabytes=1e-4, prune=True) <= 1e-4
