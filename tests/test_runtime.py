"""Whoever loads a model and analyses a sentence imports nothing that trains."""

import re
import subprocess
import sys

import pytest

import plait
from plait.system import SYSTEMS

QUICK = {
    "crf-tagger": {"epochs": 1, "optimizer": "adagrad"},
    "perceptron-tagger": {"epochs": 1},
    "easyfirst-tagger": {"epochs": 1},
    "easyfirst-parser": {"epochs": 1, "folds": 2, "tagger_epochs": 1},
    "easyfirst-joint": {"epochs": 1},
    "transition-parser": {"epochs": 1, "beam": 2, "folds": 2, "tagger_epochs": 1},
    "transition-joint": {"epochs": 1, "beam": 2, "folds": 2, "tagger_epochs": 1},
    "graph-parser": {"epochs": 1, "folds": 2, "tagger_epochs": 1, "arc_epochs": 1},
    "graph-joint": {"epochs": 1, "folds": 2, "tagger_epochs": 1, "arc_epochs": 1},
}

TRAINS = re.compile(r"plait\.(learn|\w+\.(\w+_)?(training|fitting))(\.|$)")
USE = """
import sys, plait
nlp = plait.load(sys.argv[1])
doc = nlp(plait.Sentence(["dogs", "bark"]))
assert all(getattr(doc[0], column) for column in nlp.system.predicts)
print(*sys.modules, sep="\\n")
"""


def modules_in_use(path) -> list[str]:
    """The modules of a fresh interpreter that has analysed a sentence with a model."""
    found = subprocess.run([sys.executable, "-c", USE, str(path)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout.split()


@pytest.mark.parametrize("name", QUICK)
def test_a_model_in_use_imports_no_trainer(name, tiny_file, tmp_path):
    path = tmp_path / "model.plait"
    plait.train(name, train=tiny_file, **QUICK[name]).save(path)
    assert [module for module in modules_in_use(path) if TRAINS.match(module)] == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_trainer_of_a_system_is_in_a_module_that_trains(name):
    used, trains = (place.partition(":")[0] for place in (SYSTEMS[name].runtime, SYSTEMS[name].trainer))
    assert (bool(TRAINS.match(used)), bool(TRAINS.match(trains))) == (False, True)


@pytest.mark.parametrize(
    ("module", "trains"),
    [
        ("plait.learn", True),
        ("plait.learn.batch", True),
        ("plait.graph.training", True),
        ("plait.graph.training.first_order", True),
        ("plait.graph.first_order_training", True),
        ("plait.chain.fitting", True),
        ("plait.learned", False),
        ("plait.graph.system", False),
        ("json", False),
    ],
)
def test_modules_that_train_are_told_by_their_names(module, trains):
    assert bool(TRAINS.match(module)) == trains


@pytest.mark.parametrize("name", ["en", "zh"])
def test_a_shipped_model_starts_without_modules_that_take_long_to_import(name):
    modules = modules_in_use(name)
    slow = ("numpy.ma", "numpy.random", "asyncio", "multiprocessing")  # np.unique and its kin import numpy.ma
    assert [module for module in modules if TRAINS.match(module) or module in slow] == []
