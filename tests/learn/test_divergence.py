"""Training whose weights diverge ends with a typed error, whatever the system."""

import numpy as np
import pytest

import plait
from plait.chain.training import fitting
from plait.errors import ModelError, PlaitError
from plait.learn import online
from plait.learn.divergence import check_learned, check_score

TAGGER = {"folds": 2, "tagger_epochs": 1}
ONLINE = {
    "easyfirst-tagger": {},
    "easyfirst-parser": {"beam": 2, **TAGGER},
    "easyfirst-joint": {"table": "hash", "hash_bits": 10},
    "perceptron-tagger": {},
    "transition-parser": {"beam": 1, **TAGGER},
    "transition-joint": {"beam": 4, "update": "early", "graph_features": True, **TAGGER},
    "graph-parser": TAGGER,
    "graph-joint": TAGGER,
}


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("factor", [1e20, 1e38, float("nan")])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_steps_that_are_far_too_large_are_an_error(name, factor, tiny_file, monkeypatch):
    steps = online.apply_update

    def explode(learner, tables, violation):
        return steps(lambda *of: {group: factor * step for group, step in learner(*of).items()}, tables, violation)

    monkeypatch.setattr(online, "apply_update", explode)
    with pytest.raises(PlaitError, match="diverged"):
        plait.train(name, train=tiny_file, epochs=2, **ONLINE[name])


@pytest.mark.parametrize("name", ["crf-tagger", "crf-segmenter", "graph-parser"])
def test_weights_that_no_file_can_hold_are_an_error(name, tiny_file, monkeypatch):
    monkeypatch.setattr("plait.core.rows.LARGEST", 1e-3)
    with pytest.raises(ModelError, match="diverged"):
        plait.train(name, train=tiny_file, epochs=1, **({"optimizer": "adagrad"} if name != "graph-parser" else TAGGER))


@pytest.mark.parametrize("optimizer", ["adagrad", "lbfgs"])
@pytest.mark.parametrize("value", [1e150, 1e300, float("nan")])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_crf_that_diverges_leaves_no_checkpoint(optimizer, value, tiny_file, tmp_path, monkeypatch):
    make_trainer = fitting.make_trainer

    def far_out(problem, start, *arguments):
        return make_trainer(problem, np.full(problem.parameters, value), *arguments)

    monkeypatch.setattr(fitting, "make_trainer", far_out)
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(ModelError, match="diverged"):
        plait.train("crf-tagger", train=tiny_file, epochs=2, optimizer=optimizer, checkpoint=checkpoint)
    assert not checkpoint.exists()


def test_what_is_no_number_is_no_weight():
    for value in (float("nan"), float("inf"), -float("inf"), 2.0**41):
        with pytest.raises(ModelError):
            check_learned([1.0, value])
    for value in (float("nan"), float("inf"), -float("inf")):
        with pytest.raises(ModelError):
            check_score(value)
    check_learned([2.0**40, -1.0])
