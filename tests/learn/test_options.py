from dataclasses import dataclass

import pytest

from plait.errors import OptionError
from plait.learn.options import describe, make_options, option


@dataclass(frozen=True)
class Demo:
    beam: int = option(8, "width", minimum=1, maximum=64)
    rate: float = option(0.5, "step", minimum=0)
    kind: str = option("a", "which", choices=("a", "b"))
    fast: bool = option(False, "hurry")


def test_defaults_and_values():
    assert make_options(Demo, {"beam": 4, "rate": 1}, "demo") == Demo(beam=4, rate=1.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"beem": 4}, ['no option "beem"', "did you mean beam"]),
        ({"beam": 0}, ["1 to 64"]),
        ({"beam": "4"}, ["expected int"]),
        ({"beam": True}, ["expected int"]),
        ({"rate": -1.0}, ["at least 0"]),
        ({"rate": float("nan")}, ["at least 0"]),
        ({"kind": "c"}, ["one of a, b"]),
    ],
)
def test_bad_options_say_what_would_do(values, words):
    with pytest.raises(OptionError) as caught:
        make_options(Demo, values, "demo")
    for word in words:
        assert word in str(caught.value)


def test_options_describe_themselves():
    assert [(d.name, d.type, d.default) for d in describe(Demo)][:2] == [("beam", int, 8), ("rate", float, 0.5)]
