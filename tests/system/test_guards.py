"""Whatever a system predicts is measured on development data, so that storing cannot change it unseen."""

import pytest

import plait
from plait import Sentence
from plait.learn.outcome import MEASURES

DATA = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])] * 3
SMALL = {"epochs": 1, "folds": 2, "tagger_epochs": 1}

ONLINE = {
    "perceptron-tagger": ({"epochs": 1}, {"tags"}),
    "easyfirst-tagger": ({"epochs": 1}, {"tags"}),
    "easyfirst-parser": (SMALL, {"heads", "labels"}),  # its tagger is frozen before
    "easyfirst-joint": ({"epochs": 1}, {"tags", "heads", "labels"}),
    "transition-parser": (SMALL | {"beam": 2}, {"heads", "labels"}),
    "transition-joint": (SMALL | {"beam": 2}, {"tags", "heads", "labels"}),
    "graph-parser": (SMALL, {"heads", "labels"}),
    "graph-joint": (SMALL, {"tags", "heads", "labels"}),
}


@pytest.mark.parametrize("name", ONLINE)
def test_every_column_that_a_system_decides_on_has_a_measure_of_its_own(name):
    options, columns = ONLINE[name]
    training = plait.train(name, train=DATA, dev=DATA, **options).system.training
    measured = [set(MEASURES.get(measure, (measure,))) for measure in training["dev"]]
    for column in columns:
        assert any(column in found and found <= {column, "heads"} for found in measured), column
    assert training["decides"] in training["dev"]
