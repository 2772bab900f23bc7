"""The compiled search against its slow twin: same decisions, same scores, same updates."""

import random
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.easyfirst._pending import LOSSES
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features
from plait.features._lexicon import build_dictionary
from plait.features.templates import load_templates, united
from plait.trees.morphology import NO_MORPHOLOGY, SeenMorphology

sys.path.insert(0, str(Path(__file__).parent))
from twin import Twin

STEP = 2.0**-10  # of updates: exact, and smaller than what a search may allow for rounding

FORMS = ["a", "b", "cc", "dd", "aab", "bc"]
TAGS, LABELS = 3, 2
FEATS = (
    "Case=Erg|Number=Sing",
    "Case=Abs|Number=Plur",
    "Mood=Ind|Number[erg]=Sing",
    "Number[erg]=Plur|VerbForm=Fin",
    "_",
)


def random_tree(n: int, rng: random.Random) -> list[int]:
    """A projective tree over n words, heads from 1; the root has 0."""

    def build(low: int, high: int, head: int) -> None:
        if low > high:
            return
        root = rng.randint(low, high)
        heads[root] = head + 1
        build_side(low, root - 1, root)
        build_side(root + 1, high, root)

    def build_side(low: int, high: int, head: int) -> None:
        while low <= high:
            end = rng.randint(low, high)
            build(low, end, head)
            low = end + 1

    heads = [0] * n
    build(0, n - 1, -1)
    return heads


class Setting:
    """One task with its compiled search and its twin, under the same weights."""

    def __init__(
        self, task: str, labels: int, center: str, beam: int, shared: bool, seed: int,
        arcs: str = "OP",
    ) -> None:  # fmt: skip
        self.rng = random.Random(seed)
        self.tagging, self.parsing = task != "parser", task != "tagger"
        self.labels, self.beam, self.shared = labels, beam, shared
        tag_set = {"tagger": "OP", "joint": "OP+Syn"}.get(task)
        self.morphology = arcs == "morphology"
        parsing = load_templates("OP" if self.morphology else arcs, "easyfirst-parsing")
        if self.morphology:
            more = (load_templates(name, "easyfirst-morphology") for name in ("arcs", "lemmas"))
            parsing = united(parsing, *more)
        self.features = Features(
            load_templates(tag_set, "easyfirst-tagging") if tag_set else (),
            parsing if self.parsing else (),
            center,
            morphology=SeenMorphology(FEATS, True) if self.morphology else NO_MORPHOLOGY,
        )
        self.dictionary = build_dictionary([(["a"] * 3, [0, 2, 0])], TAGS, 2)  # "a" is never tag 1
        self.tables = {"tags": Weights(TAGS), "arcs": Weights(2 + 2 * labels)}
        self.weights: Counter = Counter()
        self.search = EasyFirst(
            self.features.tag_scoring(self.tables["tags"], self.dictionary) if self.tagging else None,
            self.features.arc_scoring(self.tables["arcs"], labels, shared) if self.parsing else None,
            self.features.width,
            self.features.pad,
            beam,
            True,
        )

    def example(self) -> None:
        """Another random sentence."""
        n = self.rng.randint(1, 6)
        self.forms = [self.rng.choice(FORMS) for _ in range(n)]
        self.atoms = self.features.reader().atoms(self.forms)
        analysed = Sentence(self.forms)
        if self.morphology and self.parsing:
            analysed.feats = [self.rng.choice(FEATS) for _ in self.forms]
            analysed.lemmas = [self.rng.choice(("a", "b", "_")) for _ in self.forms]
            self.features.analyse(self.atoms, analysed)
        tags = [self.rng.choice([0, 2] if form == "a" else range(TAGS)) for form in self.forms]
        self.given = None if self.tagging else np.array(tags, dtype=np.uint16)
        self.gold_tags = np.array(tags, dtype=np.uint16)
        self.gold_heads = np.array(random_tree(n, self.rng), dtype=np.int32)
        self.gold_labels = np.array([self.rng.randrange(max(self.labels, 1)) for _ in range(n)], dtype=np.uint16)
        self.twin = Twin(
            self.features, self.forms, self.atoms, TAGS, self.labels, tagging=self.tagging, parsing=self.parsing,
            shared=self.shared, allowed=[self.dictionary.tags_of(form) for form in self.forms],
            analysed=analysed,
        )  # fmt: skip

    def gold(self, loss: str):
        return self.gold_tags.tolist(), self.gold_heads.tolist(), self.gold_labels.tolist(), loss

    def twin_update(self, loss: str) -> Counter | None:
        """Δf as Algorithm 2 (2012) or Algorithm 2 (2013) has it."""
        twin, delta = self.twin, Counter()
        given = None if self.given is None else self.given.tolist()
        if self.beam > 1:
            states, right = twin.beam(self.weights, self.beam, given, self.gold(loss))
            if right is None:
                return None
            delta.update(twin.path_vector(right.actions, given))
            delta.subtract(twin.path_vector(states[0].actions, given))
            return delta
        return self.twin_greedy(twin.start(given), loss)[1]

    def twin_greedy(self, state, loss: str):
        """Greedy decisions from a state on: the state before the first wrong one, and its Δf; None: all are right."""
        twin, delta = self.twin, Counter()
        while len(state.actions) < twin.steps():
            pairs = twin.valid(state)
            score, place, action = twin.best(self.weights, state, pairs)
            allowed = [pair for pair in pairs if twin.is_allowed(state, *pair, self.gold(loss))]
            if (place, action) not in allowed:
                right = [pair for pair in pairs if twin.is_allowed(state, *pair, self.gold("joint"))]
                _, right_place, right_action = twin.best(self.weights, state, right)
                delta.update(twin.vector(state, right_place, right_action))
                delta.subtract(twin.vector(state, place, action))
                return state, delta
            state = twin.apply(state, place, action, score)
        return state, None

    def compiled_update(self, loss: str, *, resume: bool = False) -> Counter | None:
        found = self.search.learn(
            self.atoms, self.given, self.gold_tags, self.gold_heads, self.gold_labels, LOSSES[loss], resume=resume
        )
        if found is None:
            return None
        delta: Counter = Counter()
        for group, part in zip(("tags", "arcs"), found[:2], strict=True):
            for key, label, value in part.items():
                delta[group, key, label] = value
            part.apply(self.tables[group], STEP)
        return delta

    def update(self, delta: Mapping[Any, float]) -> None:
        """The weights of the twin after an update."""
        self.weights.update({key: STEP * value for key, value in delta.items()})


SETTINGS = [  # task, labels, center, beam, shared, templates of arcs
    ("tagger", 0, "table", 1, True, "OP"), ("tagger", 0, "table", 3, True, "OP"),
    ("parser", LABELS, "table", 1, True, "OP"), ("parser", 0, "item", 1, True, "OP"),
    ("parser", LABELS, "pair", 2, False, "OP"),
    ("parser", 0, "table", 4, True, "OP"), ("parser", LABELS, "table", 3, True, "OP"),
    ("joint", LABELS, "table", 1, True, "OP"), ("joint", LABELS, "table", 3, True, "OP"),
    ("joint", 0, "item", 2, False, "OP"),
    ("parser", LABELS, "table", 1, True, "EFB13"), ("parser", 0, "table", 3, True, "EFB13"),
    ("parser", LABELS, "table", 2, True, "compact"), ("joint", LABELS, "table", 1, True, "compact"),
    ("joint", 0, "table", 3, True, "VTT"),
    ("parser", LABELS, "table", 1, True, "small"), ("joint", LABELS, "table", 1, True, "small"),
    ("parser", LABELS, "table", 3, True, "small"),
    ("parser", LABELS, "table", 1, True, "morphology"), ("parser", LABELS, "table", 3, True, "morphology"),
    ("joint", LABELS, "table", 1, True, "morphology"), ("joint", LABELS, "item", 2, True, "morphology"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "labels", "center", "beam", "shared", "arcs"), SETTINGS)
def test_decisions_scores_and_updates_are_those_of_the_slow_twin(task, labels, center, beam, shared, arcs):
    seed = len(task) * 100 + labels * 10 + beam
    setting = Setting(task, labels, center, beam, shared, seed, arcs)
    updates = 0
    for number in range(25):
        setting.example()
        loss = ["joint", "dep", "pos"][number % 3] if task == "joint" else "joint"
        expected = setting.twin_update(loss)
        found = setting.compiled_update(loss)
        nonzero = None if expected is None else {k: v for k, v in expected.items() if v}
        assert (None if found is None else dict(found)) == nonzero
        if found:
            updates += 1
            setting.update(found)
        given = None if setting.given is None else setting.given.tolist()
        tags, heads, _, words, actions, scores = setting.search.decode(setting.atoms, setting.given)
        if beam == 1:
            state, expected_scores = setting.twin.greedy(setting.weights, given)
            assert scores.tolist() == expected_scores
        else:
            state = setting.twin.beam(setting.weights, beam, given)[0][0]
            assert scores.sum() == state.score
        assert list(zip(words.tolist(), actions.tolist(), strict=True)) == state.actions
        if setting.tagging:
            assert [tag + 1 for tag in tags.tolist()] == state.tags
        if setting.parsing:
            assert sorted(np.flatnonzero(heads == 0).tolist()) == [state.pending[0].word]
    assert updates > 5


def tree_of(state, n: int) -> tuple[list[int], list[int]]:
    """Heads (0 the root) and labels of a finished analysis of the twin."""
    heads, labels = [0] * n, [0] * n
    waiting = list(state.pending)
    while waiting:
        node = waiting.pop()
        for child, label in node.lefts + node.rights:
            heads[child.word], labels[child.word] = node.word + 1, label
            waiting.append(child)
    return heads, labels


@pytest.mark.parametrize("width", [1, 2, 3, 8])
@pytest.mark.parametrize("task", ["tagger", "parser", "joint"])
def test_a_beam_ends_with_the_states_of_the_slow_twin(task, width):
    setting = Setting(task, LABELS, "table", width, True, seed=7 + width)
    several = 0
    for _ in range(10):
        setting.example()
        found = setting.compiled_update("joint")
        setting.update(found or {})
        given = None if setting.given is None else setting.given.tolist()
        expected = setting.twin.beam(setting.weights, width, given)[0]
        analyses = setting.search.decode_all(setting.atoms, setting.given, width)
        assert len(analyses) == len(expected) <= width
        several += len(analyses) > 1
        for (tags, heads, labels, words, actions, scores), state in zip(analyses, expected, strict=True):
            assert list(zip(words.tolist(), actions.tolist(), strict=True)) == state.actions
            assert scores.sum() == state.score
            if setting.tagging:
                assert [tag + 1 for tag in tags.tolist()] == state.tags
            if setting.parsing:
                assert (heads.tolist(), labels.tolist()) == tree_of(state, len(setting.forms))
        alone = setting.search.decode(setting.atoms, setting.given, width)  # of width 1: the greedy search
        assert [part.tolist() for part in alone] == [part.tolist() for part in analyses[0]]
    assert several == 0 if width == 1 else several > 4


@pytest.mark.parametrize("task", ["tagger", "parser", "joint"])
def test_the_valid_set_of_each_step_is_that_of_the_slow_twin(task):
    setting = Setting(task, LABELS, "table", 1, True, seed=5)
    for _ in range(15):
        setting.example()
        setting.update(setting.compiled_update("joint") or {})
        given = None if setting.given is None else setting.given.tolist()
        *_, words, actions, _ = setting.search.decode(setting.atoms, setting.given)
        made = list(zip(words.tolist(), actions.tolist(), strict=True))
        state = setting.twin.start(given)
        valid = setting.search.valid_actions(setting.atoms, setting.given, made, 1000)
        assert [(size, best[:2]) for size, best in valid] == setting.search.valid_actions(
            setting.atoms, setting.given, made, 2
        )
        for (word, action), (size, best) in zip(made, valid, strict=True):
            expected = []
            for place, one in setting.twin.valid(state):
                direction = (one - setting.twin.tags) % 2
                head = -1 if one < setting.twin.tags else state.pending[place + (1 if direction else -1)].word + 1
                score = setting.twin.score(setting.weights, state, place, one)
                expected.append((state.pending[place].word, one, head, score))
            expected.sort(key=lambda rival: (-rival[3], rival[0], rival[1]))
            assert (size, best) == (len(expected), expected)
            assert best[0][:2] == (word, action)
            place = next(k for k, node in enumerate(state.pending) if node.word == word)
            state = setting.twin.apply(state, place, action)


@pytest.mark.parametrize("loss", ["joint", "dep", "pos"])
@pytest.mark.parametrize("beam", [1, 3])
def test_what_a_loss_forgives_is_rewarded_in_whole_sequences_alone(loss, beam):
    """Greedy updates reward what gold has; a beam rewards a sequence that the loss allows, forgiven decisions too."""
    setting = Setting("joint", LABELS, "table", beam, True, seed=13)
    wrong = rewarded = 0
    for _ in range(30):
        setting.example()
        gold = {(w, t) for w, t in enumerate(setting.gold_tags.tolist())}
        states, right = setting.twin.beam(setting.weights, beam, None, setting.gold(loss))
        expected = setting.twin_update(loss)
        found = setting.compiled_update(loss)
        assert (found is None) == (expected is None)
        if found is None:
            continue
        assert {k: v for k, v in expected.items() if v} == dict(found)
        setting.update(found)
        if beam > 1:
            assert right.score <= states[0].score  # a valid update
            tags = [(word, action) for word, action in right.actions if action < TAGS]
            rewarded += len(tags)
            wrong += sum(pair not in gold for pair in tags)
    if beam > 1:
        assert rewarded > 10
        assert wrong > 0 if loss == "dep" else wrong == 0


@pytest.mark.parametrize("task", ["tagger", "parser", "joint"])
def test_scoring_the_neighbourhood_alone_equals_scoring_everything(task):
    setting = Setting(task, LABELS, "table", 1, True, seed=3)
    for _ in range(30):
        setting.example()
        setting.compiled_update("joint")
    for _ in range(10):
        setting.example()
        *_, words, actions, _ = setting.search.decode(setting.atoms, setting.given)
        made = list(zip(words.tolist(), actions.tolist(), strict=True))
        for k in range(len(made)):
            step_by_step = setting.search.survey(setting.atoms, setting.given, made[:k])
            at_once = setting.search.survey(setting.atoms, setting.given, made[:k], True)
            assert step_by_step == at_once
            assert step_by_step[1] == made[k]


@pytest.mark.parametrize("task", ["tagger", "parser", "joint"])
def test_trying_again_goes_on_in_the_same_state_under_the_new_weights(task):
    setting = Setting(task, LABELS, "table", 1, True, seed=11)
    later = 0
    for _ in range(12):
        setting.example()
        state = setting.twin.start(None if setting.given is None else setting.given.tolist())
        again = False
        while True:
            state, expected = setting.twin_greedy(state, "joint")
            found = setting.compiled_update("joint", resume=again)
            assert (None if found is None else dict(found)) == (expected and {k: v for k, v in expected.items() if v})
            if found is None:
                break
            setting.update(found)
            later += again and len(state.actions) > 0
            again = True
    assert later > 5
