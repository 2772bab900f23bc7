"""Data augmentation: copies of training passages with other abbreviations and web addresses.

A treebank has few of each, and a CRF then memorizes them: the features of their spelling get the weight that those of
their kind should have. In the copies, an abbreviation is replaced by another of its kind and an address by another
address, so that only what they have in common explains the labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from plait.chain.rawtext import Passage
from plait.features.abbreviations import Abbreviations

COPIES = 3  # of each passage that has something to vary


class Variation:
    """Replaces words by random words of the same kind."""

    def __init__(self, abbreviations: Abbreviations, passages: Sequence[Passage], seed: int) -> None:
        self.kinds = {word: sorted(words) for words in abbreviations.kinds.values() for word in words}
        self.random = Random(seed)
        words = {p.text[a:b] for p in passages for a, b in p.spans}
        self.addresses = sorted(word for word in words if is_address(word))

    def copies(self, passages: Sequence[Passage], count: int = COPIES) -> Iterator[Passage]:
        """``count`` varied copies of each passage in which something can be varied."""
        for passage in passages:
            places = [k for k in range(len(passage.spans)) if self._kind(passage, k)]
            for _ in range(count if places else 0):
                yield self._copy(passage, places)

    def _kind(self, passage: Passage, k: int) -> str:
        """What can be varied at a token: an address, letters with periods, a listed abbreviation, or nothing."""
        start, end = passage.spans[k]
        word = passage.text[start:end]
        if is_address(word):
            return "address"
        plain = word.removesuffix(".")
        if plain == word or not plain.replace(".", "").isalpha():
            return ""
        if plain.lower() in self.kinds:
            return "listed"
        return "letters" if max(map(len, plain.split("."))) == 1 else ""

    def _copy(self, passage: Passage, places: Sequence[int]) -> Passage:
        varied_copy = Passage("", types=list(passage.types), final=list(passage.final))
        pieces: list[str] = []
        at = length = 0
        varied = set(places)
        for k, (start, end) in enumerate(passage.spans):
            gap, word = passage.text[at:start], passage.text[start:end]
            if k in varied:
                word = self._other(word, self._kind(passage, k))
            pieces += [gap, word]
            length += len(gap)
            varied_copy.spans.append((length, length + len(word)))
            length += len(word)
            at = end
        varied_copy.text = "".join([*pieces, passage.text[at:]])
        return varied_copy

    def _other(self, word: str, kind: str) -> str:
        if kind == "address":
            return self.random.choice(self.addresses)
        if kind == "letters":
            letters = "abcdefghijklmnopqrstuvwxyz"
            return "".join(
                c if c == "." else self.random.choice(letters.upper() if c.isupper() else letters) for c in word
            )
        plain = word.removesuffix(".")
        other = self.random.choice(self.kinds[plain.lower()])
        if plain[0].isupper():
            other = other.upper() if plain.isupper() and len(plain) > 1 else other[0].upper() + other[1:]
        return other + word[len(plain) :]


def is_address(word: str) -> bool:
    """Whether a token is a web or mail address.

    >>> [is_address(word) for word in ("http://a.org", "www.a.org", "me@a.org", "@me", "a.org")]
    [True, True, True, False, False]
    """
    name, at, place = word.partition("@")
    return "://" in word or word[:4].lower() == "www." or bool(name and at and "." in place[1:])
