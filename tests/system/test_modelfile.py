"""The model file: exact round trip, and never anything but a typed error for what is not one."""

import hashlib
import json
import os
import random

import numpy as np
import pytest

import plait
from plait.core.tables import open_table
from plait.errors import ModelError
from plait.pipeline.model import Model
from plait.system.layout import TYPES, write_layout
from plait.system.modelfile import model_bytes, open_model, parse_model

ARRAYS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.array([1, 2**63], dtype=np.uint64),
    "empty": np.zeros(0, dtype=np.uint16),
}


@pytest.fixture(scope="module")
def tagger(tiny_file):
    return plait.train("perceptron-tagger", train=tiny_file, epochs=2, templates="collins")


def test_header_and_arrays_come_back(tmp_path):
    path = tmp_path / "m.plait"
    path.write_bytes(model_bytes({"system": "x", "note": "汉字"}, ARRAYS))
    header, arrays = open_model(path)
    assert header["system"] == "x"
    assert header["note"] == "汉字"
    assert header["format"] == 1
    for name, array in ARRAYS.items():
        assert np.array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype
        assert not arrays[name].flags.writeable


def test_an_array_that_occurs_twice_is_stored_once():
    large = np.arange(10_000, dtype=np.uint64)
    one = model_bytes({}, {"a": large, "z": np.zeros(3)})
    twice = model_bytes({}, {"a": large, "inner.a": large.copy(), "z": np.zeros(3)})
    assert len(twice) < len(one) + 200
    header, arrays = parse_model(twice)
    assert header["format"] == 2
    assert np.array_equal(arrays["inner.a"], large)
    assert np.shares_memory(arrays["inner.a"], arrays["a"])
    assert parse_model(one)[0]["format"] == 1
    other = parse_model(model_bytes({}, {"a": large, "b": large.astype(np.int64), "c": large.reshape(100, 100)}))[1]
    assert not np.shares_memory(other["a"], other["b"])
    assert other["c"].shape == (100, 100)


@pytest.mark.parametrize("shared", [["a"], {"b": "nowhere"}, {"a": "a"}, {"b": ["a"]}, 3, None])
def test_shared_arrays_that_are_not_there_are_damage(shared):
    content = model_bytes({}, {"a": np.arange(10_000), "b": np.arange(10_000)})
    forged = _with_header(content, lambda header: header.update(shared=shared))
    with pytest.raises(ModelError, match="shared"):
        parse_model(forged)


def _with_header(content, change):
    """The file with another header, its digests right."""
    _, arrays = parse_model(content)
    stored = {"a": arrays["a"]}
    length = int.from_bytes(content[:8], "little")
    sealed = json.loads(content[8 : 8 + length])["__metadata__"]["plait"].split(" ", 1)[1]
    plain = json.loads(sealed)
    change(plain)
    text = json.dumps(plain)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return write_layout(stored, {"plait": f"{digest} {text}"})


def test_the_safetensors_library_reads_the_file():
    load = pytest.importorskip("safetensors.numpy").load
    arrays = load(model_bytes({}, ARRAYS))
    assert all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())


def test_the_safetensors_library_writes_the_same_bytes():
    save = pytest.importorskip("safetensors.numpy").save
    draw = random.Random(3)
    letters = 'ab_é汉"\\/\0\x1f\x7f\u2028😀\b\f\n\r\t'

    def name(most):
        return "".join(draw.choices(letters, k=draw.randrange(1, most)))

    for _ in range(300):
        shapes = [draw.choices(range(4), k=draw.randrange(3)) for _ in range(draw.randrange(12))]
        arrays = {name(5): np.full(shape, draw.randrange(100), draw.choice(list(TYPES.values()))) for shape in shapes}
        metadata = {"plait": name(40)}
        assert write_layout(arrays, metadata) == save(arrays, metadata=metadata)


def test_equal_content_gives_equal_bytes():
    backwards = dict(reversed(ARRAYS.items()))
    assert model_bytes({"x": 1, "y": 2}, ARRAYS) == model_bytes({"y": 2, "x": 1}, backwards)


def test_a_part_may_need_a_newer_format():
    nested = {"parts": [{"needs_format": 2}, {"inner": {"needs_format": 4}}], "text": "needs_format"}
    assert parse_model(model_bytes(nested, {}))[0]["format"] == 4
    assert parse_model(model_bytes({"parts": [1, "a", None]}, {}))[0]["format"] == 1


def test_a_newer_format_says_what_to_do():
    content = model_bytes({"format": 5}, {})
    with pytest.raises(ModelError, match=r"written by format 5; this version reads 1–4\. Upgrade"):
        parse_model(content, "new.plait")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"12345678",
        b"PK\x03\x04 a zip file, say",
        b"\x80\x04\x95 a pickle",
        b"\xff" * 64,
        (2).to_bytes(8, "little") + b"{}",
        (7).to_bytes(8, "little") + b"[1,2,3]",
        (2**63).to_bytes(8, "little") + b"{}",
        (200_000).to_bytes(8, "little") + b"[" * 200_000,
    ],
)
def test_foreign_files_are_refused(tmp_path, content):
    path = tmp_path / "foreign.plait"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"foreign\.plait"):
        plait.load(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ModelError, match="no such model"):
        plait.load(tmp_path / "none.plait")
    with pytest.raises(ModelError, match="is a folder; expected a model file"):
        plait.load(tmp_path)


def test_a_safetensors_file_of_another_program_is_refused(tmp_path):
    save_file = pytest.importorskip("safetensors.numpy").save_file
    path = tmp_path / "weights.safetensors"
    save_file({"w": np.zeros(3)}, path)
    with pytest.raises(ModelError, match="no header"):
        plait.load(path)


def predictions(model):
    return [model(words)[0].upos for words in (["The", "cat", "sleeps"], ["she", "walks", "quickly", "!"])]


def test_truncated_files_are_always_refused(tagger):
    content = tagger.to_bytes()
    random = np.random.default_rng(11)
    for cut in {0, 1, 7, 8, 9, len(content) - 1, *random.integers(0, len(content), 1000).tolist()}:
        with pytest.raises(ModelError):
            Model.from_bytes(content[:cut])


def test_flipped_bits_are_refused_or_change_nothing(tagger):
    content = tagger.to_bytes()
    header_end = 8 + int.from_bytes(content[:8], "little")
    expected = predictions(tagger)
    random = np.random.default_rng(12)
    places = np.concatenate([random.integers(0, header_end, 1500), random.integers(0, len(content), 1500)])
    harmless = 0
    for place, bit in zip(places.tolist(), random.integers(0, 8, len(places)).tolist(), strict=True):
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        try:
            model = Model.from_bytes(bytes(damaged))
        except ModelError:
            continue
        harmless += 1
        assert predictions(model) == expected
    assert harmless < len(places) / 20


def resealed(tagger, change):
    """A file with a sound digest whose header or arrays somebody changed."""
    header, arrays = parse_model(tagger.to_bytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    return model_bytes(header, arrays)


def as_stored_before(header, arrays):
    """The arrays, with the table as formats 1 and 2 stored it."""
    table = open_table(header["tables"]["tags"], {"packed": arrays.pop("tags.packed")})
    header["tables"]["tags"]["kind"] = "rows"
    header["format"] = 1
    arrays.update({"tags.index": table.index.copy(), "tags.arena": table.arena.copy()})
    return arrays


def drop(container, key):
    del container[key]


def overfull(arrays):
    """One word with far more tags than there are."""
    count = len(arrays["dictionary.words"])
    arrays["dictionary.known"] = np.arange(200_000 + count, dtype=np.uint16) % 8
    arrays["dictionary.starts"] = np.array([0, *range(200_001, 200_001 + count)], dtype=np.int64)


@pytest.mark.parametrize(
    "change",
    [
        lambda h, a: h.update(system="no-such-system"),
        lambda h, a: h.update(system=["x"]),
        lambda h, a: drop(h, "system"),
        lambda h, a: drop(h, "options"),
        lambda h, a: h["options"].update(epochs="many"),
        lambda h, a: h["options"].update(unheard_of=1),
        lambda h, a: h["tags"].pop(),
        lambda h, a: h.update(tags=7),
        lambda h, a: h.update(templates=["no-such-atom"]),
        lambda h, a: h.update(templates=[["w0"]]),
        lambda h, a: h.update(templates=["w-999999999999"]),
        lambda h, a: drop(h["tables"], "tags"),
        lambda h, a: h["tables"]["tags"].update(bits=7),
        lambda h, a: h["tables"]["tags"].update(labels=10**30),
        lambda h, a: h["tables"]["tags"].update(kind="other"),
        lambda h, a: h["tables"]["tags"].update(scale=-1.0),
        lambda h, a: drop(a, "tags.packed"),
        lambda h, a: a.update({"tags.packed": a["tags.packed"].astype(np.float64)}),
        lambda h, a: a.update({"tags.packed": a["tags.packed"][:-1]}),
        lambda h, a: a["tags.packed"].fill(0xFF),
        lambda h, a: drop(as_stored_before(h, a), "tags.index"),
        lambda h, a: a.update({"tags.index": as_stored_before(h, a)["tags.index"].astype(np.float64)}),
        lambda h, a: as_stored_before(h, a)["tags.index"].fill(0xFFFFFFFF),
        lambda h, a: as_stored_before(h, a)["tags.arena"].fill(0xFFFE),
        lambda h, a: a.update({"dictionary.words": a["dictionary.words"][::-1].copy()}),
        lambda h, a: a.update({"dictionary.starts": np.zeros(1, dtype=np.int32)}),
        lambda h, a: a["dictionary.known"].fill(60000),
        lambda h, a: overfull(a),
        lambda h, a: h["tags"].__setitem__(0, "A\tB"),
        lambda h, a: h["tags"].__setitem__(0, ""),
        lambda h, a: h["tags"].__setitem__(0, h["tags"][1]),
        lambda h, a: h["templates"].append("t-2"),
        lambda h, a: h["templates"].append("w0"),
        lambda h, a: drop(h, "data"),
        lambda h, a: h.update(training=7),
        lambda h, a: h.update(seed="one"),
        lambda h, a: h["tables"]["tags"].update(scale=1e308),
    ],
)
def test_a_forged_model_is_refused_before_use(tagger, change):
    with pytest.raises(ModelError):
        Model.from_bytes(resealed(tagger, change))


def test_resealing_alone_changes_nothing(tagger):
    assert predictions(Model.from_bytes(resealed(tagger, lambda h, a: None))) == predictions(tagger)


def test_files_of_older_formats_can_still_be_read(tagger):
    old = resealed(tagger, as_stored_before)
    assert parse_model(old)[0]["format"] == 1
    assert parse_model(tagger.to_bytes())[0]["format"] == 3
    assert predictions(Model.from_bytes(old)) == predictions(tagger)
    assert Model.from_bytes(old).to_bytes() == tagger.to_bytes()
    assert len(tagger.to_bytes()) < len(old)


def test_nothing_in_the_file_is_a_pickle(tagger):
    content = tagger.to_bytes()
    length = int.from_bytes(content[:8], "little")
    layout = json.loads(content[8 : 8 + length])
    types = {entry["dtype"] for name, entry in layout.items() if name != "__metadata__"}
    assert types <= {"U8", "U16", "U32", "U64", "I64"}


@pytest.mark.parametrize("how", ["written over", "truncated", "removed"])
def test_a_model_in_use_does_not_follow_its_file(tagger, tmp_path, how):
    path = tmp_path / "live.plait"
    path.write_bytes(tagger.to_bytes())
    model = plait.load(path)
    if how == "written over":
        with path.open("r+b") as file:  # as cp does it: the same file, other bytes
            file.write(b"\xff" * path.stat().st_size)
    elif how == "truncated":
        with path.open("r+b") as file:
            file.truncate(8)
    else:
        path.unlink()
    assert predictions(model) == predictions(tagger)


def test_a_file_cut_while_it_is_read_is_refused(tagger, tmp_path, monkeypatch):
    path = tmp_path / "growing.plait"
    path.write_bytes(tagger.to_bytes()[:-100])
    real = os.fstat
    size = len(tagger.to_bytes())
    monkeypatch.setattr(os, "fstat", lambda number: os.stat_result((*real(number)[:6], size, *real(number)[7:])))
    with pytest.raises(ModelError, match=r"growing\.plait"):
        open_model(path)


def test_a_huge_file_of_another_kind_is_not_read(tmp_path):
    path = tmp_path / "corpus.txt"
    with path.open("wb") as file:
        file.write(b"# text = a corpus, given by mistake\n")
        file.truncate(1 << 40)  # a hole: it takes no room
    with pytest.raises(ModelError, match="not a plait model"):
        open_model(path)


def relaid(content, change):
    """A model file whose layout (the safetensors part, which has no digest) somebody changed."""
    length = int.from_bytes(content[:8], "little")
    layout, data = json.loads(content[8 : 8 + length]), bytearray(content[8 + length :])
    data = change(layout, data) or data
    text = json.dumps(layout, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + bytes(data)


def moved(layout, name, by):
    layout[name]["data_offsets"] = [place + by for place in layout[name]["data_offsets"]]


def last_of(layout):
    return max((name for name in layout if name != "__metadata__"), key=lambda name: layout[name]["data_offsets"])


@pytest.mark.parametrize(
    "change",
    [
        lambda layout, data: data + b"more",
        lambda layout, data: (moved(layout, last_of(layout), 8), data + b"12345678")[1],
        lambda layout, data: layout["a"].update(note="x"),
        lambda layout, data: layout["__metadata__"].update(other="x"),
        lambda layout, data: layout["a"].update(shape=[2, 3.0]),
        lambda layout, data: layout["a"].update(data_offsets=[16.0, 40.0]),
        lambda layout, data: layout["b"].update(layout["a"]),
        lambda layout, data: layout["empty"].update(data_offsets=[8, 8]),
    ],
)
def test_there_is_one_layout_for_a_content(change):
    content = model_bytes({}, ARRAYS)
    parse_model(relaid(content, lambda layout, data: None))
    with pytest.raises(ModelError):
        parse_model(relaid(content, change))


def test_data_out_of_alignment_is_refused():
    content = model_bytes({}, {"a": np.arange(3, dtype=np.uint8), "b": np.arange(3, dtype=np.uint16)})

    def swap(layout, data):
        layout["a"]["data_offsets"], layout["b"]["data_offsets"] = [0, 3], [3, 9]
        return data[6:] + data[:6]

    with pytest.raises(ModelError, match="not aligned"):
        parse_model(relaid(content, swap))
    length = int.from_bytes(content[:8], "little")
    with pytest.raises(ModelError, match="layout"):  # the header a byte longer
        parse_model((length + 1).to_bytes(8, "little") + content[8 : 8 + length] + b" " + content[8 + length :])


def test_the_bytes_of_a_model_may_begin_anywhere(tagger):
    content = tagger.to_bytes()
    inside = memoryview(b"x" + content)[1:]
    _, arrays = parse_model(inside)
    assert all(array.flags.aligned and not array.flags.writeable for array in arrays.values())


def test_a_name_that_stands_twice_in_the_layout_is_refused():
    content = model_bytes({}, ARRAYS)
    length = int.from_bytes(content[:8], "little")
    text = content[8 : 8 + length].rstrip().replace(b'"empty":', b'"a":')
    text += b" " * (-len(text) % 8)
    with pytest.raises(ModelError):
        parse_model(len(text).to_bytes(8, "little") + text + content[8 + length :])
