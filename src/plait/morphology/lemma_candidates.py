"""The candidate lemmas of a form, produced by the edit scripts that apply to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.data.document import UNSPECIFIED
from plait.morphology._casing import CASINGS
from plait.morphology._lemma_search import ScriptIndex
from plait.morphology.edit_scripts import EditScript

Candidate = tuple[int, str]  # number of the script, lemma


class Scripts:
    """The scripts of a model, found by casing and by what a form must end in.

    If several casings give the same text, only the first counts: a lower-case form is not lowered again. A script that
    deletes nothing at the end would apply to nearly all forms, so such scripts apply only to forms that end in one of
    their ``last_characters``, those they were seen with (empty: any).

    >>> scripts = Scripts([EditScript.parse(text) for text in ("keep:~", "lower:~", "lower:~-s", "keep:~-s")])
    >>> scripts.candidates("Dogs")
    [(0, 'Dogs'), (1, 'dogs'), (2, 'dog'), (3, 'Dog')]
    >>> scripts.candidates("dog")
    [(0, 'dog')]
    """

    def __init__(self, scripts: Sequence[EditScript], last_characters: Sequence[str] | None = None) -> None:
        if not all(script.absolute is None for script in scripts):
            raise ValueError("an edit script fits only a single lemma")
        if len(set(scripts)) != len(scripts):
            raise ValueError("an edit script occurs twice")
        self.scripts = tuple(scripts)
        self.last_characters = ("",) * len(self.scripts) if last_characters is None else tuple(last_characters)
        if len(self.last_characters) != len(self.scripts):
            raise ValueError(f"{len(self.last_characters)} conditions for {len(self.scripts)} edit scripts")
        # The weights of a script are those of its edits and those of its casing: labels of one table, edits first.
        edits = list(dict.fromkeys((script.before, script.after) for script in self.scripts))
        place = {edit: k for k, edit in enumerate(edits)}
        casings = {casing: len(edits) + k for k, casing in enumerate(CASINGS)}
        self.labels = len(edits) + len(CASINGS)
        self.edits = np.array([place[script.before, script.after] for script in self.scripts], dtype=np.int32)
        self.casings = np.array([casings[script.casing] for script in self.scripts], dtype=np.int32)
        self.number = {script: k for k, script in enumerate(self.scripts)}
        self.index = ScriptIndex(self.scripts, self.last_characters)

    def __len__(self) -> int:
        return len(self.scripts)

    def candidates(self, form: str) -> list[Candidate]:
        """Every script that applies to a form, in order, with its lemma."""
        return self.index.candidates(form)


def is_lemma(lemma: str, form: str) -> bool:
    """Whether a file can hold it as the lemma of this form: ``_`` means there that nothing is given."""
    return bool(lemma) and (lemma != UNSPECIFIED or form == UNSPECIFIED)
