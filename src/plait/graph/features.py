"""Templates over arcs: a set of the table ``graph``, split by what it looks at, and the atoms of a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.arrays import Float64Array, Int32Array, UInt16Array, UInt64Array
from plait.core._hashing import text_hash
from plait.core._weights import Scorer
from plait.data.document import Sentence
from plait.errors import OptionError
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.feats import LEMMA, is_of_feats
from plait.features.templates import Template, compile_templates, load_templates, united, unknown_atom
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources
from plait.graph._factors import GROUPS, PAIR_ATOMS, FactorTemplates, FeatureFactors
from plait.trees.guide import GuideTree
from plait.trees.morphology import NO_MORPHOLOGY, MorphologyColumns, SeenMorphology

ROLES = "hmsg"
TAG_COLUMNS = ("t", "t-1", "t+1", "c", "c-1", "c+1")
GUIDE_LABEL = "guide.l"  # the label that the guide has for a word
OF_GUIDE = ("guide", "guide.dist", "sguide", "gguide")
_COLUMNS = (*KNOWN_COLUMNS, *TAG_COLUMNS, GUIDE_LABEL, LEMMA)
AGREE = "agree"  # of the pair: in which features head and modifier agree
_KNOWN = (*PAIR_ATOMS, *(f"{role}.{column}" for role in ROLES for column in _COLUMNS))
_BETWEEN = ("b.t", "left.t", "right.t", "verbs", "conjs", "puncts")
_CANDIDATE_TAGS = tuple(f"{role}.{column}" for role in ROLES for column in "tc")
_SYMBOL = {"root": text_hash("<root>"), "begin": text_hash("<begin>"), "end": text_hash("<end>")}


@dataclass(frozen=True)
class Encoded:
    """A sentence as atoms; row 0 is the root."""

    words: UInt64Array  # [words + 1][word columns]
    best: UInt16Array  # [words + 1]: the tags that context atoms show
    counts: Int32Array  # [3][words + 1]: verbs, conjunctions, punctuation up to here
    guide: Int32Array | None = None  # [words + 1]: heads, where there is a guide

    def __len__(self) -> int:
        return len(self.best) - 1


class GraphFeatures:
    """A template set over some tags. Tag numbers: the known tags, then the root, then a tag never seen.

    >>> features = GraphFeatures([Template(("h.w", "m.w", "dir"))], ["N", "V"])
    >>> encoded = features.encode(["dogs", "bark"], np.array([0, 1]))
    >>> factors = features.one_best(encoded, Scorer())
    >>> len(factors.keys_of(2, 1)), len(factors.keys_of(2, 1, sibling=-1))
    (1, 0)
    """

    def __init__(
        self,
        templates: Sequence[Template],
        tags: Sequence[str],
        resources: WordResources = NO_RESOURCES,
        *,
        second: bool = True,
        guided: bool = False,
        morphology: SeenMorphology = NO_MORPHOLOGY,
    ) -> None:
        parts: dict[str, list[Template]] = {"arc": [], "between": [], "sibling": [], "grandchild": []}
        for template in templates:
            parts[_part(template)].append(template)
        if not second:
            parts["sibling"], parts["grandchild"] = [], []
        self.templates = tuple(templates)
        self.tags = tuple(tags)
        self.second = bool(parts["sibling"] or parts["grandchild"])
        used = {atom.partition(".")[2] for t in templates for atom in t.atoms if atom not in PAIR_ATOMS}
        self.word_columns = tuple(column for column in WORD_COLUMNS if column in used and column != "t")
        self.tag_columns = tuple(column for column in TAG_COLUMNS if column in used)
        self.resources = resources
        resources.check(used)
        if not guided and (GUIDE_LABEL in used or any(atom in OF_GUIDE for t in templates for atom in t.atoms)):
            raise OptionError("the feature templates use a guide; train with --guide")
        self.sees_guide_labels = GUIDE_LABEL in used
        of_guide = (GUIDE_LABEL,) if self.sees_guide_labels else ()
        agrees = any(AGREE in template.atoms for template in templates)
        self.morphology = MorphologyColumns(used, morphology, agreement=agrees)
        own = (*self.word_columns, *resources.columns, *of_guide)
        columns = (*own, *self.morphology.columns, *self.morphology.slots, *self.tag_columns)

        def place(atom: str) -> int:
            if atom in PAIR_ATOMS:
                return 4 * len(columns) + PAIR_ATOMS.index(atom)
            role, _, column = atom.partition(".")
            if role not in ROLES or column not in columns:
                raise OptionError(unknown_atom(atom, _KNOWN))
            return ROLES.index(role) * len(columns) + columns.index(column)

        groups: dict[str, list[int]] = {}
        for name, order in GROUPS.items():
            parts[name].sort(key=lambda template, order=order: order.index(_group(template)))  # type: ignore[misc]
            groups[name] = [sum(_group(template) == group for template in parts[name]) for group in order]
        arc, between, sibling, grandchild = (compile_templates(part, place) for part in parts.values())
        slots = len(own) + len(self.morphology.columns), len(self.morphology.slots)
        self.compiled = FactorTemplates(arc, between, sibling, grandchild, len(columns), groups, *slots)
        self.fine = np.array([*range(1, len(tags) + 3)], dtype=np.uint64)
        self.coarse = np.array([text_hash(coarse_tag(tag)) for tag in (*tags, "<root>", "<unseen>")], dtype=np.uint64)
        self.classes = np.array([tag_classes(tag) for tag in (*tags, "", "")], dtype=np.int32).T

    def encode(
        self,
        forms: Sequence[str],
        best: npt.NDArray[np.integer],
        guide: GuideTree | None = None,
        analysed: Sentence | None = None,
    ) -> Encoded:
        """The atoms of a sentence whose tags, as far as they are context, are ``best``.

        ``analysed`` has its FEATS and lemmas, where templates look at them.
        """
        own = len(self.word_columns)
        known = own + len(self.resources.columns)
        guided = known + self.sees_guide_labels
        words = np.full((len(forms) + 1, guided + self.morphology.width), _SYMBOL["root"], dtype=np.uint64)
        words[0, guided + len(self.morphology.columns) :] = 0  # the root agrees with nothing
        if len(forms):
            words[1:, :own] = word_atoms(forms, self.word_columns, 0)
            words[1:, own:known] = self.resources.atoms(forms, self.resources.columns)
            if self.sees_guide_labels:
                assert guide is not None
                words[1:, known] = guide.labels[1:]
            if self.morphology.width:
                assert analysed is not None
                words[1:, guided:] = self.morphology.atoms(analysed)
        tags = np.concatenate([[len(self.tags)], best]).astype(np.uint16)
        counts = np.cumsum(self.classes[:, tags], axis=1, dtype=np.int32)
        return Encoded(words, tags, np.ascontiguousarray(counts), None if guide is None else guide.heads)

    def factors(self, encoded: Encoded, weights: Scorer, token: Int32Array, tag: UInt16Array) -> FeatureFactors:
        """The scores of arcs between nodes: ``token`` and ``tag`` of each, the root first."""
        rows = [encoded.words[token]]
        for column in self.tag_columns:
            number = self.fine if column[0] == "t" else self.coarse
            if len(column) == 1:
                atoms = number[tag]
            else:
                around = np.concatenate([[_SYMBOL["begin"]], number[encoded.best[1:]], [_SYMBOL["end"]]])
                atoms = around[np.minimum(token + int(column[1:]), len(around) - 1)]
                atoms[0] = _SYMBOL["root"]
            rows.append(atoms.astype(np.uint64)[:, None])
        blocks = np.ascontiguousarray(np.concatenate(rows, axis=1))
        tokens = token.astype(np.int32)
        return FeatureFactors(
            self.compiled, weights, blocks, tokens, encoded.best, encoded.counts, len(self.fine), encoded.guide
        )

    def one_best(self, encoded: Encoded, weights: Scorer) -> FeatureFactors:
        """One node for each word, with its context tag."""
        return self.factors(encoded, weights, np.arange(len(encoded) + 1, dtype=np.int32), encoded.best)

    def number(self, tags: Sequence[str]) -> UInt16Array:
        """Tags as numbers; one beyond the root's for those never seen."""
        known = {tag: i for i, tag in enumerate(self.tags)}
        return np.array([known.get(tag, len(known) + 1) for tag in tags], dtype=np.uint16)

    def one_hot(self, numbers: npt.NDArray[np.integer]) -> Float64Array:
        """Probabilities of tags that are certain."""
        p = np.zeros((len(numbers), len(self.tags) + 2))
        p[np.arange(len(numbers)), numbers] = 1.0
        return p


def arc_templates(
    name: str, resources: WordResources, more: str = "chart", morphology: SeenMorphology = NO_MORPHOLOGY
) -> tuple[Template, ...]:
    """A set of the table ``graph``, and the sets ``more`` of those that look at resources and morphology, if any."""
    templates = resources.extended(load_templates(name, "graph"), "graph", more)
    return morphology.extended(templates, "graph-morphology", more, f"{more}-lemmas")


def chart_templates(
    options: Any, sentences: Iterable[Sentence], resources: WordResources, morphology: SeenMorphology
) -> tuple[Template, ...]:
    """The templates of a chart; with a guide those that look at it too."""
    templates = arc_templates(template_set(options.templates, sentences), resources, morphology=morphology)
    return united(templates, load_templates("default", "graph-guide")) if options.guide else templates


def template_set(name: str, sentences: Iterable[Sentence]) -> str:
    """The named set, or by default the one for the script of the words: ``zh`` or ``li2012-en``."""
    if name:
        return name
    text = Counter(is_ideograph(character) for s in sentences for form in s.forms for character in form)
    return "zh" if text[True] > text[False] else "li2012-en"


def is_ideograph(character: str) -> bool:
    """Whether a character is a Chinese one.

    >>> [is_ideograph(character) for character in "中a。"]
    [True, False, False]
    """
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"


def _part(template: Template) -> str:
    roles = {atom.partition(".")[0] for atom in template.atoms}
    roles |= {role for role, atom in (("s", "sguide"), ("g", "gguide")) if atom in template.atoms}
    if "b" in roles:
        part, pair = "between", {"dir", "dist"}
    elif "s" in roles:
        part, pair = "sibling", {"sdir", "sdist", "dir", "dist"}
    elif "g" in roles:
        part, pair = "grandchild", {"gdir", "dir", "dist"}
    else:
        part, pair = "arc", {"dir", "dist"}
    for atom in template.atoms:
        role, _, column = atom.partition(".")
        if atom not in _KNOWN and not (role in ROLES and is_of_feats(column)):
            raise OptionError(unknown_atom(atom, (*_KNOWN, "h.feats", "h.feat:NAME")))
        if atom in ("sdir", "sdist", "gdir") and atom not in pair:
            raise OptionError(f'template "{template.text}" uses {atom} without the node that it refers to')
    if part in ("sibling", "grandchild") and (seen := [atom for atom in template.atoms if atom in _BETWEEN]):
        raise OptionError(
            f'template "{template.text}" combines words between head and modifier ({seen[0]}) with '
            f"{part}s; use two templates"
        )
    if len(roles & {"s", "g", "b"}) > 1:
        raise OptionError(f'template "{template.text}" uses more than three words; expected only one of s, g and b')
    return part


def _group(template: Template) -> str:
    """What a template looks at, as the GROUPS of its part say it: the scores of a group are found once for all factors
    that look the same to it."""
    nodes = {role for role, _, column in (atom.partition(".") for atom in template.atoms) if column and role in ROLES}
    paired = any(atom in (*OF_GUIDE, AGREE) for atom in template.atoms)
    if paired and _part(template) in ("sibling", "grandchild"):
        return "all"
    far = bool({"dist", "sdist"} & set(template.atoms))
    if "s" in nodes:
        return "all" if nodes >= {"h", "m"} else ("m s" if "m" in nodes else "h s") + (" dist" if far else "")
    if "g" in nodes:
        return "all" if nodes >= {"h", "m"} or far else "m g" if "m" in nodes else "h g"
    if not paired and not any(atom in _BETWEEN for atom in template.atoms):
        if nodes <= {"h"}:
            return "h"
        if nodes <= {"m"}:
            return "m"
    return "all" if any(atom in _CANDIDATE_TAGS for atom in template.atoms) else "words"


def coarse_tag(tag: str) -> str:
    """The first two letters, but PRP and PRP$ stay apart (Li et al. 2012); of joined tags the first.

    >>> [coarse_tag(tag) for tag in ("NNS", "PRP$", "VERB\\tVBD")]
    ['NN', 'PRP$', 'VERB']
    """
    if "\t" in tag:
        return tag.partition("\t")[0]
    return tag if tag in ("PRP", "PRP$") else tag[:2]


def tag_classes(tag: str) -> tuple[bool, bool, bool]:
    """Whether a tag is of verbs, of conjunctions, of punctuation, in any of the usual tag sets.

    >>> [tag_classes(tag) for tag in ("VBD", "CCONJ", "PU", ",", "NN")]
    [(True, False, False), (False, True, False), (False, False, True), (False, False, True), (False, False, False)]
    """
    first = re.split(r"[\t|]", tag)[0]
    punctuation = first in ("PUNCT", "PU", "wp", "w") or (first != "" and not any(c.isalnum() for c in first))
    return first[:1] in ("V", "v"), first in ("CC", "CCONJ", "SCONJ", "c"), punctuation
