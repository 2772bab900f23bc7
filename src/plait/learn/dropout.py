"""Word dropout: rare words are randomly hidden in training, so that a model learns to handle unknown words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from plait.arrays import BoolArray, Float64Array
from plait.data.document import Sentence

HIDING = 0x68696465  # so that what is hidden is drawn apart from the order of the sentences

Chances = Float64Array  # [words], or [words][2] where lemmas are hidden as well


class WordDropout:
    """Hides a word that was seen n times with probability x / (x + n).

    >>> dropout = WordDropout([Sentence(["a", "a", "b"])], 1.0, seed=1)
    >>> dropout.chances(["a", "b"]).round(2).tolist()
    [0.33, 0.5]
    """

    def __init__(self, train: Iterable[Sentence], strength: float, seed: int) -> None:
        self.strength = strength
        self.seed = seed
        seen = [*train] if strength else []
        self._count = Counter(form for sentence in seen for form in sentence.forms)
        self._lemmas = Counter(lemma for sentence in seen for lemma in sentence.lemmas)

    def chances(self, forms: Sequence[str], lemmas: Sequence[str] | None = None) -> Chances | None:
        """The probability that each word of a sentence, or its form and its lemma, is hidden; None if all are 0."""
        if self.strength == 0.0:
            return None
        of_forms = [self.strength / (self.strength + self._count[form]) for form in forms]
        if lemmas is None:
            return np.array(of_forms)
        of_lemmas = [self.strength / (self.strength + self._lemmas[lemma]) for lemma in lemmas]
        return np.array([of_forms, of_lemmas]).T

    def begin_epoch(self, epoch: int) -> None:
        """Seed the random choices by the epoch, so that a repeated epoch hides the same words."""
        self._random = np.random.default_rng([self.seed, epoch, HIDING])

    def draw(self, chances: Chances) -> BoolArray:
        """Draw the words to hide; a lemma is hidden only together with its form, unless it is rarer."""
        drawn = self._random.random(len(chances))
        return drawn < chances if chances.ndim == 1 else drawn[:, None] < chances
