"""The search over candidate words: against its slow twin, all analyses, given words, and on its own terms."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from random import Random
from time import process_time
from typing import Any

import numpy as np
import pytest
from lattice_twin import LatticeTwin, Move
from test_transition_search import CLASSES, FEATS, LABELS, TAGS, WORDS, full_filter, random_table
from test_transition_search import features as structured_features
from test_transition_search import sentence as structured_sentence
from transition_trees import all_trees, random_tree

from plait.features.templates import Template, load_templates
from plait.transition._lattice import Lattice
from plait.transition._oracle import SHIFT, oracle
from plait.transition._search import UPDATES
from plait.transition.features import TransitionFeatures
from plait.transition.training.label_filter import build_filter

Given = tuple[Any, tuple[Any, Any, Any]]  # atoms; tags, counts and bins of the candidates


class Woven:
    """Random weights over candidate words."""

    def __init__(self, seed: int, b1: int = 4, b2: int = 2, *, graph: bool = False, only_label: bool = False,
                 tags_first: bool = False, trees: bool = True) -> None:  # fmt: skip
        random = np.random.default_rng(seed)
        self.features = TransitionFeatures(
            load_templates("default", "transition"),
            load_templates("default", "transition-tagging"),
            load_templates("zh", "transition-graph") if graph else (),
            words=load_templates("default", "transition-words"),
        )
        self.tables = {
            "arcs": random_table(2 + 2 * (LABELS if trees else 0), random),
            "tags": random_table(max(CLASSES) + 1, random),
            "words": random_table(2 if tags_first else 1, random),
        }
        self.filter = build_filter(3, LABELS, [(0, 0, 0), (-1, 0, 0)]) if only_label else full_filter()
        self.filter = self.filter if trees else build_filter(3, 0, [])
        self.search = self.features.search(
            self.tables, self.filter, np.array(CLASSES, np.uint16), False, b1, b2, tags_first=tags_first
        )
        self.twin = LatticeTwin(self.features, self.tables, self.filter, CLASSES, False, ["_"] * TAGS)
        self.twin.tags_first = tags_first

    def sentence(self, spans: list[tuple[int, int]], k: int, random: Random) -> Given:
        n = len(spans)
        tags = np.array([random.sample(range(TAGS), k) for _ in range(n)], dtype=np.uint16)
        forms = [random.choice(WORDS) * (b - a) for a, b in spans]
        atoms = self.features.atoms(forms, np.array(CLASSES, np.uint16)[tags[:, 0]])
        for column in self.features.of_lattice:  # 0: absent
            atoms[:, 1 + self.features.extras.index(column)] = [random.randrange(4) for _ in range(n)]
        counts = np.array([random.randint(1, k) for _ in range(n)], dtype=np.uint16)
        bins = np.array([sorted(random.sample(range(20), k)) for _ in range(n)], dtype=np.uint16)
        return atoms, (tags, counts, bins)


def all_spans(length: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(length) for b in range(a + 1, length + 1)]


def random_spans(length: int, random: Random) -> list[tuple[int, int]]:
    """Every piece as a word and some longer ones; or the words of a few segmentations: all hypotheses may wait."""
    if random.random() < 0.5:
        return [(a, b) for a, b in all_spans(length) if b == a + 1 or random.random() < 0.4]
    every = list(segmentations(length))
    found = {span for _ in range(3) for span in random.choice(every)}
    places = sorted({place for span in found for place in span})
    return sorted((places.index(a), places.index(b)) for a, b in found)


def guide_of(spans: list[tuple[int, int]], random: Random) -> list[int]:
    length = max(b for _, b in spans)
    return [random.choice([k for k, (a, _) in enumerate(spans, 1) if a == at]) for at in range(length)]


def columns(spans: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in spans], [b for _, b in spans]


def segmentations(length: int) -> Iterator[list[tuple[int, int]]]:
    for count in range(length):
        for cuts in combinations(range(1, length), count):
            yield list(pairwise([0, *cuts, length]))


def gold_moves(spans: list[tuple[int, int]], words: list[tuple[int, int]], heads: list[int], counts: Any,
               random: Random, *, labels: int = LABELS - 1, lazy: bool = True) -> list[Move]:  # fmt: skip
    """The oracle's transitions in a lattice that has these words."""
    numbers = [spans.index(word) + 1 for word in words]
    moves: list[Move] = []
    front = 0
    for kind, word in zip(*(part.tolist() for part in oracle(heads, lazy)), strict=True):
        if kind == SHIFT and word > front:
            front = word
            moves.append((SHIFT, random.randrange(int(counts[numbers[word - 1] - 1])), numbers[word - 1]))
        elif kind < 2:
            moves.append((kind, 0, 0))
        else:
            label = random.randrange(labels) if heads[word - 1] or labels == 1 else LABELS - 1
            moves.append((kind + 2 * label, 0, 0))
    return moves


@pytest.mark.parametrize("tags_first", [False, True])
@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(("b1", "b2"), [(1, 0), (3, 0), (4, 2)])
def test_search_equals_the_slow_twin(b1: int, b2: int, graph: bool, tags_first: bool) -> None:
    random = Random(b1 + 10 * b2)
    for length in (1, 2, 3, 3, 4, 4, 5, 5):
        model = Woven(length, b1, b2, graph=graph, tags_first=tags_first)
        spans = random_spans(length, random)
        given, guide = model.sentence(spans, 3, random), guide_of(spans, random)
        lattice = Lattice(*columns(spans), guide)
        mine = model.search.analyses(*given, b1 + b2, lattice=lattice)
        start = model.twin.open(given, *columns(spans), guide)
        *_, (_, beam) = model.twin.rounds(start, b1, b2)
        assert len(mine) == len(beam)
        for (tags, heads, labels, score, trace, words), state in zip(mine, beam, strict=True):
            assert score == pytest.approx(state.score, abs=1e-4)
            assert tuple(trace) == tuple((action, choice) for action, choice, word in state.path if word >= 0)
            assert words.tolist() == [word for _, _, word in state.path if word > 0]
            assert dict(state.tags) == dict(zip(words.tolist(), tags.tolist(), strict=True))
            numbered = [0, *words.tolist()]
            assert state.arcs == {
                (numbered[head], word, label)
                for word, head, label in zip(words.tolist(), heads.tolist(), labels.tolist(), strict=True)
            }


@pytest.mark.parametrize("tags_first", [False, True])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("graph", [False, True])
def test_updates_equal_those_of_the_slow_twin_and_are_valid(update: str, graph: bool, tags_first: bool) -> None:
    random = Random(3)
    found = 0
    for length in (1, 2, 3, 4, 5, 6):
        model = Woven(length, 3, 1, graph=graph, tags_first=tags_first)
        spans = random_spans(length, random)
        given, guide = model.sentence(spans, 2, random), guide_of(spans, random)
        words = random.choice([way for way in segmentations(max(b for _, b in spans)) if set(way) <= set(spans)])
        gold = gold_moves(spans, words, random_tree(len(words), random), given[1][1], random)
        actions, choices = (np.array([m[i] for m in gold], dtype=np.uint16) for i in (0, 1))
        shifted = np.array([m[2] for m in gold], dtype=np.int32)
        mine = model.search.learn(*given, actions, choices, update, shifted, Lattice(*columns(spans), guide))
        twins = model.twin.teach(model.twin.open(given, *columns(spans), guide), gold, 3, 1, update)
        assert (mine is None) == (twins is None)
        if mine is None:
            continue
        delta = {"tags": mine[0], "arcs": mine[1], "words": mine[5]}
        for group, features in delta.items():
            assert {(key, label): value for key, label, value in features.items()} == twins[0][group]
        assert mine[4] == twins[1]
        assert sum(features.dot(model.tables[group]) for group, features in delta.items()) <= 1e-3
        found += 1
    assert found > 2


@pytest.mark.parametrize("tags_first", [False, True])
def test_scores_are_those_of_the_features_with_structured_tags_too(tags_first: bool) -> None:
    """Of what the beam finds: as the search adds them up, step by step, and as training collects them."""
    random = Random(4)
    of_words = [Template(atoms) for atoms in (("b0.m", "b0.len"), ("b0.w", "b0.t"), ("b0.m", "p0.m"))]
    base = structured_features()
    features = TransitionFeatures(base.arcs, base.tags, feats=FEATS, lemmas=True, words=of_words)
    for length in (2, 4, 5, 6):
        generator = np.random.default_rng(length)
        sizes = {"tags": max(CLASSES) + 1, "arcs": 2 + 2 * LABELS, "words": 2 if tags_first else 1}
        tables = {group: random_table(size, generator) for group, size in sizes.items()}
        classes = np.array(CLASSES, np.uint16)
        search = features.search(tables, full_filter(), classes, True, 4, 2, tags_first=tags_first)
        twin = LatticeTwin(features, tables, full_filter(), CLASSES, True, FEATS)
        twin.tags_first = tags_first
        spans = random_spans(length, random)
        given, guide = structured_sentence(len(spans), 3, random, features), guide_of(spans, random)
        lattice = Lattice(*columns(spans), guide)
        twin.open(given, *columns(spans), guide)
        for _, _, _, score, trace, words in search.analyses(*given, 6, lattice=lattice):
            moves: list[Move] = []
            waiting, fresh = 0, iter(words.tolist())
            for action, choice in trace:
                moves.append((action, choice, next(fresh) if action == SHIFT and not waiting else 0))
                waiting += (action == 1) - (action == SHIFT and waiting > 0)
            actions, choices, shifted = (list(part) for part in zip(*twin.piecewise(moves), strict=True))
            again, _, *deltas = search.follow(*given, actions, choices, shifted, lattice)
            assert again == pytest.approx(score, abs=1e-3)
            total = sum(delta.dot(tables[group]) for group, delta in zip(sizes, deltas, strict=True))
            assert total == pytest.approx(score, abs=1e-3)


def test_wrong_words_are_counted() -> None:
    model = Woven(0, 2, 0)
    spans = [(0, 1), (0, 2), (1, 2)]
    random, wrong = Random(0), set()
    for _ in range(20):
        given = model.sentence(spans, 1, random)
        gold = gold_moves(spans, [(0, 2)], [0], given[1][1], random)
        actions, choices = (np.array([m[i] for m in gold], dtype=np.uint16) for i in (0, 1))
        words = np.array([m[2] for m in gold], dtype=np.int32)
        found = model.search.learn(*given, actions, choices, "max-violation", words, Lattice(*columns(spans), [2, 3]))
        if found is not None:
            wrong.add((found[2], found[6]))
    assert (2.0, 2.0) in wrong  # two words, both wrong, and so are their tags


@pytest.mark.parametrize("tags_first", [False, True])
def test_one_way_through_the_lattice_is_a_sentence_of_given_words(tags_first: bool) -> None:
    random = Random(7)
    for n in (1, 2, 4, 9):
        for graph in (False, True):
            model = Woven(n, 4, 2, graph=graph, tags_first=tags_first)
            given = model.sentence([(k, k + 1) for k in range(n)], 3, random)
            lattice = Lattice(range(n), range(1, n + 1), range(1, n + 1))
            woven = model.search.analyses(*given, 6, lattice=lattice)
            joint = {name: model.tables[name] for name in ("arcs", "tags")}  # transition-joint, which knows no lattices
            plain = model.features.search(joint, model.filter, np.array(CLASSES, np.uint16), False, 4, 2).analyses(
                *given, 6
            )
            assert str(model.search.analyses(*given, 6)) == str(plain)
            assert len(woven) == len(plain)
            for mine, theirs in zip(woven, plain, strict=True):
                assert [part.tolist() for part in mine[:3]] == [part.tolist() for part in theirs[:3]]
                assert mine[3:5] == theirs[3:]
                assert mine[5].tolist() == list(range(1, n + 1))


@pytest.mark.parametrize("tags_first", [False, True])
def test_unlimited_beam_equals_exhaustive_search(tags_first: bool) -> None:
    random = Random(5)
    for length in (1, 2, 3):
        model = Woven(length, 100_000, 100_000, tags_first=tags_first)
        spans = all_spans(length)
        given, guide = model.sentence(spans, 2, random), guide_of(spans, random)
        lattice = Lattice(*columns(spans), guide)

        def best_after(path: list[Move], model: Woven = model, given: Any = given, lattice: Any = lattice) -> float:
            actions, choices, words = ([move[i] for move in path] for i in range(3))
            score, legal, *_ = model.search.follow(*given, actions, choices, words, lattice)
            return max((best_after([*path, move]) for move in legal), default=score)

        (best,) = model.search.analyses(*given, 1, lattice=lattice)
        assert best[3] == pytest.approx(best_after([]), abs=1e-4)


@pytest.mark.parametrize("tags_first", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_every_analysis_is_reached_by_the_oracle_in_equal_time(length: int, tags_first: bool) -> None:
    """All segmentations of up to five characters, all trees over their words, projective or not."""
    model = Woven(0, only_label=True, tags_first=tags_first)
    spans = all_spans(length)
    given = (
        model.features.atoms(["a"] * len(spans), np.zeros(len(spans), dtype=np.uint16)),
        (
            np.zeros((len(spans), 1), np.uint16),
            np.ones(len(spans), np.uint16),
            np.zeros((len(spans), 1), np.uint16),
        ),
    )
    guide = [spans.index((at, at + 1)) + 1 for at in range(length)]
    lattice, random = Lattice(*columns(spans), guide), Random(0)
    for words in segmentations(length):
        numbers = [0, *(spans.index(word) + 1 for word in words)]
        for heads in all_trees(len(words)):
            state = model.twin.open(given, *columns(spans), guide)
            for move in model.twin.piecewise(gold_moves(spans, words, heads, given[1][1], random, labels=1)):
                assert move in model.twin.moves(state)
                state = model.twin.go(state, move, scored=False)
            swaps = sum(action == 1 for action, _, _ in state.path)
            assert state.time == 2 * length + 2 * swaps
            assert {(head, word) for head, word, _ in state.arcs} == {
                (numbers[head], numbers[k]) for k, head in enumerate(heads, 1)
            }
            actions, choices, shifted = ([move[i] for move in state.path] for i in range(3))
            assert model.search.follow(*given, actions, choices, shifted, lattice)[1] == []


@pytest.mark.parametrize("tags_first", [False, True])
def test_permissible_transitions_are_those_of_the_twin(tags_first: bool) -> None:
    random = Random(9)
    for length in (2, 3, 4):
        model = Woven(length, tags_first=tags_first)
        spans = random_spans(length, random)
        given, guide = model.sentence(spans, 2, random), guide_of(spans, random)
        lattice = Lattice(*columns(spans), guide)
        for _ in range(20):
            state = model.twin.open(given, *columns(spans), guide)
            while not model.twin.is_final(state):
                actions, choices, words = ([move[i] for move in state.path] for i in range(3))
                legal = model.search.follow(*given, actions, choices, words, lattice)[1]
                assert legal == model.twin.moves(state)
                state = model.twin.go(state, random.choice(legal), scored=False)


@pytest.mark.parametrize(
    ("begins", "ends", "guide"),
    [
        ([], [], []),
        ([0], [2], [1, 1]),  # nothing begins at 1
        ([0, 1], [2, 2], [1, 2]),  # nothing ends at 1
        ([0, 0, 1], [2, 1, 2], [1, 3]),  # not sorted
        ([0, 0, 1], [1, 1, 2], [1, 3]),  # twice the same word
        ([0, 1], [1, 3], [1, 2]),  # beyond the end
        ([0, 1], [1, 1], [1, 2]),  # empty
        ([-1, 1], [1, 2], [1, 2]),
        ([0, 1], [1, 2], [2, 2]),  # the guide begins elsewhere
        ([0, 1], [1, 2], [1, 0]),
        ([0, 1], [1, 2], [1, 3]),
        ([0, 1], [1], [1, 2]),
    ],
)
def test_lattices_that_lead_nowhere_are_refused(begins: list[int], ends: list[int], guide: list[int]) -> None:
    with pytest.raises(ValueError):
        Lattice(begins, ends, guide)


@pytest.mark.parametrize("tags_first", [False, True])
@pytest.mark.parametrize(("b1", "b2"), [(1, 0), (4, 2)])
def test_without_trees_the_search_equals_the_slow_twin(b1: int, b2: int, tags_first: bool) -> None:
    random = Random(b1)
    for length in (1, 2, 3, 5, 8):
        model = Woven(length, b1, b2, tags_first=tags_first, trees=False)
        spans = random_spans(length, random)
        given, guide = model.sentence(spans, 3, random), guide_of(spans, random)
        mine = model.search.analyses(*given, b1 + b2, lattice=Lattice(*columns(spans), guide))
        *_, (time, beam) = model.twin.rounds(model.twin.open(given, *columns(spans), guide), b1, b2)
        assert time == max(b for _, b in spans)  # a step for each piece
        assert len(mine) == len(beam)
        for (tags, _, _, score, trace, words), state in zip(mine, beam, strict=True):
            assert score == pytest.approx(state.score, abs=1e-4)
            assert trace == [(action, choice) for action, choice, word in state.path if word >= 0]
            assert dict(state.tags) == dict(zip(words.tolist(), tags.tolist(), strict=True))


@pytest.mark.parametrize("tags_first", [False, True])
@pytest.mark.parametrize("update", UPDATES)
def test_without_trees_updates_equal_those_of_the_slow_twin(update: str, tags_first: bool) -> None:
    random, found = Random(6), 0
    for length in (2, 3, 4, 5, 6, 7):
        model = Woven(length, 3, 1, tags_first=tags_first, trees=False)
        spans = random_spans(length, random)
        given, guide = model.sentence(spans, 2, random), guide_of(spans, random)
        words = random.choice([way for way in segmentations(max(b for _, b in spans)) if set(way) <= set(spans)])
        numbers = [spans.index(word) + 1 for word in words]
        gold = [(SHIFT, random.randrange(int(given[1][1][k - 1])), k) for k in numbers]
        actions, choices = (np.array([m[i] for m in gold], dtype=np.uint16) for i in (0, 1))
        lattice, shifted = Lattice(*columns(spans), guide), np.array(numbers, dtype=np.int32)
        mine = model.search.learn(*given, actions, choices, update, shifted, lattice)
        twins = model.twin.teach(model.twin.open(given, *columns(spans), guide), gold, 3, 1, update)
        assert (mine is None) == (twins is None)
        if mine is not None:
            delta = {"tags": mine[0], "arcs": mine[1], "words": mine[5]}
            for group, features in delta.items():
                assert {(key, label): value for key, label, value in features.items()} == twins[0][group]
            assert not twins[0]["arcs"]
            assert mine[3] == 0.0
            found += 1
    assert found > 2


def learnt(model: Woven, spans: list[tuple[int, int]], given: Given, gold: list[Move], update: str) -> Any:
    actions, choices = (np.array([m[i] for m in gold], dtype=np.uint16) for i in (0, 1))
    words = np.array([m[2] for m in gold], dtype=np.int32)
    guide = [next(k for k, (a, _) in enumerate(spans, 1) if a == at) for at in range(max(b for _, b in spans))]
    return model.search.learn(*given, actions, choices, update, words, Lattice(*columns(spans), guide))


def test_a_word_that_is_still_open_has_its_errors() -> None:
    """Gold ends, or has another tag, where what was found goes on: else a learner would not know by how much."""
    spans, random, found = [(0, 1), (0, 2), (1, 2)], Random(2), set()
    for seed in range(60):
        model = Woven(seed, 1, 0, tags_first=True)
        given = model.sentence(spans, 2, random)
        given[1][0][:], given[1][1][:] = [0, 1], 2
        words = random.choice([[(0, 1), (1, 2)], [(0, 2)]])
        gold = gold_moves(spans, words, [2, 0] if len(words) == 2 else [0], given[1][1], random)
        state = model.twin.open(given, *columns(spans), [1, 3])
        _, (first,) = next(model.twin.rounds(state, 1, 0))
        mine = learnt(model, spans, given, gold, "early")
        if first.open and mine is not None and mine[4] == 1:
            right = gold[0][1] == model.twin.starts[first.open][2]
            assert (mine[2], mine[6]) == (not right, len(words) == 2)
            found.add((mine[2], mine[6]))
    assert found == {(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)}


@pytest.mark.parametrize(
    "path",
    [
        [(SHIFT, 0, 1), (SHIFT, 0, -1)],  # behind the end
        [(SHIFT, 0, 2)],  # a whole word of two pieces
        [(SHIFT, 0, -2)],  # a tag of the word of one piece alone
        [(SHIFT, 0, -9)],
        [(SHIFT, 0, -3), (SHIFT, 0, -3)],  # longer than any
        [(SHIFT, 0, -3), (SHIFT, 0, 2)],  # with another tag
        [(SHIFT, 0, -3), (SHIFT, 0, 3)],  # begins elsewhere
        [(SHIFT, 0, -3), (1, 0, 0)],
    ],
)
def test_steps_that_no_candidate_word_allows_are_refused(path: list[Move]) -> None:
    """With the tag first: words a (tags 0, 1), ab (tags 0, 2), b."""
    model = Woven(0, tags_first=True)
    spans = [(0, 1), (0, 2), (1, 2)]
    atoms, (_, _, bins) = model.sentence(spans, 2, Random(0))
    tags, counts = np.array([[0, 1], [0, 2], [0, 1]], np.uint16), np.array([2, 2, 1], np.uint16)
    given, lattice = (atoms, (tags, counts, bins)), Lattice(*columns(spans), [1, 3])
    good = [(SHIFT, 0, -3), (SHIFT, 1, 2)]
    for moves in (good, path):
        actions, choices, words = ([move[i] for move in moves] for i in range(3))
        if moves is good:
            assert model.search.follow(*given, actions, choices, words, lattice)[1]
        else:
            with pytest.raises(ValueError, match="not possible"):
                model.search.follow(*given, actions, choices, words, lattice)


def test_lattices_and_words_go_together() -> None:
    model = Woven(0)
    given = model.sentence([(0, 1), (1, 2)], 1, Random(0))
    lattice = Lattice([0, 1], [1, 2], [1, 2])
    with pytest.raises(ValueError):
        model.search.analyses(*given, 1, lattice=Lattice([0], [1], [1]))
    without = model.features.search(
        {name: model.tables[name] for name in ("arcs", "tags")}, model.filter, np.array(CLASSES, np.uint16), False, 1, 0
    )
    with pytest.raises(ValueError):
        without.analyses(*given, 1, lattice=lattice)
    with pytest.raises(ValueError):
        model.search.follow(*given, [0], [0], None, lattice)
    with pytest.raises(ValueError, match="not possible"):
        model.search.follow(*given, [0], [0], [2], lattice)
    with pytest.raises(ValueError):
        model.search.learn(*given, np.zeros(1, np.uint16), np.zeros(1, np.uint16), "early", None, lattice)


def test_cost_is_linear_in_the_length() -> None:
    model, random = Woven(1, 4, 0), Random(1)
    seconds = []
    for length in (150, 600):
        spans = [(a, b) for a in range(length) for b in range(a + 1, min(a + 3, length) + 1)]
        given, guide = model.sentence(spans, 1, random), guide_of(spans, random)
        lattice = Lattice(*columns(spans), guide)
        runs = []
        for _ in range(3):
            begun = process_time()
            model.search.analyses(*given, 1, lattice=lattice)
            runs.append(process_time() - begun)
        seconds.append(min(runs))
    assert seconds[1] < 10 * seconds[0]  # four times as long; quadratic would be sixteen times
