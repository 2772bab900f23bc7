"""The candidates of a form: found by index, they are exactly what all scripts make of it."""

from __future__ import annotations

import random

import pytest

from plait.morphology.edit_scripts import EditScript, cased
from plait.morphology.lemma_candidates import Scripts, is_lemma


def slow_candidates(scripts: Scripts, form: str) -> list[tuple[int, str]]:
    texts = cased(form)
    found = []
    for number, script in enumerate(scripts.scripts):
        lemma = script.edit(texts[script.casing]) if script.casing in texts else None
        endings = scripts.last_characters[number]
        if not script.ending and endings and texts.get(script.casing, "")[-1:] not in endings:
            continue
        if lemma is not None and is_lemma(lemma, form):
            found.append((number, lemma))
    return found


@pytest.mark.parametrize("conditions", [False, True])
def test_candidates_are_all_scripts_that_apply(conditions):
    rng = random.Random(3)
    words = ["".join(rng.choices("abAB_-", k=rng.randint(1, 5))) for _ in range(400)]
    made = {EditScript.between(rng.choice(words), rng.choice(words)) for _ in range(400)}
    kept = sorted((s for s in made if s.absolute is None), key=str)
    scripts = Scripts(kept, [rng.choice(("", "a", "Bb")) for _ in kept] if conditions else None)
    assert len(scripts) > 100
    total = 0
    for form in {*words, "_", "", "ß", "İ", "a" * 300}:
        found = scripts.candidates(form)
        assert found == slow_candidates(scripts, form)
        total += len(found)
    assert total > 1000


@pytest.mark.parametrize("count", [2, 39, 40, 41, 200])
def test_few_and_many_candidates_are_in_order(count):
    """Shorter endings are looked for first, whatever the numbers of their scripts."""
    words = [f"{'abc'[k % 3] * (k % 5)}x{k}" for k in range(count)]
    scripts = [EditScript.between("fooabcabc", "fooabcabc"[: 9 - k % 7] + word) for k, word in enumerate(words)]
    found = Scripts(scripts).candidates("fooabcabc")
    assert len(found) == count
    assert found == slow_candidates(Scripts(scripts), "fooabcabc")


def test_scripts_that_delete_nothing_apply_after_characters_that_they_were_seen_with():
    scripts = Scripts([EditScript.parse(text) for text in ("keep:~", "keep:~+e", "keep:~-s")], ["", "vc", ""])
    assert scripts.candidates("giv") == [(0, "giv"), (1, "give")]
    assert scripts.candidates("dogs") == [(0, "dogs"), (2, "dog")]
    with pytest.raises(ValueError, match="1 conditions for 3 edit scripts"):
        Scripts(scripts.scripts, ["a"])


def test_an_underscore_is_a_lemma_of_itself_alone():
    scripts = Scripts([EditScript.parse(text) for text in ("keep:~", "keep:~-x")])
    assert scripts.candidates("_") == [(0, "_")]
    assert scripts.candidates("_x") == [(0, "_x")]


def test_scripts_share_labels_by_edit_and_by_casing():
    scripts = Scripts([EditScript.parse(text) for text in ("keep:~", "keep:~-s", "lower:~", "lower:~-s")])
    assert scripts.edits.tolist() == [0, 1, 0, 1]
    assert scripts.casings.tolist() == [2, 2, 3, 3]
    assert scripts.labels == 2 + 6


@pytest.mark.parametrize("texts", [["keep:~", "keep:~"], ["!be"]])
def test_scripts_that_no_training_keeps_are_refused(texts):
    with pytest.raises(ValueError, match="edit script"):
        Scripts([EditScript.parse(text) for text in texts])
