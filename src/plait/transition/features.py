"""The compiled templates of transition-based analysis: the offset of every atom in the window of a configuration.

``s0.w s1.t b0.suf2`` use a word on the stack or in the buffer, ``s0.lemma`` its lemma, ``s0.feat:Case`` the features of
its tag, ``s0.lc.l`` its children, ``s0.next.t`` its neighbours in the sentence, ``dist(s1,s0)`` and ``between(s1,s0)``
the words between, ``agree(s1,s0)`` agreement; ``delta`` and ``rank`` belong to a candidate tag of the next word. So do
``b0.m``, ``b0.feat:Case`` and ``agree(s0,b0)`` in templates for its tag. ``s0.guide.l`` is the label of a word in the
guide's tree, ``guide(s1,s0)`` the guide's arc between two words, ``done(s0)`` whether a word has all its dependents in
the guide's tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from plait.arrays import UInt16Array, UInt64Array
from plait.core._templates import TemplateGroups
from plait.core._weights import Scorer
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.clusters import FORMER_COLUMNS
from plait.features.feats import LEMMA, FeatsAtoms, is_of_feats
from plait.features.templates import Template, compile_templates, stored_templates
from plait.features.word_resources import NO_RESOURCES, RESOURCE_COLUMNS, WordResources
from plait.transition._filter import LabelFilter
from plait.transition._graph import ROLE_COLUMN_NAMES, ROLE_NAMES, SIBLING_ROLES, GraphTemplates
from plait.transition._scoring import GLOBAL_NAMES, NODE_COLUMN_NAMES, SEARCH_COLUMNS, SLOT_NAMES, Scoring
from plait.transition._search import TransitionSearch
from plait.transition.candidate_words import CandidateWords
from plait.transition.seen_words import SEEN_COLUMNS, SeenWords
from plait.trees.guide import GuideTree
from plait.trees.morphology import check_morphology

OF_CANDIDATES = ("delta", "rank")
AGREEMENT = ("agree(s0,b0)", "agree(s1,s0)")
# Of candidate words: how probable the segmenter finds it, whether it is the segmenter's own, and the characters around
# it; how often it was a word in the training data
LATTICE_COLUMNS = ("prob", "own", "before", "before2", "after", "after2", *SEEN_COLUMNS)
OF_CHILDREN = NODE_COLUMN_NAMES[NODE_COLUMN_NAMES.index("lc.w") :]

# Words before and after a word in the sentence: forms, and tags as the tagger sees them
NEIGHBOURS = {"prev2": -2, "prev": -1, "next": 1, "next2": 2}
NEIGHBOUR_COLUMNS = tuple(f"{name}.{what}" for name in NEIGHBOURS for what in ("w", "t"))
EDGE = 0x45444745  # beyond the first and the last word

GUIDE_COLUMNS = ("guide.l", "guide.dir", "guide.t")  # label, direction (left, right, from the root), tag of the head
_OF_GUIDE = tuple(name for name in GLOBAL_NAMES if name.startswith(("guide", "done")))

# "t" and "p" of the word matrix are for other decoders; tags are seen as node columns here
_WORD = tuple(c for c in WORD_COLUMNS if c not in ("t", "p"))
_OF_WORDS = (*_WORD, *NEIGHBOUR_COLUMNS, *RESOURCE_COLUMNS, LEMMA, *GUIDE_COLUMNS, *LATTICE_COLUMNS)
_KNOWN = tuple(dict.fromkeys([*NODE_COLUMN_NAMES, *_OF_WORDS]))


class TransitionFeatures:
    """The columns that the templates need, and the offsets of their atoms.

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
        resources: WordResources = NO_RESOURCES,
        feats: Sequence[str] | None = None,
        *,
        lemmas: bool = False,
        guided: bool = False,
        words: Sequence[Template] = (),
    ) -> None:
        """``feats``: of each tag its FEATS, where tags have them; ``lemmas``: whether the words come with lemmas."""
        self.words = tuple(words)
        self.arcs = tuple(arcs)
        self.tags = tuple(tags)
        self.graph = tuple(graph)
        atoms = [atom for template in (*arcs, *tags, *words) for atom in template.atoms]
        of_factors = {column for template in graph for _, column in map(_split_role, template.atoms)}
        of_factors -= set(ROLE_COLUMN_NAMES)
        extras = {column for slot, column in map(_split, atoms) if slot and column not in NODE_COLUMN_NAMES}
        extras |= of_factors
        self.resources = resources
        resources.check(extras)
        agrees = bool(set(AGREEMENT) & set(atoms))
        of_feats = check_morphology(extras, feats, agreement=agrees, lemmas=lemmas)
        if not guided and (extras & set(GUIDE_COLUMNS) or set(atoms) & set(_OF_GUIDE)):
            raise OptionError("the feature templates use a guide; train with --guide")
        self.guided = guided
        self.feats = FeatsAtoms(of_feats, feats or (), agreement=agrees)
        self.tag_rows = self.feats.rows(feats) if feats is not None else None
        self.lemmas = lemmas
        self.columns = ("w", *(column for column in WORD_COLUMNS if column in extras))
        self.neighbours = tuple(column for column in NEIGHBOUR_COLUMNS if column in extras)
        of_lemmas = (LEMMA,) if lemmas else ()
        of_guide = tuple(column for column in GUIDE_COLUMNS if column in extras)
        self.of_lattice = tuple(column for column in LATTICE_COLUMNS if column in extras)
        if any(_split(atom)[1] in LATTICE_COLUMNS for template in (*arcs, *tags) for atom in template.atoms):
            raise OptionError(f"only the templates of words can use {', '.join(LATTICE_COLUMNS)}")
        own = (*self.columns[1:], *self.neighbours, *resources.columns, *of_lemmas)
        self.extras = (*own, *self.of_lattice, *of_guide)
        self.lemma_column = 1 + self.extras.index(LEMMA) if lemmas else 0
        of_candidates = [t for t in tags if any(map(_is_of_candidate, t.atoms))]
        if any(set(t.atoms) & set(OF_CANDIDATES) for t in (*arcs, *words)):
            raise OptionError("transition templates cannot use delta and rank; tag templates can")
        self.arc_templates = self._grouped(arcs, 1)
        self.tag_templates = self._grouped([t for t in tags if t not in of_candidates], 2)
        self.choice_templates = self._grouped(of_candidates, 3)
        self.word_templates = self._grouped(words, 4)
        seen = [column for column in self.extras if column in of_factors]
        by_tags = [column for column in of_feats if column in of_factors]
        self.graph_templates = None
        if graph:
            places = [1 + self.extras.index(c) for c in seen], [of_feats.index(c) for c in by_tags]
            self.graph_templates = compile_graph(graph, (*seen, *by_tags), *places)

    @property
    def sees_seen_words(self) -> bool:
        """Whether a template asks how often a word was seen in training."""
        return not set(SEEN_COLUMNS).isdisjoint(self.of_lattice)

    def _grouped(self, templates: Sequence[Template], seed: int) -> TemplateGroups:
        columns = (*NODE_COLUMN_NAMES, *self.extras, *self.feats.columns, *self.feats.slots)

        def place(atom: str) -> int:
            slot, column = _split(atom)
            if not slot:
                return len(SLOT_NAMES) * len(columns) + GLOBAL_NAMES.index(column)
            return SLOT_NAMES.index(slot) * len(columns) + columns.index(column)

        order = sorted([(_slots_seen(template), i, template) for i, template in enumerate(templates)])
        groups = [(_slots(seen), len([*group])) for seen, group in groupby(order, itemgetter(0))]
        return TemplateGroups(compile_templates([template for _, _, template in order], place), groups, seed)

    def atoms(
        self,
        forms: Sequence[str],
        classes: UInt16Array,
        lemmas: UInt64Array | None = None,
        guide: GuideTree | None = None,
        candidates: CandidateWords | None = None,
        seen_words: SeenWords | None = None,
    ) -> UInt64Array:
        """One row of atoms for each word; ``classes`` of the tagger's best tags are what neighbours see.

        ``lemmas`` is a column of atoms. With a guide the last three columns are for the search itself: the guide's head
        of each word, its label, and how many dependents the word has there. With ``candidates`` the words are candidate
        words, whose neighbours these know; ``seen_words`` are for templates that ask how often they were seen.
        """
        own = word_atoms(forms, self.columns, 0)
        atoms = [own]
        if self.neighbours:
            atoms.append(self._neighbour_atoms(own[:, 0], classes, candidates))
        if self.resources:
            atoms.append(self.resources.atoms(forms, self.resources.columns))
        if lemmas is not None:
            atoms.append(lemmas)
        if self.of_lattice:  # given words have no competitors, so their columns are not used
            none = np.zeros((len(own), len(self.of_lattice)), dtype=np.uint64)
            atoms.append(none if candidates is None else candidates.atoms(self.of_lattice, seen_words))
        if guide is not None:
            atoms.append(_guide_atoms(guide, classes, [c for c in self.extras if c in GUIDE_COLUMNS]))
        return np.concatenate(atoms, axis=1) if len(atoms) > 1 else own

    def _neighbour_atoms(
        self, words: UInt64Array, classes: UInt16Array, candidates: CandidateWords | None
    ) -> UInt64Array:
        """[words][columns]: forms and classes of the words beside each word."""
        found = np.full((len(words), len(self.neighbours)), EDGE, dtype=np.uint64)
        tags = classes + np.uint64(1)
        for k, column in enumerate(self.neighbours):
            name, _, what = column.partition(".")
            values, by = words if what == "w" else tags, NEIGHBOURS[name]
            if candidates is not None:
                numbers = candidates.beside(by)  # −1 is beyond the first or last
                found[:, k] = np.where(numbers < 0, found[:, k], values[numbers])
            elif by < 0:
                found[-by:, k] = values[:by]
            else:
                found[: max(len(values) - by, 0), k] = values[by:]
        return found

    def search(
        self,
        weights: Mapping[str, Scorer],
        label_filter: LabelFilter,
        classes: UInt16Array,
        compound: bool,
        beam: int,
        beam_tags: int,
        *,
        tags_first: bool = False,
    ) -> TransitionSearch:
        """Beam search with these features under some weights: ``arcs``, and ``tags`` where words have candidates.

        ``tags_first``: the tag of a candidate word is chosen before its extent is known.
        """
        scoring = Scoring(
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
            len(self.extras) + 1 + (SEARCH_COLUMNS if self.guided else 0),
            self.tag_rows if self.tag_rows is not None else np.zeros((len(classes), 0), dtype=np.uint64),
            len(self.feats.slots),
            self.guided,
            weights.get("words"),
            self.word_templates,
            tags_first,
        )
        return TransitionSearch(scoring, beam, beam_tags)

    def header(self) -> dict[str, Any]:
        """Templates for the model file."""
        named = {"templates": self.arcs, "tag_templates": self.tags, "graph_templates": self.graph}
        named |= {"word_templates": self.words} if self.words else {}
        return {name: [template.text for template in templates] for name, templates in named.items()}

    @classmethod
    def from_header(
        cls,
        header: Mapping[str, Any],
        resources: WordResources = NO_RESOURCES,
        feats: Sequence[str] | None = None,
        *,
        lemmas: bool = False,
        guided: bool = False,
    ) -> TransitionFeatures:
        """Templates out of a model file."""
        names = ("templates", "tag_templates", "graph_templates")
        arcs, tags, graph = (stored_templates(header[name]) for name in names)
        words = stored_templates(header.get("word_templates", []))
        return cls(arcs, tags, graph, resources, feats, lemmas=lemmas, guided=guided, words=words)


def compile_graph(
    templates: Sequence[Template], extras: Sequence[str], places: Sequence[int], tag_places: Sequence[int] = ()
) -> GraphTemplates:
    """Compile templates of factors, separately for siblings and for grandchildren.

    ``extras`` are the columns of words and tags that they use, ``places`` the positions of the former in the word
    matrix, ``tag_places`` those of the latter in the rows of tags.
    """
    columns = (*ROLE_COLUMN_NAMES, *extras)

    def place(atom: str) -> int:
        role, column = _split_role(atom)
        return ROLE_NAMES.index(role) * len(columns) + columns.index(column)

    siblings: list[Template] = []
    grandchildren: list[Template] = []
    for template in templates:
        roles = {atom.partition(".")[0] for atom in template.atoms} - {"h", "d"}
        if roles & set(SIBLING_ROLES) and not roles <= set(SIBLING_ROLES):
            raise OptionError(
                f'graph feature "{template.text}" combines children of h and of d, which are completed at '
                "different times"
            )
        (siblings if roles & set(SIBLING_ROLES) else grandchildren).append(template)
    compiled = compile_templates(siblings, place), compile_templates(grandchildren, place)
    return GraphTemplates(*compiled, places, tag_places)


def _is_of_candidate(atom: str) -> bool:
    """Whether an atom of a template for tags differs from one candidate tag of the next word to another."""
    slot, column = _split(atom)
    return atom in (*OF_CANDIDATES, "agree(s0,b0)") or (slot == "b0" and (column == "m" or is_of_feats(column)))


def _slots_seen(template: Template) -> int:
    """The slots that a template uses, as bits: the lower ones for words, the higher ones for words with children."""
    words = children = 0
    for atom in template.atoms:
        slot, column = _split(atom)
        seen = [slot] if slot else [name for name in SLOT_NAMES if name in column]  # dist(s1,s0)
        bits = sum(1 << SLOT_NAMES.index(name) for name in seen)
        if column in OF_CHILDREN or column.startswith("done("):
            children |= bits
        else:
            words |= bits
    return children << len(SLOT_NAMES) | words & ~children


def _slots(seen: int) -> list[int]:
    """The slots that such bits stand for; the search counts words with their children after the words alone."""
    return [i for i in range(2 * len(SLOT_NAMES)) if seen >> i & 1]


def _guide_atoms(guide: GuideTree, classes: UInt16Array, columns: Sequence[str]) -> UInt64Array:
    """[words][columns, then those for the search]."""
    heads = guide.heads[1:]
    tags = np.concatenate([[EDGE], classes + np.uint64(1)])
    known = {
        "guide.l": guide.labels[1:],
        "guide.dir": np.where(heads == 0, 3, np.where(heads < np.arange(1, len(heads) + 1), 1, 2)),
        "guide.t": tags[heads],
    }
    dependents = np.bincount(heads, minlength=len(guide.heads))[1:]
    found = [*(known[column] for column in columns), heads, guide.labels[1:], dependents]
    return np.stack([column.astype(np.uint64) for column in found], axis=1)


def _split_role(atom: str) -> tuple[str, str]:
    """``go.next.t`` → ("go", "next.t")."""
    role, _, column = atom.partition(".")
    column = FORMER_COLUMNS.get(column, column)
    known = (*ROLE_COLUMN_NAMES, *_OF_WORDS)
    is_known = column in known or is_of_feats(column)
    if role in ROLE_NAMES and is_known and not (role in ("h", "d") and column == "l"):
        return role, column
    raise OptionError(
        f'unknown atom "{atom}" in a graph feature; available: {", ".join(ROLE_NAMES)} with one of '
        f".{' .'.join(known)} .feats .feat:NAME, and no label for h and d"
    )


@lru_cache(maxsize=4096)  # a template set repeats its few atoms in hundreds of templates
def _split(atom: str) -> tuple[str, str]:
    """``s0.lc.t`` → ("s0", "lc.t"); ("", the atom) for what belongs to no single word."""
    if atom in GLOBAL_NAMES:
        return "", atom
    slot, _, column = atom.partition(".")
    column = FORMER_COLUMNS.get(column, column)
    if slot in SLOT_NAMES and (column in _KNOWN or is_of_feats(column)):
        return slot, column
    near = get_close_matches(column or atom, _KNOWN, n=1)
    guess = f" (did you mean {slot if slot in SLOT_NAMES else 's0'}.{near[0]}?)" if near else ""
    raise OptionError(
        f'unknown atom "{atom}"{guess}; available: {", ".join(GLOBAL_NAMES)}, and {", ".join(SLOT_NAMES)} with '
        f"one of .{' .'.join(_KNOWN)} .feats .feat:NAME"
    )
