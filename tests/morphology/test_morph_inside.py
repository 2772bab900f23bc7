"""The tagger of structured tags inside a parser: candidates for a joint search."""

import pytest

import plait
from plait import Sentence
from plait.pipeline.model import Model

ROWS = [
    ("der Hund bellt", "Case=Nom Case=Nom _"),
    ("den Hund sieht", "Case=Acc Case=Acc _"),
    ("die Katze sieht", "_ _ _"),
]


def trees():
    tree = {"upos": ["DET", "NOUN", "VERB"], "heads": [2, 3, 0], "deprels": ["det", "x", "root"]}
    return [Sentence(words.split(), feats=feats.split(), **tree) for words, feats in ROWS]


@pytest.mark.parametrize("system", ["transition-parser", "transition-joint"])
def test_a_parser_takes_its_tags_from_it(system):
    options = {"tag": "upos+feats", "tagger": "morph", "beam": 2, "epochs": 4, "folds": 2, "tagger_epochs": 6}
    model = plait.train(system, train=trees(), dev=trees(), **options)
    assert model.system.tagger.name == "morph-tagger"
    again = Model.from_bytes(model.to_bytes())
    for gold in trees():
        found = again(gold.forms)[0]
        assert (found.upos, found.feats, found.heads) == (
            model(gold.forms)[0].upos, model(gold.forms)[0].feats, model(gold.forms)[0].heads
        )  # fmt: skip
    assert again(["den", "Hund", "sieht"])[0].heads == [2, 3, 0]


def test_feats_in_another_order_are_no_obstacle():
    data = trees()
    data[0].feats = ["Number=Sing|Case=Nom", "Case=Nom|Number=Sing", "_"]
    options = {"tag": "upos+feats", "tagger": "morph", "beam": 2, "epochs": 1, "folds": 2, "tagger_epochs": 2}
    model = plait.train("transition-joint", train=data, **options)
    assert len(model(["der", "Hund"])[0].feats) == 2
