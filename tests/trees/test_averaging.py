"""The number of runs that parsers average unless it is given: several on small treebanks, one otherwise."""

from __future__ import annotations

import logging

import pytest

import plait
from plait.trees import averaging

PARSERS = {
    "easyfirst-parser": {},
    "easyfirst-joint": {},
    "transition-parser": {"beam": 2, "folds": 2},
    "transition-joint": {"beam": 2, "folds": 2},
    "graph-parser": {"folds": 2, "arc_epochs": 1},
    "graph-joint": {"folds": 2, "arc_epochs": 1},
}


@pytest.fixture(scope="module")
def treebank():
    return plait.read("examples/tiny.conllu").sentences[:6]


def trained(system, treebank, path, **options):
    model = plait.train(system, train=treebank, epochs=1, **PARSERS[system], **options)
    model.save(path)
    return model.system.options.runs, path.read_bytes()


@pytest.mark.parametrize("system", PARSERS)
def test_small_treebanks_are_trained_three_times(system, treebank, tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "plait")
    once = trained(system, treebank, tmp_path / "toy")
    assert once[0] == 1
    assert once == trained(system, treebank, tmp_path / "once", runs=1)
    assert "whose weights are averaged" not in caplog.text
    monkeypatch.setattr(averaging, "FEWEST_WORDS", 1)
    small = trained(system, treebank, tmp_path / "small")
    assert small[0] == 3
    assert "3 runs, whose weights are averaged: the training data has only" in caplog.text
    assert small == trained(system, treebank, tmp_path / "three", runs=3)
    assert small[1] != once[1]


def test_a_first_order_parser_is_trained_once(treebank, monkeypatch):
    monkeypatch.setattr(averaging, "FEWEST_WORDS", 1)
    assert plait.train("graph-parser", train=treebank, order=1, folds=2, arc_epochs=1).system.options.runs == 0
