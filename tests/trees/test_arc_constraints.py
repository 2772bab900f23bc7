"""Heads and labels that an input gives, as numbers for the decoders."""

import pytest

from plait.data.document import Sentence
from plait.errors import DataError
from plait.trees.arc_labels import ArcLabels
from plait.trees.constraints import ArcConstraints

TREE = Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x", "root", "y"])
CROSSING = Sentence(["a", "b", "c", "d"], heads=[3, 4, 0, 3], deprels=["u", "v", "root", "w"])


def labels(**kind) -> ArcLabels:
    return ArcLabels.read([TREE, CROSSING], **({"labelled": True, "projective": True} | kind))


def test_what_is_not_given_is_open():
    found = ArcConstraints.of([2, -1, 0], ["_", "x", "y"], labels())
    assert found.heads.tolist() == [2, -1, 0]
    assert [labels().names[k] if k >= 0 else "" for k in found.labels.tolist()] == ["", "x", "y"]


def test_a_label_that_was_never_seen_is_open_or_refused():
    assert ArcConstraints.of([2], ["z"], labels()).labels.tolist() == [-1]
    with pytest.raises(DataError, match='"z" does not occur'):
        ArcConstraints.of([2], ["z"], labels(), strict=True)


def test_a_label_that_was_only_lifted_is_refused_for_what_it_is():
    assert labels().unmarked == {"u", "v", "w", "x", "y", "root"}
    assert "v" not in labels().names
    with pytest.raises(DataError, match='"v" occurs only with crossing arcs'):
        ArcConstraints.of([2], ["v"], labels(), strict=True)


def test_a_mark_of_lifting_cannot_be_given():
    assert "v↑w" in labels().names
    with pytest.raises(DataError, match='"v↑w" does not occur'):
        ArcConstraints.of([2], ["v↑w"], labels(), strict=True)


def test_unlabelled_models_take_no_labels():
    assert ArcConstraints.of([2], ["z"], labels(labelled=False), strict=True).labels.tolist() == [-1]


def test_given_heads_leave_one_arc_each():
    assert ArcConstraints.none(3).allowed_arcs() is None
    allowed = ArcConstraints.of([0, -1, 2], ["_"] * 3, labels()).allowed_arcs()
    assert allowed[:, 1].tolist() == [1, 0, 0, 0]
    assert allowed[:, 2].tolist() == [1, 1, 1, 1]
    assert allowed[:, 3].tolist() == [0, 0, 1, 0]


def test_an_open_label_is_no_unknown_one():
    assert ArcConstraints.of([2], ["_"], labels(), strict=True).labels.tolist() == [-1]
