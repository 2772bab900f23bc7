"""The compiled templates of easy-first analysis: the offset of every atom, the group of every template.

Tagging templates use words, tags and the pending neighbours (``w0 suf2@-1 t+1 tagged@-1 n+1.lc.t``), and the tags of
another tagger (``p0``); parsing templates use the pending list around an attachment point (``p0.t p+1.w
dist(p0,p+1)``) or around the item to be attached (``i0.t i-1.leaf``), and its morphology (``p0.feat:Case p+1.lemma
agree(p0,p+1)``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from plait.arrays import UInt16Array, UInt64Array
from plait.core._hashing import text_hash
from plait.core._templates import TemplateGroups
from plait.core._weights import Scorer
from plait.data.document import Sentence
from plait.easyfirst._scoring import NODE_COLUMN_NAMES, SLOT_OF_NEIGHBOUR, ArcScoring, TagScoring
from plait.errors import OptionError
from plait.features._lexicon import AffixTags, TagDictionary
from plait.features._words import WORD_SETS, WordRows
from plait.features.clusters import FORMER_COLUMNS
from plait.features.feats import LEMMA
from plait.features.sequence import place_atom
from plait.features.templates import Template, compile_templates, load_templates, spread, unknown_atom
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, RESOURCE_COLUMNS, WordResources
from plait.trees.morphology import NO_MORPHOLOGY, MorphologyColumns, SeenMorphology

FEW = 2  # templates that make no group of their own
GUIDE = "p"  # the column of another tagger's tags
REACH = 3  # pending neighbours on each side that templates may look at

NODE = re.compile(r"([pi])([+-]?\d+)\.([a-z][a-z0-9.]*|feat:\S+)$")  # p-1.lc.t, i0.suf2, p0.feat:Case
PAIR = re.compile(r"(?:dist|agree)\(([pi])([+-]?\d+),([pi])([+-]?\d+)\)$")
AGREE = "agree"
NEIGHBOUR = re.compile(r"n([+-]1)\.([a-z][a-z0-9.]*)$")  # n-1.leaf

Slots = tuple[int, ...]


def place_word(atom: str) -> tuple[str, int]:
    """``place_atom`` for the columns of tagging templates."""
    return place_atom(atom, KNOWN_COLUMNS)


def node_column(node: re.Match[str]) -> str:
    """The column of an atom of a partial tree."""
    return FORMER_COLUMNS.get(node[3], node[3])


def _grouped(
    templates: Iterable[Template], slots_of: Callable[[Template], Slots]
) -> tuple[list[Template], list[tuple[Slots, int]]]:
    """Templates in the order of their groups, and (slots, number of templates) for each."""
    groups: dict[Slots, list[Template]] = {}
    for template in templates:
        groups.setdefault(slots_of(template), []).append(template)
    return [t for group in groups.values() for t in group], [(slots, len(group)) for slots, group in groups.items()]


def _folded(templates: Sequence[Template], slots_of: Callable[[Template], Slots]) -> Callable[[Template], Slots]:
    """Merge groups of few templates into larger ones: a separate sum would cost more than it saves."""
    groups: dict[Slots, int] = Counter(map(slots_of, templates))
    into: dict[Slots, Slots] = {}
    for slots in sorted(groups, key=lambda s: (len(s), s)):
        wider = [other for other in groups if set(slots) < set(other)]
        if wider and groups[slots] <= FEW:
            into[slots] = min(wider, key=lambda s: (len(s), s))
            groups[into[slots]] += groups.pop(slots)

    def folded(template: Template) -> Slots:
        slots = slots_of(template)
        while slots in into:
            slots = into[slots]
        return slots

    return folded


class Features:
    """The columns that tagging and parsing templates need, and the offsets of their atoms.

    ``center`` sets the window of parsing templates: ``table`` as in the tables, ``pair`` and ``item`` centre every
    template on the attachment point or on the item to be attached.
    """

    def __init__(
        self,
        tagging: Sequence[Template] = (),
        parsing: Sequence[Template] = (),
        center: str = "table",
        resources: WordResources = NO_RESOURCES,
        morphology: SeenMorphology = NO_MORPHOLOGY,
    ) -> None:
        self.tagging = tuple(tagging)
        self.parsing = tuple(parsing)
        self.center = center
        self.resources = resources
        variants = [variant for template in tagging for variant in spread(template, WORD_SETS)]
        where = [place_word(a) for t in variants for a in t.atoms if not NEIGHBOUR.match(a)]
        extras = {node_column(m) for t in parsing for a in t.atoms if (m := NODE.match(a))} - set(NODE_COLUMN_NAMES)
        used = {"w", *(column for column, _ in where), *(e for e in extras if e in KNOWN_COLUMNS)}
        if tagging:
            used |= {"t", "tagged"}
        if "begins" in used:
            used.add("pre1")
        if "ends" in used:
            used.add("suf1")
        resources.check(used)
        self.columns = tuple(column for column in KNOWN_COLUMNS if column in used)
        self.pad = max((abs(offset) for _, offset in where), default=0)
        self.is_guided = GUIDE in self.columns
        self.sees_neighbours = any(NEIGHBOUR.match(a) for t in tagging for a in t.atoms)
        self.extras = tuple(sorted(extras))
        pairs = {(int(m[2]), int(m[4]), a.startswith(AGREE)) for t in parsing for a in t.atoms if (m := PAIR.match(a))}
        self.distances = tuple(sorted((a, b) for a, b, agree in pairs if not agree))
        self.agreements = tuple(sorted((a, b) for a, b, agree in pairs if agree))
        self.morphology = MorphologyColumns(extras, morphology, agreement=bool(self.agreements))
        neighbours = 2 * len(NODE_COLUMN_NAMES) if self.sees_neighbours else 0
        self.width = len(self.columns) + neighbours + self.morphology.width
        self._compile_tagging(variants)
        self._compile_parsing()

    def _compile_tagging(self, templates: Sequence[Template]) -> None:
        """Compile the templates of the word itself, of its context, and of the search state."""
        static = [t for t in templates if not self._tag_slots(t)]
        alone = [t for t in static if self._sees_form_alone(t)]
        around = [t for t in static if not self._sees_form_alone(t)]
        dynamic, groups = _grouped((t for t in templates if self._tag_slots(t)), self._tag_slots)
        self.tag_order = (*alone, *around, *dynamic)  # as the search lists their keys
        self.alone = compile_templates(alone, self._tag_place)
        self.around = compile_templates(around, self._tag_place)
        self.tag_groups = TemplateGroups(compile_templates(dynamic, self._tag_place), groups, text_hash("tags"))

    @staticmethod
    def _sees_form_alone(template: Template) -> bool:
        return all(offset == 0 and column != GUIDE for column, offset in map(place_word, template.atoms))

    @staticmethod
    def _tag_slots(template: Template) -> Slots:
        """The tags and neighbours that a template uses."""
        slots = set()
        for atom in template.atoms:
            if match := NEIGHBOUR.match(atom):
                slots.add(SLOT_OF_NEIGHBOUR[int(match[1])])
                continue
            column, offset = place_word(atom)
            if column in ("t", "tagged"):
                slots.add(offset)
        return tuple(sorted(slots))

    def _tag_place(self, atom: str) -> int:
        match = NEIGHBOUR.match(atom)
        if match is None:
            column, offset = place_word(atom)
            if column in ("t", "tagged") and offset == 0:
                raise OptionError(
                    f'atom "{atom}" is the tag to predict; templates may use the tags of other words only'
                )
            return offset * self.width + self.columns.index(column)
        if match[2] not in NODE_COLUMN_NAMES:
            raise OptionError(unknown_atom(atom, NODE_COLUMN_NAMES))
        first = len(self.columns) + (0 if match[1] == "-1" else len(NODE_COLUMN_NAMES))
        return first + NODE_COLUMN_NAMES.index(match[2])

    def _compile_parsing(self) -> None:
        self.pair_order, self.pair_groups = self._compile_around("p", 1 - REACH, REACH)
        self.item_order, self.item_groups = self._compile_around("i", -REACH, REACH)

    def _compile_around(self, kind: str, lowest: int, highest: int) -> tuple[tuple[Template, ...], TemplateGroups]:
        """Compile the templates with this centre."""
        of_kind = [t for t in self.parsing if self._kind(t) == kind]
        chosen, groups = _grouped(of_kind, _folded(of_kind, self._arc_slots))
        for template in chosen:
            slots = self._arc_slots(template)
            if slots and (slots[0] < lowest or slots[-1] > highest):
                raise OptionError(f'template "{template.text}" is not within {kind}{lowest:+} to {kind}{highest:+}')
        return tuple(chosen), TemplateGroups(compile_templates(chosen, self._arc_place), groups, text_hash(kind))

    def _kind(self, template: Template) -> str:
        kinds = {m[1] for a in template.atoms if (m := NODE.match(a) or PAIR.match(a))}
        if len(kinds) > 1:
            raise OptionError(f'template "{template.text}" mixes p and i; a window has only one centre')
        return {"table": next(iter(kinds), "p"), "pair": "p", "item": "i"}[self.center]

    @staticmethod
    def _arc_slots(template: Template) -> Slots:
        slots = set()
        for atom in template.atoms:
            if match := NODE.match(atom):
                slots.add(int(match[2]))
            elif match := PAIR.match(atom):
                slots |= {int(match[2]), int(match[4])}
        return tuple(sorted(slots))

    def _arc_place(self, atom: str) -> int:
        columns = (*NODE_COLUMN_NAMES, *self.extras)
        if match := PAIR.match(atom):
            pair, first = (int(match[2]), int(match[4])), (REACH + 1) * len(columns)
            if atom.startswith(AGREE):
                return first + len(self.distances) + self.agreements.index(pair)
            return first + self.distances.index(pair)
        match = NODE.match(atom)
        if match is None or node_column(match) not in (*NODE_COLUMN_NAMES, *self.columns, *self.morphology.columns):
            raise OptionError(unknown_atom(atom, (*NODE_COLUMN_NAMES, *KNOWN_COLUMNS, LEMMA, "feats", "feat:NAME")))
        return int(match[2]) * len(columns) + columns.index(node_column(match))

    def reader(self, affixes: Sequence[AffixTags] = ()) -> WordRows:
        """A reader that makes the padded matrix of atoms of a sentence; the decoder's columns are empty."""
        fills = [
            (table, self.columns.index(source), self.columns.index(name))
            for name, source, table in zip(("begins", "ends"), ("pre1", "suf1"), affixes, strict=False)
            if name in self.columns
        ]

        def finish(atoms: UInt64Array, forms: Sequence[str]) -> None:
            for table, source, target in fills:
                table.fill(atoms, source, target)
            if forms:
                self.resources.fill(atoms, self.columns, forms)

        words = tuple(column for column in self.columns if column not in RESOURCE_COLUMNS)
        return WordRows(words, self.pad, self.width - len(words), finish)

    def guide(self, atoms: UInt64Array, tags: UInt16Array) -> None:
        """Write another tagger's tags to their column."""
        atoms[self.pad : len(atoms) - self.pad, self.columns.index(GUIDE)] = tags + np.uint64(1)

    def analyse(self, atoms: UInt64Array, analysed: Sentence) -> UInt64Array:
        """Write FEATS and lemmas to their columns, if templates look at any."""
        if first := self.morphology.width:
            atoms[self.pad : len(atoms) - self.pad, -first:] = self.morphology.atoms(analysed)
        return atoms

    def tag_scoring(self, weights: Scorer, dictionary: TagDictionary) -> TagScoring:
        """Scores of tags under some weights."""
        first = len(self.columns) if self.sees_neighbours else -1
        return TagScoring(
            weights,
            dictionary,
            self.alone,
            self.around,
            self.tag_groups,
            self.width,
            self.pad,
            self.columns.index("t"),
            self.columns.index("tagged"),
            first,
            first + len(NODE_COLUMN_NAMES) if self.sees_neighbours else -1,
        )

    def arc_scoring(self, weights: Scorer, labels: int, shared: bool) -> ArcScoring:
        """Scores of attachments under some weights; no labels: unlabelled."""
        first = self.width - self.morphology.width
        places = {column: k for k, column in enumerate(self.columns)}
        places |= {column: first + k for k, column in enumerate(self.morphology.columns)}
        return ArcScoring(
            weights,
            self.pair_groups,
            self.item_groups,
            labels,
            shared,
            self.width,
            [places[column] for column in self.extras],
            self.distances,
            self.agreements,
            self.width - len(self.morphology.slots),
            len(self.morphology.slots),
        )


def tag_templates(name: str, resources: WordResources) -> tuple[Template, ...]:
    """A set of tag templates, extended by those of the available resources."""
    return resources.extended(load_templates(name, "easyfirst-tagging"), "easyfirst", "tags")


def arc_templates(
    name: str, resources: WordResources, morphology: SeenMorphology = NO_MORPHOLOGY
) -> tuple[Template, ...]:
    """A set of arc templates, extended by those of the available resources and morphology."""
    templates = resources.extended(load_templates(name, "easyfirst-parsing"), "easyfirst", "arcs")
    return morphology.extended(templates, "easyfirst-morphology", "arcs", "lemmas")
