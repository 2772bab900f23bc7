"""FEATS as atoms: columns of features, and agreement slot by slot."""

import numpy as np
import pytest

from plait.core._hashing import text_hash
from plait.features._agreement import agreement_of
from plait.features.feats import FeatsAtoms, answer, is_of_feats, unknown_features, value_of
from plait.features.templates import parse_table

NOUN, VERB, PLURAL = "Case=Erg|Number=Sing", "Mood=Ind|Number[abs]=Plur|Number[erg]=Sing|Person[erg]=3", "Number=Plur"


def test_columns_say_what_feats_say() -> None:
    atoms = FeatsAtoms(("feats", "feat:Case", "feat:Number", "feat:Number[abs]", "feat:Mood+Person"))
    found = atoms.rows([NOUN, VERB, "_", "nonsense|Case"])
    texts = [
        [NOUN, "Case=Erg", "Number=Sing", "", ""],
        [VERB, "", "Number[abs]=Plur|Number[erg]=Sing", "Number[abs]=Plur", "Mood=Ind|Person[erg]=3"],
        ["", "", "", "", ""],
        ["nonsense|Case", "Case=", "", "", ""],
    ]
    assert found.tolist() == [[text_hash(text) if text else 0 for text in row] for row in texts]
    assert (atoms.rows([NOUN]) == found[:1]).all()  # and again, from what is kept


@pytest.mark.parametrize("order", ["Number=Sing|Case=Erg", "Case=Erg|Number=Sing"])
def test_the_order_of_features_does_not_matter_to_a_part(order: str) -> None:
    assert value_of("feat:Case+Number", order) == "Case=Erg|Number=Sing"


def test_slots_are_the_features_in_which_words_agree() -> None:
    atoms = FeatsAtoms((), [NOUN, VERB, "Foreign=Yes"], agreement=True)
    assert atoms.slots == ("Case", "Number", "Number[abs]", "Number[erg]", "Person[erg]")
    assert FeatsAtoms((), [NOUN, VERB]).slots == ()


def test_a_noun_answers_in_the_slot_that_its_case_names() -> None:
    assert answer("Number[erg]", NOUN) == "Sing"
    assert answer("Person[erg]", NOUN) == "3"
    assert answer("Number[abs]", NOUN) == ""
    assert answer("Number[psor]", PLURAL) == "Plur"
    assert answer("Person[psor]", PLURAL) == ""
    assert answer("Number", VERB) == ""


def test_agreement_tells_equal_slots_from_others() -> None:
    atoms = FeatsAtoms((), [NOUN, VERB], agreement=True)
    rows = atoms.rows([NOUN, VERB, "Case=Erg|Number=Plur", "Case=Abs|Number=Plur", "_", PLURAL])

    def of(a: int, b: int) -> int:
        return agreement_of(np.ascontiguousarray(rows[a]), np.ascontiguousarray(rows[b]))

    assert of(0, 1) not in (0, of(2, 1))  # the same slots, but one of them differs
    assert of(1, 3) not in (0, of(0, 1))  # another slot
    assert of(4, 1) == of(4, 4) == 0  # nothing to compare
    assert of(5, 1) == 0  # a number without a case is no argument
    assert of(0, 2) == of(2, 0)
    with pytest.raises(ValueError, match="slots"):
        agreement_of(rows[0], rows[0, :2].copy())


def test_names_of_columns() -> None:
    assert [
        name for name in ("feats", "feat:A", "feat:A+B", "feat:A+", "feat:", "feats:A", "case") if is_of_feats(name)
    ] == [
        "feats",
        "feat:A",
        "feat:A+B",
    ]


def test_only_unknown_names_are_reported() -> None:
    assert unknown_features(["feat:Voice", "feat:Xyz", "feat:Own+Numbr"], ["Own[a]=1"]) == ["Numbr", "Xyz"]


def test_loops_of_tables_may_run_over_features() -> None:
    (templates,) = parse_table("set a\n for f in feat:Case feat:Mood: s0.<f> s1.<f> | s0.<f>").values()
    assert [t.text for t in templates] == [
        "s0.feat:Case s1.feat:Case",
        "s0.feat:Case",
        "s0.feat:Mood s1.feat:Mood",
        "s0.feat:Mood",
    ]
