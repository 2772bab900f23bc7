"""Projective trees, and pseudo-projective parsing (Nivre & Nilsson, 2005): lift arcs before training, lower them after.

A non-projective arc is lifted: its dependent moves to the head of its head, step by step, until the tree is
projective. Marks in the labels say what was done, so that it can be undone in a parser's output:

========= =================================== ===========================
scheme    the lifted arc; h labels its old head each arc it was lifted over
========= =================================== ===========================
head      ``d↑h``                             ``p``
path      ``d↑``                              ``p↓``
head+path ``d↑h``                             ``p↓``
========= =================================== ===========================
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Sequence
from typing import Literal, TypeAlias

from plait.data._projectivity import is_projective as is_projective
from plait.data._projectivity import lift
from plait.data._projectivity import nonprojective_arcs as nonprojective_arcs
from plait.data._projectivity import projective_order as projective_order
from plait.data.trees import tree_fault

UP, DOWN = "↑", "↓"

# over the arcs to lower; more restore nothing more in eu_bdt1 and cs_cac, and nonsense labels must stay cheap
PASSES = 3

Scheme: TypeAlias = Literal["head", "path", "head+path"]


def projectivize(
    heads: Sequence[int], labels: Sequence[str], scheme: Scheme = "head+path"
) -> tuple[list[int], list[str]]:
    """A projective tree near this one, with marks in its labels; a projective tree comes back as it is.

    The shortest non-projective arc is lifted first, the leftmost of equally short ones, one step at a time.
    ValueError when the heads are no tree, or a label already has a mark.

    >>> projectivize([3, 4, 0, 3], ["det", "obj", "root", "conj"])
    ([3, 3, 0, 3], ['det', 'obj↑conj', 'root', 'conj↓'])
    """
    if scheme not in ("head", "path", "head+path"):
        raise ValueError(f"scheme is {scheme!r}; expected 'head', 'path' or 'head+path'")
    if len(labels) != len(heads):
        raise ValueError(f"{len(labels)} labels for {len(heads)} words")
    for label in labels:
        if is_marked(label):
            raise ValueError(f"label {label!r} is already marked; deprojectivize the tree first, or rename the label")
    if is_projective(heads):
        return list(heads), list(labels)
    new_heads, lifted, passed = lift(heads)
    new_labels = list(labels)
    for i, label in enumerate(labels):
        if lifted[i]:
            label += UP if scheme == "path" else UP + labels[heads[i] - 1]
        if passed[i] and scheme != "head":
            label += DOWN
        new_labels[i] = label
    return new_heads, new_labels


def deprojectivize(heads: Sequence[int], labels: Sequence[str]) -> tuple[list[int], list[str]]:
    """Lower the arcs that are marked as lifted, and take all marks away.

    Lifted arcs are taken top-down and left to right. For each, the new head is sought below the present one, breadth
    first and left to right, outside the dependent's own subtree: for ``d↑h`` the first node with label h, for ``d↑``
    the first node at which the marks ``↓`` end. The search goes over arcs marked ``↓`` alone; what it does not find
    is sought again when other arcs have been lowered, then (``d↑h`` only) over all arcs, and stays where it is when
    that fails too.

    Whatever the labels, a tree stays a tree, with the same root when there is one.

    >>> deprojectivize([3, 3, 0, 3], ["det", "obj↑conj", "root", "conj↓"])
    ([3, 4, 0, 3], ['det', 'obj', 'root', 'conj'])
    """
    if len(labels) != len(heads):
        raise ValueError(f"{len(labels)} labels for {len(heads)} words")
    if not any(map(is_marked, labels)):
        return list(heads), list(labels)
    fault = tree_fault(heads, one_root=False)
    if fault is not None or -1 in heads:
        raise ValueError(f"not a tree: {fault or 'some heads are unknown'}")
    tree = [0, *heads]  # tree[d] is the head of d
    bases, sought, down = zip(*map(_take_apart, labels), strict=True)
    children: list[list[int]] = [[] for _ in tree]
    for d, h in enumerate(heads, 1):
        children[h].append(d)
    pending = [d for d in _top_down(children) if sought[d - 1] is not None]
    for marked in (True, False):
        for _ in range(PASSES):
            before = len(pending)
            for d in list(pending):
                new = _find_head(tree[d], d, sought[d - 1], bases, down if marked else None, children)
                if new is not None:
                    children[tree[d]].remove(d)
                    insort(children[new], d)
                    tree[d] = new
                    pending.remove(d)
            if len(pending) == before:
                break
    return tree[1:], list(bases)


def is_marked(label: str) -> bool:
    """Whether a label carries a mark of lifting."""
    return UP in label or DOWN in label


def without_marks(label: str) -> str:
    """The label as it was before lifting.

    >>> without_marks("obj↑conj↓"), without_marks("nmod")
    ('obj', 'nmod')
    """
    return _take_apart(label)[0] if is_marked(label) else label


def not_lifted(label: str) -> str:
    """The label without the mark that its arc was lifted; that others were lifted over it stays.

    >>> not_lifted("obj↑conj↓"), not_lifted("nmod↓")
    ('obj↓', 'nmod↓')
    """
    base, lifted, _ = label.partition(UP)
    return (base or "dep") + DOWN if lifted and DOWN in label else base or "dep"


def _take_apart(label: str) -> tuple[str, str | None, bool]:
    """(label without marks, label of the head to seek or None when not lifted, whether marked as passed over).

    >>> _take_apart("obj↑conj↓"), _take_apart("obj↑"), _take_apart("nmod")
    (('obj', 'conj', True), ('obj', '', False), ('nmod', None, False))
    """
    rest = label.replace(DOWN, "")
    base, mark, head = rest.partition(UP)
    return base or "dep", head.replace(UP, "") if mark else None, rest != label


def _top_down(children: list[list[int]]) -> list[int]:
    order = list(children[0])
    for d in order:  # grows while it is walked
        order += children[d]
    return order


def _find_head(
    top: int,
    dependent: int,
    label: str,
    bases: Sequence[str],
    down: Sequence[bool] | None,
    children: list[list[int]],
) -> int | None:
    """The first node below ``top`` with the label, over arcs that are marked ``down`` (None: over all)."""
    if down is None and not label:
        return None
    queue = deque([top])
    while queue:
        node = queue.popleft()
        below = [c for c in children[node] if c != dependent and (down is None or down[c - 1])]
        if node != top and (bases[node - 1] == label if label else not below):
            return node
        queue.extend(below)
    return None
