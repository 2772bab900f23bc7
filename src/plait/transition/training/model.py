"""Transition models in online training: search, comparison with gold, and an update where gold falls behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.arrays import Int32Array, UInt16Array, UInt64Array
from plait.core._weights import Scorer, Trainable
from plait.learn.decoding_model import DecodingModel
from plait.learn.dropout import Chances, WordDropout
from plait.learn.learners import Violation
from plait.transition._lattice import Lattice
from plait.transition._oracle import LEFT, SHIFT, oracle
from plait.transition._search import TransitionSearch
from plait.transition.system import ARCS, TAGS, WORDS
from plait.trees.candidates import Candidates

MakeSearch = Callable[[Mapping[str, Scorer]], TransitionSearch]


@dataclass(frozen=True)
class Example:
    """A training sentence with its gold transitions, made once for all epochs."""

    atoms: UInt64Array
    candidates: Candidates
    actions: UInt16Array
    choices: UInt16Array
    hidden: Chances | None = None  # how probably form, and lemma, of each word are hidden
    lattice: Lattice | None = None  # where the words are candidate words ...
    words: Int32Array | None = None  # ... the one that each transition shifts for the first time, else 0


def transitions_of_words(chosen: Sequence[int]) -> tuple[UInt16Array, UInt16Array, list[int]]:
    """The same where no trees are built: every word is shifted."""
    return np.full(len(chosen), SHIFT, dtype=np.uint16), np.array(chosen, dtype=np.uint16), [*range(1, len(chosen) + 1)]


def gold_transitions(
    heads: Sequence[int], labels: Sequence[int], chosen: Sequence[int], lazy: bool
) -> tuple[UInt16Array, UInt16Array, list[int]]:
    """Actions, which candidate tag each of them chooses, and the word that it moves or attaches."""
    actions, choices, words = [], [], []
    for kind, word in zip(*(part.tolist() for part in oracle(heads, lazy)), strict=True):
        actions.append(kind + 2 * labels[word - 1] if kind >= LEFT else kind)
        choices.append(chosen[word - 1] if kind == SHIFT else 0)
        words.append(word)
    return np.array(actions, dtype=np.uint16), np.array(choices, dtype=np.uint16), words


class TransitionInTraining(DecodingModel[TransitionSearch]):
    """Decodes training sentences and returns the violations."""

    def __init__(
        self,
        make_search: MakeSearch,
        tables: Mapping[str, Trainable],
        update: str,
        check: bool,
        dropout: WordDropout,
        lemma_column: int = 0,
    ) -> None:
        self.dropout = dropout
        self.update = update
        self.check = check
        self.lemma_column = lemma_column
        super().__init__(make_search, tables)

    def begin_epoch(self, epoch: int) -> None:
        """Other words are hidden in each epoch."""
        self.dropout.begin_epoch(epoch)

    def violation(self, example: Example) -> Violation | None:
        """Δf where the search deviates from gold; None if gold wins."""
        atoms = example.atoms
        if example.hidden is not None:
            atoms = atoms.copy()
            hidden = self.dropout.draw(example.hidden)
            # absent: templates with it do not fire
            if hidden.ndim == 1:
                atoms[hidden, 0] = 0
            else:
                atoms[hidden[:, 0], 0] = 0
                atoms[hidden[:, 1], self.lemma_column] = 0
        of_sentence = atoms, example.candidates, example.actions, example.choices, self.update
        of_words: dict[str, Any] = {}
        if example.lattice is not None and example.words is not None:
            of_words = {"words": example.words, "lattice": example.lattice}
        found: Any = self._decoder.learn(*of_sentence, **of_words)
        if found is None:
            return None
        delta = {TAGS: found[0], ARCS: found[1]}
        errors = {TAGS: found[2], ARCS: found[3]}
        if of_words:
            delta[WORDS], errors[WORDS] = found[5], found[6]
        violation = Violation(
            {group: delta[group] for group in self._tables},
            {group: errors[group] for group in self._tables},
            apart=frozenset({WORDS}),  # else a wrong word would move the weights of all arcs
        )
        if self.check:
            margin = sum(d.dot(self._tables[group]) for group, d in violation.delta.items())
            if margin > 1e-3 * (1 + sum(d.norm2() for d in violation.delta.values())):
                raise AssertionError(f"an invalid update at step {found[4]}: gold is ahead by {margin:.4f}")
        return violation
