"""Beam search and updates against a slow twin, against all derivations, and on their own terms."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from transition_trees import all_trees, random_tree
from transition_twin import Twin

from plait.core._kernel import HashKernel
from plait.core._weights import Weights
from plait.data.trees import is_tree
from plait.features.templates import load_templates, united
from plait.transition._filter import LabelFilter
from plait.transition._oracle import oracle
from plait.transition._search import UPDATES
from plait.transition.features import TransitionFeatures
from plait.transition.training.label_filter import build_filter

LABELS, TAGS, CLASSES = 3, 4, [0, 1, 1, 2]
FEATS = ["Case=Erg|Number=Plur", "Number[erg]=Sing|VerbForm=Fin", "Mood=Ind|Number[erg]=Plur|Person[erg]=3", "_"]
WORDS = ["a", "bb", "ccc", "dd", "e"]


def features(graph: bool = False) -> TransitionFeatures:
    arcs, lemmas, tags, choices, factors = (
        load_templates(name, "transition-morphology") for name in ("default", "lemmas", "tags", "tag-features", "graph")
    )
    return TransitionFeatures(
        united(load_templates("whole", "transition"), arcs, lemmas),
        united(load_templates("default", "transition-tagging"), tags, choices),
        # all kinds: neighbours' tags, affixes, features of tags
        united(load_templates("zh", "transition-graph"), factors) if graph else (),
        feats=FEATS,
        lemmas=True,
    )


def random_table(labels: int, random: np.random.Generator) -> HashKernel:
    values = random.normal(size=(1 << 12) + labels).astype(np.float32)
    return HashKernel.restore(labels, 0.0, values, np.zeros(len(values)))


def full_filter() -> LabelFilter:
    pairs = [(h, d, label) for h in range(3) for d in range(3) for label in range(LABELS - 1)]
    return build_filter(3, LABELS, [*pairs, *((-1, d, LABELS - 1) for d in range(3))])


def sentence(n: int, k: int, random: Random, extracted: TransitionFeatures) -> tuple[Any, tuple[Any, Any, Any]]:
    tags = np.array([random.sample(range(TAGS), k) for _ in range(n)], dtype=np.uint16)
    classes = np.array(CLASSES, dtype=np.uint16)[tags[:, 0]]
    lemmas = np.array([random.choice((0, 77, 88)) for _ in range(n)], dtype=np.uint64).reshape(-1, 1)
    atoms = extracted.atoms([random.choice(WORDS) for _ in range(n)], classes, lemmas)
    counts = np.array([random.randint(1, k) for _ in range(n)], dtype=np.uint16)
    bins = np.array([sorted(random.sample(range(20), k)) for _ in range(n)], dtype=np.uint16)
    return atoms, (tags, counts, bins)


class Model:
    def __init__(
        self, seed: int, b1: int = 4, b2: int = 2, label_filter: LabelFilter | None = None, graph: bool = False
    ) -> None:
        generator = np.random.default_rng(seed)
        self.features = features(graph)
        self.tables = {
            "arcs": random_table(2 + 2 * LABELS, generator),
            "tags": random_table(max(CLASSES) + 1, generator),
        }
        self.filter = label_filter or full_filter()
        classes = np.array(CLASSES, dtype=np.uint16)
        self.search = self.features.search(self.tables, self.filter, classes, True, b1, b2)
        self.twin = Twin(self.features, self.tables, self.filter, CLASSES, True, FEATS)


def gold_moves(heads: list[int], counts: Any, random: Random, lazy: bool = True) -> list[tuple[int, int]]:
    moves = []
    for kind, word in zip(*(a.tolist() for a in oracle(heads, lazy)), strict=True):
        label = LABELS - 1 if heads[word - 1] == 0 else random.randrange(LABELS - 1)
        moves.append((kind + 2 * label, 0) if kind >= 2 else (kind, 0))
    shifted = set()
    for i, (kind, word) in enumerate(zip(*(a.tolist() for a in oracle(heads, lazy)), strict=True)):
        if kind == 0 and word not in shifted:
            shifted.add(word)
            moves[i] = (0, random.randrange(int(counts[word - 1])))
    return moves


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(("b1", "b2"), [(1, 0), (1, 2), (3, 0), (4, 2), (8, 4)])
def test_beam_search_equals_the_slow_twin(b1: int, b2: int, graph: bool) -> None:
    random = Random(b1 + 10 * b2)
    for n in (1, 2, 3, 5, 7):
        model = Model(n, b1, b2, graph=graph)
        given = sentence(n, 3, random, model.features)
        tags, heads, labels, score, trace = model.search.decode(*given)
        best = model.twin.decode(given, b1, b2)
        assert tuple(trace) == best.path
        assert score == pytest.approx(best.score, abs=1e-4)
        assert {
            (h, i + 1, label) for i, (h, label) in enumerate(zip(heads.tolist(), labels.tolist(), strict=True))
        } == best.arcs
        assert dict(best.tags) == {i + 1: t for i, t in enumerate(tags.tolist())}


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("b1", [1, 4])
def test_updates_equal_those_of_the_slow_twin_and_are_valid(update: str, b1: int, graph: bool) -> None:
    random = Random(3)
    found = 0
    for n in (1, 2, 4, 6):
        for lazy in (False, True):
            model = Model(n, b1, 2, graph=graph)
            given = sentence(n, 3, random, model.features)
            gold = gold_moves(random_tree(n, random), given[1][1], random, lazy)
            actions, choices = (np.array(part, dtype=np.uint16) for part in zip(*gold, strict=True))
            mine = model.search.learn(*given, actions, choices, update)
            twins = model.twin.learn(given, gold, b1, 2, update)
            assert (mine is None) == (twins is None)
            if mine is None:
                continue
            tags, arcs, wrong_tags, wrong_arcs, at = mine
            assert {(k, label): v for k, label, v in tags.items()} == twins[0]["tags"]
            assert {(k, label): v for k, label, v in arcs.items()} == twins[0]["arcs"]
            assert at == twins[1]
            assert wrong_tags + wrong_arcs > 0
            # a valid update: gold is behind where the weights are moved
            assert tags.dot(model.tables["tags"]) + arcs.dot(model.tables["arcs"]) <= 1e-3
            found += 1
    assert found > 4


def test_unlimited_beam_equals_exhaustive_search() -> None:
    random = Random(5)
    for n in (1, 2, 3):
        model = Model(n, 100_000, 100_000)
        given = sentence(n, 2, random, model.features)

        def best_after(actions: list[int], choices: list[int], model: Model = model, given: Any = given) -> float:
            score, legal, _, _ = model.search.follow(*given, actions, choices)
            if not legal:
                return score
            return max(best_after([*actions, action], [*choices, choice]) for action, choice in legal)

        assert model.search.decode(*given)[3] == pytest.approx(best_after([], []), abs=1e-4)


def test_every_tree_can_be_reached_and_nothing_else() -> None:
    for n in (1, 2, 3, 4):
        model = Model(0, label_filter=build_filter(3, LABELS, [(0, 0, 0), (-1, 0, 0)]))
        given = (
            model.features.atoms(["a"] * n, np.zeros(n, dtype=np.uint16), np.zeros((n, 1), dtype=np.uint64)),
            (
                np.zeros((n, 1), np.uint16),
                np.ones(n, np.uint16),
                np.zeros((n, 1), np.uint16),
            ),
        )
        twin = model.twin
        agenda, seen, trees = [twin.read(*given)], set(), set()
        while agenda:
            state = agenda.pop()
            legal = twin.legal(state)
            assert model.search.follow(*given, *([m[i] for m in state.path] for i in (0, 1)))[1] == legal
            if state.final:
                heads = {d: h for h, d, _ in state.arcs}
                trees.add(tuple(heads[i] for i in range(1, n + 1)))
            assert bool(legal) != state.final
            for move in legal:
                after = twin.step(state, *move)
                if after.whole not in seen:
                    seen.add(after.whole)
                    agenda.append(after)
        assert trees == set(map(tuple, all_trees(n)))


@pytest.mark.parametrize("n", [1, 30, 400])
def test_any_weights_give_one_rooted_tree(n: int) -> None:
    for seed in range(3):
        model = Model(seed, 4, 1)
        _, heads, labels, _, _ = model.search.decode(*sentence(n, 2, Random(seed), model.features))
        assert is_tree(heads.tolist())
        assert [h == 0 for h in heads.tolist()] == [label == LABELS - 1 for label in labels.tolist()]


def test_swaps_of_a_long_sentence_are_limited() -> None:
    n = 200
    model = Model(0, 1, 0)
    table = Weights(2 + 2 * LABELS)
    given = sentence(n, 1, Random(0), model.features)
    for key, label, _ in model.search.follow(*given, [0, 0, 1], [0, 0, 0])[3].items():
        table.update(key, label, 1.0)
    search = model.features.search(
        {"arcs": table, "tags": model.tables["tags"]}, model.filter, np.array(CLASSES, np.uint16), True, 1, 0
    )
    _, heads, _, _, trace = search.decode(*given)
    assert is_tree(heads.tolist())
    assert [action for action, _ in trace].count(1) <= 10 * n + 400


def test_tag_variants_do_not_fill_the_beam() -> None:
    """With b1 = 1 and b2 = 0 a single tree survives; every extra place lets one more variant live."""
    random = Random(11)
    scores = []
    for b2 in (0, 1, 2, 50):
        model = Model(1, 1, b2)
        random.seed(4)
        scores.append(model.search.decode(*sentence(6, 3, random, model.features))[3])
    assert scores[0] <= scores[-1]


def test_label_filter_falls_back_by_dependent_then_to_any() -> None:
    f = build_filter(2, 3, [(0, 1, 1), (0, 0, 0), (-1, 0, 2)])
    assert f.labels_of(0, 1) == [1]
    assert f.labels_of(1, 1) == [1]  # never seen: what the dependent was seen with
    assert f.labels_of(1, 0) == [0]
    assert f.labels_of(-1, 0) == [2]
    assert f.labels_of(-1, 1) == [2]  # any root
    g = build_filter(2, 3, [(0, 1, 1), (-1, 1, 2)])
    assert g.labels_of(1, 0) == [1]  # never seen at all: any label between words


def test_words_alone_under_the_root_leave_labels_for_words() -> None:
    f = build_filter(1, 1, [(-1, 0, 0)])
    assert f.labels_of(0, 0) == [0]


@pytest.mark.parametrize("part", range(4))
def test_unsound_sentences_are_refused(part: int) -> None:
    model = Model(0)
    atoms, (tags, counts, bins) = sentence(3, 2, Random(0), model.features)
    given = [atoms, tags, counts, bins]
    wrong = [atoms[:2], tags + 99, counts * 0, bins[:, :1].copy()]
    given[part] = wrong[part]
    with pytest.raises(ValueError):
        model.search.decode(given[0], tuple(given[1:]))


def test_impossible_transitions_are_refused() -> None:
    model = Model(0)
    given = sentence(2, 1, Random(0), model.features)
    for actions in ([1], [2], [3], [0, 3], [0, 1], [0, 0, 0], [0, 2], [99]):
        with pytest.raises(ValueError, match="not possible"):
            model.search.follow(*given, actions, [0] * len(actions))
    for actions, choices in product([[0, 0]], [[0, 0]]):
        with pytest.raises(ValueError, match="before the tree is complete"):
            model.search.learn(*given, np.array(actions, np.uint16), np.array(choices, np.uint16))


def test_what_is_remembered_of_a_long_sentence_may_be_forgotten() -> None:
    random = Random(8)
    model = Model(8, 8, 4, graph=True)
    given = sentence(400, 3, random, model.features)  # more words meet than are remembered at once
    _, _, _, score, trace = model.search.decode(*given)
    actions, choices = zip(*trace, strict=True)
    assert model.search.follow(*given, actions, choices)[0] == pytest.approx(score, rel=1e-5)


@pytest.mark.parametrize(("b1", "b2"), [(1, 0), (4, 2)])
def test_what_was_searched_before_changes_nothing(b1: int, b2: int) -> None:
    random = Random(5)
    used = Model(3, b1, b2, graph=True)
    for n in (2, 120, 1, 40, 3):
        given = sentence(n, 3, random, used.features)
        heads = random_tree(n, random)
        bound = np.array(heads, dtype=np.int32), np.full(n, -1, dtype=np.int32)
        fresh = Model(3, b1, b2, graph=True)
        gold = gold_moves(heads, given[1][1], random)
        actions, choices = (np.array(part, dtype=np.uint16) for part in zip(*gold, strict=True))
        for search in (lambda m, given=given: m.search.decode(*given),
                       lambda m, given=given, bound=bound: m.search.decode(*given, *bound),
                       lambda m, given=given, a=actions, c=choices: (m.search.learn(*given, a, c) or ())[2:],
                       lambda m, given=given: m.search.analyses(*given, 3)):  # fmt: skip
            assert repr(search(used)) == repr(search(fresh))
        with pytest.raises(ValueError, match="shapes"):
            used.search.decode(given[0][:, 1:].copy(), given[1])
        with pytest.raises(ValueError, match="end after"):
            used.search.learn(*given, actions[:-1].copy(), choices[:-1].copy())


def test_threads_share_one_search() -> None:
    random = Random(6)
    model = Model(4, 4, 2, graph=True)
    given = [sentence(random.randint(1, 30), 3, random, model.features) for _ in range(60)]
    expected = [repr(model.search.decode(*each)) for each in given]
    with ThreadPoolExecutor(4) as pool:
        assert [repr(found) for found in pool.map(lambda each: model.search.decode(*each), given * 3)] == expected * 3
