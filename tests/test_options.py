import copy
import dataclasses
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from plait.errors import OptionError
from plait.options import (
    DEV,
    Needs,
    check_needs,
    current_name,
    describe,
    make_options,
    option,
    options_class,
    parse_options,
    user_options,
)
from plait.system import find_system


@dataclass(frozen=True)
class Demo:
    beam: int = option(8, "width", minimum=1, maximum=64)
    rate: float = option(0.5, "step", minimum=0)
    kind: str = option("a", "which", choices=("a", "b"))
    fast: bool = option(False, "hurry")
    free: float = option(0.0, "no bounds of its own")
    count: int = option(1, "no bounds of its own")
    warmup: int = option(0, "greedy epochs", needs=Needs("a beam of 2 or more", lambda o: o.beam > 1))
    patience: int = option(0, "epochs to wait", needs=DEV)


def test_numbers_of_numpy_become_plain_ones():
    made = make_options(Demo, {"beam": np.int64(4), "rate": np.float32(0.25), "free": np.int8(3)}, "demo")
    assert made == Demo(beam=4, rate=0.25, free=3.0)
    assert [type(value) for value in (made.beam, made.rate, made.free)] == [int, float, float]


def test_defaults_and_values():
    assert make_options(Demo, {"beam": 4, "rate": 1}, "demo") == Demo(beam=4, rate=1.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"beem": 4}, ['no option "beem"', "did you mean beam"]),
        ({"beam": 0}, ["1 to 64"]),
        ({"beam": "4"}, ["expected int"]),
        ({"beam": True}, ["expected int"]),
        ({"beam": 4.0}, ["beam is 4.0", "expected int"]),
        ({"beam": np.bool_(True)}, ["expected int"]),
        ({"rate": 10**400}, ["rate is inf", "0 to 1e+18"]),
        ({"free": -(10**400)}, ["free is -inf"]),
        ({"rate": -1.0}, ["at least 0"]),
        ({"rate": float("nan")}, ["at least 0"]),
        ({"kind": "c"}, ["one of a, b"]),
        ({"rate": float("inf")}, ["rate is inf", "0 to 1e+18"]),
        ({"rate": 1e300}, ["rate is 1e+300", "0 to 1e+18"]),
        ({"free": float("-inf")}, ["free is -inf", "at least -1e+18"]),
        ({"free": float("nan")}, ["free is nan"]),
        ({"count": 10**400}, ["count is 1000", "to 9007199254740992"]),
    ],
)
def test_bad_options_say_what_would_do(values, words):
    with pytest.raises(OptionError) as caught:
        make_options(Demo, values, "demo")
    for word in words:
        assert word in str(caught.value)


def test_options_describe_themselves():
    assert [(d.name, d.type, d.default) for d in describe(Demo)][:2] == [("beam", int, 8), ("rate", float, 0.5)]


@pytest.mark.parametrize(
    ("values", "dev", "words"),
    [
        ({"beam": 1, "warmup": 2}, True, "demo: option warmup has no effect without a beam of 2 or more"),
        ({"patience": 2}, False, "demo: option patience has no effect without development data"),
    ],
)
def test_options_that_would_have_no_effect_are_refused(values, dev, words):
    with pytest.raises(OptionError, match=words):
        check_needs(make_options(Demo, values, "demo"), values, "demo", dev=dev)


@pytest.mark.parametrize(
    "values", [{"beam": 2, "warmup": 2}, {"patience": 2}, {"beam": 1, "warmup": 0}, {"beam": 1}, {"kind": "b"}]
)
def test_options_that_have_an_effect_or_ask_for_nothing_are_taken(values):
    check_needs(make_options(Demo, values, "demo"), values, "demo", dev=True)


def test_what_was_not_given_is_not_complained_about():
    check_needs(Demo(beam=1, warmup=2, patience=3), ["beam"], "demo", dev=False)


@dataclass(frozen=True)
class Renamed:
    tag_candidates: int = option(3, "candidates", formerly="tags")
    learner: str = option("pa", "update rule", choices=("perceptron", "pa"))


@dataclass(frozen=True)
class StillCalledTags:
    tags: int = option(3, "not renamed here")


def test_old_names_in_a_model_header_are_understood():
    assert make_options(Renamed, {"tags": 5, "learner": "ap"}, "demo") == Renamed(5, "perceptron")
    assert make_options(StillCalledTags, {"tags": 5}, "demo") == StillCalledTags(5)


@pytest.mark.parametrize(
    ("system", "old", "new"),
    [("perceptron-tagger", "dictionary", "tag_dictionary"), ("easyfirst-joint", "dictionary", "tag_dictionary"),
     ("morph-tagger", "dictionary", "tag_dictionary"), ("crf-tagger", "prune", "prune_below"),
     ("crf-chunker", "pos", "tag"), ("transition-joint", "tags", "tag_candidates")],
)  # fmt: skip
def test_systems_know_the_former_names_of_their_options(system, old, new):
    known = describe(find_system(system).Options)
    assert current_name(old, known) == new
    assert current_name(new, known) == new
    assert current_name("", known) == ""


def test_another_systems_former_name_is_unknown():
    with pytest.raises(OptionError, match='crf-tagger has no option "pos"'):
        make_options(find_system("crf-tagger").Options, {"pos": "upos"}, "crf-tagger")


def test_old_names_from_a_user_work_with_a_warning():
    with pytest.warns(FutureWarning, match="demo: option tags is now called tag_candidates"):
        assert user_options(Renamed, parse_options(Renamed, "tags=5", "demo"), "demo", dev=False).tag_candidates == 5
    with pytest.warns(FutureWarning, match="learner=ap is now called learner=perceptron"):
        assert user_options(Renamed, {"learner": "ap"}, "demo", dev=False).learner == "perceptron"


@options_class
class Small:
    """Two options."""

    epochs: int = option(10, "passes over the data", minimum=1)
    rate: float = option(0.5, "step")


@options_class
class Larger(Small):
    """One more, and another default."""

    epochs: int = option(3, "passes", minimum=1)
    note: str = option("", "text")


def test_options_are_frozen_and_compared_by_value():
    one = Small(epochs=4)
    assert (one.epochs, one.rate) == (4, 0.5)
    assert one == Small(epochs=4)
    assert hash(one) == hash(Small(epochs=4))
    assert one != Small()
    assert one != Larger(epochs=4)
    assert len({one, Small(epochs=4), Small()}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.epochs = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.epochs
    with pytest.raises(TypeError, match="no field beam"):
        Small(beam=3)
    assert repr(one) == "Small(epochs=4, rate=0.5)"


def test_options_are_dataclasses():
    more = dataclasses.replace(Larger(), rate=1.0)
    assert dataclasses.asdict(more) == {"epochs": 3, "rate": 1.0, "note": ""}
    assert [field.name for field in dataclasses.fields(Larger)] == ["epochs", "rate", "note"]
    assert pickle.loads(pickle.dumps(more)) == more
    assert copy.copy(more) == more
    assert {described.name: described.type for described in describe(Larger)} == {
        "epochs": int,
        "rate": float,
        "note": str,
    }
