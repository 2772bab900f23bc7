"""Training that is interrupted and resumed from its checkpoint file ends in the very model of an uninterrupted run."""

import random

import pytest

import plait
from plait import Sentence
from plait.errors import ModelError, OptionError
from plait.system import SYSTEMS

TAGS = ("NOUN", "VERB", "ADJ", "ADV")
LABELS = ("nsubj", "obj", "amod")
EPOCHS = 5

SMALL = {"folds": 2, "tagger_epochs": 1, "epochs": EPOCHS}
# every system at least once, and every kind of trainer, measure and part
RUNS = {
    "easyfirst-tagger": {"epochs": EPOCHS},
    "easyfirst-parser": SMALL,
    "easyfirst-joint": {"epochs": EPOCHS, "tag_step": 1.0},
    "easyfirst-joint with a beam": {"epochs": EPOCHS, "beam": 2, "warmup": 2},
    "easyfirst-joint with patience": {"epochs": 9, "patience": 3},
    "perceptron-tagger": {"epochs": EPOCHS},
    "morph-tagger": {"epochs": EPOCHS},
    "easyfirst-joint without rare features": {"epochs": EPOCHS, "min_updates": 3},
    "perceptron-tagger in a hash kernel": {"epochs": EPOCHS, "table": "hash", "hash_bits": 12},
    "crf-tagger": {"epochs": EPOCHS, "dev_every": 1, "delta": 0.0},
    "crf-tagger by adagrad": {"epochs": EPOCHS, "optimizer": "adagrad"},
    "crf-chunker": {"epochs": EPOCHS, "optimizer": "adagrad"},
    "crf-chunker in two stages": {"epochs": EPOCHS, "structure": "pipeline", "delta": 0.0},
    "crf-segmenter": {"epochs": EPOCHS, "optimizer": "adagrad"},
    "crf-segmenter in two stages": {"epochs": EPOCHS, "structure": "pipeline", "optimizer": "adagrad"},
    "lemmatizer": {"epochs": EPOCHS},
    "transition-parser": {**SMALL, "beam": 2},
    "transition-joint": {**SMALL, "beam": 2},
    "transition-weave": {
        **SMALL,
        "beam": 2,
        "segmenter_options": "structure=linear optimizer=adagrad epochs=1 units=characters",
    },
    "graph-parser": SMALL,
    "graph-joint": SMALL,
    "committee": {"members": f"easyfirst-joint epochs={EPOCHS}; perceptron-tagger epochs={EPOCHS}"},
    "pipeline": {
        "parser_options": f"epochs={EPOCHS}",
        "segmenter_options": f"structure=linear optimizer=adagrad epochs={EPOCHS}",
        "tagger": "perceptron-tagger",
        "tagger_options": f"tag=xpos epochs={EPOCHS}",
    },
}
IN_LATER_PARTS = {"committee": (EPOCHS + 1,), "pipeline": (EPOCHS + 1, 2 * EPOCHS + 2)}  # epochs of all parts


def treebank(seed, size):
    """Sentences that are half law and half noise, so that scores go up and down from epoch to epoch."""
    draw = random.Random(seed)
    sentences = []
    for _ in range(size):
        n = draw.randint(2, 6)
        words = [draw.randrange(12) for _ in range(n)]
        tags = [w % 4 if draw.random() < 0.7 else draw.randrange(4) for w in words]
        root = draw.randrange(n)
        heads = [0 if i == root else root + 1 if draw.random() < 0.5 else (i if i > root else i + 2) for i in range(n)]
        sentences.append(
            Sentence(
                [f"w{w}" for w in words],
                lemmas=[f"w{w}" + ("", "x", "y", "z")[t] for w, t in zip(words, tags, strict=True)],
                upos=[TAGS[t] for t in tags],
                xpos=[TAGS[t][:1] for t in tags],
                heads=heads,
                deprels=["root" if h == 0 else LABELS[(w + t) % 3] for h, w, t in zip(heads, words, tags, strict=True)],
                extra={"chunk": [draw.choice(("B-NP", "B-VP", "O")) for _ in range(n)]},
            )
        )
    return sentences


TRAIN, DEV = treebank(11, 24), treebank(111, 24)


class StopError(Exception):
    pass


def train(name, tmp_path, *, resume=False, stop=0):
    """A run, perhaps ended after so many records; its model's bytes."""
    count = 0

    def on_epoch(record):
        nonlocal count
        count += "epoch" in record.to_dict()
        if stop and count == stop:
            raise StopError

    system = name.split()[0]
    checkpoint = tmp_path / "training.checkpoint"
    model = plait.train(
        system, train=TRAIN, dev=DEV, checkpoint=checkpoint, resume=resume, on_epoch=on_epoch, **RUNS[name]
    )
    return model.to_bytes()


def test_every_system_is_tried():
    assert {name.split()[0] for name in RUNS} == set(SYSTEMS)


@pytest.mark.parametrize("name", RUNS)
def test_a_resumed_training_gives_the_same_file_as_an_uninterrupted_one(name, tmp_path):
    (tmp_path / "whole").mkdir()
    whole = train(name, tmp_path / "whole")
    for stop in (1, 3, *IN_LATER_PARTS.get(name, ())):
        folder = tmp_path / f"after-{stop}"
        folder.mkdir()
        with pytest.raises(StopError):
            train(name, folder, stop=stop)
        assert train(name, folder, resume=True) == whole, f"interrupted after {stop}"


def test_the_epochs_of_the_test_treebank_are_ranked_differently_by_different_measures():
    """Otherwise the test above could not see a resumed run judge by another one."""
    for system, first in (("easyfirst-joint", "accuracy"), ("transition-joint", "las")):
        training = plait.train(system, train=TRAIN, dev=DEV, **RUNS[system]).system.training
        assert training["decides"] != first
        scores = [{name: e["dev"][name] for name in (first, training["decides"])} for e in training["epochs"]]
        best = {name: max(range(EPOCHS), key=lambda k, name=name: scores[k][name]) for name in scores[0]}
        assert best[training["decides"]] + 1 == training["best_epoch"]
        assert best[first] != best[training["decides"]]


def test_the_first_order_parser_refuses_a_checkpoint(tmp_path):
    with pytest.raises(OptionError, match="remove --checkpoint"):
        plait.train("graph-parser", train=TRAIN, checkpoint=tmp_path / "c", order=1)


def test_more_epochs_with_another_number_of_greedy_ones_are_refused(tmp_path):
    """By default a third of the epochs of a beam is greedy; those that have been trained cannot be any more."""
    checkpoint = tmp_path / "c"
    plait.train("easyfirst-joint", train=TRAIN, dev=DEV, checkpoint=checkpoint, epochs=3, beam=2)
    longer = {"train": TRAIN, "dev": DEV, "epochs": 9, "beam": 2}
    with pytest.raises(ModelError, match="different data, options or seed"):
        plait.train("easyfirst-joint", checkpoint=checkpoint, resume=True, **longer)
    more = plait.train("easyfirst-joint", checkpoint=checkpoint, resume=True, warmup=1, **longer)
    assert more.to_bytes() == plait.train("easyfirst-joint", warmup=1, **longer).to_bytes()


def test_more_epochs_may_be_asked_for_when_resuming(tmp_path):
    checkpoint = tmp_path / "c"
    for name, options in (
        ("easyfirst-joint", {}),
        ("crf-tagger", {"delta": 0.0}),
        ("crf-tagger", {"optimizer": "adagrad"}),
    ):
        checkpoint.unlink(missing_ok=True)
        plait.train(name, train=TRAIN, dev=DEV, checkpoint=checkpoint, epochs=2, **options)
        more = plait.train(name, train=TRAIN, dev=DEV, checkpoint=checkpoint, resume=True, epochs=4, **options)
        assert more.to_bytes() == plait.train(name, train=TRAIN, dev=DEV, epochs=4, **options).to_bytes()
        with pytest.raises(ModelError, match="increase --epochs"):
            plait.train(name, train=TRAIN, dev=DEV, checkpoint=checkpoint, resume=True, epochs=3, **options)
