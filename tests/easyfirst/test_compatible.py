"""isAllowed against exhaustive search: an attachment is compatible if and only if gold can still be reached."""

import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from plait.core._weights import Weights
from plait.data.projectivity import is_projective
from plait.data.trees import is_tree
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features
from plait.features.templates import load_templates

sys.path.insert(0, str(Path(__file__).parent))

FEATURES = Features((), load_templates("G&E10", "easyfirst-parsing"))
SEARCH = EasyFirst(None, FEATURES.arc_scoring(Weights(2), 0, True), FEATURES.width, FEATURES.pad)


def projective_trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads) and is_projective(heads)]


def after(pending: tuple[int, ...], word: int, direction: int) -> tuple[tuple[int, ...], int]:
    """The pending list without the word, and the head it was given."""
    place = pending.index(word)
    return pending[:place] + pending[place + 1 :], pending[place + (1 if direction else -1)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_an_attachment_is_allowed_iff_gold_can_still_be_reached(n):
    atoms = FEATURES.reader().atoms([f"w{i}" for i in range(n)])
    given = np.zeros(n, dtype=np.uint16)
    checked = 0
    for tree in projective_trees(n):
        gold = tuple(tree)

        @cache
        def reachable(pending: tuple[int, ...], gold: tuple[int, ...] = gold) -> bool:
            """Whether some derivation of the words that are left gives them their gold heads."""
            if len(pending) == 1:
                return gold[pending[0]] == 0
            return any(
                gold[word] == head + 1 and reachable(rest)
                for word in pending
                for direction in (0, 1)
                if 0 <= pending.index(word) + (1 if direction else -1) < len(pending)
                for rest, head in [after(pending, word, direction)]
            )

        def walk(pending: tuple[int, ...], made: list[tuple[int, int]], gold=gold, reachable=reachable) -> int:
            found, _ = SEARCH.survey(
                atoms, given, made, gold_heads=np.array(gold, dtype=np.int32), gold_labels=np.zeros(n, dtype=np.uint16)
            )
            assert len(found) == (2 * len(pending) - 2 if len(pending) > 1 else 0)
            count = 0
            for word, action, _, allowed in found:
                rest, head = after(pending, word, action)
                assert allowed == (gold[word] == head + 1 and reachable(rest))
                count += 1
                if allowed:
                    count += walk(rest, [*made, (word, action)])
            return count

        checked += walk(tuple(range(n)), [])
    assert len(projective_trees(n)) == [1, 2, 7, 30, 143][n - 1]
    assert checked > 0 or n == 1
