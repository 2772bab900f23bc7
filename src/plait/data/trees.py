"""Whether a list of heads is a tree, and if not, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from plait.data._tree import find_fault
from plait.data.document import UNKNOWN, Sentence
from plait.errors import DataError


def tree_fault(heads: Sequence[int], *, one_root: bool = True) -> str | None:
    """Why the heads are not a tree with one root, as a message; None if they are.

    Heads of −1 are unknown: with any of them the root may still be missing, but the known heads must be valid.

    >>> tree_fault([2, 0]) is None
    True
    >>> tree_fault([2, 1])
    'token 1 is in a cycle'
    """
    code, token = find_fault(heads, one_root)
    if code == 0:
        return None
    if code == 1:
        return f"HEAD of token {token} is {heads[token - 1]}, but the sentence has {len(heads)} words"
    return {
        2: f"token {token} is its own head",
        3: f"token {token} is in a cycle",
        4: f"token {token} is a second root",
        5: "no token has head 0",
    }[code]


def is_tree(heads: Sequence[int], *, one_root: bool = True) -> bool:
    """Whether every head is known and together they are one rooted tree."""
    return -1 not in heads and find_fault(heads, one_root)[0] == 0


def trees_or_none(sentences: Sequence[Sentence]) -> tuple[list[Sentence], bool]:
    """The sentences that have a tree with one root; or all of them and False, if no word has a head."""
    filled = [sentence for sentence in sentences if len(sentence)]
    if filled and all(head == -1 for sentence in filled for head in sentence.heads):
        return filled, False
    return with_trees(sentences), True


def held_out_trees(dev: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of a development set in which all heads are known; one without any is refused.

    A word whose head is unknown would count as wrong, whatever the model says.
    """
    filled = [sentence for sentence in dev if len(sentence)]
    found = [sentence for sentence in filled if UNKNOWN not in sentence.heads]
    if filled and not found:
        raise DataError(
            f"no trees in the development set ({len(dev)} sentences, none with the heads of all words); "
            "give a treebank, or leave out --dev"
        )
    return found


def with_trees(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that have one rooted tree; data without any is refused."""
    found = [sentence for sentence in sentences if len(sentence) and is_tree(sentence.heads)]
    if not found:
        raise DataError(
            f"no trees in the training data ({len(sentences)} sentences, none with a complete tree and one root); "
            "give a treebank"
        )
    return found
