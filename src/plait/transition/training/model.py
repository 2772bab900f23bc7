"""Transition models as the online loop sees them: search beside gold, and an update where gold falls behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer, Trainable
from plait.learn.decoding_model import DecodingModel
from plait.learn.dropout import Chances, WordDropout
from plait.learn.learners import Violation
from plait.transition._oracle import LEFT, SHIFT, oracle
from plait.transition._search import TransitionSearch
from plait.transition.system import ARCS, TAGS
from plait.trees.candidates import Candidates

MakeSearch = Callable[[Mapping[str, Scorer]], TransitionSearch]


@dataclass(frozen=True)
class Example:
    """A training sentence with its gold transitions, made once for all epochs."""

    atoms: npt.NDArray[np.uint64]
    candidates: Candidates
    actions: npt.NDArray[np.uint16]
    choices: npt.NDArray[np.uint16]
    hidden: Chances | None = None  # how probably the form of each word is hidden


def make_example(
    atoms: npt.NDArray[np.uint64],
    candidates: Candidates,
    tags: Sequence[int],
    heads: Sequence[int],
    labels: Sequence[int],
    lazy: bool,
    hidden: Chances | None = None,
) -> Example:
    """The gold transitions of a tree; a gold tag that is no candidate gives way to the tagger's best."""
    chosen = candidates.choices(tags)
    actions, choices = [], []
    for kind, word in zip(*(part.tolist() for part in oracle(heads, lazy)), strict=True):
        actions.append(kind + 2 * labels[word - 1] if kind >= LEFT else kind)
        choices.append(chosen[word - 1] if kind == SHIFT else 0)
    return Example(atoms, candidates, np.array(actions, dtype=np.uint16), np.array(choices, dtype=np.uint16), hidden)


class TransitionInTraining(DecodingModel[TransitionSearch]):
    """Decodes training sentences and says where gold was lost."""

    def __init__(
        self,
        make_search: MakeSearch,
        tables: Mapping[str, Trainable],
        update: str,
        check: bool,
        dropout: WordDropout,
    ) -> None:
        self.dropout = dropout
        self.update = update
        self.check = check
        super().__init__(make_search, tables)

    def begin_epoch(self, epoch: int) -> None:
        """Other words are hidden in each epoch."""
        self.dropout.begin_epoch(epoch)

    def violation(self, example: Example) -> Violation | None:
        """Δf where the search and gold part; None when gold wins."""
        c = example.candidates
        atoms = example.atoms
        if example.hidden is not None:
            atoms = atoms.copy()
            atoms[self.dropout.draw(example.hidden), 0] = 0  # absent: templates with it do not fire
        found = self._decoder.learn(atoms, c.tags, c.counts, c.bins, example.actions, example.choices, self.update)
        if found is None:
            return None
        delta = {TAGS: found[0], ARCS: found[1]}
        errors = {TAGS: found[2], ARCS: found[3]}
        violation = Violation(
            {group: delta[group] for group in self._tables}, {group: errors[group] for group in self._tables}
        )
        if self.check:
            margin = sum(d.dot(self._tables[group]) for group, d in violation.delta.items())
            if margin > 1e-3 * (1 + sum(d.norm2() for d in violation.delta.values())):
                raise AssertionError(f"an invalid update at step {found[4]}: gold is ahead by {margin:.4f}")
        return violation
