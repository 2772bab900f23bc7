"""First-order trees of very long sentences: parsed in pieces, then joined by a tree over the roots of the pieces.

The chart of a whole sentence takes cubic time and quadratic memory in its length: 21 seconds and a gigabyte for 2,000
words. Pieces end at punctuation if possible. The root of a piece dominates all of it, so that a projective tree over
the roots makes the whole tree projective.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from plait.arrays import Float64Array, Int64Array
from plait.graph.arc_crf import ArcCrf
from plait.graph.features import Encoded
from plait.trees.tree import Tree

LONGEST = 500  # words that are analysed as a whole
PIECE = 200  # words of a piece, at most
ENDS = frozenset(".!?;。！？；…")


def pieces(forms: Sequence[str], max_words: int = PIECE) -> list[range]:
    """Words (from 1) of each piece; it ends with a full stop or semicolon, or other punctuation, or anywhere.

    >>> pieces("a , b . c d e f g".split(), 5)
    [range(1, 5), range(5, 10)]
    """
    found, start = [], 0
    while start < len(forms):
        end = min(start + max_words, len(forms))
        if end < len(forms):
            behind = range(end, start + max_words // 2, -1)  # no piece is shorter than half, unless it is the last
            strong = (e for e in behind if forms[e - 1] and set(forms[e - 1]) <= ENDS)
            weak = (e for e in behind if is_punctuation(forms[e - 1]))
            end = next(strong, None) or next(weak, None) or end
        found.append(range(start + 1, end + 1))
        start = end
    return found


def is_punctuation(form: str) -> bool:
    """Whether a word consists of punctuation alone."""
    return bool(form) and all(unicodedata.category(c).startswith("P") for c in form)


def best_in_pieces(
    crf: ArcCrf, encoded: Encoded, parts: Sequence[range], *, sums: bool = False
) -> tuple[Tree, float, Float64Array | None]:
    """(tree, score, P[h, m] with ``sums``); probabilities are those within a piece, and those among the roots."""
    n = len(encoded) + 1
    heads, labels, value = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.uint16), np.zeros(n)
    p = np.zeros((n, n)) if sums else None

    def parse(groups: Sequence[Int64Array]) -> None:
        """Write the best tree over each group of words, with one of them below 0."""
        keep = np.zeros((n, n), dtype=np.uint8)
        for words in groups:
            keep[np.ix_(np.append(words, 0), words)] = 1
        score, label, total = crf.arcs(encoded, keep, sums=sums)
        for words in groups:
            places = np.concatenate([[0], words])
            inside = np.ix_(places, places)
            found, best = crf.find(score[inside])
            assert np.isfinite(best)
            heads[words] = places[found]
            labels[words] = label[heads[words], words]
            value[words] = score[heads[words], words]
            if p is not None:
                assert total is not None
                p[:, words] = 0
                p[inside] = crf.arc_marginals(total[inside])

    parse([np.array(part) for part in parts])
    parse([np.flatnonzero(heads[1:] == 0) + 1])
    return Tree(heads, labels), float(value.sum()), p
