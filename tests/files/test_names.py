"""Texts that no file can be called by: an option or a model of such a name is unknown, and no error of the system."""

import pytest

import plait
from plait.errors import ModelError, PlaitError

ODD = ["1" * 400, "x/" * 3000, "a\0b"]


@pytest.mark.parametrize("name", ODD, ids=["long", "deep", "nul"])
@pytest.mark.parametrize(
    ("system", "option"),
    [
        ("perceptron-tagger", "templates"),
        ("crf-tagger", "tag"),
        ("crf-tagger", "warm_start"),
        ("crf-segmenter", "abbreviations"),
        ("transition-parser", "clusters"),
    ],
)
def test_options_may_be_no_names_of_files(name, system, option, tiny_file):
    with pytest.raises(PlaitError):
        plait.train(system, train=tiny_file, epochs=1, **{option: name})


@pytest.mark.parametrize("name", ODD, ids=["long", "deep", "nul"])
def test_models_may_be_no_names_of_files(name):
    with pytest.raises(ModelError):
        plait.load(name)
