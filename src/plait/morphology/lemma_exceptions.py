"""Exceptions: training words that the model would get wrong are stored with their lemma."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Self

import numpy as np

from plait.arrays import AnyArray
from plait.data.document import UNSPECIFIED
from plait.morphology.lemma_candidates import Scripts, is_lemma
from plait.morphology.lemma_features import Tag
from plait.morphology.lemma_lexicon import ListedLemma
from plait.morphology.lemma_words import Word, usual_lemma

Key = tuple[str, ...]  # form; form and UPOS; form, UPOS, XPOS and FEATS
_KEY_LENGTHS = (1, 2, 4)


class Exceptions:
    """Lemmas by form alone, by form and UPOS, or by form and whole tag; the most specific one counts.

    >>> exceptions = Exceptions({("was",): "be", ("left", "VERB"): "leave"})
    >>> exceptions.find("was", ("AUX", "VBD", "_")), exceptions.find("left", ("ADJ", "JJ", "_"))
    ('be', None)
    """

    def __init__(self, lemmas: Mapping[Key, str]) -> None:
        self.lemmas = dict(lemmas)
        self.forms = {key[0] for key in lemmas}  # most words have none: one look tells

    def __len__(self) -> int:
        return len(self.lemmas)

    def find(self, form: str, tag: Tag) -> str | None:
        """The stored lemma of a word, if it is an exception."""
        if form not in self.forms:
            return None
        lemmas = self.lemmas
        found = lemmas.get((form, *tag))
        if found is None:
            found = lemmas.get((form, tag[0]))
        return lemmas.get((form,)) if found is None else found

    def add(self, lemmas: Mapping[Key, str]) -> None:
        """Add exceptions, replacing those with the same key."""
        self.lemmas.update(lemmas)
        self.forms.update(key[0] for key in lemmas)

    def arrays(self) -> dict[str, AnyArray]:
        """What a model file stores: lines of text, columns with tabs between them, in order."""
        lines = sorted("\t".join((*key, lemma)) for key, lemma in self.lemmas.items())
        return {"exceptions": np.frombuffer("\n".join(lines).encode("utf-8"), dtype=np.uint8)}

    @classmethod
    def open(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """The inverse of ``arrays``; anything unsound is a ValueError."""
        array = arrays["exceptions"]
        if array.dtype != np.uint8 or array.ndim != 1:
            raise ValueError("the exceptions are not text")
        text = array.tobytes().decode("utf-8")
        found: dict[Key, str] = {}
        if any(c in text for c in "\r\0"):
            raise ValueError("an exception contains a tab or newline")
        for line in text.split("\n") if text else ():
            *key, lemma = line.split("\t")
            if len(key) not in _KEY_LENGTHS or not all(key) or not is_lemma(lemma, key[0]):
                raise ValueError(f"{line[:60]!r} is not an exception")
            found[tuple(key)] = lemma
        return cls(found)


def irregular_lemmas(listed: Iterable[ListedLemma], scripts: Scripts, seen: Container[str]) -> dict[Key, str]:
    """The listed lemmas of unseen forms that no script produces; of several the first."""
    found: dict[Key, str] = {}
    for form, upos, lemma in listed:
        if form in seen or not is_lemma(lemma, form) or any(made == lemma for _, made in scripts.candidates(form)):
            continue
        found.setdefault((form, upos) if upos else (form,), lemma)
    return found


def learn_exceptions(counts: Mapping[Word, Counter[str]], predict: Callable[[str, Tag], str]) -> Exceptions:
    """The fewest entries with which every word of the training data gets its most frequent lemma."""
    by_form: dict[str, dict[Tag, Counter[str]]] = {}
    for (form, tag), lemmas in counts.items():
        by_form.setdefault(form, {})[tag] = lemmas
    found: dict[Key, str] = {}
    for form, tags in by_form.items():
        right = {tag: usual_lemma(lemmas) for tag, lemmas in tags.items()}
        wrong = {tag for tag, lemma in right.items() if predict(form, tag) != lemma}
        if not wrong:
            continue
        if len(set(right.values())) == 1:
            found[(form,)] = next(iter(right.values()))
            continue
        for upos in {tag[0] for tag in wrong}:
            same = {right[tag] for tag in right if tag[0] == upos}
            if len(same) == 1 and upos != UNSPECIFIED:
                found[form, upos] = same.pop()
            else:
                found.update({(form, *tag): right[tag] for tag in wrong if tag[0] == upos})
    return Exceptions(found)
