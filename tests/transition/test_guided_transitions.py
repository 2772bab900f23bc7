"""Stacking in transition systems: what templates see of the guide, read plainly; and that no one pays who has none."""

from random import Random
from typing import Any

import numpy as np
import pytest
from transition_trees import random_tree
from transition_twin import State, Twin, finish, mix

from plait.core._hashing import text_hash
from plait.core._kernel import HashKernel
from plait.data.document import Sentence
from plait.errors import OptionError
from plait.features.templates import Template, load_templates
from plait.transition._oracle import oracle
from plait.transition._search import UPDATES
from plait.transition.features import EDGE, TransitionFeatures
from plait.transition.training.label_filter import build_filter
from plait.trees.guide import GuideTree

LABELS, TAGS, CLASSES = 3, 4, [0, 1, 1, 2]
NAMES = ("nsubj", "obj", "root")


def guide_tree(n: int, random: Random) -> tuple[list[int], list[str], GuideTree]:
    sentence = Sentence(["a"] * n)
    heads = random_tree(n, random)
    labels = [random.choice(NAMES) for _ in heads]
    sentence.set_tree(heads, labels)
    return heads, labels, GuideTree.of(sentence)


class GuidedTwin(Twin):
    """The same with the atoms of the guide, out of its heads and labels."""

    guide: tuple[list[int], list[str]]

    def atoms(self, state: State) -> dict[str, int]:
        seen = super().atoms(state)
        heads, labels = self.guide
        places = dict(zip(("s0", "s1"), state.stack[::-1], strict=False))
        places |= dict(zip(("b0",), state.buffer, strict=False))
        for a, b in (("s0", "b0"), ("s1", "s0")):
            if a not in places or b not in places:
                continue
            x, y = places[a], places[b]
            seen[f"guide({a},{b})"] = 1
            for number, dependent, head in ((2, x, y), (3, y, x)):
                if dependent > 0 and heads[dependent - 1] == head:
                    seen[f"guide({a},{b})"] = number
                    seen[f"guide.l({a},{b})"] = finish(mix(number, text_hash(labels[dependent - 1])))
        for name in ("s0", "s1"):
            if places.get(name, 0) > 0:
                word = places[name]
                wanted = {d for d, head in enumerate(heads, 1) if head == word}
                attached = {d for h, d, _ in state.arcs if h == word}
                seen[f"done({name})"] = 2 if wanted <= attached else 1
        return seen


class Model:
    def __init__(self, seed: int, b1: int, b2: int) -> None:
        generator = np.random.default_rng(seed)

        def table(labels: int) -> HashKernel:
            values = generator.normal(size=(1 << 12) + labels).astype(np.float32)
            return HashKernel.restore(labels, 0.0, values, np.zeros(len(values)))

        self.features = TransitionFeatures(
            load_templates("default", "transition-guide"),
            [Template(("b0.t", "guide(s0,b0)")), Template(("done(s0)", "rank"))],
            guided=True,
        )
        self.tables = {"arcs": table(2 + 2 * LABELS), "tags": table(max(CLASSES) + 1)}
        pairs = [(h, d, label) for h in range(3) for d in range(3) for label in range(LABELS - 1)]
        label_filter = build_filter(3, LABELS, [*pairs, *((-1, d, LABELS - 1) for d in range(3))])
        classes = np.array(CLASSES, dtype=np.uint16)
        self.search = self.features.search(self.tables, label_filter, classes, False, b1, b2)
        self.twin = GuidedTwin(self.features, self.tables, label_filter, CLASSES, False, ["_"] * TAGS)

    def sentence(self, n: int, random: Random) -> tuple[Any, tuple[Any, Any, Any]]:
        tags = np.array([random.sample(range(TAGS), 2) for _ in range(n)], dtype=np.uint16)
        classes = np.array(CLASSES, dtype=np.uint16)[tags[:, 0]]
        heads, labels, tree = guide_tree(n, random)
        self.twin.guide = (heads, labels)
        atoms = self.features.atoms([random.choice("abc") for _ in range(n)], classes, None, tree)
        counts = np.array([random.randint(1, 2) for _ in range(n)], dtype=np.uint16)
        return atoms, (tags, counts, np.array([[0, 3]] * n, dtype=np.uint16))


@pytest.mark.parametrize(("b1", "b2"), [(1, 0), (3, 2), (8, 4)])
def test_a_guided_search_equals_the_slow_twin(b1: int, b2: int) -> None:
    random = Random(b1)
    for n in (1, 2, 3, 5, 7):
        model = Model(n, b1, b2)
        given = model.sentence(n, random)
        _, _, _, score, trace = model.search.decode(*given)
        best = model.twin.decode(given, b1, b2)
        assert tuple(trace) == best.path
        assert score == pytest.approx(best.score, abs=1e-4)


@pytest.mark.parametrize("update", UPDATES)
def test_guided_updates_equal_those_of_the_slow_twin(update: str) -> None:
    random = Random(3)
    found = 0
    for n in (2, 4, 6):
        model = Model(n, 3, 1)
        given = model.sentence(n, random)
        heads = random_tree(n, random)
        kinds, words = (part.tolist() for part in oracle(heads, True))
        of_root = {w for w, head in enumerate(heads, 1) if head == 0}
        gold = [
            (kind + 2 * (LABELS - 1 if word in of_root else 0) if kind >= 2 else kind, 0)
            for kind, word in zip(kinds, words, strict=True)
        ]
        actions, choices = (np.array(part, dtype=np.uint16) for part in zip(*gold, strict=True))
        mine, twins = model.search.learn(*given, actions, choices, update), model.twin.learn(given, gold, 3, 1, update)
        assert (mine is None) == (twins is None)
        if mine is not None:
            assert {(k, label): v for k, label, v in mine[0].items()} == twins[0]["tags"]
            assert {(k, label): v for k, label, v in mine[1].items()} == twins[0]["arcs"]
            found += 1
    assert found > 1


def test_what_the_guide_says_of_a_word() -> None:
    features = TransitionFeatures([Template(("s0.guide.l", "s1.guide.dir", "b0.guide.t"))], guided=True)
    sentence = Sentence(["a", "b", "c"])
    sentence.set_tree([2, 0, 2], ["nsubj", "root", "obj"])
    atoms = features.atoms(sentence.forms, np.array([4, 5, 6], dtype=np.uint16), None, GuideTree.of(sentence))
    assert features.extras == ("guide.l", "guide.dir", "guide.t")
    assert atoms[:, 1].tolist() == [text_hash(label) for label in sentence.deprels]
    assert atoms[:, 2].tolist() == [2, 3, 1]  # to the right, the root, to the left
    assert atoms[:, 3].tolist() == [6, EDGE, 6]
    assert atoms[:, 4:].tolist() == [[2, text_hash("nsubj"), 0], [0, text_hash("root"), 2], [2, text_hash("obj"), 0]]


@pytest.mark.parametrize("atoms", [("s0.guide.l",), ("guide(s1,s0)",), ("done(s1)", "s0.t")])
def test_templates_of_a_guide_need_one(atoms: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match="train with --guide"):
        TransitionFeatures([Template(atoms)])


def test_without_a_guide_the_word_matrix_is_as_it_was() -> None:
    plain = TransitionFeatures(load_templates("default", "transition"))
    guided = TransitionFeatures(load_templates("default", "transition"), guided=True)
    classes = np.zeros(2, dtype=np.uint16)
    assert plain.atoms(["a", "b"], classes).shape[1] == 1 + len(plain.extras)
    assert plain.extras == guided.extras  # what no template sees is in no window
