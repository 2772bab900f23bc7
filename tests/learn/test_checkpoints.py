"""Checkpoints around any trainer: written after each epoch, found again, refused when they are another's."""

import logging

import numpy as np
import pytest

from plait.core._delta import Delta
from plait.core._weights import Weights
from plait.errors import ModelError, OptionError
from plait.learn.checkpoint import load_checkpoint, run_with_checkpoints, save_checkpoint
from plait.learn.fitting import fit_online
from plait.learn.learners import Violation
from plait.learn.online import OnlineModel, OnlineTrainer
from plait.learn.outcome import Outcome
from plait.learn.records import EpochRecord
from plait.learn.task import TrainingTask
from plait.system.modelfile import model_bytes
from plait.system.shared_options import OnlineOptions


class Counting:
    """Counts its epochs."""

    def __init__(self, epochs=3):
        self.epochs = epochs
        self.done = 0

    def run(self):
        while self.done < self.epochs:
            self.done += 1
            yield EpochRecord(self.done, 1, 0, 0.0, 0)

    def state(self):
        return {"done": self.done}, {"w": np.full(2, float(self.done))}

    def resume(self, header, arrays):
        self.done = header["done"]
        assert arrays["w"].tolist() == [self.done, self.done]


def test_a_checkpoint_is_written_after_each_epoch_before_it_is_reported(tmp_path):
    path, found = tmp_path / "state", []

    def look(record):
        other = Counting()
        assert load_checkpoint(path, other, "me")
        found.append((record.epoch, other.done))

    run_with_checkpoints(Counting(), TrainingTask([], checkpoint=path, identity="me", on_epoch=look))
    assert found == [(1, 1), (2, 2), (3, 3)]


def test_training_resumes_from_a_checkpoint_only_on_request(tmp_path):
    path = tmp_path / "state"
    run_with_checkpoints(Counting(2), TrainingTask([], checkpoint=path))
    for resume, expected in ((False, [1, 2, 3]), (True, [])):
        seen = []
        task = TrainingTask([], checkpoint=path, resume=resume, on_epoch=lambda r, seen=seen: seen.append(r.epoch))
        run_with_checkpoints(Counting(), task)
        assert seen == expected
    run_with_checkpoints(
        Counting(4), TrainingTask([], checkpoint=path, resume=True, on_epoch=lambda r: seen.append(r.epoch))
    )
    assert seen == [4]


def test_a_part_has_a_checkpoint_of_its_own_and_none_is_written_unasked(tmp_path):
    run_with_checkpoints(Counting(), TrainingTask([]), "tagger")
    assert list(tmp_path.iterdir()) == []
    run_with_checkpoints(Counting(), TrainingTask([], checkpoint=tmp_path / "state"), "tagger")
    assert [path.name for path in tmp_path.iterdir()] == ["state.tagger"]


def test_a_part_that_is_trained_quietly_shows_no_progress_and_names_no_features():
    shown = []
    task = TrainingTask([], seed=7, track=lambda items, label: shown.append(label) or items, on_epoch=shown.append)
    quiet = task.quietly()
    assert task.name_features is True
    assert (quiet.name_features, quiet.seed) == (False, 7)
    items = [1, 2]
    assert quiet.track(items, "epoch") is items
    quiet.on_epoch(EpochRecord(1, 1, 0, 0.0, 0))
    assert shown == []


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "state"
    assert not load_checkpoint(path, Counting(), "me")
    save_checkpoint(path, Counting(), "you")
    with pytest.raises(
        ModelError, match="state: was written with different data, options or seed; remove it or omit --resume"
    ):
        load_checkpoint(path, Counting(), "me")
    path.write_bytes(model_bytes({"system": "x"}, {}))
    with pytest.raises(ModelError, match="state: not a checkpoint; choose a new file or remove this one"):
        load_checkpoint(path, Counting(), "me")


@pytest.mark.parametrize("kind", [KeyError, TypeError, ValueError, IndexError, AttributeError])
def test_a_state_that_the_trainer_cannot_take_is_a_damaged_checkpoint(kind, tmp_path):
    path, other = tmp_path / "state", Counting()
    save_checkpoint(path, other, "")

    def fail(header, arrays):
        raise kind("seven")

    other.resume = fail
    with pytest.raises(ModelError, match=r"state: damaged checkpoint .*seven.*; remove it or omit --resume"):
        load_checkpoint(path, other, "")


def test_a_refusal_of_the_trainer_names_the_file(tmp_path):
    path, other = tmp_path / "state", Counting()
    save_checkpoint(path, other, "")

    def refuse(header, arrays):
        raise ModelError("holds more epochs")

    other.resume = refuse
    with pytest.raises(ModelError, match="state: holds more epochs"):
        load_checkpoint(path, other, "")


def test_a_checkpoint_that_cannot_be_written_is_a_notice(tmp_path, caplog):
    path = tmp_path / "missing" / "state"
    with caplog.at_level(logging.WARNING, "plait"):
        run_with_checkpoints(Counting(1), TrainingTask([], checkpoint=path))
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith(f"{path}: could not write the checkpoint (")
    assert message.endswith("); training continues")
    assert "(None)" not in message
    caplog.clear()
    path = tmp_path / "folder"
    path.mkdir()
    with caplog.at_level(logging.WARNING, "plait"):
        save_checkpoint(path, Counting(), "")
    assert "the older one stays; training continues" in caplog.text


class Toy(OnlineModel):
    """Tells label 1 from label 0 by one key."""

    def __init__(self):
        self.tables = {"all": Weights(2)}

    def violation(self, key):
        if self.tables["all"].get(key, 1) > 0:
            return None
        delta = Delta()
        delta.add(key, 1, 1.0)
        return Violation({"all": delta}, {"all": 1.0})


def accuracy(tables):
    outcome = Outcome("accuracy")
    outcome.add(tags=([1], [int(np.argmax(tables["all"].scores(np.array([1], dtype=np.uint64))))]))
    return outcome


def test_the_stored_model_is_what_the_options_ask_for(monkeypatch):
    asked = []

    def frozen(self, *arguments, **more):
        asked.append((arguments, more, self.learner.__name__, self.seed, self.patience, len(self.update_cutoffs)))
        return {}, {"accuracy": 50.0}

    monkeypatch.setattr(OnlineTrainer, "frozen", frozen)
    options = OnlineOptions(
        learner="pa", epochs=2, bits=16, slack=0.3, prune=False, megabytes=7.0, patience=5, min_updates=2
    )
    _, best, training = fit_online(TrainingTask([], seed=9), options, Toy(), [1, 2], accuracy, "accuracy")
    assert asked == [((16, 0.3), {"prune": False, "megabytes": 7.0}, "passive_aggressive_steps", 9, 5, 1)]
    assert training["dev"] == {"accuracy": 50.0}
    assert (training["best_epoch"], training["decides"], len(training["epochs"])) == (2, "accuracy", 2)
    assert best["all"]["keys"].tolist() == [1, 2]
    assert fit_online(TrainingTask([]), options, Toy(), [1], None, "accuracy")[2]["decides"] == ""


@pytest.mark.parametrize(("option", "value"), [("megabytes", 1.0), ("min_updates", 2)])
def test_a_hash_kernel_takes_no_options_of_exact_tables(option, value):
    options = OnlineOptions(table="hash", **{option: value})
    with pytest.raises(OptionError, match=r"remove (--megabytes|one of them)"):
        fit_online(TrainingTask([]), options, Toy(), [1], None, "accuracy")
    fit_online(TrainingTask([]), OnlineOptions(**{option: value}), Toy(), [1], None, "accuracy")
    fit_online(TrainingTask([]), OnlineOptions(table="hash"), Toy(), [1], None, "accuracy")


def test_epochs_are_measured_and_their_loops_tracked():
    labels = []

    def track(items, label):
        labels.append(label)
        return items

    task = TrainingTask([], track=track)
    _, _, training = fit_online(task, OnlineOptions(epochs=2), Toy(), [1, 2], accuracy, "accuracy")
    assert [record["dev"] for record in training["epochs"]] == [{"accuracy": 100.0}] * 2
    assert labels == ["epoch 1/2", "epoch 2/2"]


def test_runs_start_afresh_in_orders_of_their_own_and_are_told_apart():
    keys, seen, labels, told = list(range(1, 21)), [], [], []
    scores = iter((40.0, 50.0, 70.0, 60.0, 10.0, 20.0))  # two epochs of each run; afterwards the stored model

    class Watched(Toy):
        def violation(self, key):
            seen.append((key, self.tables["all"].get(key, 1)))
            return super().violation(key)

    def track(items, label):
        labels.append(label)
        return items

    def measure(tables):
        outcome = Outcome()
        outcome.notes = {"accuracy": next(scores, 55.5)}
        return outcome

    task = TrainingTask([], seed=4, track=track, on_epoch=lambda record: told.append(record.line()[:7]))
    _, best, training = fit_online(task, OnlineOptions(epochs=2, runs=3), Watched(), keys, measure, "accuracy")
    assert (training["runs"], training["dev"]) == ("50.00, 70.00, 20.00", {"accuracy": 55.5})
    assert (training["best_epoch"], len(training["epochs"])) == (2, 2)  # of the first run
    assert labels == [f"run {run}/3, epoch {epoch}/2" for run in (1, 2, 3) for epoch in (1, 2)]
    assert told == [f"run {run}/3" for run in (1, 1, 2, 2, 3, 3)]
    orders = [[key for key, _ in seen[at : at + 20]] for at in range(0, 120, 20)]
    assert orders[0] == (1 + np.random.default_rng([4, 1]).permutation(20)).tolist()  # as if it were alone
    assert len({tuple(order) for order in orders}) == 6
    assert [weight for at in (0, 40, 80) for _, weight in seen[at : at + 20]] == [0.0] * 60
    assert best["all"]["keys"].tolist() == keys


def test_one_run_is_not_named():
    labels, told = [], []
    task = TrainingTask([], track=lambda items, label: labels.append(label) or items, on_epoch=told.append)
    _, _, training = fit_online(task, OnlineOptions(epochs=1), Toy(), [1], accuracy, "accuracy")
    assert "runs" not in training
    assert labels == ["epoch 1/1"]
    assert told[0].line().startswith("epoch   1")


@pytest.mark.parametrize("after", [1, 2])
def test_features_that_wait_for_more_updates_go_on_waiting_after_a_checkpoint(after):
    def trainer(epochs):
        return OnlineTrainer(Toy(), [1, 2], lambda *_: {"all": 1.0}, epochs=epochs, seed=1, min_updates=3)

    whole, first, second = trainer(4), trainer(after), trainer(4)
    list(whole.run())
    list(first.run())
    header, arrays = first.state()
    second.resume(header, arrays)
    list(second.run())
    assert [r.updates for r in whole.records] == [2, 2, 2, 0]
    assert [r.to_dict() for r in second.records] == [r.to_dict() for r in whole.records]
    for name in ("young.all.keys", "young.all.counts"):
        with pytest.raises(ValueError, match=r"arrays (keys|counts); expected keys, counts"):
            trainer(4).resume(header, {n: a for n, a in arrays.items() if n != name})
    with pytest.raises(ValueError, match="arrays missing; expected keys, counts"):
        trainer(4).resume(header, {n: a for n, a in arrays.items() if not n.startswith("young")})
