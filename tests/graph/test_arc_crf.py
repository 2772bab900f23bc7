"""The first-order CRF: its gradient against finite differences, its probabilities against all labelled trees."""

from itertools import product

import numpy as np
import pytest
from graph_bruteforce import trees

from plait.data.document import Sentence
from plait.errors import OptionError
from plait.features.templates import Template, load_templates
from plait.graph.arc_crf import ArcCrf
from plait.graph.features import GraphFeatures
from plait.graph.options import GraphParserOptions
from plait.graph.training.arc_crf import ArcCrfTrainer, ArcExample
from plait.trees.arc_labels import ArcLabels

DATA = [
    Sentence(["the", "dog", "saw", "a", "cat"], heads=[2, 3, 0, 5, 3], deprels=["det", "nsubj", "root", "det", "obj"]),
    Sentence(["a", "cat", "slept"], heads=[2, 3, 0], deprels=["det", "nsubj", "root"]),
    Sentence(["the", "cat", "saw"], heads=[3, 3, 0], deprels=["det", "nsubj", "root"]),
    Sentence(
        ["a", "cat", "saw", "the", "dog", "old"],
        heads=[2, 3, 0, 5, 3, 2],
        deprels=["det", "nsubj", "root", "det", "obj", "amod"],
    ),
]
TAGS = ["A", "D", "N", "V"]
OPTIONS = GraphParserOptions(arc_rate=0.3)
OF = {"the": 1, "a": 1, "dog": 2, "cat": 2, "saw": 3, "slept": 3, "old": 0}


def trainer(projective=True, labelled=True) -> ArcCrfTrainer:
    features = GraphFeatures(load_templates("li2012-zh", "graph"), TAGS, second=False)
    labels = ArcLabels.read(DATA, labelled=labelled, projective=projective)
    examples = [ArcExample(features.encode(s.forms, np.array([OF[w] for w in s.forms])), labels.gold(s)) for s in DATA]
    made = ArcCrfTrainer(OPTIONS, features, labels, examples)
    made.rows.w[:] = np.random.default_rng(3).normal(0, 0.3, len(made.rows.w))
    return made


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("labelled", [True, False])
def test_the_gradient_equals_finite_differences(projective, labelled):
    made = trainer(projective, labelled)
    for example in made.examples[:2]:
        made.rows.gradient[:] = 0
        made.descend(example, threshold=0.0)
        gradient = made.rows.gradient.copy()
        random = np.random.default_rng(5)
        for j in random.choice(np.flatnonzero(gradient), 25, replace=False):
            before = made.rows.w[j]
            values = []
            for step in (0.01, -0.01):
                made.rows.w[j] = before + step
                values.append(made.descend(example))
            made.rows.w[j] = before
            assert (values[0] - values[1]) / 0.02 == pytest.approx(gradient[j], abs=2e-3)


def test_probabilities_equal_enumeration_over_trees_and_labels():
    made = trainer()
    crf = ArcCrf(made.features, made.labels, made.rows)
    example = made.examples[1]
    factors = made.features.one_best(example.encoded, made.rows)
    n, L = len(example.encoded), len(made.labels.names)
    rows = {
        (h, m): made.rows.scores(np.array(factors.keys_of(h, m), dtype=np.uint64)) + made.labels.mask[min(h, 1)]
        for h in range(n + 1)
        for m in range(1, n + 1)
        if h != m
    }
    z, p, top = 0.0, np.zeros((n + 1, n + 1)), (-np.inf, (), ())
    for heads in trees(n):
        for labels in product(range(L), repeat=n):
            score = sum(rows[h, m][labels[m - 1]] for m, h in enumerate(heads, 1))
            z += np.exp(score)
            for m, h in enumerate(heads, 1):
                p[h, m] += np.exp(score)
            top = max(top, (score, heads, labels))
    tree, score, found = crf.probabilities(example.encoded)
    assert score == pytest.approx(top[0], abs=1e-4)
    assert tuple(tree.heads[1:]) == top[1]
    assert tuple(tree.labels[1:]) == top[2]
    np.testing.assert_allclose(found, p / z, atol=1e-5)
    arc = rows[int(tree.heads[1]), 1]
    of_label = crf.label_probabilities(example.encoded, tree)
    assert of_label[0] == pytest.approx(np.exp(arc.max()) / np.exp(arc).sum(), abs=1e-5)


@pytest.mark.parametrize("projective", [True, False])
def test_a_few_trees_are_learnt_by_heart(projective):
    made = trainer(projective)
    made.rows.w[:] = 0
    losses = [record.loss for record in made.run(15, seed=1)]
    assert losses[-1] < losses[0] / 5
    frozen = made.frozen(bits=16)
    crf = ArcCrf(made.features, made.labels, frozen)
    for example in made.examples:
        tree, _ = crf.best(example.encoded)
        assert tree.heads.tolist() == example.tree.heads.tolist()
        assert tree.labels.tolist() == example.tree.labels.tolist()


def test_features_seen_less_often_than_the_cutoff_have_no_weights():
    made = trainer()
    few = ArcCrfTrainer(GraphParserOptions(arc_cutoff=2), made.features, made.labels, made.examples)
    assert 0 < len(few.rows.codes) < len(made.rows.codes)
    assert set(few.rows.keys.tolist()) < set(made.rows.keys.tolist())


@pytest.mark.parametrize(
    ("template", "words"), [("h.x", "unknown atom"), ("h.t s.t g.t", "more than three"), ("h.t gdir", "without")]
)
def test_templates_that_cannot_be_filled_are_refused(template, words):
    with pytest.raises(OptionError, match=words):
        GraphFeatures([Template(tuple(template.split()))], TAGS)
