"""Bohnet & Nivre (2012) in plain Python: whole configurations, whole feature lists, whole sorts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from plait.core._hashing import key_of, text_hash
from plait.transition._scoring import NODE_COLUMN_NAMES
from plait.transition.features import TransitionFeatures

MASK = (1 << 64) - 1
NONE, ROOT = 0x4E4F4E45, 0x524F4F54
SHIFT, SWAP = 0, 1


def mix(h: int, value: int) -> int:
    h = ((h ^ value) * 0xC6A4A7935BD1E995) & MASK
    return h ^ (h >> 47)


def finish(h: int) -> int:
    h = (h * 0xC6A4A7935BD1E995) & MASK
    return (h ^ (h >> 32)) or 1


@dataclass(frozen=True)
class State:
    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: frozenset[tuple[int, int, int]] = frozenset()  # head, dependent, label
    tags: tuple[tuple[int, int], ...] = ()  # word, tag, in the order of shifting
    score: float = 0.0
    path: tuple[tuple[int, int], ...] = ()
    front: int = field(default=1, compare=False)

    @property
    def tree(self) -> Any:
        return self.stack, self.buffer, self.arcs

    @property
    def whole(self) -> Any:
        return self.stack, self.buffer, self.arcs, frozenset(self.tags)

    @property
    def final(self) -> bool:
        return self.stack == (0,) and not self.buffer


class Twin:
    """The same model as a TransitionSearch, said slowly."""

    def __init__(
        self,
        features: TransitionFeatures,
        tables: dict[str, Any],
        label_filter: Any,
        classes: list[int],
        compound: bool,
        feats: list[str],
    ) -> None:
        self.features = features
        self.tables = tables
        self.filter = label_filter
        self.classes = classes
        self.compound = compound
        self.feats = feats

    def read(self, atoms: Any, candidates: tuple[Any, Any, Any]) -> State:
        tags, counts, self.bins = candidates
        self.words = atoms
        self.candidates = [row[:count].tolist() for row, count in zip(tags, counts, strict=True)]
        return State((0,), tuple(range(1, len(atoms) + 1)))

    def node(self, state: State, word: int | None) -> dict[str, int]:
        """What templates see of a word."""
        if word is None:
            return {"w": NONE, "t": NONE}
        children = sorted((d, label) for h, d, label in state.arcs if h == word)
        left = [c for c in children if c[0] < word]
        right = [c for c in children if c[0] > word][::-1]
        tag = self.tag(state, word)
        seen = {"w": ROOT, "t": ROOT} if word == 0 else {"w": int(self.words[word - 1, 0]), "t": self.classes[tag] + 1}
        if word and self.compound:
            seen["m"] = tag + 1
        for side, (first, second), found in (("l", ("lc", "lc2"), left), ("r", ("rc", "rc2"), right)):
            if not found:
                seen[f"{first}.t"] = NONE
            for name, (child, label) in zip((first, second), found, strict=False):
                seen[f"{name}.w"] = int(self.words[child - 1, 0])
                seen[f"{name}.t"] = self.classes[self.tag(state, child)] + 1
                seen[f"{name}.l"] = label + 1
            seen[f"v{side}"] = len(found) + 1
            bits = [0, 0]
            for _, label in found:
                bits[label // 64 % 2] |= 1 << (label % 64)
            seen[f"l{side}"] = finish(mix(mix(0x6C736574, bits[0]), bits[1]))
        for e, column in enumerate(self.features.extras, 1):
            seen[column] = int(self.words[word - 1, e]) if word else 0
        for column in self.features.feats.columns:
            seen[column] = self.of_feats(column, self.feats[tag]) if word else 0
        return seen

    def of_feats(self, column: str, feats: str) -> int:
        """The atom of a column of FEATS, 0 where they say nothing of it."""
        features = [] if feats == "_" else feats.split("|")
        if column != "feats":
            wanted = column.removeprefix("feat:").split("+")
            names = [feature.split("=")[0] for feature in features]
            features = [f for f, n in zip(features, names, strict=True) if n in wanted or n.split("[")[0] in wanted]
        return text_hash("|".join(sorted(features))) if features else 0

    def agreement(self, a: str, b: str) -> int:
        """Which slots two words both answer for, and whether alike."""
        h = 0x61677265
        found = False
        for i, slot in enumerate(self.features.feats.slots):
            values = []
            for feats in (a, b):
                pairs = dict(pair.split("=") for pair in feats.split("|")) if feats != "_" else {}
                name, layer = slot.rstrip("]").split("[") if "[" in slot else (slot, "")
                own = pairs.get(slot, "")
                if not own and layer and layer in ("psor", pairs.get("Case", "").lower()):
                    own = pairs.get(name, "3" if name == "Person" and "Case" in pairs else "")
                values.append(own)
            if all(values):
                h = mix(h, 2 * i + (values[0] == values[1]))
                found = True
        return finish(h) if found else 0

    def tag(self, state: State, word: int) -> int:
        return dict(state.tags).get(word, self.candidates[word - 1][0] if word else 0)

    def atoms(self, state: State) -> dict[str, int]:
        places = dict(zip(("s0", "s1", "s2"), state.stack[::-1], strict=False))
        places |= dict(zip(("b0", "b1", "b2"), state.buffer, strict=False))
        seen = {}
        for slot in ("s0", "s1", "s2", "b0", "b1", "b2"):
            for column, value in self.node(state, places.get(slot)).items():
                seen[f"{slot}.{column}"] = value
        for a, b in (("s0", "b0"), ("s1", "s0")):
            if a in places and b in places:
                d = abs(places[a] - places[b])
                d = d if d <= 4 else 5 if d <= 10 else 6
                seen[f"dist({a},{b})"] = d if places[b] > places[a] else d + 8
                low, high = sorted((places[a], places[b]))
                tags = {1 << self.classes[self.candidates[w - 1][0]] for w in range(low + 1, high)}
                seen[f"between({a},{b})"] = finish(mix(0x62657477, sum(tags))) if tags else 1
                if places[a] and places[b]:
                    words = (self.feats[self.tag(state, places[slot])] for slot in (a, b))
                    seen[f"agree({a},{b})"] = self.agreement(*words)
        return seen

    def keys(self, templates: Any, seen: dict[str, int]) -> list[int]:
        return [key_of(t.seed, [seen.get(atom, 0) for atom in t.atoms]) for t in templates]

    def used(self, state: State, action: int, choice: int) -> list[tuple[str, list[int], int]]:
        """(group, keys, label) of a transition; tags are scored where there is a choice."""
        seen = self.atoms(state)
        found = [("arcs", self.keys(self.features.arcs, seen), action)]
        if self.features.graph and action > SWAP:
            found += self.factors(state, action)
        if action == SHIFT and self.fresh(state) and len(self.candidates[state.buffer[0] - 1]) > 1:
            word = state.buffer[0]
            tag = self.candidates[word - 1][choice]
            seen |= {"delta": int(self.bins[word - 1, choice]) + 1, "rank": choice + 1}
            seen |= {"b0.m": tag + 1} if self.compound else {}
            seen |= {f"b0.{c}": self.of_feats(c, self.feats[tag]) for c in self.features.feats.columns}
            if s0 := state.stack[-1]:
                seen["agree(s0,b0)"] = self.agreement(self.feats[self.tag(state, s0)], self.feats[tag])
            found.append(("tags", self.keys(self.features.tags, seen), self.classes[tag]))
        return found

    def factors(self, state: State, action: int) -> list[tuple[str, list[int], int]]:
        """Graph features that an arc completes: of d's children with h, and of d's children among each other."""
        s1, s0 = state.stack[-2:]
        h, d = (s0, s1) if action % 2 == 0 else (s1, s0)
        found = [("arcs", self.keys(self.graph_of("grandchildren"), self.roles(state, h, d)), action)]
        for head, x, label in state.arcs:
            if head == d:
                direction = 2 if x < d else 3
                found.append(
                    ("arcs", self.keys(self.graph_of("siblings"), self.roles(state, d, x)), direction + 2 * label)
                )
        return found

    def graph_of(self, kind: str) -> list[Any]:
        ours = {"siblings": True, "grandchildren": False}[kind]
        return [
            t for t in self.features.graph if any(a.split(".")[0] in ("in", "op", "f1", "f2") for a in t.atoms) == ours
        ]

    def roles(self, state: State, h: int, d: int) -> dict[str, int]:
        """What graph features see of the factors around h → d."""

        def below(word: int | None) -> list[int]:
            return sorted(x for head, x, _ in state.arcs if head == word)

        left = d < h
        of_h, of_d = [x for x in below(h) if x != d], below(d)
        nodes: dict[str, int | None] = dict.fromkeys(("in", "op", "f1", "f2", "gi", "go", "c1", "c2", "gg"))
        between = [x for x in of_h if min(h, d) < x < max(h, d)]
        nodes["in"] = (min if left else max)(between, default=None)
        opposite = [x for x in of_h if (x < h) != left]
        nodes["op"] = (max if left else min)(opposite, default=None)
        nodes |= dict(zip(("f1", "f2"), of_h, strict=False))
        nodes |= dict(zip(("c1", "c2"), of_d, strict=False))
        facing = [x for x in of_d if min(h, d) < x < max(h, d)]
        nodes["gi"] = (max if left else min)(facing, default=None)
        away = [x for x in of_d if (x < d) == left]
        nodes["go"] = (min if left else max)(away, default=None)
        farther = [x for x in below(nodes["go"]) if (x < (nodes["go"] or 0)) == left]
        nodes["gg"] = (min if left else max)(farther, default=None)
        seen = {}
        labels = {x: label for _, x, label in state.arcs}
        for role, word in {"h": h, "d": d, **nodes}.items():
            if word is None:
                seen |= {} if role == "gg" else {f"{role}.t": NONE, f"{role}.l": NONE}
                continue
            node = self.node(state, word)
            columns = ("w", "t", *self.features.extras, *self.features.feats.columns)
            seen |= {f"{role}.{column}": node[column] for column in columns}
            if role not in ("h", "d"):
                seen[f"{role}.l"] = labels[word] + 1
        return seen

    def fresh(self, state: State) -> bool:
        return bool(state.buffer) and state.buffer[0] == state.front

    def legal(self, state: State) -> list[tuple[int, int]]:
        """Figure 1's conditions, candidate tags, label filter; one child for the root, taken last."""
        found = []
        if state.buffer:
            count = len(self.candidates[state.buffer[0] - 1]) if self.fresh(state) else 1
            found += [(SHIFT, choice) for choice in range(count)]
        if len(state.stack) >= 3:
            i, j = state.stack[-2:]
            a, b = (self.classes[self.tag(state, word)] for word in (i, j))
            if i < j:
                found.append((SWAP, 0))
            found += [(2 + 2 * label, 0) for label in self.filter.labels_of(b, a)]
            found += [(3 + 2 * label, 0) for label in self.filter.labels_of(a, b)]
        elif len(state.stack) == 2 and not state.buffer:
            own = self.classes[self.tag(state, state.stack[-1])]
            found += [(3 + 2 * label, 0) for label in self.filter.labels_of(-1, own)]
        return found

    def step(self, state: State, action: int, choice: int) -> State:
        stack, buffer = list(state.stack), list(state.buffer)
        arcs, tags, front = state.arcs, state.tags, state.front
        score = np.float32(0)
        for group, keys, label in self.used(state, action, choice):
            score += self.tables[group].scores(np.array(keys, dtype=np.uint64))[label]
        if action == SHIFT:
            word = buffer.pop(0)
            if word == front:
                tags += ((word, self.candidates[word - 1][choice]),)
                front += 1
            stack.append(word)
        elif action == SWAP:
            buffer.insert(0, stack.pop(-2))
        elif action % 2 == 0:
            dependent = stack.pop(-2)
            arcs |= {(stack[-1], dependent, action // 2 - 1)}
        else:
            dependent = stack.pop()
            arcs |= {(stack[-1], dependent, action // 2 - 1)}
        return replace(
            state, stack=tuple(stack), buffer=tuple(buffer), arcs=arcs, tags=tags, front=front,
            score=state.score + float(score), path=(*state.path, (action, choice)),
        )  # fmt: skip

    def advance(self, beam: list[State], b1: int, b2: int) -> list[State]:
        """One round of Figure 2."""
        proposed = []
        for state in beam:
            proposed += [state] if state.final else [self.step(state, *move) for move in self.legal(state)]
        best: dict[Any, State] = {}
        for state in proposed:
            if state.whole not in best or state.score > best[state.whole].score:
                best[state.whole] = state
        ranked = sorted(best.values(), key=lambda state: -state.score)
        first: dict[Any, State] = {}
        for state in ranked:
            first.setdefault(state.tree, state)
        main = list(first.values())[:b1]
        extra = [state for state in ranked if all(state is not other for other in main)][:b2]
        return sorted([*main, *extra], key=lambda state: -state.score)

    def beam(self, sentence: Any, b1: int, b2: int) -> list[State]:
        beam = [self.read(*sentence)]
        while not all(state.final for state in beam):
            beam = self.advance(beam, b1, b2)
        return beam

    def decode(self, sentence: Any, b1: int, b2: int) -> State:
        return self.beam(sentence, b1, b2)[0]

    def learn(self, sentence: Any, gold: list[tuple[int, int]], b1: int, b2: int, update: str) -> Any:
        """(Δf by group, step) or None."""
        states = [self.read(*sentence)]
        for move in gold:
            states.append(self.step(states[-1], *move))
        beam, t, worst = [states[0]], 0, None
        while not all(state.final for state in beam):
            beam = self.advance(beam, b1, b2)
            t += 1
            right = states[min(t, len(gold))]
            if update == "early":
                worst = (0.0, beam[0], right)
                if all(state.whole != right.whole for state in beam):
                    return self.delta(*worst[1:])
            elif beam[0].whole != right.whole and (worst is None or beam[0].score - right.score > worst[0]):
                worst = (beam[0].score - right.score, beam[0], right)
        return None if beam[0].whole == states[-1].whole else self.delta(*worst[1:])

    def delta(self, predicted: State, gold: State) -> Any:
        found: dict[str, Counter[tuple[int, int]]] = {"tags": Counter(), "arcs": Counter()}
        for sign, final in ((1, gold), (-1, predicted)):
            state = State((0,), tuple(range(1, len(self.words) + 1)))
            for move in final.path:
                for group, keys, label in self.used(state, *move):
                    for key in keys:
                        if key:
                            found[group][key, label] += sign
                state = self.step(state, *move)
        return {g: {pair: c for pair, c in counts.items() if c} for g, counts in found.items()}, len(gold.path)


assert NODE_COLUMN_NAMES[:2] == ("w", "t")
