"""Lexicons for the lemmatizer: which lemmas are words, and the lemmas of irregular forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from plait.errors import OptionError
from plait.features.word_lexicon import Source, read_entries


class ListedLemma(NamedTuple):
    """A form with its part of speech and lemma."""

    form: str
    upos: str
    lemma: str


def read_lemmas(paths: str, files: dict[str, Any]) -> tuple[Sequence[ListedLemma], Sequence[Source]]:
    """The entries of the files that --lexicon names, and where they come from; ``files`` keeps what was read."""
    if not paths:
        return (), ()
    key = f"lemmas {paths}"
    if key not in files:
        read = [read_entries(path.strip()) for path in paths.split(",")]
        found = sorted({ListedLemma(e.form, e.upos, e.lemma) for entries, _ in read for e in entries if e.lemma})
        if not found:
            raise OptionError(
                f"the lexicon {paths} has no lemmas; expected a column named lemma, or the UniMorph format"
            )
        files[key] = found, [source for _, source in read]
    lemmas: tuple[Sequence[ListedLemma], Sequence[Source]] = files[key]
    return lemmas
