"""Easy-first search written out slowly: scores from filled templates and a dictionary of weights, nothing kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from plait.core._hashing import key_of, text_hash
from plait.data.document import Sentence
from plait.easyfirst.features import Features
from plait.features._words import WORD_SETS
from plait.features.sequence import place_atom
from plait.features.templates import spread

NO_CHILD, BEYOND, BOS, EOS = 0x4E4F4E45, 0x504144, 0x424F53, 0x454F53
LEFT, RIGHT = 0, 1
MASK = (1 << 64) - 1

Weights = dict[tuple[str, int, int], float]  # (group, key, label) → weight


def ranged(count: int) -> int:
    return count if count <= 10 else 11 if count <= 15 else 12 if count <= 20 else 13 if count <= 30 else 14


@dataclass
class Node:
    word: int
    tag: int = 0  # code: 0 none yet, tag + 1
    lefts: list[tuple[Node, int]] = field(default_factory=list)  # innermost first
    rights: list[tuple[Node, int]] = field(default_factory=list)

    def size(self) -> int:
        return 1 + sum(child.size() for child, _ in self.lefts + self.rights)

    def shape(self) -> tuple:
        return (
            self.word,
            self.tag,
            tuple((c.shape(), label) for c, label in self.lefts),
            tuple((c.shape(), label) for c, label in self.rights),
        )

    def copy(self) -> Node:
        return Node(self.word, self.tag, list(self.lefts), list(self.rights))


@dataclass
class State:
    pending: list[Node]
    tags: list[int]
    score: float = 0.0
    actions: list[tuple[int, int]] = field(default_factory=list)  # (word, action)
    correct: bool = True


class Twin:
    def __init__(self, features: Features, forms: Sequence[str], atoms, tags: int, labels: int, *, tagging: bool,
                 parsing: bool, shared: bool, allowed: Sequence[Sequence[int]] | None,
                 analysed: Sentence | None = None) -> None:  # fmt: skip
        self.analysed = analysed
        self.features, self.forms, self.atoms = features, forms, atoms
        self.tags = tags if tagging else 0
        self.labels = labels
        self.tagging, self.parsing, self.shared = tagging, parsing, shared
        self.allowed = allowed

    # ------------------------------------------------------------ features

    def node_value(self, node: Node | None, column: str) -> int:
        if node is None:
            return BEYOND if column in ("w", "t") or column in self.features.extras else 0
        if column in ("w", *self.features.extras):
            return self.word_value(node.word, column)
        if column == "t":
            return node.tag
        if column in ("vl", "vr"):
            return min(len(node.lefts if column == "vl" else node.rights), 7) + 1
        if column == "len":
            return ranged(node.size())
        if column == "leaf":
            return 2 if node.lefts or node.rights else 1
        which, part = column.split(".")
        side = node.lefts if which.startswith("l") else node.rights
        place = 2 if which.endswith("2") else 1
        if len(side) < place:
            return NO_CHILD if part == "t" and place == 1 else 0
        child, label = side[-place]
        if part == "w":
            return self.word_value(child.word, "w")
        return child.tag if part == "t" else (label + 1 if self.labels else 0)

    def word_value(self, word: int, column: str) -> int:
        if column == "lemma":
            return 0 if self.analysed.lemmas[word] == "_" else text_hash(self.analysed.lemmas[word])
        if column.startswith("feat"):
            feats = [] if self.analysed.feats[word] == "_" else self.analysed.feats[word].split("|")
            wanted = column.removeprefix("feat:").split("+")
            kept = [f for f in feats if column == "feats" or f.split("=")[0].split("[")[0] in wanted]
            return text_hash("|".join(kept)) if kept else 0
        return int(self.atoms[self.features.pad + word, self.features.columns.index(column)])

    def agreement(self, *words: int) -> int:
        """Two words in the slots Case, Number and Number[erg]."""
        answers = []
        for word in words:
            feats = self.analysed.feats[word]
            pairs = dict(pair.split("=") for pair in feats.split("|")) if feats != "_" else {}
            if "Number[erg]" not in pairs and pairs.get("Case") == "Erg" and "Number" in pairs:
                pairs["Number[erg]"] = pairs["Number"]
            answers.append([pairs.get(slot) for slot in ("Case", "Number", "Number[erg]")])
        compared = [2 * i + (a == b) for i, (a, b) in enumerate(zip(*answers, strict=True)) if a and b]
        h = 0x61677265
        for value in compared:
            h = ((h ^ value) * 0xC6A4A7935BD1E995) & MASK
            h ^= h >> 47
        h = (h * 0xC6A4A7935BD1E995) & MASK
        return (h ^ (h >> 32)) or 1 if compared else 0

    def arc_keys(self, state: State, place: int, kind: str) -> list[int]:
        """Keys of the templates around the item (kind i) or the pair that begins with it (kind p)."""

        def at(offset: int) -> Node | None:
            return state.pending[place + offset] if 0 <= place + offset < len(state.pending) else None

        keys = []
        for template in self.features.parsing:
            own = re.match(r"(?:dist\(|agree\()?([pi])", template.atoms[0])[1]
            if {"table": own, "pair": "p", "item": "i"}[self.features.center] != kind:
                continue
            values = []
            for atom in template.atoms:
                if match := re.match(r"(?:dist|agree)\([pi]([+-]?\d+),[pi]([+-]?\d+)\)", atom):
                    a, b = at(int(match[1])), at(int(match[2]))
                    if atom.startswith("agree"):
                        values.append(0 if a is None or b is None else self.agreement(a.word, b.word))
                        continue
                    values.append(0 if a is None or b is None else ranged(b.word - a.word))
                else:
                    match = re.match(r"[pi]([+-]?\d+)\.(.+)", atom)
                    values.append(self.node_value(at(int(match[1])), match[2]))
            keys.append(key_of(template.seed, values))
        return [key for key in keys if key]

    def tag_keys(self, state: State, place: int) -> list[int]:
        word = state.pending[place].word
        keys = []
        for template in (v for t in self.features.tagging for v in spread(t, WORD_SETS)):
            values = []
            for atom in template.atoms:
                if match := re.match(r"n([+-]1)\.(.+)", atom):
                    other = place + int(match[1])
                    neighbour = state.pending[other] if 0 <= other < len(state.pending) else None
                    values.append(self.node_value(neighbour, match[2]))
                    continue
                column, offset = place_atom(atom)
                there = word + offset
                inside = 0 <= there < len(self.forms)
                if column == "t":
                    values.append(state.tags[there] if inside else BOS if there < 0 else EOS)
                elif column == "tagged":
                    values.append(1 if inside and state.tags[there] else 0)
                else:
                    values.append(int(self.atoms[self.features.pad + there, self.features.columns.index(column)]))
            keys.append(key_of(template.seed, values))
        return [key for key in keys if key]

    def vector(self, state: State, place: int, action: int) -> list[tuple[str, int, int]]:
        """The features of one decision."""
        if action < self.tags:
            return [("tags", key, action) for key in self.tag_keys(state, place)]
        label, direction = divmod(action - self.tags, 2)
        keys = self.arc_keys(state, place - 1 if direction == LEFT else place, "p") + self.arc_keys(state, place, "i")
        rows = [direction] if self.shared or not self.labels else []
        if self.labels:
            rows.append(2 + 2 * label + direction)
        return [("arcs", key, row) for key in keys for row in rows]

    # ------------------------------------------------------------ the search

    def start(self, given: Sequence[int] | None) -> State:
        tags = [g + 1 for g in given] if given is not None else [0] * len(self.forms)
        return State([Node(i, tag) for i, tag in enumerate(tags)], tags)

    def valid(self, state: State) -> list[tuple[int, int]]:
        """All (place, action) pairs, in order."""
        found = []
        for place, node in enumerate(state.pending):
            if self.tagging and state.tags[node.word] == 0:
                found += [(place, tag) for tag in self.allowed[node.word]]
            elif self.parsing:
                for label, direction in product(range(max(self.labels, 1)), (LEFT, RIGHT)):
                    other = place + (1 if direction else -1)
                    if 0 <= other < len(state.pending) and (not self.tagging or state.tags[state.pending[other].word]):
                        found.append((place, self.tags + 2 * label + direction))
        return found

    def apply(self, state: State, place: int, action: int, score: float = 0.0) -> State:
        new = State(list(state.pending), list(state.tags), state.score + score, list(state.actions), state.correct)
        node = state.pending[place]
        new.actions.append((node.word, action))
        if action < self.tags:
            new.tags[node.word] = action + 1
            new.pending[place] = Node(node.word, action + 1)
            return new
        label, direction = divmod(action - self.tags, 2)
        other = place + (1 if direction else -1)
        head = state.pending[other].copy()
        (head.lefts if node.word < head.word else head.rights).append((node, label))
        new.pending[other] = head
        del new.pending[place]
        return new

    def score(self, weights: Weights, state: State, place: int, action: int) -> float:
        return sum(weights.get(feature, 0.0) for feature in self.vector(state, place, action))

    def steps(self) -> int:
        n = len(self.forms)
        return (n if self.tagging else 0) + (n - 1 if self.parsing else 0)

    def best(self, weights: Weights, state: State, pairs) -> tuple[float, int, int] | None:
        """The highest score; of equals the leftmost item, then the lowest action."""
        scored = [(self.score(weights, state, place, action), place, action) for place, action in pairs]
        return min(scored, key=lambda s: (-s[0], s[1], s[2])) if scored else None

    def greedy(self, weights: Weights, given=None) -> tuple[State, list[float]]:
        state, scores = self.start(given), []
        for _ in range(self.steps()):
            score, place, action = self.best(weights, state, self.valid(state))
            state = self.apply(state, place, action, score)
            scores.append(score)
        return state, scores

    def beam(self, weights: Weights, width: int, given=None, gold=None):
        """(states at the end, the pruned correct state or None)."""
        states = [self.start(given)]
        for _ in range(self.steps()):
            extensions = []
            right = None
            for state in states:
                for place, action in self.valid(state):
                    score = self.score(weights, state, place, action)
                    new = self.apply(state, place, action, score)
                    new.correct = state.correct and gold is not None and self.is_allowed(state, place, action, gold)
                    extensions.append(new)
                    if new.correct and (right is None or new.score > right.score):
                        right = new
            extensions.sort(key=lambda s: -s.score)  # stable: earlier states, items and actions first
            seen, states = set(), []
            for new in extensions:
                shape = tuple(node.shape() for node in new.pending)
                if shape not in seen and len(states) < width:
                    seen.add(shape)
                    states.append(new)
            if gold is not None and not any(state.correct for state in states):
                return states, right
        if gold is not None and not states[0].correct:
            return states, right
        return states, None

    # ------------------------------------------------------------ gold

    def is_allowed(self, state: State, place: int, action: int, gold) -> bool:
        tags, heads, labels, loss = gold
        node = state.pending[place]
        if action < self.tags:
            return loss == "dep" or tags[node.word] == action
        if loss == "pos":
            return True
        label, direction = divmod(action - self.tags, 2)
        head = state.pending[place + (1 if direction else -1)]
        have = {child.word for child, _ in node.lefts + node.rights}
        wanted = {i for i, h in enumerate(heads) if h == node.word + 1}
        return heads[node.word] == head.word + 1 and wanted <= have and (not self.labels or labels[node.word] == label)

    def path_vector(self, actions, given=None) -> list[tuple[str, int, int]]:
        state, found = self.start(given), []
        for word, action in actions:
            place = next(k for k, node in enumerate(state.pending) if node.word == word)
            found += self.vector(state, place, action)
            state = self.apply(state, place, action)
        return found
