"""The features of the lemmatizer: atoms of a form, of its tag and of a lemma, and their templates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from plait.arrays import UInt8Array, UInt64Array
from plait.core._templates import TemplateGroups, Templates
from plait.errors import OptionError
from plait.features._words import word_atoms
from plait.features.templates import Template, compile_templates, spread, unknown_atom
from plait.morphology._lemma_scoring import casing_class
from plait.morphology._word_tag import MAX_PARTS, WordTag

Tag = tuple[str, str, str]  # UPOS, XPOS, FEATS; "_" where nothing is given

PARTS = tuple(f"part{k}" for k in range(1, MAX_PARTS + 1))
TAG_COLUMNS = ("upos", "xpos", "feats", *PARTS)  # as WordTag has them
SPELLING = ("w", *(f"suf{k}" for k in range(1, 11)), *(f"pre{k}" for k in range(1, 6)), "len")
FORM_COLUMNS = ("one", "case")
LEMMA_COLUMNS = ("known", "seen", "same")  # the first two as KnownLemmas.levels gives them
PROPERTIES = {*LEMMA_COLUMNS, "len"}  # columns with few values


class LemmaTemplates:
    """One set of templates, compiled for columns of spelling, then of the form (or lemma) itself, then of the tag."""

    def __init__(self, templates: Sequence[Template], own: Sequence[str]) -> None:
        self.templates = tuple(templates)
        known = (*SPELLING, *own, *TAG_COLUMNS)
        expanded = [t for template in templates for t in spread(template, {"part": PARTS})]
        used = {atom for template in expanded for atom in template.atoms}
        for atom in sorted(used - set(known)):
            raise OptionError(unknown_atom(atom, ("part", *known)))
        self.spelling = tuple(column for column in SPELLING if column in used)
        self.columns = (*self.spelling, *own, *TAG_COLUMNS)
        self.own = len(self.spelling)  # where the own columns begin
        self.tag = self.own + len(own)  # where those of the tag begin
        self.expanded = tuple(expanded)
        self.compiled: Templates = compile_templates(expanded, self.columns.index)

    def groups(self) -> tuple[TemplateGroups, UInt8Array]:
        """Templates by the columns that they look at, those of the tag aside; and which groups look at the tag.

        All that look at properties only are one group.
        """

        def seen(template: Template) -> tuple[str, ...]:
            columns = set(template.atoms) - set(TAG_COLUMNS)
            return () if columns <= PROPERTIES else tuple(sorted(columns))

        order = sorted(self.expanded, key=seen)
        slots, of_tag = [], []
        for _, group in groupby(order, seen):
            templates = [*group]
            used = {atom for template in templates for atom in template.atoms}
            slots.append((sorted(map(self.columns.index, used - set(TAG_COLUMNS))), len(templates)))
            of_tag.append(not used.isdisjoint(TAG_COLUMNS))
        return TemplateGroups(compile_templates(order, self.columns.index), slots), np.array(of_tag, dtype=np.uint8)

    def keys(self, atoms: UInt64Array) -> UInt64Array:
        """[rows][templates]: the keys of each row of atoms."""
        return self.compiled.table(atoms.reshape(-1), 0, atoms.shape[1], len(atoms))


def tag_atoms(tag: Tag) -> UInt64Array:
    """The atoms of a tag."""
    return WordTag(*tag).array()


def form_atoms(form: str, templates: LemmaTemplates) -> UInt64Array:
    """[columns] of a form; the columns of its tag are left empty."""
    atoms: UInt64Array = word_atoms([form.lower()], templates.spelling, 0, len(FORM_COLUMNS) + len(TAG_COLUMNS))[0]
    atoms[templates.own] = 1
    atoms[templates.own + 1] = casing_class(form)
    return atoms


def lemma_atoms(lemmas: Sequence[str], form: str, templates: LemmaTemplates) -> UInt64Array:
    """[lemmas][columns] of candidate lemmas; the columns ``known``, ``seen`` and of the tag are left empty."""
    atoms = word_atoms(lemmas, templates.spelling, 0, len(LEMMA_COLUMNS) + len(TAG_COLUMNS))
    atoms[:, templates.own + 2] = [1 if lemma == form else 2 for lemma in lemmas]
    return atoms
