"""What a header tells of its model: everything that commands and the server show is checked when it is loaded."""

import copy
import hashlib
import json

import pytest
from click.testing import CliRunner

import plait
from plait.cli.info import command
from plait.errors import ModelError
from plait.pipeline.model import Model
from plait.system.modelfile import model_bytes, parse_model
from plait.system.records import check_records

WRONG = [None, True, -1, 1.5, 1e999, "text", "\ud800", [], {}, [[]], {"a": []}, 10**30]


@pytest.fixture(scope="module")
def model(tiny_file):
    return plait.train("perceptron-tagger", train=tiny_file, dev=tiny_file, epochs=2, templates="collins")


def places(value, path=()):
    """Where anything stands in a header."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs)[:3]:
        yield from places(inner, (*path, key))


def with_value(header, path, value):
    found = copy.deepcopy(header)
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return found


def test_every_record_is_sound_or_refused(model, tmp_path):
    """Whatever stands in a record: a ModelError, or a model that can be shown."""
    header, arrays = parse_model(model.to_bytes())
    shown = {key: header[key] for key in ("data", "training", "licence", "attribution", "plait", "seed")}
    path = tmp_path / "m.plait"
    accepted = refused = 0
    for place in list(places(shown))[1:]:
        for value in WRONG:
            forged = with_value(header, place, value)
            try:
                check_records(forged)
                path.write_bytes(model_bytes(forged, arrays))
            except (ModelError, ValueError):  # NaN and half characters cannot even be written
                refused += 1
                continue
            accepted += 1
            for arguments in ([], ["--json"]):
                result = CliRunner().invoke(command, [str(path), *arguments], catch_exceptions=False)
                assert result.exit_code == 0, result.output
    assert accepted > 10
    assert refused > 100


@pytest.mark.parametrize("key", ["system", "options", "data", "training", "seed", "licence", "attribution"])
def test_a_record_that_is_missing_is_named(model, key):
    header, arrays = parse_model(model.to_bytes())
    del header[key]
    with pytest.raises(ModelError, match=key):
        Model.from_bytes(model_bytes(header, arrays))


def test_half_a_character_in_a_header_is_refused(model):
    content = model.to_bytes()
    header, arrays = parse_model(content)
    header["licence"] = "MARK"
    sealed = model_bytes(header, arrays)
    length = int.from_bytes(sealed[:8], "little")
    layout = json.loads(sealed[8 : 8 + length])
    text = layout["__metadata__"]["plait"].split(" ", 1)[1]
    for spelled, sound in (("\\ud800", False), ("\\\\ud800", True), ("\\ud83d\\ude00", True)):
        changed = text.replace("MARK", spelled)
        digest = hashlib.blake2b(changed.encode(), digest_size=16).hexdigest()
        layout["__metadata__"]["plait"] = f"{digest} {changed}"
        raw = json.dumps(layout, ensure_ascii=False, separators=(",", ":")).encode()
        raw += b" " * (-len(raw) % 8)
        forged = len(raw).to_bytes(8, "little") + raw + sealed[8 + length :]
        if sound:
            Model.from_bytes(forged)
        else:
            with pytest.raises(ModelError, match="header"):
                Model.from_bytes(forged)
