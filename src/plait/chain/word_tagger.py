"""The second stage of ``pipeline`` and ``rerank``: types of words that are already found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from plait.arrays import Int32Array, UInt64Array
from plait.chain.crf import Crf, Mask
from plait.chain.segments import Token
from plait.chain.sentences import by_sentence
from plait.data.folding import Folding
from plait.features._words import word_atoms

Span = tuple[int, int]


class WordTagger:
    """Types of tokens, decoded sentence by sentence."""

    def __init__(self, crf: Crf, folding: Folding) -> None:
        self.crf = crf
        self.folding = folding
        self.types = crf.space.types

    def tag(
        self, text: str, tokens: Sequence[Token], given: Mapping[Span, Sequence[int]], *, scores: bool = False
    ) -> tuple[list[Token], list[float]]:
        """The tokens with their types, and on request the probabilities of these; ``given``: types of some tokens."""
        tagged: list[Token] = []
        probabilities: list[float] = []
        for group in by_sentence(tokens):
            atoms, mask = self.atoms(text, group), self.mask(group, given)
            types = self.crf.best(atoms, mask)[1]
            tagged += self.typed(group, types)
            if scores:
                probabilities += self.crf.probabilities(atoms, mask)[1]["t"][np.arange(len(types)), types].tolist()
        return tagged, probabilities

    def log_probability(self, text: str, tokens: Sequence[Token], known: dict[tuple[Token, ...], float]) -> float:
        """log P(best types | words); ``known`` caches the values of sentences."""
        total = 0.0
        for group in by_sentence(tokens):
            key = tuple(group)
            if key not in known:
                atoms = self.atoms(text, group)
                known[key] = self.crf.best(atoms)[2] - self.crf.probabilities(atoms)[0]
            total += known[key]
        return total

    def typed(self, tokens: Sequence[Token], types: Int32Array) -> list[Token]:
        """Tokens with types given as numbers."""
        return [token._replace(type=self.types[k]) for token, k in zip(tokens, types.tolist(), strict=True)]

    def atoms(self, text: str, tokens: Sequence[Token]) -> UInt64Array:
        """The padded matrix of the words."""
        features, text = self.crf.features, self.folding.text(text)
        return word_atoms([text[t.start : t.end] for t in tokens], features.columns, features.pad)

    def mask(self, tokens: Sequence[Token], given: Mapping[Span, Sequence[int]]) -> Mask | None:
        """0 for what the given types allow, −inf for the rest."""
        if not given:
            return None
        t = np.zeros((len(tokens), len(self.types)), dtype=np.float32)
        for row, token in zip(t, tokens, strict=True):
            allowed = given.get((token.start, token.end))
            if allowed:
                row[:] = -np.inf
                row[allowed] = 0
        return {"t": t}
