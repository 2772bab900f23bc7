"""A copy of a sentence has all that the sentence has, and shares nothing that can change."""

from typing import Any

import pytest

from plait.data.document import EmptyNode, Range, Sentence

VALUES: dict[str, Any] = {
    "offsets": [(0, 1), (2, 3)],
    "score": 2.5,
    "scores": [0.5, 0.25],
    "trace": ["SHIFT", "LEFT-nsubj"],
    "comments": ["# text = a b"],
    "extra": {"chunk": ["B-NP", "I-NP"]},
    "heads": [2, 0],
    "ranges": [Range(1, 2, "ab")],
    "empties": [EmptyNode(1, 1, ("x",) * 9)],
}


@pytest.fixture
def sentence() -> Sentence:
    found = Sentence(["a", "b"])
    for name in Sentence.__slots__:
        setattr(found, name, VALUES.get(name, [f"{name}1", f"{name}2"]))
    return found


def test_every_slot_is_copied(sentence: Sentence) -> None:
    twin = sentence.copy()
    for name in Sentence.__slots__:
        assert getattr(twin, name) == getattr(sentence, name), name
    assert twin == sentence


def test_nothing_is_shared(sentence: Sentence) -> None:
    twin = sentence.copy()
    for name in Sentence.__slots__:
        value = getattr(sentence, name)
        if isinstance(value, list | dict):
            assert getattr(twin, name) is not value, name
    twin.extra["chunk"][0] = "O"
    assert sentence.extra["chunk"][0] == "B-NP"


def test_what_is_missing_stays_missing() -> None:
    twin = Sentence(["a"]).copy()
    assert (twin.offsets, twin.score, twin.scores, twin.trace) == (None, None, None, None)
    lazy = Sentence(["a"])
    lazy.trace = ("SHIFT",)
    assert lazy.copy().trace is lazy.trace  # of another kind than a list, it is never changed
