"""``crf-tagger``: a first-order conditional random field over tags (Lafferty et al. 2001)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from plait.arrays import Float32Array, Float64Array, UInt16Array, UInt64Array
from plait.chain._linear import LinearDecoder
from plait.chain._word_scores import WordScores
from plait.chain.crf import Crf, Mask, check_score
from plait.chain.options import CrfTaggerOptions
from plait.data.document import Sentence
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources
from plait.system import Arrays, Parts, System
from plait.system.modelparts import joined_parts, open_tags
from plait.system.request import Request


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
        features = self.crf.features
        self._reader = self.resources.reader(features.columns, features.pad)
        self._words = self._decoder = None
        if "t" in self.crf.tables:
            self._words = WordScores(self.crf.tables["t"], *features.by_word("t"), self._reader)
            if len(self.crf.tables) == 1:
                self._decoder = LinearDecoder(self._words, self.crf.chart, self.tags)

    def _scores(self, forms: Sequence[str]) -> Float32Array | None:
        """The scores of all tags of all words."""
        return None if self._words is None else self._words.scores(forms)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Tag one sentence; with ``request.scores`` every token gets the probability of its tag.

        With ``request.constrain`` the tags that the sentence has stay, and the others are found beside them.
        """
        request.refuse(self.name, "dictionary")
        if len(sentence) == 0:
            return
        if self._decoder is not None and not (request.scores or request.constrain or request.allowed is not None):
            tags, sentence.score = self._decoder.best(sentence.forms)
            check_score(sentence.score)
            self.columns.write(sentence, tags)
            return
        atoms = self.atoms(sentence.forms)
        given = GivenAnnotation(sentence, self.columns.columns) if request.constrain else None
        mask = self.mask(sentence, request) if request.constrain or request.allowed is not None else None
        _, numbers, score = self.crf.best(atoms, mask, tags=self._scores(sentence.forms))
        self.columns.write(sentence, [self.tags[t] for t in numbers.tolist()])
        if given is not None:
            given.restore(sentence)
        sentence.score = score
        if request.scores:
            _, p = self.crf.probabilities(atoms, mask, tags=self._scores(sentence.forms))
            sentence.scores = p["t"][np.arange(len(numbers)), numbers].tolist()

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

    def _row(self, names: tuple[str, ...]) -> Float32Array:
        row = np.full(len(self.tags), -np.inf, dtype=np.float32)
        row[[self._number[name] for name in names]] = 0
        return row

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterator[Sentence]:
        labellings = self.crf.ranked(self.atoms(sentence.forms), tags=self._scores(sentence.forms))
        for _, tags, score in labellings:
            copy = sentence.copy()
            self.columns.write(copy, [self.tags[t] for t in tags.tolist()])
            copy.score = score
            yield copy

    def tag_numbers(self, forms: Sequence[str]) -> UInt16Array:
        """The tags of some words, as numbers."""
        if not forms:
            return np.zeros(0, dtype=np.uint16)
        if self._decoder is not None:
            found, score = self._decoder.best_numbers(forms)
            check_score(score)
            return found
        atoms = self.atoms(forms)
        return self.crf.best(atoms, tags=self._scores(forms))[1].astype(np.uint16)

    def tag_probabilities(self, forms: Sequence[str]) -> Float64Array:
        """[words][tags]: the probability of every tag of every word."""
        if not forms:
            return np.zeros((0, len(self.tags)))
        atoms = self.atoms(forms)
        return self.crf.probabilities(atoms, tags=self._scores(forms))[1]["t"]

    def atoms(self, forms: Sequence[str]) -> UInt64Array:
        """The padded matrix of a sentence."""
        return self._reader.atoms(forms)

    def parts(self) -> Parts:
        """Labels, templates and weights."""
        return joined_parts(self.crf.parts(), self.resources.parts())

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        resources = WordResources.from_parts(header, arrays)
        crf = Crf.from_parts(header, arrays, KNOWN_COLUMNS)
        resources.check(crf.features.columns)
        open_tags(list(crf.space.types), TagColumns(options.tag))
        return cls(options, crf, resources)
