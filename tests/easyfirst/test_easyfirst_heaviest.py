"""What plait info says of easy-first models: features in words, with the weights that the tables have."""

import numpy as np
import pytest

from plait.core._hashing import key_of, text_hash
from plait.data.document import Sentence
from plait.easyfirst.training.heaviest import derivation
from plait.easyfirst.training.model import Example
from plait.pipeline import train

DATA = [
    Sentence(["old", "dogs", "bark"], upos=["ADJ", "NOUN", "VERB"], heads=[2, 3, 0], deprels=["amod", "nsubj", "root"]),
    Sentence(["dogs", "see", "cats"], upos=["NOUN", "VERB", "NOUN"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"]),
    Sentence(["cats", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]),
]
OPTIONS = {
    "easyfirst-tagger": {},
    "easyfirst-parser": {"gold_tags": True, "tagger_epochs": 2},
    "easyfirst-joint": {"tag_templates": "guided+Syn", "folds": 2, "guide_epochs": 2},
}


@pytest.mark.parametrize("system", OPTIONS)
def test_tags_and_attachments_have_named_features(system):
    heaviest = train(system, train=DATA, epochs=3, **OPTIONS[system]).header["training"]["heaviest"]
    if system != "easyfirst-parser":
        assert "suf1=s" in [text for text, _ in heaviest["NOUN"]]
    if system != "easyfirst-tagger":
        assert {"attach_right nsubj", "attach_left obj"} <= set(heaviest)
        assert any("NOUN" in text for text, _ in heaviest["attach_right nsubj"])
    for features in heaviest.values():
        weights = [weight for _, weight in features]
        assert weights == sorted(weights, reverse=True)
        assert all(weight > 0 for weight in weights)


def test_a_name_belongs_to_the_weight_beside_it():
    model = train("easyfirst-tagger", train=DATA, epochs=3, bits=32, prune=False)
    weights = model.system.weights["tags"]
    seed = {template.text: template.seed for template in model.system.features.tag_order}
    checked = 0
    for tag, features in model.header["training"]["heaviest"].items():
        for text, weight in features:
            column, _, value = text.partition("=")
            if column in ("w0", "pre1", "suf1", "low") and " " not in text:
                key = key_of(seed[column], [text_hash(value)])
                scores = weights.scores(np.array([key], dtype=np.uint64))
                assert scores[model.system.tags.index(tag)] == pytest.approx(weight, abs=1e-3)
                checked += 1
    assert checked > 0


def test_a_derivation_makes_the_gold_tree():
    heads = np.array([2, 5, 2, 3, 0, 5], dtype=np.int32)
    example = Example(np.zeros((0, 0), np.uint64), heads=heads, labels=np.arange(6, dtype=np.uint16))
    found = {}
    for pending, place, direction, action in derivation(example):
        found[pending[place].word] = pending[place - 1 if direction == 0 else place + 1].word
        assert action == 2 * pending[place].word + direction
    assert found == {w: h - 1 for w, h in enumerate(heads.tolist()) if h > 0}
