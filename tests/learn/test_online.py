"""The loop, on a model small enough to see through: one feature per example, the label is what is learnt."""

import json

import numpy as np
import pytest

from plait.core._delta import Delta
from plait.core._kernel import HashKernel
from plait.core._weights import Weights
from plait.learn.learners import LEARNERS, Violation
from plait.learn.online import OnlineModel, OnlineTrainer
from plait.learn.outcome import Outcome


class Toy(OnlineModel):
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


def predict(tables, key):
    return int(np.argmax(tables["all"].scores(np.array([key], dtype=np.uint64))))


def accuracy(tables):
    outcome = Outcome("accuracy")
    for key, gold in EXAMPLES:
        outcome.add(tags=([gold], [predict(tables, key)]))
    return outcome


def scoring(*scores):
    """A measure that gives these scores one after the other."""
    left = iter(scores)

    def measure(tables):
        outcome = Outcome()
        outcome.notes = next(left)
        return outcome

    return measure


def trainer(model=None, epochs=4, decides="accuracy", **more):
    steps = LEARNERS["perceptron"]
    return OnlineTrainer(model or Toy(), EXAMPLES, steps, epochs=epochs, seed=3, decides=decides, **more)


def test_a_record_per_epoch_tells_updates_and_dev_scores():
    records = list(trainer(measure=accuracy).run())
    assert [record.epoch for record in records] == [1, 2, 3, 4]
    assert records[0].updates > 0 == records[-1].updates
    assert records[-1].dev == {"accuracy": 100.0}


def test_the_earliest_best_epoch_is_kept():
    training = trainer(measure=scoring(*({"accuracy": score} for score in (50.0, 70.0, 70.0, 60.0))))
    list(training.run())
    assert training.best_epoch == 2


def test_epochs_before_the_earliest_are_not_the_best():
    scores = ({"accuracy": score} for score in (90.0, 80.0, 50.0, 60.0))
    training = trainer(measure=scoring(*scores), earliest=3)
    assert [training.best_epoch for _ in training.run()] == [0, 0, 3, 4]


def test_the_measure_that_decides_is_chosen_by_name_whatever_the_order_of_the_scores():
    las, uas = (60.0, 63.0, 61.0, 62.0), (80.0, 81.0, 82.0, 83.0)
    for first, second in (("las", "uas"), ("uas", "las")):
        scores = [{"las": a, "uas": b} for a, b in zip(las, uas, strict=True)]
        training = trainer(decides="las", measure=scoring(*({k: s[k] for k in (first, second)} for s in scores)))
        list(training.run())
        assert training.best_epoch == 2


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_resumed_run_goes_on_with_the_same_deciding_measure(after):
    # in alphabetical order, in which a checkpoint keeps them, "accuracy" would come first and choose epoch 4
    scores = [{"las": a, "accuracy": b} for a, b in ((60.0, 90.0), (63.0, 91.0), (61.0, 92.0), (62.0, 93.0))]
    first = trainer(epochs=after, decides="las", measure=scoring(*scores))
    list(first.run())
    header, arrays = first.state()
    second = trainer(decides="las", measure=scoring(*scores[after:]))
    second.resume(json.loads(json.dumps(header, sort_keys=True)), arrays)
    list(second.run())
    assert second.best_epoch == 2


def test_a_checkpoint_whose_best_epoch_is_not_the_best_is_refused():
    first = trainer(measure=accuracy)
    list(first.run())
    header, arrays = first.state()
    for change in ({"best_epoch": 1 + header["best_epoch"] % 4}, {"decides": "uas"}, {"best_epoch": 0}):
        with pytest.raises(ValueError, match="not the best"):
            trainer(measure=accuracy).resume({**header, **change}, arrays)


def test_without_dev_data_the_last_epoch_is_kept():
    training = trainer()
    list(training.run())
    assert training.best_epoch == 4


def test_patience_stops_after_epochs_without_gain():
    training = trainer(epochs=20, patience=2, measure=scoring(*({"accuracy": 1.0},) * 4))
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


def test_features_without_enough_updates_have_no_weights():
    """Each example has a feature of its own, corrected until its label wins: one update is enough for that."""
    plain, cut, never = (trainer(epochs=6, min_updates=needed) for needed in (1, 2, 200))
    for training in (plain, cut, never):
        list(training.run())
    keys = {needed: len(t.best["all"]["keys"]) for needed, t in ((1, plain), (2, cut), (200, never))}
    assert keys[1] > 0
    assert keys[2] == keys[1]  # all of them come again, for nothing was learnt the first time
    assert keys[200] == 0
    assert cut.records[0].updates + cut.records[1].updates == 2 * plain.records[0].updates
    assert cut.records[2].updates == 0


def test_a_feature_that_is_corrected_once_has_no_weight_under_a_cut_off():
    class Rare(Toy):
        """Key 1 is always wrong; key 99 stands beside it once, in the first violation."""

        def __init__(self):
            super().__init__()
            self.seen = 0

        def violation(self, example):
            self.seen += 1
            delta = Delta()
            delta.add(1, 1, 1.0)
            if self.seen == 1:
                delta.add(99, 2, 1.0)
            return Violation({"all": delta}, {"all": 1.0})

    for needed, expected in ((1, [1, 99]), (2, [1])):
        training = trainer(Rare(), epochs=1, min_updates=needed)
        list(training.run())
        assert training.best["all"]["keys"].tolist() == expected


def test_a_patience_of_one_stops_at_the_first_epoch_without_gain():
    training = trainer(epochs=20, patience=1, measure=scoring(*({"accuracy": x} for x in (1.0, 2.0, 2.0, 3.0))))
    assert len(list(training.run())) == 3
    assert trainer(epochs=20, patience=1).best_epoch == 0


def test_errors_add_up_and_features_are_counted_where_a_table_has_them():
    seen = []

    def track(items, label):
        seen.append(label)
        return items

    exact, hashed = trainer(track=track), trainer(Toy(HashKernel(3, 10)))
    # examples of label 0 are right from the start; in a hash kernel some of them collide
    for training, updates, features in ((exact, 26, 26), (hashed, 29, 0)):
        first = next(training.run())
        assert (first.updates, first.errors, first.examples, first.features) == (updates, updates, 39, features)
        assert 0 < first.seconds < 60
    assert seen == ["epoch 1/4"]


def test_what_is_frozen_before_an_epoch_is_what_the_tables_hold():
    model = Toy()
    training = trainer(model, measure=accuracy)
    assert training.best == {}
    model.tables["all"].update(7, 1, 1.0)
    model.tables["all"].tick()
    tables, scores = training.frozen(32)
    assert predict(tables, 7) == 1
    assert scores == {"accuracy": pytest.approx(100 * 14 / 39)}


def test_how_tables_are_frozen_is_handed_on(monkeypatch):
    asked = []

    def freeze(self, *arguments, **more):
        asked.append((arguments, more, self.measure))
        return {}, {}

    monkeypatch.setattr("plait.learn.online.Freezer.freeze", freeze)
    training = trainer(measure=accuracy)
    training.frozen()
    training.frozen(8, 0.5, prune=True, megabytes=3.0)
    assert asked == [
        ((0, 0.05), {"prune": False, "megabytes": 0.0}, accuracy),
        ((8, 0.5), {"prune": True, "megabytes": 3.0}, accuracy),
    ]


def test_a_checkpoint_before_the_first_epoch_has_a_state_and_a_seed():
    header, arrays = trainer().state()
    assert header == {"records": [], "best_epoch": 0, "decides": "accuracy", "seed": 3}
    assert all(name.startswith("state.all.") for name in arrays)
