"""A small treebank and a pipeline trained on it, for the tests that need no other."""

import pytest
from quick import QUICK

import plait


@pytest.fixture(scope="module")
def treebank(tiny_file):
    return plait.read(tiny_file)


@pytest.fixture(scope="module")
def nlp(treebank):
    return plait.train("pipeline", train=treebank, dev=treebank, **QUICK)
