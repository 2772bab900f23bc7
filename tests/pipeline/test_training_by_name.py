"""What a training is told and what the model remembers of it, with systems that learn nothing."""

import hashlib
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pretend import Pretend, PretendOptions

from plait import Document, Sentence
from plait.data.document import EmptyNode, Range
from plait.errors import DataError, OptionError
from plait.learn.task import no_track
from plait.options import DEV, option
from plait.pipeline import training as training_module
from plait.pipeline.training import train

DATA = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], lemmas=["dog", "bark"]), Sentence(["go"], upos=["VERB"])]
LINES = "1\tdogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def tasks(monkeypatch):
    """The tasks that a system is trained with; each training reports one epoch."""
    seen = []

    def fit(task, options):
        seen.append(task)
        task.on_epoch(SimpleNamespace(line=lambda: "epoch 1"))
        system = Pretend(PretendOptions(tag=options.tag, volume=9))
        system.training = {"best_epoch": 1}
        return system

    monkeypatch.setattr(training_module, "find_system", lambda name: Pretend)
    monkeypatch.setattr(training_module, "find_trainer", lambda name: fit)
    return seen


def test_a_task_is_what_was_asked_for(tasks, tmp_path):
    def track(items, label):
        return items

    file = tmp_path / "t.conllu"
    file.write_text(LINES)
    train(
        "pretend", train=DATA, dev=file, seed=np.int64(7), threads=3, checkpoint=str(tmp_path / "c"), resume=True,
        track=track, sources=[file, tmp_path / "missing"],
    )  # fmt: skip
    (task,) = tasks
    assert task.train == DATA
    assert [s.forms for s in task.dev] == [["dogs"]]
    assert (task.seed, type(task.seed), task.threads, task.resume) == (7, int, 3, True)
    assert task.checkpoint == tmp_path / "c"
    assert task.track is track
    assert task.sources == (file, file)


def test_a_task_has_defaults(tasks):
    train("pretend", train=DATA)
    (task,) = tasks
    assert (task.seed, task.threads, task.checkpoint, task.resume) == (1, 1, None, False)
    assert (list(task.dev), task.sources, task.track) == ([], (), no_track)


def test_the_header_has_data_options_and_rights(tasks):
    model = train("pretend", train=DATA, dev=DATA[:1], seed=5, licence="CC0", attribution="me", volume=4)
    header = model.header
    assert header["system"] == "pretend"
    assert header["options"] == {"tag": "upos", "volume": 9}  # as the system has decided
    assert [(part, data["sentences"], data["words"]) for part, data in header["data"].items()] == [
        ("train", 2, 3), ("dev", 1, 2),
    ]  # fmt: skip
    assert (header["seed"], header["licence"], header["attribution"]) == (5, "CC0", "me")
    assert header["training"] == {"best_epoch": 1}
    plain = train("pretend", train=DATA).header
    assert (list(plain["data"]), plain["licence"], plain["attribution"]) == (["train"], "", "")


def test_epochs_are_logged_and_reported(tasks, caplog):
    reported = []
    with caplog.at_level(logging.INFO, logger="plait"):
        train("pretend", train=DATA, on_epoch=reported.append)
    assert [record.getMessage() for record in caplog.records] == ["pretend: epoch 1"]
    assert [record.line() for record in reported] == ["epoch 1"]


def test_data_without_words_is_refused(tasks):
    for data in ([], [Sentence([])]):
        with pytest.raises(DataError, match=r"^the training data has no words; expected at least one annotated"):
            train("pretend", train=data)
    assert not tasks


def test_options_are_checked_with_the_name_of_the_system(tasks):
    with pytest.raises(OptionError, match=r'^pretend has no option "size"'):
        train("pretend", train=DATA, size=3)


@dataclass(frozen=True)
class WaitingOptions(PretendOptions):
    patience: int = option(0, "how long to wait", needs=DEV)


def test_options_that_need_development_data_are_refused_without(tasks, monkeypatch):
    waiting = type("Waiting", (Pretend,), {"Options": WaitingOptions})
    monkeypatch.setattr(training_module, "find_system", lambda name: waiting)
    with pytest.raises(OptionError, match="patience has no effect without development data"):
        train("pretend", train=DATA, patience=3)
    train("pretend", train=DATA, dev=[], patience=3)
    assert len(tasks) == 1


def test_a_number_of_threads_below_one_is_refused(tasks):
    with pytest.raises(OptionError, match="threads is 0; expected at least 1"):
        train("pretend", train=DATA, threads=0)
    assert not tasks


def test_nothing_is_resumed_without_a_checkpoint(tasks):
    with pytest.raises(OptionError, match="resume has no effect without a checkpoint"):
        train("pretend", train=DATA, resume=True)
    assert not tasks


@pytest.mark.parametrize("seed", [-1, 1 << 63, 1.5, "1", None])
def test_a_seed_is_a_number_that_the_file_can_hold(tasks, seed):
    with pytest.raises(OptionError) as found:
        train("pretend", train=DATA, seed=seed)
    assert str(found.value) == f"seed is {seed!r}; expected an integer from 0 to 2^63 - 1"
    assert train("pretend", train=DATA, seed=0).header["seed"] == 0
    assert train("pretend", train=DATA, seed=(1 << 63) - 1).header["seed"] == (1 << 63) - 1


def test_missing_lemmas_are_told_by_systems_that_learn_them(tasks, caplog, tmp_path):
    file = tmp_path / "t.conllu"
    file.write_text("1\tdogs\tdog\tNOUN\t_\t_\t2\tdep\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    for system, told in (("lemmatizer", 1), ("other", 0)):
        caplog.clear()
        train(system, train=file)
        assert [record.levelname for record in caplog.records] == ["WARNING"] * told
    caplog.clear()
    train("lemmatizer", train=[file])
    assert re.match(r"lemmatizer: 1 of 2 words has no lemma \(the first: .*t\.conllu:2\)", caplog.messages[0])


def test_data_is_a_file_a_document_sentences_or_several_of_these(tasks, tmp_path):
    file = tmp_path / "t.conllu"
    file.write_text(LINES)
    for data, forms in (
        (str(file), [["dogs"]]),
        (file, [["dogs"]]),
        (Document(DATA), [["dogs", "bark"], ["go"]]),
        ([DATA[1], Document(DATA[:1])], [["go"], ["dogs", "bark"]]),
        ([file, str(file)], [["dogs"], ["dogs"]]),
    ):
        train("pretend", train=data)
        assert [s.forms for s in tasks[-1].train] == forms
        files = [] if isinstance(data, Document) else [data] if isinstance(data, (str, Path)) else data
        assert tasks[-1].sources == tuple(f for f in files if isinstance(f, (str, Path)))


def test_a_checkpoint_is_known_by_data_seed_and_options_but_not_by_their_length(tasks):
    def identity(**change):
        train(change.pop("system", "pretend"), **{"train": DATA, **change})
        return tasks[-1].identity

    same = identity()
    assert re.fullmatch(r"[0-9a-f]{64}", same)
    assert identity() == same
    others = [
        identity(train=DATA[:1]), identity(seed=2), identity(volume=4), identity(system="other"), identity(dev=DATA),
    ]  # fmt: skip
    assert len({same, *others}) == 6


def test_numbers_that_may_be_raised_are_no_part_of_the_identity():
    free = {"epochs": 1, "runs": 1, "bits": 8, "prune": True, "prune_below": 0.1, "slack": 0.1, "megabytes": 1.0}
    header = {"seed": 1, "options": {**free, "learner": "pa", "beam": 8}}
    assert training_module._without_length(header) == {
        "seed": 1, "options": {"learner": "pa", "beam": 8}, "files": {},
    }  # fmt: skip


def test_files_that_options_name_count_with_their_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_bytes(b"templates")
    digest = hashlib.sha256(b"templates").hexdigest()
    options = {"a": "mine.txt", "b": "mine.txt:set", "c": "beam=8 templates=mine.txt", "d": "none.txt", "e": 3, "f": ""}
    found = training_module._without_length({"options": options})
    assert found["files"] == {"a mine.txt": digest, "b mine.txt": digest, "c mine.txt": digest}


def test_what_may_name_a_file_in_an_option():
    assert list(training_module._paths("a:b:c")) == ["a:b:c", "a:b"]
    assert list(training_module._paths("x=f:s y=g")) == ["x=f:s y=g", "x=f", "f:s", "f", "g"]
    assert list(training_module._paths("")) == []


def test_notices_are_logged_for_the_whole_and_its_parts(monkeypatch, caplog):
    def told(training, options):
        return [f"{options} of {part}" for part in training]

    monkeypatch.setattr(training_module, "notices", told)
    part = SimpleNamespace(name="p", training=["inner"], options="slack")
    whole = SimpleNamespace(
        name="pipeline", training=["all"], options="beam", segmenter=part, parser=part, tagger=None, lemmatizer=part
    )
    training_module._log_notices("pipeline", whole)
    assert caplog.messages == ["pipeline: beam of all"] + ["pipeline, p: slack of inner"] * 3
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    caplog.clear()
    training_module._log_notices("p", part)
    assert caplog.messages == ["p: slack of inner"]


def test_notices_are_logged_after_training(tasks, monkeypatch, caplog):
    monkeypatch.setattr(training_module, "notices", lambda training, options: [f"{training} {options.volume}"])
    train("pretend", train=DATA)
    assert caplog.messages == ["pretend: {'best_epoch': 1} 9"]


def test_the_digest_of_data_is_that_of_its_columns():
    sentence = Sentence(["a", "b"], upos=["X", "Y"], comments=["# note"], extra={"z": ["1", "2"], "chunk": ["O", "O"]})
    columns = [sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.heads,
               sentence.deprels, sentence.deps, sentence.misc]  # fmt: skip
    columns += [["chunk", "O", "O"], ["z", "1", "2"], [], []]
    text = "\x1d".join("\x1f".join(map(str, column)) for column in columns) + "\x1e"
    found = training_module._digest([sentence, sentence])
    assert found == {"sentences": 2, "words": 4, "sha256": hashlib.sha256((text + text).encode()).hexdigest()}
    assert training_module._digest([]) == {"sentences": 0, "words": 0, "sha256": hashlib.sha256().hexdigest()}


def test_every_part_of_a_sentence_but_its_comments_is_in_the_digest():
    def digest(**change):
        sentence = Sentence(["a", "b"])
        for name, value in change.items():
            setattr(sentence, name, value)
        return training_module._digest([sentence])["sha256"]

    changes = [
        {"forms": ["a", "c"]}, {"lemmas": ["a", "b"]}, {"heads": [0, 1]}, {"misc": ["x", "_"]},
        {"extra": {"chunk": ["O", "O"]}}, {"ranges": [Range(1, 2, "ab")]},
        {"empties": [EmptyNode(1, 1, ("c",) * 8)]}, {"forms": ["a", "\ud800"]},
    ]  # fmt: skip
    assert len({digest(), *(digest(**change) for change in changes)}) == len(changes) + 1
    assert digest(comments=["# x"]) == digest()
