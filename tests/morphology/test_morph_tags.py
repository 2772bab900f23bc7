"""Tags and their parts: FEATS in any shape, positional XPOS, tags that were never seen."""

from collections import Counter

import numpy as np
import pytest

from plait.data.feats import feats_fault, split_feats, tidy_feats
from plait.data.tags import TagColumns
from plait.morphology import tags as tags_module
from plait.morphology._parts import TagParts
from plait.morphology.tags import PartNames, tag_parts, unseen_tags


@pytest.mark.parametrize(
    ("feats", "tidy", "fault"),
    [
        ("_", "_", ""),
        ("", "_", "not Name=Value"),
        ("Case=Nom", "Case=Nom", ""),
        ("Number=Sing|Case=Nom", "Case=Nom|Number=Sing", ""),
        ("case=x|Abbr=Yes", "Abbr=Yes|case=x", ""),
        ("Case=Nom|Case=Nom", "Case=Nom", "Case is given twice"),
        ("Case=Nom|Case=Acc", "Case=Acc|Case=Nom", "Case is given twice"),
        ("Case=", "Case=", "not Name=Value"),
        ("=Nom", "=Nom", "not Name=Value"),
        ("nom|sg", "nom|sg", "not Name=Value"),
        ("||", "_", "not Name=Value"),
        ("Case=Nom||Number=Sing", "Case=Nom|Number=Sing", "not Name=Value"),
    ],
)
def test_feats_in_any_shape(feats, tidy, fault):
    assert tidy_feats(feats) == tidy
    assert tidy_feats(tidy) == tidy
    assert fault in feats_fault(feats)
    assert bool(fault) == bool(feats_fault(feats))


def test_every_tag_has_parts_even_an_empty_one():
    tags = ["_", "Case=Nom", "Case=Nom|Number=Sing"]
    names, parts = tag_parts(PartNames(TagColumns("feats"), tags), tags)
    assert (np.diff(parts.starts) > 0).all()
    shared = set(parts.labels[parts.starts[1] : parts.starts[2]]) & set(parts.labels[parts.starts[2] : parts.starts[3]])
    assert names[min(shared)].endswith("Case=Nom") or len(shared) == 2


def test_a_large_positional_tagset_comes_apart_by_position():
    tags = [f"N{chr(65 + a)}{chr(65 + b)}--" for a in range(20) for b in range(20)]
    names = PartNames(TagColumns("xpos"), tags)
    assert names.of("NAB--") == ["xpos0=N", "xpos1=A", "xpos2=B"]
    assert PartNames(TagColumns("xpos"), tags[:10]).of("NAB--") == ["xpos=NAB--"]
    both = PartNames(TagColumns("upos+xpos+feats"), [f"X\t{tag}\tA=b" for tag in tags])
    assert both.of("X\tNAB--\tA=b") == ["upos=X", "feats:A=b"]
    ragged = PartNames(TagColumns("xpos"), [*tags, "N"])
    assert ragged.of("NAB--") == ["xpos=NAB--"]


def test_unseen_tags_have_parts_that_were_seen_together():
    counts = Counter(
        {
            "NOUN\tCase=Nom|Number=Sing": 5,
            "NOUN\tCase=Acc|Number=Sing": 3,
            "NOUN\tCase=Nom|Number=Plur": 4,
            "ADJ\tCase=Acc|Number=Plur": 1,
            "VERB\tNumber=Dual": 9,
        }
    )
    columns = TagColumns("upos+feats")
    assert unseen_tags(columns, counts, 10) == ["NOUN\tCase=Acc|Number=Plur"]
    assert unseen_tags(columns, counts, 0) == []
    assert unseen_tags(TagColumns("upos"), counts, 5) == []
    del counts["ADJ\tCase=Acc|Number=Plur"]  # now no tag shows the accusative with the plural
    assert unseen_tags(columns, counts, 10) == []


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("feats", ["Case=Acc|Number=Plur"]),
        ("feats+upos", ["Case=Acc|Number=Plur\tNOUN"]),
        ("upos+feats", ["NOUN\tCase=Acc|Number=Plur"]),
    ],
)
def test_unseen_tags_are_found_wherever_feats_stand(spec, found):
    seen = [("NOUN", "Case=Nom|Number=Sing"), ("NOUN", "Case=Acc|Number=Sing"), ("NOUN", "Case=Nom|Number=Plur")]
    seen.append(("NOUN", "Animacy=Anim|Case=Acc|Number=Plur"))
    columns = spec.split("+")
    tags = ["\t".join({"upos": upos, "feats": feats}[column] for column in columns) for upos, feats in seen]
    assert unseen_tags(TagColumns(spec), Counter(tags), 10) == found


@pytest.mark.parametrize(
    ("parts", "starts", "labels", "coarse"),
    [
        (0, [0, 1], [0], [0]),
        (2, [0, 1], [2], [0]),
        (2, [0, 2], [0], [0]),
        (2, [0, 0, 1], [0], [0, 0]),
        (2, [1, 2], [0, 1], [0]),
        (2, [0, 2], [1, 1], [0]),
        (2, [0, 2], [0, 1], [0, 0]),
        (2, [0], [], []),
    ],
)
def test_damaged_parts_are_refused(parts, starts, labels, coarse):
    arrays = np.array(starts, np.int32), np.array(labels, np.uint16), np.array(coarse, np.uint16)
    with pytest.raises(ValueError, match="part"):
        TagParts(parts, *arrays)


def test_parts_of_feats_are_in_the_order_of_the_guidelines():
    assert split_feats("b=1|A=2|a=3") == ["A=2", "a=3", "b=1"]


def test_order_2_sees_the_beginning_of_the_tags_of_a_large_set(monkeypatch):
    """It has a weight for any three classes, so there are few: as many letters as the limit allows."""
    monkeypatch.setattr(tags_module, "MAX_CLASSES", 4)
    small, large = ["NNa", "NNb", "VBa", "VBb"], ["NNa", "NNb", "VBa", "VBb", "VCa"]
    assert [PartNames(TagColumns("xpos"), small).coarse(tag) for tag in small] == small
    assert [PartNames(TagColumns("xpos"), large).coarse(tag) for tag in large] == ["NN", "NN", "VB", "VB", "VC"]
    cased = [f"{tag}\tCase={case}" for tag in ("NNa", "VBa") for case in ("Nom", "Gen", "Dat")]
    names = PartNames(TagColumns("xpos+feats"), cased)  # six classes even with one letter of XPOS
    assert {names.coarse(tag) for tag in cased} == {"Case=Nom", "Case=Gen", "Case=Dat"}
    many = [f"{tag}\tCase=C{k}" for tag in ("NNa", "VBa") for k in range(5)]
    names = PartNames(TagColumns("xpos+feats"), many)  # even the cases alone are too many
    assert {names.coarse(tag) for tag in many} == {"NNa", "VBa"}
