"""The decisions of an easy-first search in the order they were made, and the valid alternatives of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from plait.arrays import Float32Array, Int32Array

ValidActions = tuple[int, list[tuple[int, int, int, float]]]  # how many; the best as (word, action, head, score)
# decisions in a row, and how many valid actions are wanted at most → those of each decision
FindValid = Callable[[Sequence[tuple[int, int]], int], list[ValidActions]]

ALL = 1 << 30


class Step(NamedTuple):
    """One decision: the word, the action, and its score."""

    word: int  # from 1
    action: str  # tag, attach_left, attach_right or set_root
    label: str  # the tag, or the label of the arc; empty when there is none
    head: int  # the word it was attached to; 0 for set_root, −1 for a tag
    score: float


class Valid(NamedTuple):
    """The valid set of a step (Ma et al. 2012, Figure 5)."""

    size: int  # how many decisions were valid
    best: list[Step]  # those with the highest scores, best first


class Trace(Sequence[Step]):
    """A sentence's decisions, converted to ``Step`` on access."""

    __slots__ = ("_actions", "_find_valid", "_heads", "_labels", "_root", "_scores", "_tags", "_words")

    def __init__(
        self,
        words: Int32Array,
        actions: Int32Array,
        scores: Float32Array,
        tags: Sequence[str] = (),
        labels: Sequence[str] | None = None,
        heads: Int32Array | None = None,
        root_label: str = "",
        find_valid: FindValid | None = None,
    ) -> None:
        self._words, self._actions, self._scores, self._tags = words, actions, scores, tags
        self._labels, self._heads, self._root, self._find_valid = labels, heads, root_label, find_valid

    def __len__(self) -> int:
        return len(self._words) + (self._heads is not None and len(self._heads) > 0)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        if isinstance(index, slice):
            return [self._step(k) for k in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"step {index} of {len(self)}")
        return self._step(index % len(self))

    def __iter__(self) -> Iterator[Step]:
        return (self._step(k) for k in range(len(self)))

    @property
    def knows_valid_sets(self) -> bool:
        """Whether the model is available; a trace from another process has lost it."""
        return self._find_valid is not None

    def valid(self, index: int) -> list[Step]:
        """All valid decisions at a step, best first; with a beam, in the state that won."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"step {index} of {len(self)}")
        return self._valid(index % len(self) + 1, ALL)[-1].best

    def valid_sets(self, limit: int = ALL) -> list[Valid]:
        """The valid set of every step, with the best ``limit`` of its decisions."""
        return self._valid(len(self), limit)

    def _valid(self, steps: int, limit: int) -> list[Valid]:
        """The valid sets are computed on demand, so that an unused trace costs nothing."""
        if self._find_valid is None:
            raise ValueError("a stored trace has the decisions, but not the other valid actions")
        made = list(zip(self._words.tolist(), self._actions.tolist(), strict=True))[:steps]
        found = [
            Valid(size, [self._spell(word, action, head, score) for word, action, head, score in best])
            for size, best in self._find_valid(made, min(limit, ALL))
        ]
        if steps > len(self._words):  # the last one left is the root
            found.append(Valid(1, [self._step(len(self._words))]))
        return found

    def _step(self, k: int) -> Step:
        if k == len(self._words):  # the last one left is the root
            assert self._heads is not None
            return Step(int(np.flatnonzero(self._heads == 0)[0]) + 1, "set_root", self._root, 0, 0.0)
        word, action, score = int(self._words[k]), int(self._actions[k]), float(self._scores[k])
        return self._spell(word, action, -1 if self._heads is None else int(self._heads[word]), score)

    def _spell(self, word: int, action: int, head: int, score: float) -> Step:
        if action < len(self._tags):
            return Step(word + 1, "tag", self._tags[action], -1, score)
        number, direction = divmod(action - len(self._tags), 2)
        label = self._labels[number] if self._labels else ""
        return Step(word + 1, "attach_right" if direction else "attach_left", label, head, score)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the decisions without the model, so without valid sets."""
        kept = self._words, self._actions, self._scores, self._tags, self._labels, self._heads, self._root
        return Trace, kept

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} steps>"
