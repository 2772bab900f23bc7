"""``crf-tagger``: a first-order conditional random field over tags (Lafferty et al. 2001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf import Crf, Mask
from plait.chain.options import CrfTaggerOptions
from plait.data.document import Sentence
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources, resource_atoms
from plait.system import Arrays, Parts, System
from plait.system.modelparts import open_tags
from plait.system.request import PLAIN, Request


@dataclass(eq=False, repr=False)
class CrfTagger(System):
    """A linear-chain CRF tagger with exact probabilities and n-best output."""

    name = "crf-tagger"
    supports = frozenset({"scores", "constrain"})
    Options = CrfTaggerOptions

    crf: Crf
    resources: WordResources = NO_RESOURCES

    def __post_init__(self) -> None:
        self.tags = self.crf.space.types
        self._number = {tag: i for i, tag in enumerate(self.tags)}

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag one sentence; with ``request.scores`` every token gets the probability of its tag.

        With ``request.constrain`` the tags that the sentence has stay, and the others are found beside them.
        """
        request.refuse(self.name, "dictionary")
        if len(sentence) == 0:
            return
        atoms = self.atoms(sentence.forms)
        given = GivenAnnotation(sentence, self.columns.columns) if request.constrain else None
        mask = self.mask(sentence, request) if request.constrain or request.allowed is not None else None
        _, tags, score = self.crf.best(atoms, mask)
        self.columns.write(sentence, [self.tags[t] for t in tags.tolist()])
        if given is not None:
            given.restore(sentence)
        sentence.score = score
        if request.scores:
            _, p = self.crf.probabilities(atoms, mask)
            sentence.scores = p["t"][np.arange(len(tags)), tags].tolist()

    def mask(self, sentence: Sentence, request: Request) -> Mask:
        """0 for what may be chosen, −inf for the rest; tags that are given go before those that are allowed."""
        t = np.zeros((len(sentence), len(self.tags)), dtype=np.float32)
        if request.allowed is not None:
            rows = {names: self._row(names) for names in set(request.allowed) if names}
            for i, names in enumerate(request.allowed):
                if names:
                    t[i] = rows[names]
        for i, agreeing in enumerate(self.columns.agreeing(sentence, self.tags) if request.constrain else ()):
            if agreeing:
                both = [tag for tag in agreeing if t[i, tag] == 0] or agreeing
                t[i] = -np.inf
                t[i, both] = 0
        return {"s": np.zeros((len(sentence), 1), dtype=np.float32), "t": t}

    def _row(self, names: tuple[str, ...]) -> npt.NDArray[np.float32]:
        row = np.full(len(self.tags), -np.inf, dtype=np.float32)
        row[[self._number[name] for name in names]] = 0
        return row

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The ``count`` best taggings of a sentence, best first, each with its score."""
        found: list[Sentence] = []
        for _, tags, score in islice(self.crf.ranked(self.atoms(sentence.forms)), count) if len(sentence) else ():
            copy = sentence.copy()
            self.columns.write(copy, [self.tags[t] for t in tags.tolist()])
            copy.score = score
            found.append(copy)
        return found or [sentence.copy()]

    def tag_numbers(self, forms: Sequence[str]) -> npt.NDArray[np.uint16]:
        """The tags of some words, as numbers."""
        return self.crf.best(self.atoms(forms))[1].astype(np.uint16) if forms else np.zeros(0, dtype=np.uint16)

    def tag_probabilities(self, forms: Sequence[str]) -> npt.NDArray[np.float64]:
        """[words][tags]: the probability of every tag of every word."""
        if not forms:
            return np.zeros((0, len(self.tags)))
        return self.crf.probabilities(self.atoms(forms))[1]["t"]

    def atoms(self, forms: Sequence[str]) -> npt.NDArray[np.uint64]:
        """The padded matrix of a sentence."""
        return resource_atoms(forms, self.crf.features.columns, self.crf.features.pad, self.resources)

    def parts(self) -> Parts:
        """Labels, templates and weights."""
        header, arrays = self.crf.parts()
        return {"crf": header, **self.resources.header()}, arrays | self.resources.arrays()

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        if "crf" not in header:
            raise ValueError("the CRF is missing")
        resources = WordResources.from_parts(header, arrays)
        crf = Crf.from_parts(header["crf"], arrays, KNOWN_COLUMNS)
        resources.check(crf.features.columns)
        open_tags(list(crf.space.types), TagColumns(options.tag))
        return cls(options, crf, resources)
