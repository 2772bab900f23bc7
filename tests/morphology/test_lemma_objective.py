"""The likelihood of lemmas: its gradient against finite differences, its value against plain Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from plait.core.tables import freeze_arrays
from plait.features.templates import load_templates
from plait.morphology._known_words import KnownLemmas
from plait.morphology._lemma_keys import KeyNumbers
from plait.morphology.edit_scripts import EditScript
from plait.morphology.lemma_exceptions import Exceptions
from plait.morphology.lemma_features import (
    FORM_COLUMNS,
    LEMMA_COLUMNS,
    LemmaTemplates,
    form_atoms,
    lemma_atoms,
    tag_atoms,
)
from plait.morphology.lemma_model import LemmaModel
from plait.morphology.lemma_problem import LeaveOneOutLemmas, TrainingForms, build_problem, learn_scripts
from plait.morphology.lemma_words import NO_TAG, usual_lemma

NOUN, VERB = ("NOUN", "NN", "Number=Sing|Case=Nom"), ("VERB", "_", "Tense=Past")
COUNTS = {
    ("dogs", NOUN): Counter(dog=3),
    ("Dogs", NOUN): Counter(dog=1),
    ("cats", NOUN): Counter(cat=1),
    ("walked", VERB): Counter(walk=2),
    ("talked", VERB): Counter(talk=2),
    ("talks", NOUN): Counter(talk=2, talks=1),
    ("red", NOUN): Counter(red=1),
    ("Red", VERB): Counter(red=1),
    ("bed", NO_TAG): Counter(bed=1),
}
WORDS = [(word, lemmas, 1.0 + k / 3) for k, (word, lemmas) in enumerate(COUNTS.items())]


@pytest.fixture(scope="module")
def setting():
    scripts = learn_scripts(COUNTS, 1)
    form_templates = LemmaTemplates(load_templates("form", "lemmas"), FORM_COLUMNS)
    lemma_templates = LemmaTemplates(load_templates("lemma", "lemmas"), LEMMA_COLUMNS)
    return scripts, form_templates, lemma_templates, LeaveOneOutLemmas(COUNTS)


@pytest.fixture(scope="module")
def problem(setting):
    return build_problem(WORDS, *setting)


def random_weights(size: int) -> np.ndarray:
    return np.random.default_rng(4).normal(size=size)


def slow_value(setting, problem, w) -> float:
    """Σ weight · −log p(gold), candidate by candidate."""
    scripts, form_templates, lemma_templates, other = setting
    rows = {int(key): row for row, key in enumerate(problem.row_keys)}
    features = {int(key): k for k, key in enumerate(problem.lemma_keys)}
    total = 0.0
    for (form, tag), lemmas, weight in WORDS:
        script = scripts.number[EditScript.between(form, usual_lemma(lemmas))]
        candidates = scripts.candidates(form)
        atoms = form_atoms(form, form_templates)
        atoms[form_templates.tag :] = tag_atoms(tag)
        made = [lemma for _, lemma in candidates]
        of_made = lemma_atoms(made, form, lemma_templates)
        of_made[:, lemma_templates.tag :] = tag_atoms(tag)
        of_made[:, lemma_templates.own : lemma_templates.own + 2] = np.array(other.levels(form, made, tag)).T
        scores = []
        for (number, _), keys in zip(candidates, lemma_templates.keys(of_made), strict=True):
            score = 0.0
            for key in form_templates.keys(atoms[None])[0].tolist():
                if key in rows:
                    for j in range(problem.row_starts[rows[key]], problem.row_starts[rows[key] + 1]):
                        score += w[j] * (
                            (problem.labels[j] == scripts.edits[number])
                            + (problem.labels[j] == scripts.casings[number])
                        )
            scores.append(score + sum(w[len(problem.labels) + features[k]] for k in keys.tolist() if k in features))
        scores = np.array(scores)
        gold = [number for number, _ in candidates].index(script)
        total += weight * (np.logaddexp.reduce(scores) - scores[gold])
    return total


def test_value_is_that_of_the_slow_twin(setting, problem):
    w = random_weights(problem.objective.size)
    assert problem.objective.value_and_gradient(w)[0] == pytest.approx(slow_value(setting, problem, w), rel=1e-12)


def test_gradient_is_that_of_finite_differences(problem):
    w = random_weights(problem.objective.size)
    gradient = problem.objective.value_and_gradient(w)[1]
    assert np.count_nonzero(gradient) > 100
    for k in np.random.default_rng(1).permutation(len(w))[:200]:
        step = np.zeros(len(w))
        step[k] = 1e-5
        difference = (
            problem.objective.value_and_gradient(w + step)[0] - problem.objective.value_and_gradient(w - step)[0]
        )
        assert gradient[k] == pytest.approx(difference / 2e-5, abs=1e-6)


def test_adagrad_is_that_of_the_slow_twin(setting, problem):
    size, count = problem.objective.size, problem.objective.words
    assert count == len(WORDS)
    order, rate, decay = np.array([3, 0, 4, 3, 1]), 0.1, 0.01
    w, squares = np.zeros(size), np.zeros(size)
    total = problem.objective.adagrad_pass(order, w, squares, rate, decay)
    slow, sums, expected = np.zeros(size), np.zeros(size), 0.0
    by_form = [word for form in dict.fromkeys(w[0][0] for w in WORDS) for word in WORDS if word[0][0] == form]
    for i in order.tolist():
        alone = [(word, lemmas, weight if word == by_form[i][0] else 0.0) for word, lemmas, weight in WORDS]
        value, g = build_problem(alone, *setting).objective.value_and_gradient(slow)
        expected += value
        touched = g != 0
        g[touched] += decay * slow[touched]
        sums += g * g
        slow[touched] -= rate * g[touched] / np.sqrt(sums[touched])
    assert total == pytest.approx(expected)
    assert np.allclose(w, slow)
    assert np.count_nonzero(w) > 50


@pytest.mark.parametrize("bits", [8, 32])
def test_scores_in_use_are_those_of_the_slow_twin(setting, problem, bits):
    """Compiled scores of words that training knows and of new ones, against sums of rows over atoms made in Python."""
    scripts, form_templates, lemma_templates, _ = setting
    arrays = problem.arrays(random_weights(problem.objective.size))
    tables = {g: freeze_arrays(a, scripts.labels if g == "edits" else 1, bits) for g, a in arrays.items()}
    known = KnownLemmas.of((form, tag[0], lemma) for (form, tag), c in COUNTS.items() for lemma in c)
    model = LemmaModel(scripts, form_templates, lemma_templates, tables, known, Exceptions({}))
    for form, tag in [*COUNTS, ("Sleds", NOUN), ("freed", VERB), ("É", NO_TAG), ("dogs", VERB), ("d", NOUN)]:
        candidates, scores = model.scored(form, tag)
        atoms, made = form_atoms(form, form_templates), [lemma for _, lemma in candidates]
        atoms[form_templates.tag :] = tag_atoms(tag)
        rows = tables["edits"].scores(form_templates.keys(atoms[None])[0])
        of_made = lemma_atoms(made, form, lemma_templates)
        of_made[:, lemma_templates.tag :] = tag_atoms(tag)
        of_made[:, lemma_templates.own : lemma_templates.own + 2] = np.array(known.levels(form, made, tag[0])).T
        for (number, _), score, keys in zip(candidates, scores, lemma_templates.keys(of_made), strict=True):
            expected = rows[scripts.edits[number]] + rows[scripts.casings[number]] + tables["lemmas"].scores(keys)[0]
            assert score == pytest.approx(expected, rel=1e-5)
        found = model.probabilities(form, tag)
        lemma, p = model.chosen(form, tag)
        assert p == pytest.approx(max(found.values()))
        assert found[lemma] == pytest.approx(p)


def test_known_lemmas_without_the_word_itself_are_those_of_the_others():
    for word in COUNTS:
        low = word[0].lower()
        others = {w: c for w, c in COUNTS.items() if w[0].lower() != low}
        known = KnownLemmas.of((form, tag[0], lemma) for (form, tag), c in others.items() for lemma in c)
        lemmas = ["dog", "talk", "red", word[0]]
        assert (
            LeaveOneOutLemmas(COUNTS).levels(word[0], lemmas, word[1])[0]
            == known.levels(word[0], lemmas, word[1][0])[0]
        )
        if word[1] != NO_TAG:
            rest = KnownLemmas.of((f, t[0], lemma) for (f, t), c in COUNTS.items() if (f, t) != word for lemma in c)
            assert (
                LeaveOneOutLemmas(COUNTS).levels(word[0], lemmas, word[1])[1]
                == rest.levels(word[0], lemmas, word[1][0])[1]
            )


def test_features_of_one_form_alone_have_no_weights(setting):
    _scripts, form_templates, _of_lemma, _other = setting
    layout = TrainingForms(WORDS, *setting)
    kept = set(layout.row_keys().tolist())
    forms: dict[int, set[str]] = {}
    for (form, tag), _, _ in WORDS:
        atoms = form_atoms(form, form_templates)
        atoms[form_templates.tag :] = tag_atoms(tag)
        for key in form_templates.keys(atoms[None])[0].tolist():
            forms.setdefault(key, set()).add(form)
    assert kept == {key for key, of in forms.items() if key and len(of) > 1}


def test_numbers_of_keys_are_found():
    rng = np.random.default_rng(2)
    keys = np.unique(rng.integers(1, 1 << 62, size=500, dtype=np.uint64))
    numbers = KeyNumbers(keys)
    asked = rng.choice(np.concatenate([keys, np.zeros(9, np.uint64), keys + np.uint64(1)]), size=(40, 7))
    counts, found = numbers.find(np.ascontiguousarray(asked))
    expected = [[int(np.flatnonzero(keys == key)[0]) for key in row if key in keys] for row in asked]
    assert counts.tolist() == [len(row) for row in expected]
    assert found.tolist() == [k for row in expected for k in row]
