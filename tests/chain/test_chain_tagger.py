"""Viterbi against all tag sequences, and Δf against features counted one by one."""

from itertools import product

import numpy as np
import pytest

from plait.chain.perceptron_tagger import chain_tagger
from plait.core._weights import Weights
from plait.features._lexicon import build_dictionary
from plait.features.sequence import SequenceTemplates
from plait.features.templates import Template

TEMPLATES = [
    Template(("w0",)),
    Template(("suf1", "w-1")),
    Template(("t-1",)),
    Template(("t-1", "w0")),
    Template(("t-1", "w+1")),
]
TAGS = 3


def slow_features(features, forms, tags):
    """(key, tag) of every filled template, with multiplicity."""
    width = len(features.columns)
    found = []
    for i, tag in enumerate(tags):
        atoms = features.atoms(forms)
        if i > 0:
            atoms[features.pad + i - 1, features.tag_column] = tags[i - 1] + 1
        for templates in (features.static, features.dynamic):
            keys = templates.keys(atoms.reshape(-1), (features.pad + i) * width)
            found += [(int(key), tag) for key in keys if key]
    return found


def random_setting(seed):
    random = np.random.default_rng(seed)
    features = SequenceTemplates(TEMPLATES)
    vocabulary = ["a", "b", "ab", "ba"]
    forms = [vocabulary[k] for k in random.integers(0, 4, random.integers(1, 6))]
    weights = Weights(TAGS)
    for tags in product(range(TAGS), repeat=len(forms)):
        for key, tag in slow_features(features, forms, tags):
            if random.random() < 0.2:
                weights.update(key, tag, float(random.normal()))
    frequent = [(["a"], [0]), (["a"], [2]), (["ab"], [1])]
    return features, forms, weights, build_dictionary(frequent, TAGS, 0)


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_viterbi_finds_the_best_of_all_allowed_sequences(seed, bound):
    features, forms, weights, dictionary = random_setting(seed)
    random = np.random.default_rng(seed)
    given = [np.flatnonzero(random.random(TAGS) < 0.4).tolist() for _ in forms] if bound else None
    allowed = [set(dictionary.tags_of(form)) for form in forms]
    for k, tags in enumerate(given or ()):  # of what is given, that of the dictionary if there is some
        allowed[k] = (allowed[k] & set(tags) or set(tags)) if tags else allowed[k]
    scored = {}
    for tags in product(*allowed):
        scored[tags] = sum(weights.get(key, tag) for key, tag in slow_features(features, forms, tags))
    best, score = chain_tagger(weights, features, dictionary, 0).decode(features.atoms(forms), given)
    assert score == pytest.approx(max(scored.values()), abs=1e-4)
    assert scored[tuple(best.tolist())] == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize("seed", range(25))
def test_the_best_sequence_through_each_tag_is_as_far_behind_as_among_all(seed):
    features, forms, weights, dictionary = random_setting(seed)
    scored = {}
    for tags in product(*(dictionary.tags_of(form) for form in forms)):
        scored[tags] = sum(weights.get(key, tag) for key, tag in slow_features(features, forms, tags))
    best = max(scored.values())
    tags, counts, behind = chain_tagger(weights, features, dictionary, 0).max_marginals(features.atoms(forms))
    for i, form in enumerate(forms):
        assert tags[i, : counts[i]].tolist() == dictionary.tags_of(form)
        for tag, score in zip(tags[i, : counts[i]].tolist(), behind[i].tolist(), strict=False):
            through = max(value for sequence, value in scored.items() if sequence[i] == tag)
            assert score == pytest.approx(through - best, abs=1e-4)


@pytest.mark.parametrize("seed", range(25))
def test_with_a_limit_only_the_tags_with_the_best_static_scores_compete(seed):
    features, forms, weights, dictionary = random_setting(seed)
    tags, counts, _ = chain_tagger(weights, features, dictionary, 2).max_marginals(features.atoms(forms))
    atoms, width = features.atoms(forms).reshape(-1), len(features.columns)
    static = []
    for i, form in enumerate(forms):
        keys = [key for key in features.static.keys(atoms, (features.pad + i) * width).tolist() if key]
        static.append({t: sum(weights.get(key, t) for key in keys) for t in dictionary.tags_of(form)})
    allowed = [sorted(of_word, key=lambda t: -of_word[t])[:2] for of_word in static]
    for i, of_word in enumerate(allowed):
        kept = tags[i, : counts[i]].tolist()
        assert sorted(static[i][t] for t in kept) == pytest.approx(sorted(static[i][t] for t in of_word), abs=1e-5)
    best, _ = chain_tagger(weights, features, dictionary, 2).decode(features.atoms(forms))
    assert all(b in tags[i, : counts[i]] for i, b in enumerate(best.tolist()))


@pytest.mark.parametrize("seed", range(25))
def test_the_difference_is_gold_minus_predicted(seed):
    features, forms, weights, dictionary = random_setting(seed)
    random = np.random.default_rng(seed)
    gold, predicted = random.integers(0, TAGS, (2, len(forms))).astype(np.uint16)
    delta, wrong = chain_tagger(weights, features, dictionary, 0).difference(features.atoms(forms), gold, predicted)
    expected = {}
    for tags, sign in ((gold, 1), (predicted, -1)):
        for place in slow_features(features, forms, tags.tolist()):
            expected[place] = expected.get(place, 0) + sign
    assert delta.items() == sorted((key, tag, value) for (key, tag), value in expected.items() if value)
    assert wrong == int((gold != predicted).sum())


def test_an_empty_sentence_and_equal_scores_decode():
    features = SequenceTemplates(TEMPLATES)
    tagger = chain_tagger(Weights(TAGS), features, build_dictionary([], TAGS, 0), 0)
    assert tagger.decode(features.atoms([]))[0].tolist() == []
    assert tagger.decode(features.atoms(["x", "y"]))[0].tolist() == [0, 0]


def test_atoms_of_another_shape_are_refused():
    features = SequenceTemplates(TEMPLATES)
    tagger = chain_tagger(Weights(TAGS), features, build_dictionary([], TAGS, 0), 0)
    with pytest.raises(ValueError, match="shape"):
        tagger.decode(np.zeros((5, 1), dtype=np.uint64))
    with pytest.raises(ValueError, match="dictionary"):
        chain_tagger(Weights(TAGS + 1), features, build_dictionary([], TAGS, 0), 0)


def test_the_score_of_a_long_text_loses_no_small_weight():
    features = SequenceTemplates([Template(("w0",)), Template(("t-1",))])
    forms = ["a"] * 30_000
    weights = Weights(2)
    atoms = features.atoms(forms)
    width = len(features.columns)
    word = int(features.static.keys(atoms.reshape(-1), features.pad * width)[0])
    for tag in (0, 1):
        weights.update(word, tag, 1024.0)
    weights.update(word, 1, 1 / 64)  # far below the spacing of single precision at 30,000 * 1024
    best, score = chain_tagger(weights, features, build_dictionary([], 2, 0), 0).decode(atoms)
    assert best.all()
    assert score == 30_000 * (1024 + 1 / 64)
