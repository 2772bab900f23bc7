"""The decisions of an easy-first search in the order they were made, and how the papers print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.errors import OptionError


class Step(NamedTuple):
    """One decision: what was done with which word, and how sure it was."""

    word: int  # from 1
    action: str  # tag, attach_left, attach_right or set_root
    label: str  # the tag, or the label of the arc; empty when there is none
    head: int  # the word it was attached to; 0 for set_root, −1 for a tag
    score: float


class Trace(Sequence[Step]):
    """A sentence's decisions, spelled out when they are looked at."""

    __slots__ = ("_actions", "_heads", "_labels", "_root", "_scores", "_tags", "_words")

    def __init__(
        self,
        words: npt.NDArray[np.int32],
        actions: npt.NDArray[np.int32],
        scores: npt.NDArray[np.float32],
        tags: Sequence[str] = (),
        labels: Sequence[str] | None = None,
        heads: npt.NDArray[np.int32] | None = None,
        root_label: str = "",
    ) -> None:
        self._words, self._actions, self._scores, self._tags = words, actions, scores, tags
        self._labels, self._heads, self._root = labels, heads, root_label

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

    def _step(self, k: int) -> Step:
        if k == len(self._words):  # the last one left is the root
            assert self._heads is not None
            return Step(int(np.flatnonzero(self._heads < 0)[0]) + 1, "set_root", self._root, 0, 0.0)
        word, action, score = int(self._words[k]), int(self._actions[k]), float(self._scores[k])
        if action < len(self._tags):
            return Step(word + 1, "tag", self._tags[action], -1, score)
        assert self._heads is not None
        number, direction = divmod(action - len(self._tags), 2)
        label = self._labels[number] if self._labels else ""
        return Step(word + 1, "attach_right" if direction else "attach_left", label, int(self._heads[word]) + 1, score)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} steps>"


def format_trace(forms: Sequence[str], trace: Sequence[Step], tags: Sequence[str] | None = None) -> Iterator[str]:
    """The state after each step, like Figures 1, 3 and 5 of Ma et al. (2012).

    The word just dealt with stands in ``[ ]``; a word that has its tag is followed by it; the children of a tree stand
    in ``( )`` around its root, so that what is left of the pending list is one word group each.

    >>> steps = [Step(1, "attach_right", "nsubj", 2, 1.5), Step(2, "set_root", "root", 0, 0.0)]
    >>> print("\\n".join(format_trace(["Dogs", "bark"], steps)))
    (0) p1:Dogs  p2:bark
    (1) p1 attach_right:nsubj → 2  1.50
        p2:[(Dogs) bark]
    (2) p2 set_root:root
        p2:[(Dogs) bark]
    """
    known = dict(enumerate(tags or (), 1))
    pending = list(range(1, len(forms) + 1))
    left, right = dict.fromkeys(pending, ""), dict.fromkeys(pending, "")  # the children of each word, spelled out

    def shown(word: int) -> str:
        tag = f"_{known[word]}" if word in known else ""
        return f"{left[word]}{forms[word - 1]}{tag}{right[word]}"

    yield "(0) " + "  ".join(f"p{i}:{shown(i)}" for i in pending)
    width = len(f"({len(trace)}) ")
    for number, step in enumerate(trace, 1):
        name = f"{step.action}:{step.label}" if step.label else step.action
        target = f" → {step.head}" if step.head > 0 else ""
        score = "" if step.action == "set_root" else f"  {step.score:.2f}"
        yield f"({number}) ".ljust(width) + f"p{step.word} {name}{target}{score}"
        changed = step.word
        if step.action == "tag":
            known[step.word] = step.label
        elif step.head > 0:
            if step.word < step.head:  # children come from the inside out
                left[step.head] = f"({shown(step.word)}) {left[step.head]}"
            else:
                right[step.head] += f" ({shown(step.word)})"
            pending.remove(step.word)
            changed = step.head
        yield " " * width + "  ".join(f"p{i}:[{shown(i)}]" if i == changed else f"p{i}:{shown(i)}" for i in pending)


def trace_of(sentence: Sentence) -> Iterator[str]:
    """The lines of one sentence's trace; a model that keeps none is an error."""
    if sentence.trace is None and len(sentence):
        raise OptionError("this model keeps no trace of its decisions; the easyfirst and transition systems do")
    if any(isinstance(step, str) for step in sentence.trace or ()):  # transitions: they act on the stack, not on a word
        return iter([" ".join(sentence.forms), *(f"({k}) {step}" for k, step in enumerate(sentence.trace or (), 1))])
    trace: Sequence[Step] = sentence.trace or ()
    has_tag_steps = any(step.action == "tag" for step in trace)
    tags = None if has_tag_steps or all(tag == "_" for tag in sentence.upos) else sentence.upos
    return format_trace(sentence.forms, trace, tags)


def trace_pieces(sentences: Iterable[Sentence]) -> Iterator[str]:
    """All traces as text, an empty line after each."""
    return ("\n".join([*trace_of(sentence), "", ""]) for sentence in sentences)
