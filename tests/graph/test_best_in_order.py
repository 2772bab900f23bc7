"""Analyses in the order of their scores: against every tree, label and tagging of short sentences."""

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from graph_bruteforce import trees
from test_graph_models import LABELS, TAGS, fill_tables, make, pos_features, syn_features

import plait
from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.data.trees import is_tree
from plait.errors import OptionError
from plait.features.templates import load_templates
from plait.graph.arc_crf import ArcCrf
from plait.graph.chart import POS, SYN
from plait.graph.features import GraphFeatures
from plait.graph.kbest import with_labels
from plait.pipeline import train
from plait.trees.arc_labels import ArcLabels
from plait.trees.tree import Tree


def labellings(heads):
    return product(*[(2,) if h == 0 else (0, 1) for h in heads])


def as_tree(heads, labels):
    return Tree(np.array([0, *heads], dtype=np.int32), np.array([0, *labels], dtype=np.uint16))


def agree(found, expected):
    """The same analyses with the same scores; the order of (nearly) equal ones is free."""
    assert len(found) == len(expected)
    assert len({analysis for analysis, _ in found}) == len(found)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True) or np.diff(scores).max() < 1e-3
    for analysis, score in found:
        assert score == pytest.approx(expected[analysis], abs=1e-3)
    best = sorted(expected.values(), reverse=True)
    assert np.allclose(scores, best[: len(scores)], atol=1e-3)


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_first_order_trees_come_in_order(seed, projective, given):
    n = 3
    random = np.random.default_rng(seed)
    labels = ArcLabels(LABELS.names, LABELS.at_root, LABELS.elsewhere, "root", True, projective)
    features = GraphFeatures(load_templates("prune", "graph"), TAGS, second=False)
    encoded = features.encode(["ab", "b", "cab"], random.integers(0, 3, n))
    weights = Weights(3)
    factors = features.one_best(encoded, weights)
    for h, m in product(range(n + 1), range(1, n + 1)):
        for key in factors.keys_of(h, m) if h != m else ():
            weights.update(key, int(random.integers(3)), float(random.normal()))
    crf = ArcCrf(features, labels, weights)
    keep = np.ones((n + 1, n + 1), dtype=np.uint8)
    fixed = np.full(n + 1, -1, dtype=np.int32)
    if given:
        keep[2, 1] = 0
        fixed[2] = 1
    expected = {}
    for heads in trees(n, projective):
        for chosen in labellings(heads):
            if all(keep[h, m] and fixed[m] in (-1, chosen[m - 1]) for m, h in enumerate(heads, 1)):
                rows = [
                    weights.scores(np.array(factors.keys_of(h, m), dtype=np.uint64)) for m, h in enumerate(heads, 1)
                ]
                expected[heads, chosen] = float(sum(row[y] for row, y in zip(rows, chosen, strict=True)))
    found = [
        ((tuple(tree.heads[1:].tolist()), tuple(tree.labels[1:].tolist())), score)
        for tree, score in crf.best_in_order(encoded, keep, fixed)
    ]
    agree(found, expected)
    best, score = crf.best(encoded, keep, fixed)
    assert found[0] == ((tuple(best.heads[1:].tolist()), tuple(best.labels[1:].tolist())), score)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_second_order_and_joint_analyses_come_in_order(seed, joint, order):
    fixed = np.array([-1, -1, 1, -1], dtype=np.int32) if seed == 2 else None  # the label of the second word is given
    n = 3
    model, space, chosen, random = make(seed, joint=joint, order=order, n=n)
    fill_tables(model, space, chosen, random, joint)
    space.keep[3, 1] = 0
    space = replace(space, fixed=fixed)
    expected = {}
    for heads in trees(n):
        for labels in labellings(heads) if heads[0] != 3 else ():
            if fixed is not None and labels[1] != 1:
                continue
            for tags in product(*chosen):
                tree = as_tree(heads, labels)
                score = sum(c * model.tables[SYN].get(*f) for f, c in syn_features(model, space, tags, tree).items())
                if joint:
                    score += sum(c * model.tables[POS].get(*f) for f, c in pos_features(model, space, tags).items())
                expected[tags, heads, labels] = score
    found = [
        ((tuple(tags.tolist()), tuple(tree.heads[1:].tolist()), tuple(tree.labels[1:].tolist())), score)
        for tags, tree, score in model.decode_all(space)
    ]
    agree(found, expected)
    tags, tree, score = model.decode(space)
    assert found[0][0] == (tuple(tags.tolist()), tuple(tree.heads[1:].tolist()), tuple(tree.labels[1:].tolist()))
    assert found[0][1] == score


def test_structures_are_asked_for_only_when_they_are_needed():
    asked = []

    def structures():
        for i, score in enumerate((5.0, 4.0, 1.0)):
            asked.append(i)
            yield score, i, np.array([[0.0, -2.0, -np.inf]]), np.array([0], dtype=np.uint16)

    found = with_labels(structures())
    assert next(found)[:2] == (5.0, 0)
    assert asked == [0]
    assert [(score, i, labels.tolist()) for score, i, labels in found] == [
        (4.0, 1, [0]),
        (3.0, 0, [1]),
        (2.0, 1, [1]),
        (1.0, 2, [0]),
        (-1.0, 2, [1]),
    ]


@pytest.fixture(scope="module")
def treebank(tiny_file):
    return plait.read(tiny_file).sentences


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("graph-parser", {"order": 1}),
        ("graph-parser", {"order": 1, "projective": False}),
        ("graph-parser", {"epochs": 2}),
        ("graph-parser", {"epochs": 2, "labeled": False}),
        ("graph-joint", {"epochs": 2, "prune_tags": 0.001}),
    ],
)
def test_models_give_their_own_answer_first_and_no_analysis_twice(treebank, name, options):
    model = train(name, train=treebank, folds=2, tagger_epochs=1, arc_epochs=2, **options)
    for gold in [s for s in treebank if len(s) > 5][:3]:
        found = [document[0] for document in model.nbest(gold.forms, 12)]
        assert found[0] == model(gold.forms)[0]
        assert found[0].score == model(gold.forms)[0].score
        read = [(tuple(s.upos), tuple(s.heads), tuple(s.deprels)) for s in found]
        assert len(set(read)) == len(read) == 12
        assert all(is_tree(s.heads) for s in found)
        scores = [s.score for s in found]
        assert np.diff(scores).max() < 1e-3
    tags = {tuple(document[0].upos) for document in model.nbest(Sentence(["qwe", "rtz"]), 200)}
    assert (len(tags) > 1) == (name == "graph-joint")
    assert [len(d[0]) for d in model.nbest(Sentence([]), 2)] == [0]


def test_more_than_there_are_gives_all(treebank):
    model = train("graph-parser", train=treebank, order=1, labeled=False, folds=2, tagger_epochs=1, arc_epochs=1)
    found = model.nbest(["dogs", "bark", "loudly"], 100)
    assert sorted(tuple(d[0].heads) for d in found) == sorted(trees(3))


def test_the_first_analysis_costs_one_search(treebank, monkeypatch):
    model = train("graph-parser", train=treebank, folds=2, epochs=1, tagger_epochs=1, arc_epochs=1)
    from plait.graph import chart

    calls = []
    best_parse = chart.best_parse
    monkeypatch.setattr(chart, "best_parse", lambda *a: calls.append(1) or best_parse(*a))
    model.nbest(treebank[0].forms, 1)
    assert len(calls) == 1


def test_sentences_beyond_the_chart_get_the_trees_of_the_first_order_model(treebank, caplog):
    model = train("graph-joint", train=treebank, folds=2, epochs=1, tagger_epochs=1, arc_epochs=1, max_words=3)
    with caplog.at_level("WARNING", logger="plait"):
        found = model.nbest(["dogs", "bark", "at", "cats"], 5)
    assert "has 4 words, more than max_words (3)" in caplog.text
    assert len(found) == 5
    with pytest.raises(OptionError, match="at least 1"):
        model.nbest(["dogs"], 0)


def test_islice_of_a_chart_is_a_prefix(treebank):
    model = train("graph-parser", train=treebank, folds=2, epochs=1, tagger_epochs=1, arc_epochs=1)
    sentence = Sentence(treebank[1].forms)
    few, more = (model.system.alternatives(sentence, k) for k in (3, 7))
    assert few == list(islice(more, 3))


@pytest.mark.parametrize("options", [{"order": 1}, {"epochs": 1}])
def test_a_watch_can_end_the_work_between_two_searches(treebank, options):
    model = train("graph-parser", train=treebank, folds=2, tagger_epochs=1, arc_epochs=1, **options)
    calls = []

    def on_step(words):
        calls.append(words)
        if len(calls) == 4:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        model.nbest(treebank[2].forms, 10, on_step=on_step)
    assert calls == [len(treebank[2])] * 4
