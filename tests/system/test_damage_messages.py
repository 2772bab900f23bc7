"""Messages about damaged model files: they name the place, what was found there, what was expected and what to do."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from plait.core.tables import freeze_arrays
from plait.data.tags import TagColumns
from plait.errors import ModelError
from plait.system import find_system
from plait.system.modelfile import open_model
from plait.system.modelparts import open_group, open_labels, open_tags, table_parts
from plait.system.records import check_records

HEADER = {
    "system": "crf-tagger", "plait": "0.1.0", "licence": "", "attribution": "", "options": {}, "data": {}, "seed": 1,
}  # fmt: skip
AGAIN = "train or download the model again"


@pytest.mark.parametrize(
    ("epoch", "message"),
    [
        ("three", "epochs of training is 'three'; expected numbered records"),
        (7, "epochs of training is 7; expected numbered records"),
        ([], "epochs of training is a list; expected numbered records"),
        ({"dev": {}}, "epochs of training is a dict; expected numbered records"),
        ({"epoch": -1, "dev": {}}, "epochs of training is a dict; expected numbered records"),
        ({"epoch": 1, "dev": 3}, "dev in epochs of training is 3; expected names with numbers"),
        ({"epoch": 1, "dev": {}, "loss": [1]}, "loss in epochs of training is a list; expected a number or a text"),
        ({"epoch": 1, "dev": {"las": 50 * "a"}}, f"dev in epochs of training is '{39 * 'a'}; expected numbers"),
    ],
)
def test_a_damaged_epoch_is_described(epoch, message):
    with pytest.raises(ModelError) as found:
        check_records({**HEADER, "training": {"epochs": [epoch]}})
    assert str(found.value) == f"the header's {message}; {AGAIN}"


def test_a_sound_epoch_is_accepted():
    epoch = {"epoch": 1, "dev": {"las": 50.0}, "loss": 3, "note": "greedy", "best": None}
    check_records({**HEADER, "training": {"epochs": [epoch]}})


def test_damage_to_a_system_is_reported_with_its_name_and_cause(monkeypatch):
    kind = find_system("perceptron-tagger")

    def _open(*_):
        raise ValueError("no tags")

    monkeypatch.setattr(kind, "_open", _open)
    with pytest.raises(ModelError, match=f"^damaged perceptron-tagger model: no tags; {AGAIN}$"):
        kind.from_parts(None, {}, {})


@pytest.mark.parametrize("training", [{"best_epoch": 3}, None])
def test_an_opened_system_has_its_training_record(training, monkeypatch):
    kind = find_system("perceptron-tagger")
    monkeypatch.setattr(kind, "_open", lambda *_: SimpleNamespace())
    header = {} if training is None else {"training": training}
    found = kind.from_parts(None, header, {}).training
    assert found == (training or {})
    assert found is not training


def test_names_of_tags_and_labels_are_described():
    with pytest.raises(ValueError, match=r"^labels that are not a list of strings$"):
        open_labels("nsubj")
    with pytest.raises(ValueError, match=r"^tags that are not a list of strings$"):
        open_tags("NOUN", TagColumns("upos"))
    assert open_labels(["X"]) == ["X"]


def test_a_table_for_other_labels_is_described():
    rows = {
        "keys": np.array([5], np.uint64), "starts": np.array([0, 1]), "labels": np.array([1], np.uint16),
        "values": np.array([0.5], np.float32),
    }  # fmt: skip
    header, arrays = table_parts({"arcs": freeze_arrays(rows, 2, 32)})
    assert open_group("arcs", header, arrays, 2).labels == 2
    with pytest.raises(ValueError, match=r"^2 weights a row for 3 labels of arcs$"):
        open_group("arcs", header, arrays, 3)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError("not allowed"), "cannot be read as a model: not allowed"),
        (ValueError("embedded null byte"), "cannot be read as a model: embedded null byte"),
        (MemoryError(), "too large for the available memory"),
    ],
)
def test_a_file_that_cannot_be_read_is_described(error, message, monkeypatch):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelError) as found:
        open_model("my.plait")
    assert str(found.value) == f"my.plait: {message}"
