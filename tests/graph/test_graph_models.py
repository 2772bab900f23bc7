"""Chart models with real features: the best analysis by enumeration, updates against a slow twin."""

import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from graph_bruteforce import trees

from plait.core._weights import Weights
from plait.features.templates import load_templates
from plait.graph._factors import factor_table
from plait.graph.chart import POS, SYN, Space
from plait.graph.features import GraphFeatures
from plait.graph.nodes import Candidates
from plait.graph.pos_features import PosFeatures
from plait.graph.pruning import keep_arcs
from plait.graph.training.chart import ChartInTraining, Example
from plait.learn.learners import LEARNERS, apply_update
from plait.trees.arc_labels import ArcLabels
from plait.trees.tree import Tree

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "graph"))
from group_scores import group_scores

TAGS = ["A", "N", "V"]
LABELS = ArcLabels(("x", "y", "root"), frozenset({2}), frozenset({0, 1}), "root", True, True)


def make(seed, *, joint=True, order=2, n=4):
    random = np.random.default_rng(seed)
    features = GraphFeatures(load_templates("li2012-zh", "graph"), TAGS, second=order == 2)
    pos = PosFeatures(load_templates("general", "tagging")) if joint else None
    tables = {SYN: Weights(3)} | ({POS: Weights(3)} if joint else {})
    model = ChartInTraining(features, LABELS, pos, tables)
    forms = [str(w) for w in random.choice(["ab", "b", "cab", "da"], n)]
    chosen = [sorted(random.choice(3, random.integers(1, 3) if joint else 1, replace=False).tolist()) for _ in forms]
    best = np.array([word[0] for word in chosen])
    atoms = pos.atoms(forms, best) if pos is not None else None
    keep = keep_arcs(np.ones((n + 1, n + 1)), 0.0, np.zeros(n + 1, dtype=np.int32))
    space = Space(features.encode(forms, best), Candidates.of(chosen, 3), keep, atoms)
    return model, space, chosen, random


def syn_features(model, space, tags, tree) -> Counter:
    """(key, label) of every factor of a tree, one by one."""
    c = space.candidates
    factors = model.features.factors(space.encoded, model.tables[SYN], c.token, c.tag)
    found = Counter()
    table = factor_table(c.nodes(tags), tree.heads).tolist()
    for m, (h, v, s, left, right) in enumerate(table):
        if m == 0:
            continue
        keys = factors.keys_of(h, v)
        if model.features.second:
            keys += factors.keys_of(h, v, sibling=s)
            keys += [k for g in (left, right) if g >= 0 for k in factors.keys_of(h, v, grandchild=g)]
        found.update((key, int(tree.labels[m])) for key in keys)
    return found


def pos_features(model, space, tags) -> Counter:
    sequence, pad = model.pos.sequence, model.pos.pad
    found = Counter()
    for i, tag in enumerate(tags):
        atoms = space.atoms.copy()
        if i > 0:
            atoms[pad + i - 1, sequence.tag_column] = tags[i - 1] + 1
        for part in (sequence.static, sequence.dynamic):
            keys = part.keys(atoms.reshape(-1), (pad + i) * len(sequence.columns))
            found.update((int(key), tag) for key in keys if key)
    return found


def random_tree(random, n):
    heads = trees(n)[random.integers(len(trees(n)))]
    labels = [2 if h == 0 else int(random.integers(2)) for h in heads]
    return Tree(np.array([0, *heads], dtype=np.int32), np.array([0, *labels], dtype=np.uint16))


def fill_tables(model, space, chosen, random, joint):
    """A random weight for every feature of a few analyses."""
    for _ in range(40):
        tree, tags = random_tree(random, len(chosen)), [int(random.choice(word)) for word in chosen]
        for key, label in syn_features(model, space, tags, tree):
            model.tables[SYN].update(key, label, float(random.normal()))
        if joint:
            for key, label in pos_features(model, space, tags):
                model.tables[POS].update(key, label, float(random.normal()))


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_decoder_finds_the_best_of_all_trees_labels_and_tags(seed, joint, order):
    n = 3
    model, space, chosen, random = make(seed, joint=joint, order=order, n=n)
    fill_tables(model, space, chosen, random, joint)
    top = (-np.inf, None)
    for heads in trees(n):
        for labels in product(*[(2,) if h == 0 else (0, 1) for h in heads]):
            tree = Tree(np.array([0, *heads], dtype=np.int32), np.array([0, *labels], dtype=np.uint16))
            for tags in product(*chosen):
                score = sum(c * model.tables[SYN].get(*f) for f, c in syn_features(model, space, tags, tree).items())
                if joint:
                    score += sum(c * model.tables[POS].get(*f) for f, c in pos_features(model, space, tags).items())
                if score > top[0]:
                    top = (score, (list(tags), list(heads), list(labels)))
    tags, tree, score = model.decode(space)
    assert score == pytest.approx(top[0], abs=1e-3)
    assert (tags.tolist(), tree.heads[1:].tolist(), tree.labels[1:].tolist()) == top[1]
    groups = group_scores(model, space, tags, tree)
    assert sum(groups.values()) == pytest.approx(top[0], abs=1e-3)
    assert set(groups) == ({SYN, POS} if joint else {SYN})


TABLES = {
    "li2012-ptb": "li2012-ptb",
    "between ends with candidate tags": "h.t b.t m.t dist | h.t verbs m.t dir | left.t b.t right.t dir | h.w m.w dist",
    "odd pairs": "s.t sdist | h.t s.t dist | m.w s.w dir | g.t dir | h.t g.t gdir dist | m.t g.t dir | h.t-1 | dist",
}


@pytest.mark.parametrize("table", TABLES)
def test_sums_that_factors_share_are_those_of_their_keys(table, tmp_path):
    name = TABLES[table]
    if name != table:
        (tmp_path / "t.txt").write_text(f"set odd\n    {name}\n")
        name = f"{tmp_path / 't.txt'}:odd"
    features = GraphFeatures(load_templates(name, "graph"), TAGS)
    random = np.random.default_rng(7)
    forms = [str(w) for w in random.choice(["ab", "b", "cab", "da"], 9)]
    chosen = [sorted(random.choice(3, random.integers(1, 4), replace=False).tolist()) for _ in forms]
    candidates = Candidates.of(chosen, 3)
    encoded = features.encode(forms, np.array([word[0] for word in chosen]))
    weights = Weights(2)
    factors = features.factors(encoded, weights, candidates.token, candidates.tag)
    cases = [
        (h, m, kind)
        for h, m, third in random.integers(0, factors.nodes, (400, 3)).tolist()
        for kind in ({}, {"sibling": third}, {"sibling": -1}, {"grandchild": third})
        if len({candidates.token[h], candidates.token[m], candidates.token[third]}) == 3 and m and third
    ]
    for h, m, kind in cases[::3]:
        for key in factors.keys_of(h, m, **kind):
            weights.update(key, int(random.integers(2)), float(random.normal()))
    factors = features.factors(encoded, weights, candidates.token, candidates.tag)
    for h, m, kind in cases:
        expected = weights.scores(np.array(factors.keys_of(h, m, **kind), dtype=np.uint64))
        assert factors.scores_of(h, m, **kind) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_with_losses_the_best_is_that_of_score_and_loss(seed):
    n = 3
    model, space, chosen, random = make(seed, n=n)
    fill_tables(model, space, chosen, random, True)
    gold, gold_tags = random_tree(random, n), [int(random.choice(word)) for word in chosen]
    model.augment = True
    violation = model.violation(Example(space, np.array(gold_tags, dtype=np.uint16), gold))
    top = (-np.inf, None)
    for heads in trees(n):
        for labels in product(*[(2,) if h == 0 else (0, 1) for h in heads]):
            tree = Tree(np.array([0, *heads], dtype=np.int32), np.array([0, *labels], dtype=np.uint16))
            wrong = tree.heads[1:] != gold.heads[1:]
            arcs = wrong.sum() + 0.5 * (~wrong & (tree.labels[1:] != gold.labels[1:])).sum()
            for tags in product(*chosen):
                tag_errors = sum(a != b for a, b in zip(tags, gold_tags, strict=True))
                score = sum(c * model.tables[SYN].get(*f) for f, c in syn_features(model, space, tags, tree).items())
                score += sum(c * model.tables[POS].get(*f) for f, c in pos_features(model, space, tags).items())
                if score + arcs + tag_errors > top[0]:
                    top = (score + arcs + tag_errors, {POS: tag_errors, SYN: arcs})
    assert (violation.errors if violation is not None else {POS: 0, SYN: 0}) == top[1]


@pytest.mark.parametrize("learner", ["perceptron", "pa", "spa"])
@pytest.mark.parametrize("order", [1, 2])
def test_updates_equal_a_slow_twin(learner, order):
    seen = 0
    for seed in range(6):
        model, space, chosen, random = make(seed, order=order, n=5)
        fill_tables(model, space, chosen, random, True)
        gold_tree, gold_tags = random_tree(random, 5), [int(random.choice(word)) for word in chosen]
        example = Example(space, np.array(gold_tags, dtype=np.uint16), gold_tree)
        tags, tree, _ = model.decode(space)
        violation = model.violation(example)
        if violation is None:
            continue
        seen += 1
        wrong = sum(a != b for a, b in zip(tags.tolist(), gold_tags, strict=True))
        arcs = 0.0
        for m in range(1, 6):
            if tree.heads[m] != gold_tree.heads[m]:
                arcs += 1.0
            elif tree.labels[m] != gold_tree.labels[m]:
                arcs += 0.5
        assert violation.errors == {POS: wrong, SYN: arcs}
        delta = {SYN: syn_features(model, space, gold_tags, gold_tree), POS: pos_features(model, space, gold_tags)}
        delta[SYN].subtract(syn_features(model, space, tags.tolist(), tree))
        delta[POS].subtract(pos_features(model, space, tags.tolist()))
        delta = {g: {f: c for f, c in d.items() if c != 0} for g, d in delta.items()}
        for group, d in delta.items():
            assert {(k, label): c for k, label, c in violation.delta[group].items()} == d
        before = {g: {f: model.tables[g].get(*f) for f in d} for g, d in delta.items()}
        margin = {g: sum(c * before[g][f] for f, c in d.items()) for g, d in delta.items()}
        norm = {g: sum(c * c for c in d.values()) for g, d in delta.items()}
        errors = {POS: wrong, SYN: arcs}
        if learner == "perceptron":
            steps = {POS: 1.0, SYN: 1.0}
        elif learner == "pa":
            step = max(0.0, (wrong + arcs - sum(margin.values())) / sum(norm.values()))
            steps = {POS: step, SYN: step}
        else:
            steps = {g: max(0.0, (errors[g] - margin[g]) / norm[g]) if norm[g] else 0.0 for g in (POS, SYN)}
        apply_update(LEARNERS[learner], model.tables, violation)
        for group, d in delta.items():
            for f, c in d.items():
                assert model.tables[group].get(*f) == pytest.approx(before[group][f] + steps[group] * c, abs=1e-4)
    assert seen >= 4


def test_a_head_with_very_many_children_scores_what_its_factors_score_one_by_one():
    n = 80  # the keys of so many siblings do not all wait for their rows at the same time
    model, space, chosen, _ = make(5, joint=False, n=n)
    heads = np.array([0, 0, *[1] * (n - 1)], dtype=np.int32)
    flat = Tree(heads, np.array([0, 2, *[0] * (n - 1)], dtype=np.uint16))
    tags = [word[0] for word in chosen]
    for key, label in syn_features(model, space, tags, flat):
        model.tables[SYN].update(key, label, 1.0)
    expected = sum(c * model.tables[SYN].get(*f) for f, c in syn_features(model, space, tags, flat).items())
    _, tree, score = model.decode(space)
    assert tree.heads.tolist() == heads.tolist()
    assert score == pytest.approx(expected, rel=1e-5)
