"""Every number that a system can be told is checked before its training begins, and so is whether it has an effect."""

import math

import numpy as np
import pytest

import plait
from plait import Sentence
from plait.errors import OptionError
from plait.options import describe
from plait.system import SYSTEMS, find_system

DATA = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]


def fail(*arguments, **more):
    raise AssertionError("training has begun")


OPTIONS = [(system, d) for system in SYSTEMS for d in describe(find_system(system).Options)]
NUMBERS = [(system, d.name, d.type) for system, d in OPTIONS if d.type in (int, float)]


@pytest.mark.parametrize(("system", "name", "kind"), NUMBERS)
def test_numbers_that_no_model_could_store_are_refused_before_training(system, name, kind, monkeypatch):
    monkeypatch.setattr("plait.pipeline.training.find_trainer", lambda name: fail)
    values = [10**400] if kind is int else [math.inf, -math.inf, math.nan, 1e300, -1e300]
    for value in values:
        with pytest.raises(OptionError, match=f"option {name} is"):
            plait.train(system, train=DATA, **{name: value})


@pytest.mark.parametrize(
    ("system", "options", "words"),
    [
        ("easyfirst-joint", {"warmup": 3}, "warmup has no effect without a beam"),
        (
            "easyfirst-tagger",
            {"after_error": "stop", "beam": 4, "warmup": 0},
            "after_error has no effect without greedy epochs",
        ),
        (
            "easyfirst-parser",
            {"after_error": "retry", "beam": 4, "warmup": 0},
            "after_error has no effect without greedy epochs",
        ),
        ("easyfirst-joint", {"patience": 3}, "patience has no effect without development data"),
        ("perceptron-tagger", {"hash_bits": 12}, "hash_bits has no effect without --table hash"),
        ("perceptron-tagger", {"slack": 0.5}, "slack has no effect without development data"),
        ("crf-tagger", {"rate": 0.5}, "rate has no effect without --optimizer adagrad"),
        ("crf-segmenter", {"optimizer": "adagrad", "memory": 3}, "memory has no effect without --optimizer lbfgs"),
        ("transition-joint", {"graph_templates": "second"}, "graph_templates has no effect without --graph-features"),
        (
            "transition-parser",
            {"tagger": "morph", "tagger_lasso": 0.1},
            "tagger_lasso has no effect without --tagger crf",
        ),
        ("easyfirst-joint", {"check": True}, "check has no effect without a beam"),
        ("transition-joint", {"tag_candidates": 1, "alpha": 0.3}, "alpha has no effect without several candidate tags"),
        ("easyfirst-joint", {"labeled": False, "shared": False}, "shared has no effect without labels"),
        ("graph-parser", {"projective": False}, "projective has no effect without --order 1"),
        *(
            ("graph-parser", {"order": 1, name: value}, f"{name} has no effect without --order 2")
            for name, value in {"epochs": 3, "learner": "pa", "augment": False, "megabytes": 1.0}.items()
        ),
        ("crf-segmenter", {"candidates": 3}, "candidates has no effect without --structure rerank"),
        ("crf-segmenter", {"tag_templates": "collins"}, "tag_templates has no effect without --structure pipeline or"),
        ("pipeline", {"tagger": "", "tagger_options": "epochs=2"}, "tagger_options has no effect without a tagger"),
        ("pipeline", {"lemmatizer": "none", "lemmatizer_options": "epochs=2"}, "no effect without lemmas"),
        (
            "pipeline",
            {"parser": "easyfirst-joint", "parser_options": "warmup=3"},
            "easyfirst-joint: option warmup has no effect",
        ),
        ("pipeline", {"segmenter_options": "rate=0.3"}, "crf-segmenter: option rate has no effect"),
    ],
)
def test_options_without_effect_are_refused(system, options, words):
    with pytest.raises(OptionError, match=words):
        plait.train(system, train=DATA, **options)


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("easyfirst-joint", {"warmup": 0}),
        ("easyfirst-tagger", {"after_error": "stop", "beam": 2, "warmup": 1, "epochs": 2}),
        ("crf-tagger", {"rate": 0.5, "optimizer": "adagrad"}),
        ("graph-parser", {"projective": True, "max_heads": 2, "folds": 2, "epochs": 1, "tagger_epochs": 1}),
        ("graph-parser", {"projective": False, "order": 1, "max_heads": 0, "folds": 2, "tagger_epochs": 1}),
        ("pipeline", {"tagger": "", "tagger_options": "", "parser_options": "epochs=1"}),
    ],
)
def test_options_with_an_effect_are_taken(system, options):
    plait.train(system, train=DATA, **options)


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("crf-tagger", {"optimizer": "adagrad", "rate": 1e6, "sigma": 1e6, "epochs": 2}),
        ("crf-tagger", {"optimizer": "adagrad", "lasso": 1e18, "epochs": 2}),
        ("crf-tagger", {"sigma": 1e6, "epochs": 2}),
        ("crf-tagger", {"sigma": 1e-3, "epochs": 2, "prune_below": 1e18}),
        ("graph-parser", {"order": 1, "arc_rate": 1e6}),
        ("graph-parser", {"order": 2, "arc_rate": 1e6, "epochs": 2}),
        ("transition-joint", {"tagger_lasso": 1e18, "epochs": 2, "megabytes": 1e18}),
    ],
)
def test_the_largest_numbers_that_are_taken_give_a_model_that_can_be_stored(system, options):
    plait.train(system, train=DATA * 3, **options).to_bytes()


def test_a_seed_is_a_whole_number_of_any_package(tiny_file, tmp_path):
    def trained(seed):
        path = tmp_path / "m.plait"
        plait.train("perceptron-tagger", train=tiny_file, epochs=1, seed=seed).save(path)
        return path.read_bytes()

    assert trained(np.int64(3)) == trained(3)
    for seed in (-1, 1 << 63, 1.5, "1", None):
        with pytest.raises(OptionError, match=r"seed is .*; expected an integer from 0"):
            trained(seed)
