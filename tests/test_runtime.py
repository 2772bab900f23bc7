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
# systems that are not split into use and training yet, or have such a tagger inside
PENDING = {n for n in QUICK if n.startswith("easyfirst")}

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
    if name in PENDING:
        pytest.skip("use and training are still in one module")
    path = tmp_path / "model.plait"
    plait.train(name, train=tiny_file, **QUICK[name]).save(path)
    assert [module for module in modules_in_use(path) if TRAINS.match(module)] == []


def test_trainers_are_functions_of_modules_that_use_does_not_import():
    for name, entry in SYSTEMS.items():
        module = entry.trainer.partition(":")[0]
        assert name in PENDING or module != entry.runtime.partition(":")[0] or name not in QUICK


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
