"""A checkpoint is a file like any other: whatever is wrong in it is found before it is used."""

import copy
import json

import numpy as np
import pytest

import plait
from plait import Sentence
from plait.errors import ModelError
from plait.system.modelfile import model_bytes, open_model

TRAIN = [Sentence([f"w{i % 7}", f"w{i % 5}", "."], upos=["NOUN", "VERB", "PUNCT"]) for i in range(12)]
DEV = [Sentence([f"w{i % 5}", f"w{i % 3}", "."], upos=["VERB", "NOUN", "PUNCT"]) for i in range(6)]

TRAINERS = {
    "online, exact": ("perceptron-tagger", {}),
    "online, without rare features": ("perceptron-tagger", {"min_updates": 2}),
    "online, hash": ("perceptron-tagger", {"table": "hash", "hash_bits": 8}),
    "lbfgs": ("crf-tagger", {"delta": 0.0}),
    "adagrad": ("crf-tagger", {"optimizer": "adagrad"}),
}


def train(trainer, path, *, resume):
    system, options = TRAINERS[trainer]
    epochs = 4 if resume else 3
    return plait.train(system, train=TRAIN, dev=DEV, epochs=epochs, checkpoint=path, resume=resume, **options)


@pytest.fixture(scope="module", params=TRAINERS)
def checkpoint(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("forged") / "c"
    train(request.param, path, resume=False)
    header, arrays = open_model(path)
    return request.param, path, header, {name: np.array(array) for name, array in arrays.items()}


def attempt(checkpoint, header, arrays):
    trainer, path, *_ = checkpoint
    whole = {key: value for key, value in header.items() if key not in ("format", "plait")}
    path.write_bytes(model_bytes(whole, arrays))
    return train(trainer, path, resume=True)


def refusal(checkpoint, header, arrays):
    """What is said of a forged checkpoint; nothing where it is taken."""
    try:
        attempt(checkpoint, header, arrays)
    except ModelError as error:
        return str(error)
    return "taken"


def spoilt(array):
    """The array with something wrong, in as many ways as there are."""
    yield "shorter", array[:-1]
    yield "empty", array[:0]
    yield "longer", np.concatenate([array, array[-1:]])
    yield "other shape", array.reshape(*array.shape, 1)
    yield "other type", array.astype(np.float32 if array.dtype == np.float64 else np.float64)
    if array.dtype.kind == "f":
        for what, value in (("nan", np.nan), ("inf", np.inf)):
            worse = array.copy()
            worse.reshape(-1)[0] = value
            yield what, worse


def test_an_untouched_checkpoint_is_taken(checkpoint):
    _, _, header, arrays = checkpoint
    assert attempt(checkpoint, header, arrays).header["training"]["epochs"][-1]["epoch"] == 4


def test_every_forged_array_is_refused(checkpoint):
    _, _, header, arrays = checkpoint
    tried = 0
    for name, array in arrays.items():
        for what, worse in spoilt(array):
            if worse.shape == array.shape and worse.dtype == array.dtype and array.size == 0:
                continue
            tried += 1
            message = refusal(checkpoint, header, {**arrays, name: worse})
            assert "damaged checkpoint" in message, f"array {name}, {what}: {message}"
    assert tried > 5 * len(arrays)


def test_missing_and_additional_arrays_are_refused(checkpoint):
    _, _, header, arrays = checkpoint
    for name in arrays:
        with pytest.raises(ModelError, match="--resume"):
            attempt(checkpoint, header, {n: a for n, a in arrays.items() if n != name})
    first = next(iter(arrays))
    with pytest.raises(ModelError, match="--resume"):
        attempt(checkpoint, header, {**arrays, f"{first}x": arrays[first]})


def forged_headers(header):
    """(what is wrong, header): records and numbers that no training writes."""

    def changed(change):
        forged = copy.deepcopy(header)
        change(forged["checkpoint"])
        return json.loads(json.dumps(forged))

    yield "no records", changed(lambda c: c.pop("records"))
    yield "records of another kind", changed(lambda c: c.update(records=7))
    yield "a record too few", changed(lambda c: c.update(records=c["records"][:1] + c["records"][2:]))
    yield "a record without scores", changed(lambda c: c["records"][1].pop("dev"))
    yield "scores without the one that decides", changed(lambda c: c["records"][2].update(dev={"uas": 1.0}))
    yield "a score that is text", changed(lambda c: c["records"][2].update(dev={"accuracy": "high"}))
    yield "an epoch that is text", changed(lambda c: c["records"][0].update(epoch="1"))
    yield "another measure", changed(lambda c: c.update(decides="uas"))
    if "lbfgs" in header["checkpoint"]:
        yield "no objectives", changed(lambda c: c["lbfgs"].update(objectives=[]))
        yield "another value", changed(lambda c: c["lbfgs"].update(value=c["lbfgs"]["value"] + 1))
        yield "an objective that is text", changed(lambda c: c["lbfgs"].update(objectives="1234"))
    else:
        yield "another best epoch", changed(lambda c: c.update(best_epoch=c["best_epoch"] % 3 + 1))
        yield "a best epoch that never was", changed(lambda c: c.update(best_epoch=99))


def test_every_forged_header_is_refused(checkpoint):
    _, _, header, arrays = checkpoint
    for what, forged in forged_headers(header):
        message = refusal(checkpoint, forged, arrays)
        assert "damaged checkpoint" in message, f"{what}: {message}"
