"""Weights that are no numbers: a typed error, and never an index out of nowhere."""

from random import Random

import numpy as np
import pytest
from test_transition_search import Model, gold_moves, sentence
from transition_trees import random_tree

from plait.data.trees import is_tree
from plait.errors import ModelError, OptionError
from plait.options import make_options
from plait.transition._search import UPDATES
from plait.transition.options import TransitionJointOptions


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 3.4e38, -3.4e38])
@pytest.mark.parametrize("keys", [30, 30_000])
@pytest.mark.parametrize("b1", [1, 4])
def test_no_weight_leads_a_search_out_of_its_beam(value: float, keys: int, b1: int) -> None:
    random = Random(1)
    errors = []
    for n in (1, 2, 5):
        model = Model(n, b1, 2, graph=True)
        for table in model.tables.values():
            for key in range(1, keys + 1):
                table.update(key, 0, value)
        given = sentence(n, 3, random, model.features)
        gold = gold_moves(random_tree(n, random), given[1][1], random)
        actions, choices = (np.array(part, dtype=np.uint16) for part in zip(*gold, strict=True))
        open_words = np.full(n, -1, dtype=np.int32)
        for bound in ((), (open_words, open_words)):
            try:
                _, heads, _, score, _ = model.search.decode(*given, *bound)
                assert np.isfinite(score)
                assert is_tree(heads.tolist())
            except ModelError as error:
                errors.append(str(error))
        for update in UPDATES:
            try:
                model.search.learn(*given, actions, choices, update)
            except ModelError as error:
                errors.append(str(error))
    assert all("finite" in error for error in errors)
    assert errors or keys < 1000


@pytest.mark.parametrize("name", ["beam", "beam_tags"])
def test_a_beam_has_an_upper_bound(name: str) -> None:
    with pytest.raises(OptionError, match="4096"):
        make_options(TransitionJointOptions, {name: 4097}, "transition-joint")
