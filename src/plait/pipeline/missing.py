"""Words of the training data without a lemma: reported once, with file and line, and left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from plait.data.document import UNSPECIFIED, Sentence
from plait.formats.source import Source


def missing_lemmas(files: Iterable[str | Path], sentences: Sequence[Sentence]) -> str | None:
    """A message for the user if some words have a lemma and others have none.

    >>> missing_lemmas([], [Sentence(["dogs", "bark"], lemmas=["dog", "_"])])
    '1 of 2 words has no lemma (the first: "bark" in sentence 1); it is left out where lemmas are learnt'
    """
    absent = [
        (form, number)
        for number, sentence in enumerate(sentences, 1)
        for form, lemma in zip(sentence.forms, sentence.lemmas, strict=True)
        if lemma == UNSPECIFIED != form
    ]
    total = sum(map(len, sentences))
    if not absent or len(absent) == total:
        return None
    place = next((f"{file}:{line}" for file in files for line in _lines(str(file))), "")
    form, number = absent[0]
    first = place or f'"{form}" in sentence {number}'
    verb, them = ("has", "it is") if len(absent) == 1 else ("have", "they are")
    counted = f"{len(absent)} of {total} words {verb} no lemma"
    return f"{counted} (the first: {first}); {them} left out where lemmas are learnt"


def _lines(file: str) -> Iterator[int]:
    """The lines of a CoNLL-U file whose word has no lemma; files of other formats have no such lines."""
    with Source(file) as source:
        for number, line in source.lines(strict=False):
            columns = line.split("\t")
            if len(columns) == 10 and columns[0].isdecimal() and columns[2] == UNSPECIFIED != columns[1]:
                yield number
