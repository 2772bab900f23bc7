"""Word clusters from text: counting bigrams, clustering, and the lines of a cluster file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from plait.errors import DataError
from plait.features._brown import brown_clusters


def cluster_words(
    sentences: Iterable[Sequence[str]],
    clusters: int,
    min_count: int = 1,
    track: Callable[[Any, str], Any] | None = None,
) -> list[tuple[str, str, int]]:
    """(bit string, word, count) of all words seen at least ``min_count`` times, by bit string and falling count.

    >>> bits = {word: b for b, word, _ in cluster_words(["a dog runs a cat runs".split()], 3)}
    >>> bits["dog"] == bits["cat"], bits["dog"] == bits["runs"]
    (True, False)
    """
    frequency: Counter[str] = Counter()
    neighbours: Counter[tuple[str, str]] = Counter()
    for forms in sentences:
        frequency.update(forms)
        neighbours.update(pairwise(forms))
    words = sorted((w for w, times in frequency.items() if times >= min_count), key=lambda w: (-frequency[w], w))
    if not words:
        raise DataError(f"no word occurs {min_count} times; use more text or a smaller --min-count")
    number = {word: i for i, word in enumerate(words)}
    known = sorted((number[a], number[b], n) for (a, b), n in neighbours.items() if a in number and b in number)
    pairs = np.array([(a, b) for a, b, _ in known], dtype=np.int64).reshape(-1, 2)
    counts = np.array([n for _, _, n in known], dtype=np.int64)
    bits = brown_clusters(pairs, counts, len(words), clusters, track)
    return sorted(
        ((b, word, frequency[word]) for b, word in zip(bits, words, strict=True)), key=lambda t: (t[0], -t[2], t[1])
    )


def cluster_lines(found: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """The lines of a cluster file."""
    for bits, word, count in found:
        yield f"{bits}\t{word}\t{count}\n"
