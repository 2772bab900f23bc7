"""Edit scripts: applied to its form a script gives the lemma, whatever the two are; what is written can be read."""

from __future__ import annotations

import random

import pytest

import plait
from plait.morphology._casing import CASINGS
from plait.morphology.edit_scripts import IDENTITY, MAX_LENGTH, EditScript, cased

ALPHABETS = [
    "ab",
    "aAbB-+=~\\!:1",
    "İıŞşßẞΣσςǅ",
    "中国對外開放",
    "کتابهای‌خو",
    "e\u0301a\u0308\u200d👩🏽\U0001f1e9",
    "".join(map(chr, range(32, 0x250))),
]


def random_pair(rng: random.Random) -> tuple[str, str]:
    alphabet = rng.choice(ALPHABETS)
    form = "".join(rng.choices(alphabet, k=rng.randint(1, 9)))
    if rng.random() < 0.5:  # a relative of the form, as lemmas are
        letters = list(rng.choice([form, form.lower(), form.upper(), form.title()]))
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(0, len(letters))
            letters[at : at + rng.randint(0, 2)] = rng.choices(alphabet, k=rng.randint(0, 2))
        return form, "".join(letters) or "x"
    return form, "".join(rng.choices(alphabet, k=rng.randint(1, 9)))


def test_a_script_applied_to_its_form_gives_the_lemma():
    rng = random.Random(5)
    for _ in range(20_000):
        form, lemma = random_pair(rng)
        script = EditScript.between(form, lemma)
        assert script.apply(form) == lemma, (form, lemma, script)


def test_scripts_give_the_lemmas_of_all_treebanks(data_files):
    pairs = set()
    for path in data_files("ud/*/dev.conllu"):
        for sentence in plait.read(path):
            pairs.update(zip(sentence.forms, sentence.lemmas, strict=True))
    for form, lemma in pairs:
        script = EditScript.between(form, lemma)
        assert script.apply(form) == lemma
        assert EditScript.parse(str(script)) == script


def test_a_written_script_is_read_back():
    rng = random.Random(6)
    for _ in range(10_000):
        script = EditScript.between(*random_pair(rng))
        assert EditScript.parse(str(script)) == script


@pytest.mark.parametrize(
    ("form", "lemma", "script"),
    [
        ("dog", "dog", "keep:~"),
        ("The", "the", "lower:~"),
        ("parties", "party", "keep:~-ies+y"),
        ("Swam", "swim", "lower:~-a+i=1"),
        ("gesagt", "sagen", "keep:-ge~-t+en"),
        ("BUSH", "Bush", "title:~"),
        ("english", "English", "title:~"),
        ("nato", "NATO", "upper:~"),
        ("IPhone", "iPhone", "first-lower:~"),
        ("was", "be", "!be"),
        ("a-b", "a", r"keep:~-\-b"),
        ("vyššímu", "vysoký", "keep:~-ššímu+soký"),
    ],
)
def test_scripts_are_the_ones_a_person_would_write(form, lemma, script):
    assert str(EditScript.between(form, lemma)) == script


@pytest.mark.parametrize(
    ("script", "form", "lemma"),
    [
        ("keep:~-ies+y", "cities", "city"),
        ("keep:~-ies+y", "dogs", None),  # it does not end so
        ("keep:~-ies+y", "ies", None),  # nothing would be left
        ("keep:~-a+i=1", "began", "begin"),
        ("keep:~-a+i=1", "a", None),
        ("keep:-ge~-t+en", "gemacht", "machen"),
        ("keep:-ge~-t+en", "get", None),  # the edits must not overlap
        ("keep:=2-x~", "abxc", "abc"),
        ("keep:=2-x~", "ax", None),
        ("upper:~", "straße", "STRASSE"),
    ],
)
def test_a_script_applies_where_what_it_deletes_is_there(script, form, lemma):
    assert EditScript.parse(script).apply(form) == lemma


@pytest.mark.parametrize(
    "text",
    [
        "", "keep", "keep:", "keep:~~", "loud:~", "keep:~-", "keep:~+", "keep:~=0", "keep:~=x", "keep:~=²",
        "keep:~=99999", "keep:~ies", "keep:~-a-b", "keep:~+b-a", "keep:~=1=1", "keep:~-a\tb", "keep:~+\n", "!", "!a\0b",
        "keep:~-\\",
        "keep:~+\ud800", "lower~", "keep:~=01", "keep:~=-1",
    ],
)  # fmt: skip
def test_what_training_never_writes_is_refused(text):
    with pytest.raises(ValueError, match=r"cannot be kept|edit"):
        EditScript.parse(text)


def test_very_long_words_cost_nothing():
    form = "x" * (MAX_LENGTH + 1)
    assert EditScript.between(form, form) == IDENTITY
    assert EditScript.between(form, form + "y").absolute == form + "y"
    assert EditScript.between("x" * MAX_LENGTH, "x" * (MAX_LENGTH - 1)).absolute is None


def test_of_casings_that_give_the_same_the_plainest_counts():
    assert list(cased("dog")) == ["keep", "title", "upper"]
    assert list(cased("A")) == ["keep", "lower"]
    assert list(cased("狗")) == ["keep"]
    assert set(cased("iPod")) == set(CASINGS) - {"first-lower"}
