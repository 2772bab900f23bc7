"""The candidate lemmas of a form, produced by the edit scripts that apply to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.data.document import UNSPECIFIED
from plait.morphology._lemma_search import ScriptIndex
from plait.morphology.edit_scripts import CASINGS, EditScript

Candidate = tuple[int, str]  # number of the script, lemma


class Scripts:
    """The scripts of a model, found by casing and by what a form must end in.

    A form that is in lower case already is not lowered again: of casings that give the same text the plainest counts.
    A script that deletes nothing at the end would apply to nearly all forms; ``last`` has, for such scripts, the last
    characters of the forms they were seen with (empty: any), and they apply to no others.

    >>> scripts = Scripts([EditScript.parse(text) for text in ("keep:~", "lower:~", "lower:~-s", "keep:~-s")])
    >>> scripts.candidates("Dogs")
    [(0, 'Dogs'), (1, 'dogs'), (2, 'dog'), (3, 'Dog')]
    >>> scripts.candidates("dog")
    [(0, 'dog')]
    """

    def __init__(self, scripts: Sequence[EditScript], last: Sequence[str] | None = None) -> None:
        if not all(script.absolute is None for script in scripts):
            raise ValueError("an edit script fits only a single lemma")
        if len(set(scripts)) != len(scripts):
            raise ValueError("an edit script occurs twice")
        self.scripts = tuple(scripts)
        self.last = ("",) * len(self.scripts) if last is None else tuple(last)
        if len(self.last) != len(self.scripts):
            raise ValueError(f"{len(self.last)} conditions for {len(self.scripts)} edit scripts")
        # The weights of a script are those of its edits and those of its casing: labels of one table, edits first.
        edits = list(dict.fromkeys((script.before, script.after) for script in self.scripts))
        place = {edit: k for k, edit in enumerate(edits)}
        casings = {casing: len(edits) + k for k, casing in enumerate(CASINGS)}
        self.labels = len(edits) + len(CASINGS)
        self.edits = np.array([place[script.before, script.after] for script in self.scripts], dtype=np.int32)
        self.casings = np.array([casings[script.casing] for script in self.scripts], dtype=np.int32)
        self.number = {script: k for k, script in enumerate(self.scripts)}
        self._index = ScriptIndex(self.scripts, self.last)

    def __len__(self) -> int:
        return len(self.scripts)

    def candidates(self, form: str) -> list[Candidate]:
        """Every script that applies to a form, in order, with its lemma."""
        return self._index.candidates(form)


def is_lemma(lemma: str, form: str) -> bool:
    """Whether a file can hold it as the lemma of this form: ``_`` means there that nothing is given."""
    return bool(lemma) and (lemma != UNSPECIFIED or form == UNSPECIFIED)
