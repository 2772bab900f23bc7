"""Word dropout: rare words are hidden now and then in training, so that a model learns to do without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence

HIDING = 0x68696465  # so that what is hidden is drawn apart from the order of the sentences

Chances = npt.NDArray[np.float64]


class WordDropout:
    """Hides a word that was seen n times with probability x / (x + n).

    >>> dropout = WordDropout([Sentence(["a", "a", "b"])], 1.0)
    >>> dropout.chances(["a", "b"]).round(2).tolist()
    [0.33, 0.5]
    """

    def __init__(self, train: Iterable[Sentence], strength: float, seed: int = 1) -> None:
        self.strength = strength
        self.seed = seed
        self._count = Counter(form for sentence in train for form in sentence.forms) if strength else Counter()

    def chances(self, forms: Sequence[str]) -> Chances | None:
        """How probably each word of a sentence is hidden; None when none ever is."""
        if self.strength == 0.0:
            return None
        return np.array([self.strength / (self.strength + self._count[form]) for form in forms])

    def begin_epoch(self, epoch: int) -> None:
        """Other words are hidden in each epoch, the same ones whenever it is repeated."""
        self._random = np.random.default_rng([self.seed, epoch, HIDING])

    def draw(self, chances: Chances) -> npt.NDArray[np.bool_]:
        """Which words are hidden this time."""
        return self._random.random(len(chances)) < chances
