"""The templates of transition-based analysis, compiled: every atom has its place in the window around a configuration.

``s0.w s1.t b0.suf2`` look at a word on the stack or in the buffer, ``s0.lc.l`` at its children, ``dist(s1,s0)`` at the
words between; ``delta`` and ``rank`` belong to a candidate tag of the next word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.clusters import CLUSTER_COLUMNS, Clusters
from plait.features.templates import Template, compile_templates
from plait.transition._graph import ROLE_COLUMN_NAMES, ROLE_NAMES, SIBLING_ROLES, GraphTemplates
from plait.transition._search import GLOBAL_NAMES, NODE_COLUMN_NAMES, SLOT_NAMES, LabelFilter, TransitionSearch

OF_CANDIDATES = ("delta", "rank")

# "t" and "p" of the word matrix are for other decoders; tags are seen as node columns here
_KNOWN = tuple(dict.fromkeys([*NODE_COLUMN_NAMES, *(c for c in WORD_COLUMNS if c not in ("t", "p")), *CLUSTER_COLUMNS]))


class TransitionFeatures:
    """What the templates need of a sentence, and where each of them finds it.

    >>> from plait.features.templates import Template
    >>> f = TransitionFeatures([Template(("s0.w", "b0.suf2"))], [Template(("delta",))])
    >>> f.columns
    ('w', 'suf2')
    """

    def __init__(
        self,
        arcs: Sequence[Template],
        tags: Sequence[Template] = (),
        graph: Sequence[Template] = (),
        clusters: Clusters | None = None,
    ) -> None:
        self.arcs = tuple(arcs)
        self.tags = tuple(tags)
        self.graph = tuple(graph)
        atoms = [atom for template in (*arcs, *tags) for atom in template.atoms]
        extras = {column for slot, column in map(_split, atoms) if slot and column not in NODE_COLUMN_NAMES}
        self.clusters = clusters
        if clusters is None and extras & set(CLUSTER_COLUMNS):
            raise OptionError("the templates look at clusters; give a file of them with --clusters")
        self.columns = ("w", *(column for column in WORD_COLUMNS if column in extras))
        self.extras = (*self.columns[1:], *(CLUSTER_COLUMNS if clusters is not None else ()))
        of_candidates = [t for t in tags if set(t.atoms) & set(OF_CANDIDATES)]
        if any(set(t.atoms) & set(OF_CANDIDATES) for t in arcs):
            raise OptionError("templates of transitions cannot look at delta or rank; those of tags can")
        self.arc_templates = compile_templates(arcs, self._place)
        self.tag_templates = compile_templates([t for t in tags if t not in of_candidates], self._place)
        self.choice_templates = compile_templates(of_candidates, self._place)
        self.graph_templates = compile_graph(graph) if graph else None

    def _place(self, atom: str) -> int:
        columns = (*NODE_COLUMN_NAMES, *self.extras)
        slot, column = _split(atom)
        if not slot:
            return len(SLOT_NAMES) * len(columns) + GLOBAL_NAMES.index(column)
        return SLOT_NAMES.index(slot) * len(columns) + columns.index(column)

    def atoms(self, forms: Sequence[str]) -> npt.NDArray[np.uint64]:
        """One row of atoms for each word."""
        atoms = word_atoms(forms, self.columns, 0)
        if self.clusters is None:
            return atoms
        return np.hstack([atoms, self.clusters.atoms(atoms[:, 0])])

    def search(
        self,
        weights: Mapping[str, Scorer],
        label_filter: LabelFilter,
        classes: npt.NDArray[np.uint16],
        compound: bool,
        beam: int,
        beam_tags: int,
    ) -> TransitionSearch:
        """Beam search with these features under some weights: ``arcs``, and ``tags`` where words have candidates."""
        return TransitionSearch(
            weights["arcs"],
            weights.get("tags"),
            self.arc_templates,
            self.tag_templates,
            self.choice_templates,
            self.graph_templates,
            label_filter,
            classes,
            compound,
            range(1, len(self.extras) + 1),
            len(self.extras) + 1,
            beam,
            beam_tags,
        )

    def header(self) -> dict[str, Any]:
        """Templates for the model file."""
        named = {"templates": self.arcs, "tag_templates": self.tags, "graph_templates": self.graph}
        return {name: [template.text for template in templates] for name, templates in named.items()}

    @classmethod
    def from_header(cls, header: Mapping[str, Any], clusters: Clusters | None = None) -> TransitionFeatures:
        """Templates out of a model file."""
        names = ("templates", "tag_templates", "graph_templates")
        arcs, tags, graph = ([Template(tuple(str(text).split())) for text in header[name]] for name in names)
        return cls(arcs, tags, graph, clusters)


def compile_graph(templates: Sequence[Template]) -> GraphTemplates:
    """Templates of factors, those with other children of the head apart from those with children of the dependent."""

    def place(atom: str) -> int:
        role, _, column = atom.partition(".")
        if role not in ROLE_NAMES or column not in ROLE_COLUMN_NAMES or (role in ("h", "d") and column == "l"):
            raise OptionError(
                f'unknown atom "{atom}" of a graph feature; known are {", ".join(ROLE_NAMES)} with '
                f"one of .{' .'.join(ROLE_COLUMN_NAMES)}, and no label for h and d"
            )
        return ROLE_NAMES.index(role) * len(ROLE_COLUMN_NAMES) + ROLE_COLUMN_NAMES.index(column)

    siblings: list[Template] = []
    grandchildren: list[Template] = []
    for template in templates:
        roles = {atom.partition(".")[0] for atom in template.atoms} - {"h", "d"}
        if roles & set(SIBLING_ROLES) and not roles <= set(SIBLING_ROLES):
            raise OptionError(
                f'graph feature "{template.text}" joins children of h and of d; they are complete at different times'
            )
        (siblings if roles & set(SIBLING_ROLES) else grandchildren).append(template)
    return GraphTemplates(compile_templates(siblings, place), compile_templates(grandchildren, place))


def _split(atom: str) -> tuple[str, str]:
    """``s0.lc.t`` → ("s0", "lc.t"); ("", the atom) for what belongs to no single word."""
    if atom in GLOBAL_NAMES:
        return "", atom
    slot, _, column = atom.partition(".")
    if slot in SLOT_NAMES and column in _KNOWN:
        return slot, column
    near = get_close_matches(column or atom, _KNOWN, n=1)
    guess = f" (did you mean {slot if slot in SLOT_NAMES else 's0'}.{near[0]}?)" if near else ""
    raise OptionError(
        f'unknown atom "{atom}"{guess}; known are {", ".join(GLOBAL_NAMES)}, and {", ".join(SLOT_NAMES)} with '
        f"one of .{' .'.join(_KNOWN)}"
    )
