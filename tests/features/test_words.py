import numpy as np
import pytest

from plait.core._hashing import text_hash
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.heaviest import show_form
from plait.features.sequence import SequenceTemplates, describe, place_atom
from plait.features.templates import Template


def atom(form, column):
    return int(word_atoms([form], [column], 0)[0, 0])


def test_forms_affixes_and_case_are_hashes_of_their_text():
    assert atom("Straße", "w") == text_hash("Straße")
    assert atom("Straße", "low") == text_hash("straße")
    assert atom("running", "suf3") == text_hash("ing")
    assert atom("中国人", "pre2") == text_hash("中国")


def test_an_affix_longer_than_the_word_is_absent():
    assert atom("ab", "suf3") == 0
    assert atom("ab", "pre2") != 0


@pytest.mark.parametrize(
    ("same", "other"),
    [(("Abc", "Xyzzy"), "abc"), (("1234", "99"), "9"), (("A-b", "C-d"), "A_b"), (("中国", "中国人"), "ab")],
)
def test_shape_joins_words_of_one_look(same, other):
    assert atom(same[0], "shape") == atom(same[1], "shape") != atom(other, "shape")


@pytest.mark.parametrize(
    ("column", "true", "false"), [("digit", "a1", "ab"), ("upper", "aB", "ab"), ("hyphen", "a-b", "ab")]
)
def test_booleans_are_absent_when_false(column, true, false):
    assert atom(true, column) == 1
    assert atom(false, column) == 0


def test_the_boundary_is_its_own_atom_and_tags_start_absent():
    atoms = word_atoms(["a"], ["w", "t"], 2)
    assert atoms.shape == (5, 2)
    assert atoms[0, 0] == atoms[1, 1] != atoms[3, 0]
    assert atoms[2, 1] == 0


def test_every_column_takes_every_script():
    forms = ["", "🙂‍↔️", "\u200b", "ﷺ", "é", "\U0010ffff", "x" * 10000]
    assert word_atoms(forms, WORD_COLUMNS, 1).shape == (len(forms) + 2, len(WORD_COLUMNS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("w-1", ("w", -1)), ("t+2", ("t", 2)), ("suf3", ("suf3", 0)), ("suf3@-1", ("suf3", -1))],
)
def test_atoms_are_a_column_and_a_distance(text, expected):
    assert place_atom(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [("x0", "unknown atom"), ("shap", "did you mean shape"), ("suf99", "unknown atom"), ("w-17", "at most 16")],
)
def test_atoms_that_do_not_exist_are_refused(text, words):
    with pytest.raises(OptionError, match=words):
        SequenceTemplates([Template((text,))])


def test_templates_with_tags_are_dynamic():
    features = SequenceTemplates([Template(("w-1",)), Template(("t-1", "suf2@+1"))])
    assert [t.text for t in features.static_templates] == ["w-1"]
    assert [t.text for t in features.dynamic_templates] == ["t-1 suf2@+1"]
    assert features.tag_offsets == (-1,)
    assert features.pad == 1


def test_named_keys_are_the_keys_of_the_words():
    features = SequenceTemplates([Template(("w0",)), Template(("t-1", "suf2"))])
    atoms = features.atoms(["ab", "cde"])
    atoms[1, features.tag_column] = 1
    width = len(features.columns)
    key = int(features.dynamic.keys(atoms.reshape(-1), 2 * width)[0])
    assert dict(features.name_keys({key}, [(["ab", "cde"], [0, 1])], ["X", "Y"])) == {key: "t-1=X suf2=de"}


def test_described_features_name_the_boundary():
    template = Template(("w-1", "w+1", "low", "len"))
    assert (
        describe(template, WORD_COLUMNS, 0, 1, lambda column, i: show_form(column, ["Ab"][i]))
        == "w-1=<start> w+1=<end> low=ab len=2"
    )


def test_atoms_do_not_depend_on_how_python_stores_the_text():
    wide = "abc🙂"[:3]
    assert np.array_equal(word_atoms([wide], ["w", "suf2"], 0), word_atoms(["abc"], ["w", "suf2"], 0))
