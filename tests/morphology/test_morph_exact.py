"""The lattice against enumeration, gradients against finite differences, pruning against the full model."""

from itertools import islice

import numpy as np
import pytest
from morph_data import Twin, treebank

import plait
from plait.data.tags import JOINT, TagColumns
from plait.features.templates import load_templates
from plait.features.word_resources import NO_RESOURCES
from plait.morphology.features import MorphFeatures, WordClasses
from plait.morphology.options import MorphOptions
from plait.morphology.problem import MorphProblem

UPOS = {"tag": "upos+feats", "tag_dictionary": 0, "epochs": 3, "bits": 32}
SENTENCES = [["die", "Katze", "bellt"], ["Hund"], ["er", "hört"], ["Zug", "fährt", "laut"]]


def trained(order, threshold, **more):
    data = treebank()[:3]
    return plait.train("morph-tagger", train=data, order=order, threshold=threshold, **(UPOS | more)).system.models[0]


@pytest.mark.parametrize("order", [0, 1, 2])
def test_without_pruning_the_lattice_is_the_full_model(order):
    model = trained(order, 0.0)
    twin = Twin(model)
    assert len(model.tags) >= 6
    for forms in SENTENCES:
        scores = twin.taggings(forms, order)
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        best, score = model.best(forms)
        assert tuple(best) == ranked[0][0]
        assert score == pytest.approx(ranked[0][1], abs=1e-4)
        log_z = np.logaddexp.reduce(list(scores.values()))
        assert model.decoder.marginals(forms)[0] == pytest.approx(log_z, abs=1e-4)
        for i, chances in enumerate(model.probabilities(forms)):
            for tag in range(len(model.tags)):
                expected = sum(np.exp(s - log_z) for way, s in scores.items() if way[i] == tag)
                assert chances[tag] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("order", [1, 2])
def test_ranked_taggings_are_those_of_the_enumeration(order):
    model = trained(order, 0.0)
    for forms in SENTENCES:
        expected = sorted(Twin(model).taggings(forms, order).values(), reverse=True)
        found = list(islice(model.ranked(forms), 200))
        assert [score for _, score in found] == pytest.approx(expected[:200], abs=1e-4)
        assert len({tuple(tags) for tags, _ in found}) == len(found)
    assert found[0][0] == model.best(forms)[0]


@pytest.mark.parametrize("order", [1, 2])
def test_a_pruned_lattice_sums_over_what_is_left(order):
    model = trained(order, 0.05)
    full = trained(order, 0.0)
    pruned_somewhere = False
    for forms in SENTENCES:
        left = model.probabilities(forms)
        pruned_somewhere |= any(len(chances) < len(model.tags) for chances in left)
        assert [sum(chances.values()) for chances in left] == pytest.approx([1.0] * len(forms))
        emission = Twin(model).emissions(forms)
        shares = np.exp(emission - np.logaddexp.reduce(emission, axis=1)[:, None])
        if order == 1:  # order 2 drops more: pairs of tags
            for chances, share in zip(left, shares, strict=True):
                assert set(chances) == set(np.flatnonzero(share >= 0.05).tolist())
        scores = Twin(model).taggings(forms, order)
        if order == 1:
            inside = {way: s for way, s in scores.items() if all(t in c for t, c in zip(way, left, strict=True))}
            log_z = np.logaddexp.reduce(list(inside.values()))
            assert model.decoder.marginals(forms)[0] == pytest.approx(log_z, abs=1e-4)
            assert tuple(model.best(forms)[0]) == max(inside, key=inside.__getitem__)
    assert pruned_somewhere
    assert full.tags == model.tags


def problem(order, **more):
    columns = TagColumns("upos+xpos+feats")
    train = [(s.forms, columns.read(s)) for s in treebank()]
    classes = WordClasses.build((forms, [tag.partition(JOINT)[0] for tag in tags]) for forms, tags in train)
    features = MorphFeatures(load_templates("morphology", "morphology"), classes, NO_RESOURCES)
    return MorphProblem(columns, train, features, MorphOptions(order=order, **more))


@pytest.mark.parametrize("dictionary", [0, 1])
@pytest.mark.parametrize(("order", "threshold"), [(0, 0.0), (1, 0.0), (1, 0.02), (2, 0.0), (2, 0.005)])
def test_gradients_match_finite_differences(order, threshold, dictionary):
    learner = problem(order, tag_dictionary=dictionary).learner
    random = np.random.default_rng(7)
    values = random.normal(0, 0.3, learner.size).astype(np.float32)
    learner.restore(values, np.zeros_like(values), np.zeros(len(values)), 0.0)
    tried = jumps = 0
    for sentence in range(3):
        loss, gradient = learner.objective(sentence, order, threshold)
        assert loss > 0
        moving = np.flatnonzero(gradient)
        some = random.permutation(moving)[:60].tolist() + random.integers(0, learner.size, 20).tolist()
        transitions = moving[moving >= learner.pairs_at]
        assert order == 0 or len(transitions)
        for at in [*some, *transitions[:30].tolist(), *transitions[-30:].tolist()]:
            step = np.float32(1e-2 if threshold == 0 else 2e-3)
            around = []
            for sign in (1, -1):
                moved = values.copy()
                moved[at] += sign * step
                learner.restore(moved, np.zeros_like(moved), np.zeros(len(moved)), 0.0)
                around.append(learner.objective(sentence, order, threshold)[0])
            learner.restore(values, np.zeros_like(values), np.zeros(len(values)), 0.0)
            tried += 1
            if threshold > 0 and abs(around[0] + around[1] - 2 * loss) > 1e-3:  # another lattice: not differentiable
                jumps += 1
                continue
            assert (around[0] - around[1]) / (2 * step) == pytest.approx(gradient[at], abs=2e-3)
    assert jumps < 0.1 * tried


@pytest.mark.parametrize("order", [1, 2])
def test_gold_stays_in_the_lattice_whatever_the_weights_say(order):
    made = problem(order, tag_dictionary=0)
    learner = made.learner
    values = np.zeros(learner.size, dtype=np.float32)
    parts = made.parts.parts
    gold = set(made.gold[:4].tolist())
    values[: learner.pairs_at][[label >= parts and label - parts in gold for label in made.labels.tolist()]] = -5
    learner.restore(values, np.zeros_like(values), np.zeros(len(values)), 0.0)
    loss, gradient = learner.objective(0, order, 0.03 if order == 1 else 0.001)
    assert 5 < loss < 1000
    assert np.abs(gradient).max() > 0.9


def test_training_lowers_the_loss_and_averages_lie_between():
    learner = problem(1).learner
    hidden = np.zeros(20, dtype=np.uint8)
    losses = [learner.run(np.arange(5), 1, 0.0, 0.2, 0.0, 0.0, 0.1, hidden) for _ in range(20)]
    assert losses[-1] < 0.3 * losses[0]
    assert np.abs(learner.values(averaged=True)).max() < np.abs(learner.values(averaged=False)).max()


def test_hidden_words_leave_their_own_weights_alone():
    made = problem(1, tag_dictionary=0)
    learner = made.learner
    learner.run(np.arange(5), 1, 0.0, 0.2, 0.0, 0.0, 0.1, np.ones(20, dtype=np.uint8))
    form = made.arrays(learner.values(averaged=False))["form"]
    lexical = made.keys[:, np.array(made.features.lexical)]
    assert not np.isin(form["keys"], lexical).any()
    assert len(form["keys"])


def test_penalties_pull_weights_towards_zero():
    def trained_with(l1, l2):
        learner = problem(1).learner
        for _ in range(10):
            learner.run(np.arange(5), 1, 0.0, 0.2, l1, l2, 0.1, np.zeros(20, dtype=np.uint8))
        return learner.values(averaged=False)

    plain, ridge, lasso = trained_with(0, 0), trained_with(0, 0.5), trained_with(0.3, 0)
    assert np.linalg.norm(ridge) < 0.8 * np.linalg.norm(plain)
    assert np.count_nonzero(lasso) < 0.8 * np.count_nonzero(plain)


def test_dropped_weights_stay_zero():
    learner = problem(1).learner
    dropped = np.zeros(learner.size, dtype=np.uint8)
    dropped[::2] = 1
    learner.drop(dropped)
    learner.run(np.arange(5), 1, 0.0, 0.2, 0.0, 0.1, 0.1, np.zeros(20, dtype=np.uint8))
    values = learner.values(averaged=False)
    assert not values[::2].any()
    assert values[1::2].any()
