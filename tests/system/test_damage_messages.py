"""Messages about damaged model files: they name the place, what was found there, what was expected and what to do."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from plait.core.tables import freeze_arrays
from plait.data.tags import TagColumns
from plait.errors import ModelError
from plait.system import find_system
from plait.system.layout import write_layout
from plait.system.modelfile import WORTH_SHARING, model_bytes, open_model, parse_model
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


SOUND = {
    "best_epoch": 2, "dev": {"las": 50.0}, "test": {}, "pruning": {"kept": 1}, "epochs": [],
    "heaviest": {"A": [["w", 1.5]]},
    "tagger": {"member1": {"dev": {}}}, "note": "greedy", "seconds": None, "exact": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"licence": 3}, "licence is 3; expected a text"),
        ({"attribution": None}, "attribution is None; expected a text"),
        ({"seed": 1.5}, "seed is 1.5; expected a whole number"),
        ({"options": "fast"}, "options is 'fast'; expected names with values"),
        ({"data": []}, "data is a list; expected names with records"),
        ({"data": {"train": 7}}, "data of train is 7; expected a record"),
        ({"data": {"dev": {}}}, "sentences of dev is None; expected a number from 0 on"),
        ({"data": {"dev": {"sentences": 1, "words": -2}}}, "words of dev is -2; expected a number from 0 on"),
        ({"data": {"dev": {"sentences": 0, "words": 0, "sha256": 5}}}, "sha256 of dev is 5; expected a digest"),
        ({"training": [1]}, "training is a list; expected a record"),
        ({"training": {"best_epoch": -3}}, "best_epoch of training is -3; expected a number from 0 on"),
        ({"training": {"tagger": 8}}, "tagger of training is 8; expected a record"),
        ({"training": {"member12": 9}}, "member12 of training is 9; expected a record"),
        ({"training": {"guide": {"typer": "x"}}}, "typer of guide of training is 'x'; expected a record"),
        ({"training": {"dev": 3}}, "dev of training is 3; expected names with numbers"),
        ({"training": {"test": {"las": "x"}}}, "test of training is 'x'; expected numbers"),
        ({"training": {"pruning": [4]}}, "pruning of training is a list; expected names with numbers"),
        ({"training": {"epochs": 6}}, "epochs of training is 6; expected a list"),
        ({"training": {"heaviest": 6}}, "heaviest of training is 6; expected labels with features"),
        ({"training": {"heaviest": {"A": 7}}}, "heaviest of training is 7; expected lists"),
        ({"training": {"heaviest": {"A": [8]}}}, "heaviest of training is 8; expected features with weights"),
        ({"training": {"heaviest": {"A": ["w1"]}}}, "heaviest of training is 'w1'; expected features with weights"),
        ({"training": {"heaviest": {"A": [["w"]]}}}, "heaviest of training is a list; expected features with weights"),
        ({"training": {"heaviest": {"A": [[1, 2]]}}}, "heaviest of training is a list; expected features with weights"),
        ({"training": {"heaviest": {"A": [["w", "1"]]}}},
         "heaviest of training is a list; expected features with weights"),
        ({"training": {"loss": [2]}}, "loss of training is a list; expected a number or a text"),
        ({"training": {"member100": {}}}, "member100 of training is a dict; expected a number or a text"),
    ],
)  # fmt: skip
def test_a_damaged_record_is_described(change, message):
    with pytest.raises(ModelError) as found:
        check_records({**HEADER, "training": SOUND, **change})
    assert str(found.value) == f"the header's {message}; {AGAIN}"


def test_sound_records_are_accepted():
    data = {"train": {"sentences": 0, "words": (1 << 63) - 1, "sha256": "0a"}}
    check_records({**HEADER, "training": SOUND, "data": data})


@pytest.mark.parametrize(
    ("key", "largest", "too_large"), [("best_epoch", (1 << 63) - 1, 1 << 63), ("seconds", -9.9e299, -1e300)]
)
def test_numbers_in_records_have_a_limit(key, largest, too_large):
    check_records({**HEADER, "training": {key: largest}})
    with pytest.raises(ModelError, match=f"{key} of training is"):
        check_records({**HEADER, "training": {key: too_large}})


def test_records_lie_six_deep_at_most():
    def nested(depth):
        return {} if depth == 0 else {"guide": nested(depth - 1)}

    check_records({**HEADER, "training": nested(5)})
    with pytest.raises(ModelError, match="guide of guide of guide of guide of guide of guide of training is a dict"):
        check_records({**HEADER, "training": nested(6)})


def sealed(header, separator=" "):
    """What stands in the metadata of a file for a header, or for the text of one."""
    text = header if isinstance(header, str) else json.dumps(header)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return {"plait": digest + separator + text}


def raw_file(layout, data=b"", pad=True):
    """A file with this layout, whatever it says."""
    text = layout if isinstance(layout, bytes) else json.dumps(layout).encode()
    text += b" " * (-len(text) % 8 if pad else 0)
    return len(text).to_bytes(8, "little") + text + data


def with_array(layout=(), listed=(), data=bytes(8)):
    """A file with an array of two 32-bit numbers, and with changes to what its layout and its header say of it."""
    digest = hashlib.blake2b(bytes(8), digest_size=16).hexdigest()
    header = {"format": 1, "arrays": {"a": {"type": "I32", "shape": [2], "digest": digest} | dict(listed)}}
    place = {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]} | dict(layout)
    return raw_file({"__metadata__": sealed(header), "a": place}, data)


NO_HEADER = "not a plait model (no header); expected a file that plait train wrote"
DAMAGED = f"the header is damaged (its digest does not match); {AGAIN}"
UNREADABLE = f"the header cannot be read; {AGAIN}"
GAPS = f"the layout is damaged: the arrays overlap, leave gaps or are not aligned; {AGAIN}"
MISMATCH = f"the arrays do not match the header; {AGAIN}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1234567", f"a file of 7 bytes is not a model; {AGAIN}"),
        (b"12345678", f"not a plait model, or truncated; {AGAIN}"),
        ((1).to_bytes(8, "little") + b"{}", f"not a plait model, or truncated; {AGAIN}"),
        ((3).to_bytes(8, "little") + b"{}", f"not a plait model, or truncated; {AGAIN}"),
        (raw_file(b"{}", pad=False), NO_HEADER),
        (raw_file({"__metadata__": {}}), NO_HEADER),
        (raw_file({"__metadata__": {"plait": "a b", "other": ""}}), NO_HEADER),
        (raw_file(b'{"__metadata__":{"plait":"a b","plait":"a b"}}'), NO_HEADER),
        (raw_file({"__metadata__": sealed({"format": 1, "arrays": {}}, "\t")}), DAMAGED),
        (raw_file({"__metadata__": {"plait": "0a {}"}}), DAMAGED),
        (raw_file({"__metadata__": {"plait": "0a \ud800"}}), DAMAGED),
        (raw_file({"__metadata__": sealed('"\ud800"')}), UNREADABLE),
        (raw_file({"__metadata__": sealed('{"format": 1, "arrays": {}, "x": NaN}')}), UNREADABLE),
        (raw_file({"__metadata__": sealed('{"format": 1, "arrays": {}, "x": -Infinity}')}), UNREADABLE),
        (raw_file({"__metadata__": sealed({"arrays": {}})}), UNREADABLE),
        (raw_file({"__metadata__": sealed({"format": 1})}), MISMATCH),
        (raw_file({"__metadata__": sealed({"format": 1, "arrays": []})}), MISMATCH),
        (raw_file({"__metadata__": sealed({"format": 1, "arrays": {"a": {}}})}), MISMATCH),
        (raw_file({"__metadata__": sealed({"format": 1, "arrays": {}})}, bytes(3)),
         f"the layout is damaged: 3 bytes of data, 0 of them in arrays; {AGAIN}"),
        (with_array(layout={"note": 1}), f"the layout is damaged: unknown fields; {AGAIN}"),
        (with_array(layout={"data_offsets": [0.0, 8]}), GAPS),
        (with_array(layout={"data_offsets": [0, 8.0]}), GAPS),
        (with_array(layout={"data_offsets": [1, 8]}), GAPS),
        (with_array(layout={"dtype": "F32"}), f"array a is damaged: another type or shape; {AGAIN}"),
        (with_array(layout={"shape": [1, 2]}), f"array a is damaged: another type or shape; {AGAIN}"),
        (with_array(layout={"shape": [2.0]}), f"array a is damaged: a shape of (2,); {AGAIN}"),
        (with_array(layout={"shape": [-1]}, listed={"shape": [-1]}),
         f"array a is damaged: a shape of (-1,); {AGAIN}"),
        (with_array(data=b"forged!!"), f"array a is damaged: its digest does not match; {AGAIN}"),
        (raw_file({"__metadata__": sealed({"format": 1, "arrays": {}, "shared": {"a": "b"}})}),
         f"the shared arrays are damaged: 'b'; {AGAIN}"),
        (raw_file({"__metadata__": sealed({"format": 0, "arrays": {}})}),
         "was written by format 0; this version reads 1–4. Upgrade plait or retrain."),
    ],
)  # fmt: skip
def test_a_damaged_file_is_described(content, message):
    with pytest.raises(ModelError) as found:
        parse_model(content, "my.plait")
    assert str(found.value) == f"my.plait: {message}"
    with pytest.raises(ModelError) as found:
        parse_model(content)
    assert str(found.value) == f"model: {message}"


def test_a_file_put_together_by_hand_is_read():
    header, arrays = parse_model(with_array())
    assert header == {"format": 1}
    assert arrays["a"].tolist() == [0, 0]
    assert parse_model(raw_file({"__metadata__": sealed({"format": 1, "arrays": {}})})) == ({"format": 1}, {})


def test_an_array_that_is_stored_and_shared_is_described():
    header = {"format": 2, "arrays": json.loads(header_text(model_bytes({}, {"a": np.zeros(2)})))["arrays"]}
    content = write_layout({"a": np.zeros(2)}, sealed({**header, "shared": {"a": "a"}}))
    with pytest.raises(ModelError) as found:
        parse_model(content)
    assert str(found.value) == f"model: the shared arrays are damaged: one that is stored as well; {AGAIN}"


def header_text(content):
    """The sealed header of a file."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length])["__metadata__"]["plait"].split(" ", 1)[1]


def test_the_header_is_sorted_and_holds_nothing_that_is_not_needed(monkeypatch):
    monkeypatch.setattr("plait.__version__", "9.9")
    text = header_text(model_bytes({"note": "汉字", "a": [1, {"z": 1, "b": 2}]}, {}))
    assert text == '{"a":[1,{"b":2,"z":1}],"arrays":{},"format":1,"note":"汉字","plait":"9.9"}'
    assert "汉字".encode() in model_bytes({"note": "汉字"}, {})
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            model_bytes({"x": number}, {})


@pytest.mark.parametrize(
    ("name", "format"), [("packed", 3), ("tags.packed", 3), ("a.b.packed", 3), ("packed.a", 1), ("unpacked", 1)]
)
def test_packed_tables_need_the_newest_format(name, format):
    assert parse_model(model_bytes({}, {name: np.zeros(3, np.uint8)}))[0]["format"] == format


def test_only_large_arrays_are_worth_sharing():
    for size, shared in ((WORTH_SHARING, True), (WORTH_SHARING - 1, False)):
        array = np.zeros(size, np.uint8)
        arrays = parse_model(model_bytes({}, {"a": array, "b": array}))[1]
        assert np.shares_memory(arrays["a"], arrays["b"]) == shared


def test_the_bytes_of_a_model_are_not_copied():
    content = np.frombuffer(model_bytes({}, {"a": np.arange(12).reshape(3, 4)}), np.uint8).copy()
    _, arrays = parse_model(content.data)
    assert np.shares_memory(arrays["a"], content)
    assert arrays["a"].tolist() == np.arange(12).reshape(3, 4).tolist()
