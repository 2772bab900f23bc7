"""The heaviest features of edits and casings, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from plait.core.tables import Arrays
from plait.features.heaviest import HeavyFeatures, Named, show_form
from plait.morphology._casing import CASINGS
from plait.morphology._lemma_scoring import casing_class
from plait.morphology.edit_scripts import EditScript
from plait.morphology.lemma_candidates import Scripts
from plait.morphology.lemma_features import LemmaTemplates, Tag, form_atoms, tag_atoms
from plait.morphology.lemma_words import Word, usual_lemma

MAX_EDITS = 40  # shown; a model may have a thousand
MAX_WORDS = 20_000  # searched for names of features; features that do not occur in them stay unnamed

_CLASSES = ("", "lower", "title", "upper", "mixed", "none", "one upper")  # of casing_class


def heaviest_features(
    weights: Arrays, scripts: Scripts, templates: LemmaTemplates, counts: dict[Word, Counter[str]]
) -> Named:
    """For each casing, and for the edits of most forms, the heaviest features that look at the form and its tag."""
    often = Counter(
        _edits(script)
        for (form, _), lemmas in counts.items()
        for script in [EditScript.between(form, usual_lemma(lemmas))]
        if script in scripts.number
    )
    shown = {edits for edits, _ in often.most_common(MAX_EDITS)}
    names = {int(scripts.edits[k]): _edits(script) for k, script in enumerate(scripts.scripts)}
    names = {label: name for label, name in names.items() if name in shown}
    names |= {scripts.labels - len(CASINGS) + k: casing for k, casing in enumerate(CASINGS)}
    heavy = HeavyFeatures(count=6)
    heavy.add_table(weights, [names.get(label, "") for label in range(scripts.labels)])
    for word in list(counts)[:MAX_WORDS]:
        if not heavy.unnamed:
            break
        atoms = form_atoms(word[0], templates)
        atoms[templates.tag :] = tag_atoms(word[1])
        keys = templates.keys(atoms[None])[0].tolist()
        heavy.name(keys, lambda k, word=word: describe(templates.expanded[k].atoms, *word))  # type: ignore[misc]
    return {name: features for name, features in heavy.named().items() if name and features}


def _edits(script: EditScript) -> str:
    """A script without its casing."""
    return str(script).partition(":")[2]


def describe(atoms: Iterable[str], form: str, tag: Tag) -> str:
    """A filled template as a person reads it.

    >>> describe(("suf2", "upos", "part1"), "Dogs", ("NOUN", "NNS", "Number=Plur"))
    'suf2=gs upos=NOUN Number=Plur'
    """
    return " ".join(_value(atom, form, tag) for atom in atoms)


def _value(atom: str, form: str, tag: Tag) -> str:
    if atom.startswith("part"):
        return sorted(tag[2].split("|"))[int(atom[4:]) - 1]
    if atom == "one":
        return "any word"
    if atom == "case":
        return f"case={_CLASSES[casing_class(form)]}"
    columns = dict(zip(("upos", "xpos", "feats"), tag, strict=True))
    value = columns[atom] if atom in columns else show_form(atom, form.lower())
    return f"{atom}={value}"
