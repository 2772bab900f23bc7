"""Trees for the tests: all of a size, and random ones."""

from collections.abc import Iterator
from itertools import product
from random import Random

from plait.data.trees import is_tree


def all_trees(n: int) -> Iterator[list[int]]:
    """Every single-rooted tree of n words, projective or not."""
    for heads in product(range(n + 1), repeat=n):
        if is_tree(heads):
            yield list(heads)


def random_tree(n: int, random: Random) -> list[int]:
    """A tree with arcs across anything."""
    order = random.sample(range(1, n + 1), n)
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = order[random.randrange(k)]
    return heads
