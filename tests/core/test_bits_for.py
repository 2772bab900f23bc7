"""Eight bits a weight where rows have more than 256 labels: sixteen are taken, in every family."""

import pytest

import plait
from plait import Sentence
from plait.core.tables import bits_for


def many_tags(column: str) -> list[Sentence]:
    words = [f"w{k}" for k in range(300)]
    return [Sentence([word, "x"], **{column: [f"T{k}", "X"]}) for k, word in enumerate(words)]


@pytest.mark.parametrize(("labels", "bits", "found"), [(256, 8, 8), (257, 8, 16), (257, 32, 32), (10, 16, 16)])
def test_bits(labels, bits, found):
    assert bits_for(labels, bits) == found


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("morph-tagger", {"bits": 8, "megabytes": 0.02, "shrink": 1, "epochs": 2, "cutoff": 1}),
        ("perceptron-tagger", {"bits": 8, "epochs": 1}),
        ("crf-tagger", {"bits": 8, "optimizer": "adagrad", "epochs": 1}),
    ],
)
def test_large_tag_sets_are_stored(system, options):
    model = plait.train(system, train=many_tags("upos"), **options)
    again = plait.Model.from_bytes(model.to_bytes())
    assert again(["w3", "x"])[0].upos == model(["w3", "x"])[0].upos
