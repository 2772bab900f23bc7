"""Easy-first models as the online loop sees them: Algorithm 2 of Ma et al. (2012), and its variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plait.arrays import Int32Array, UInt16Array, UInt64Array
from plait.core._weights import Scorer, Trainable
from plait.easyfirst._pending import LOSSES
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.options import EasyFirstOptions
from plait.easyfirst.system import ARCS, TAGS
from plait.errors import OptionError
from plait.learn.decoding_model import DecodingModel
from plait.learn.learners import Violation
from plait.trees.tree import Tree

RETRIES = 50  # most updates at one step: a feature vector shared by right and wrong would be tried forever

MakeDecoder = Callable[[Mapping[str, Scorer]], EasyFirst]


@dataclass(frozen=True)
class Example:
    """A training sentence, its atoms computed once for all epochs."""

    atoms: UInt64Array
    given: UInt16Array | None = None  # tags, when arcs alone are sought
    tags: UInt16Array | None = None
    heads: Int32Array | None = None  # from 1; 0 the root
    labels: UInt16Array | None = None

    @classmethod
    def of_tree(cls, atoms: UInt64Array, tree: Tree, **tags: UInt16Array) -> Example:
        """A sentence with its tree."""
        return cls(atoms, heads=tree.heads[1:], labels=tree.labels[1:], **tags)


class EasyFirstInTraining(DecodingModel[EasyFirst]):
    """Decodes training sentences and returns the decisions that are not compatible with gold."""

    def __init__(
        self,
        make_decoder: MakeDecoder,
        tables: Mapping[str, Trainable],
        options: EasyFirstOptions,
        losses: Sequence[str] = ("joint",),
        rates: Mapping[str, float] | None = None,
    ) -> None:
        self.options = options
        self.losses = [LOSSES[loss] for loss in losses]
        self.loss = self.losses[0]
        self.beam = options.beam
        self.greedy_epochs = options.greedy_epochs()
        self.rates = dict(rates or {})
        super().__init__(make_decoder, tables)

    def begin_epoch(self, epoch: int) -> None:
        """Algorithm 3: the losses take turns, one for each pass over the data."""
        self.loss = self.losses[(epoch - 1) % len(self.losses)]
        self.beam = 1 if epoch <= self.greedy_epochs else self.options.beam

    def violation(self, example: Example) -> Violation | None:
        """The first wrong decision; None if there is none."""
        return next(self.violations(example), None)

    def violations(self, example: Example) -> Iterator[Violation]:
        """Wrong decisions, one at most unless training continues after errors."""
        all_errors = self.options.after_error == "continue"
        retries = self.beam == 1 and self.options.after_error == "retry"
        again, tries, last = False, 0, -1  # tries: updates at the step at which the last one was
        while True:
            found = self._decoder.learn(
                example.atoms, example.given, example.tags, example.heads, example.labels, self.loss,
                self.beam, all_errors=all_errors, resume=again, force_correct=tries >= RETRIES,
            )  # fmt: skip
            if found is None:
                return
            delta = dict(zip((TAGS, ARCS), found[:2], strict=True))
            # the passive-aggressive margin is shared by the groups that differ
            differing = [group for group in self._tables if len(delta[group]) > 0]
            errors = {group: found[2] / len(differing) for group in differing}
            yield Violation({group: delta[group] for group in self._tables}, errors, self.rates)
            if not retries:
                return
            again, tries, last = True, tries + 1 if found[3] == last else 1, found[3]


def parse_losses(text: str) -> tuple[str, ...]:
    """``joint,dep`` → the losses in turn."""
    losses = tuple(part.strip() for part in text.split(","))
    if not losses or any(loss not in LOSSES for loss in losses):
        raise OptionError(f'losses is "{text}"; expected joint, dep, pos, or several of them joined by commas')
    return losses
