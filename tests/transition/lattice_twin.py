"""The search over candidate words in plain Python: whole configurations, and time as a number that each has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from transition_twin import SHIFT, SWAP, Twin, finish, mix

# action, choice, word; where tags come first, word −s is one that starts with tag s of ``starts`` and is to grow
Move = tuple[int, int, int]


@dataclass(frozen=True)
class WovenState:
    stack: tuple[int, ...] = (0,)
    back: tuple[int, ...] = ()  # words put back, the next one first
    at: int = 0  # position of the next word that was never shifted
    last: int = 0  # the word shifted last
    arcs: frozenset[tuple[int, int, int]] = frozenset()  # head, dependent, label
    tags: tuple[tuple[int, int], ...] = ()
    score: float = 0.0
    time: int = 0
    path: tuple[Move, ...] = ()
    open: int = 0  # the start of a word that is to grow, 0: none
    reach: int = 0  # the position it has grown to

    @property
    def tree(self) -> Any:
        return self.stack, self.back, self.at, self.arcs, self.reach

    @property
    def whole(self) -> Any:
        return *self.tree, frozenset(self.tags), self.open


class LatticeTwin(Twin):
    """The same model as a TransitionSearch over lattices, said slowly."""

    tags_first = False

    def open(self, sentence: Any, begins: list[int], ends: list[int], guide: list[int]) -> WovenState:
        self.read(*sentence)
        self.begin, self.end = [0, *begins], [0, *ends]
        self.guide = [*guide, 0]  # of each position
        self.length = len(guide)
        # the position, word and choice of each tag that words start with, counting from 1: the guide's word first
        self.starts: list[tuple[int, int, int]] = [(-1, 0, 0)]
        for at in range(self.length):
            words = sorted(self.from_here(at), key=lambda word: (word != self.guide[at], word))
            known: set[int] = set()
            for word in words:
                for choice, tag in enumerate(self.candidates[word - 1]):
                    if tag not in known:
                        known.add(tag)
                        self.starts.append((at, word, choice))
        self.on_path, at = [], 0
        while at < self.length:
            self.on_path.append(self.guide[at])
            at = self.end[self.guide[at]]
        return WovenState()

    @property
    def trees(self) -> bool:
        return self.filter.labels > 0

    def is_final(self, state: WovenState) -> bool:
        if not self.trees:
            return state.at == self.length
        return state.stack == (0,) and not state.back and state.at == self.length

    def from_here(self, at: int) -> list[int]:
        return [w for w in range(1, len(self.begin)) if self.begin[w] == at]

    def place(self, word: int) -> int:
        """Which word of the path a word begins in."""
        return 1 + sum(self.end[w] <= self.begin[word] for w in self.on_path) if word else 0

    def tag_of_start(self, start: int) -> int:
        _, word, choice = self.starts[start]
        return self.candidates[word - 1][choice]

    def seen(self, state: WovenState, word: int, tag: int | None = None) -> dict[str, int]:
        """What templates see with this word as the next one."""
        if tag is not None:
            state = replace(state, tags=(*state.tags, (word, tag)))
        buffer = list(state.back)
        while word and len(buffer) < 3:
            buffer.append(word)
            word = self.guide[self.end[word]]
        places = dict(zip(("s0", "s1", "s2"), state.stack[::-1], strict=False))
        places |= dict(zip(("b0", "b1", "b2"), buffer, strict=False))
        seen = {}
        for slot in ("s0", "s1", "s2", "b0", "b1", "b2", "p0"):
            at = replace(state, arcs=frozenset()) if slot == "p0" else state
            shown = state.last if slot == "p0" else places.get(slot)
            seen |= {f"{slot}.{column}": value for column, value in self.node(at, shown).items()}  # type: ignore[arg-type]
        for a, b in (("s0", "b0"), ("s1", "s0")):
            if a in places and b in places:
                low, high = sorted((places[a], places[b]))
                d = max(1, self.place(high) - self.place(low))
                d = d if d <= 4 else 5 if d <= 10 else 6
                seen[f"dist({a},{b})"] = d if places[b] > places[a] else d + 8
                inside = [w for w in self.on_path if self.begin[w] >= self.end[low] and self.end[w] <= self.begin[high]]
                tags = {1 << self.classes[self.candidates[w - 1][0]] for w in inside}
                seen[f"between({a},{b})"] = finish(mix(0x62657477, sum(tags))) if tags else 1
        return seen

    def features_of(self, state: WovenState, action: int, choice: int, word: int) -> list[tuple[str, list[int], int]]:
        """(group, keys, label) of a transition."""
        if state.open:
            return self.extent_features(state, choice, word)
        found = []
        if self.trees:
            found += [("arcs", self.keys(self.features.arcs, self.seen(state, self.guide[state.at])), action)]
        if self.features.graph and action > SWAP:
            found += self.factors(state, action)  # type: ignore[arg-type]
        if not word:
            return found
        if self.tags_first:
            return [*found, *self.start_features(state, choice, word), *self.extent_features(state, choice, word)]
        seen = self.seen(state, word)
        rivals = len(self.from_here(state.at)) > 1
        if rivals:
            found.append(("words", self.keys(self.features.words, seen), 0))
        if rivals or len(self.candidates[word - 1]) > 1:
            tag = self.candidates[word - 1][choice]
            seen |= {"delta": int(self.bins[word - 1, choice]) + 1, "rank": choice + 1}
            found.append(("tags", self.keys(self.features.tags, seen), self.classes[tag]))
        return found

    def start_features(self, state: WovenState, choice: int, word: int) -> list[tuple[str, list[int], int]]:
        """Of the tag that a word starts with; its extent is not known yet."""
        here = [s for s, (at, _, _) in enumerate(self.starts) if at == state.at]
        if len(here) == len(self.from_here(state.at)) == 1:
            return []
        tag = self.candidates[word - 1][choice] if word > 0 else self.tag_of_start(-word)
        _, known_from, rank = next(self.starts[s] for s in here if self.tag_of_start(s) == tag)
        seen = self.seen(state, self.guide[state.at])
        seen |= {"delta": int(self.bins[known_from - 1, rank]) + 1, "rank": rank + 1}
        return [("tags", self.keys(self.features.tags, seen), self.classes[tag])]

    def extent_features(self, state: WovenState, choice: int, word: int) -> list[tuple[str, list[int], int]]:
        """Of a word that ends, or that goes on although it could end."""
        label, so_far = 0, word
        if word < 0:
            reach, tag = max(state.reach, state.at) + 1, self.tag_of_start(-word)
            ending = [w for w in self.from_here(state.at) if self.end[w] == reach and tag in self.candidates[w - 1]]
            if not ending:
                return []
            label, so_far = 1, ending[0]
            choice = self.candidates[so_far - 1].index(tag)
        if len(self.from_here(state.at)) == 1:
            return []
        seen = self.seen(state, so_far, self.candidates[so_far - 1][choice])
        return [("words", self.keys(self.features.words, seen), label)]

    def start_moves(self, state: WovenState) -> list[Move]:
        """Tags that the next word may start with, or the one that it has; and whether it ends or goes on."""
        found: list[Move] = []
        reach = max(state.reach, state.at) + 1
        for s in [state.open] if state.open else [s for s, (at, _, _) in enumerate(self.starts) if at == state.at]:
            tag = self.tag_of_start(s)
            able = [w for w in self.from_here(state.at) if tag in self.candidates[w - 1]]
            found += [(SHIFT, self.candidates[w - 1].index(tag), w) for w in able if self.end[w] == reach]
            found += [(SHIFT, 0, -s)] if any(self.end[w] > reach for w in able) else []
        return found

    def moves(self, state: WovenState) -> list[Move]:
        """All that may follow."""
        found: list[Move] = []
        if state.open:
            return self.start_moves(state)
        if state.back:
            found.append((SHIFT, 0, 0))
        elif self.tags_first:
            found += self.start_moves(state)
        else:
            found += [(SHIFT, c, w) for w in self.from_here(state.at) for c in range(len(self.candidates[w - 1]))]
        if not self.trees:
            return found
        if len(state.stack) >= 3:
            i, j = state.stack[-2:]
            a, b = (self.classes[self.tag(state, word)] for word in (i, j))  # type: ignore[arg-type]
            found += [(SWAP, 0, 0)] if i < j else []
            found += [(2 + 2 * label, 0, 0) for label in self.filter.labels_of(b, a)]
            found += [(3 + 2 * label, 0, 0) for label in self.filter.labels_of(a, b)]
        elif len(state.stack) == 2 and not state.back and state.at == self.length:
            own = self.classes[self.tag(state, state.stack[-1])]  # type: ignore[arg-type]
            found += [(3 + 2 * label, 0, 0) for label in self.filter.labels_of(-1, own)]
        return found

    def go(self, state: WovenState, move: Move, *, scored: bool = True) -> WovenState:
        action, choice, word = move
        score = np.float32(0)
        for group, keys, label in self.features_of(state, *move) if scored else ():
            score += self.tables[group].scores(np.array(keys, dtype=np.uint64))[label]
        new = replace(state, score=state.score + float(score), time=state.time + 1, path=(*state.path, move))
        stack = state.stack
        if action == SHIFT and state.back:
            return replace(new, stack=(*stack, state.back[0]), back=state.back[1:])
        if action == SHIFT and self.tags_first:
            append = 2 if self.trees else 1
            new = replace(new, time=state.time + (append if state.open else 1), open=0, reach=0)
            if word < 0:
                return replace(new, open=-word, reach=max(state.reach, state.at) + 1)
        if action == SHIFT:
            appends = 0 if self.tags_first else self.end[word] - self.begin[word] - 1
            tags = (*state.tags, (word, self.candidates[word - 1][choice]))
            time = new.time + (2 if self.trees else 1) * appends
            return replace(new, stack=(*stack, word), at=self.end[word], last=word, tags=tags, time=time)
        if action == SWAP:
            return replace(new, stack=(*stack[:-2], stack[-1]), back=(stack[-2], *state.back))
        head, dependent = (stack[-1], stack[-2]) if action % 2 == 0 else (stack[-2], stack[-1])
        return replace(new, stack=(*stack[:-2], head), arcs=state.arcs | {(head, dependent, action // 2 - 1)})

    def piecewise(self, moves: list[Move]) -> list[Move]:
        """Where tags come first: the same with a move for each piece of a word."""
        if not self.tags_first:
            return moves
        found: list[Move] = []
        for action, choice, word in moves:
            if word:
                tag, at = self.candidates[word - 1][choice], self.begin[word]
                own = [s for s, (begin, _, _) in enumerate(self.starts) if begin == at and self.tag_of_start(s) == tag]
                found += (self.end[word] - at - 1) * [(SHIFT, 0, -own[0])]
            found.append((action, choice, word))
        return found

    def rounds(self, start: WovenState, b1: int, b2: int) -> Any:
        """The beam after each unit of time."""
        beam, waiting, time = [start], [], 0
        while waiting or not all(map(self.is_final, beam)):
            time += 1
            proposed = waiting
            for state in beam:
                proposed += [state] if self.is_final(state) else [self.go(state, move) for move in self.moves(state)]
            waiting = [state for state in proposed if state.time > time]
            best: dict[Any, WovenState] = {}
            for state in proposed:
                if state.time <= time and (state.whole not in best or state.score > best[state.whole].score):
                    best[state.whole] = state
            ranked = sorted(best.values(), key=lambda state: -state.score)
            first: dict[Any, WovenState] = {}
            for state in ranked:
                first.setdefault(state.tree, state)
            main = list(first.values())[:b1]
            extra = [state for state in ranked if all(state is not other for other in main)][:b2]
            beam = sorted([*main, *extra], key=lambda state: -state.score)
            yield time, beam

    def teach(self, start: WovenState, gold: list[Move], b1: int, b2: int, update: str) -> Any:
        """(Δf by group, gold transitions taken) or None."""
        states = [start]
        for move in self.piecewise(gold):
            states.append(self.go(states[-1], move))
        worst, beam = None, [start]
        for time, beam in self.rounds(start, b1, b2):
            right = next(
                (state for state in states if state.time == time), states[-1] if time > states[-1].time else None
            )
            if right is None or not beam:
                continue
            if update == "early":
                worst = (0.0, beam[0], right)
                if all(state.whole != right.whole for state in beam):
                    return self.gap(start, *worst[1:])
            elif beam[0].whole != right.whole and (worst is None or beam[0].score - right.score > worst[0]):
                worst = (beam[0].score - right.score, beam[0], right)
        return None if beam[0].whole == states[-1].whole else self.gap(start, *worst[1:])

    def gap(self, start: WovenState, predicted: WovenState, gold: WovenState) -> Any:
        found: dict[str, Counter[tuple[int, int]]] = {"tags": Counter(), "arcs": Counter(), "words": Counter()}
        for sign, final in ((1, gold), (-1, predicted)):
            state = start
            for move in final.path:
                for group, keys, label in self.features_of(state, *move):
                    for key in filter(None, keys):
                        found[group][key, label] += sign
                state = self.go(state, move, scored=False)
        return {g: {pair: c for pair, c in counts.items() if c} for g, counts in found.items()}, len(gold.path)
