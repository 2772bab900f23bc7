"""Stacking in graph-based systems: what templates see of the guide, read plainly, and sums that factors share."""

import numpy as np
import pytest

from plait.core._hashing import key_of, text_hash
from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.errors import OptionError
from plait.features.templates import Template, load_templates
from plait.graph.features import GraphFeatures
from plait.graph.pruning import keep_arcs, keep_guide
from plait.trees.guide import GuideTree

FORMS = ["a", "b", "c", "d", "e"]
HEADS = [2, 0, 2, 5, 3]
LABELS = ["nsubj", "root", "obj", "det", "nmod"]


@pytest.fixture
def guide() -> GuideTree:
    sentence = Sentence(FORMS)
    sentence.set_tree(HEADS, LABELS)
    return GuideTree.of(sentence)


def factors(templates, guide, weights=None):
    features = GraphFeatures(templates, ["N", "V"], guided=True)
    encoded = features.encode(FORMS, np.array([0, 1, 0, 0, 1]), guide)
    return features.one_best(encoded, Weights(2) if weights is None else weights)


def only(atoms, guide):
    """The key function of one template, and its factors."""
    template = Template(atoms)
    return factors([template], guide), lambda *values: [key_of(template.seed, values)]


def test_whether_an_arc_is_the_guides(guide) -> None:
    found, key = only(("guide",), guide)
    for m, head in enumerate(HEADS, 1):
        for h in range(6):
            if h != m:
                assert found.keys_of(h, m) == key(2 if h == head else 1)


def test_how_far_the_guides_head_is(guide) -> None:
    found, key = only(("guide.dist",), guide)
    assert found.keys_of(2, 1) == key(1)  # the same
    assert found.keys_of(0, 1) == key(3)  # the root instead
    assert found.keys_of(1, 2) == key(2)  # instead of the root
    assert found.keys_of(3, 1) == key(8 + 2 * 1 + 1)
    assert found.keys_of(5, 1) == key(8 + 2 * 3 + 1)
    assert found.keys_of(1, 3) == key(8 + 2 * 1)
    assert len({found.keys_of(h, 4)[0] for h in (1, 2, 3)}) == 3 - 1  # 5 is four, three and two words away


def test_labels_of_the_guide(guide) -> None:
    found, key = only(("m.guide.l", "h.guide.l", "dir"), guide)
    assert found.keys_of(2, 5) == key(text_hash("nmod"), text_hash("root"), 1)
    assert found.keys_of(0, 5) == key(text_hash("nmod"), text_hash("<root>"), 3)


def test_which_arcs_of_siblings_the_guide_has(guide) -> None:
    found, key = only(("sguide",), guide)
    expected = {
        (2, 1, -1): 1,  # no sibling
        (2, 5, 3): 2 + 1 + 2,  # 2 → 3, and 3 → 5
        (2, 5, 4): 2 + 4,  # 5 → 4
        (1, 4, 2): 2,  # none of them
    }
    for (h, m, s), atom in expected.items():
        assert found.keys_of(h, m, sibling=s) == key(atom), (h, m, s)
    assert found.keys_of(2, 1) == []


def test_which_arcs_to_a_grandchild_the_guide_has(guide) -> None:
    found, key = only(("gguide",), guide)
    expected = {(0, 2, 1): 2, (2, 5, 3): 3, (1, 2, 4): 1}
    for (h, m, g), atom in expected.items():
        assert found.keys_of(h, m, grandchild=g) == key(atom), (h, m, g)


def test_sums_that_guided_factors_share_are_those_of_their_keys(guide) -> None:
    random = np.random.default_rng(5)
    templates = (*load_templates("li2012", "graph"), *load_templates("default", "graph-guide"))
    weights = Weights(2)
    found = factors(templates, guide, weights)
    kinds = [{}] + [{"sibling": s} for s in (-1, *range(1, 6))] + [{"grandchild": g} for g in range(1, 6)]
    cases = [
        (h, m, kind) for h in range(6) for m in range(1, 6) if h != m for kind in kinds
        if not {h, m} & ({*kind.values()} - {-1})
    ]  # fmt: skip
    for h, m, kind in cases:
        for key in found.keys_of(h, m, **kind):
            for label in range(2):
                weights.update(key, label, float(random.normal()))
    for _ in range(2):  # found, then remembered
        for h, m, kind in cases:
            expected = weights.scores(np.array(found.keys_of(h, m, **kind), dtype=np.uint64))
            assert found.scores_of(h, m, **kind) == pytest.approx(expected, abs=1e-3)


def test_arcs_of_the_guide_are_not_pruned(guide) -> None:
    keep = keep_arcs(np.eye(6), 0.5, np.array([0, 0, 1, 1, 1, 1], dtype=np.int32))
    keep_guide(keep, guide)
    assert all(keep[head, m] == 1 for m, head in enumerate(HEADS, 1))
    assert keep[:, 0].sum() == 0
    assert keep.sum() == 5 + 5


@pytest.mark.parametrize("atoms", [("m.guide.l",), ("guide", "h.t"), ("sguide",), ("gguide", "m.w")])
def test_templates_of_a_guide_need_one(atoms) -> None:
    with pytest.raises(OptionError, match="train with --guide"):
        GraphFeatures([Template(atoms)], ["N"])


def test_a_guide_of_another_sentence_is_refused(guide) -> None:
    features = GraphFeatures([Template(("guide",))], ["N"], guided=True)
    with pytest.raises(ValueError, match="5 words"):
        features.one_best(features.encode(["a"], np.array([0]), guide), Weights(2))
