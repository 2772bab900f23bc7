"""Edit scripts: how a lemma is made from a form, generalizing to other forms.

A script changes the casing of the form, then edits what comes before and after a stretch that form and lemma share
(Straka 2018, UDPipe 2). What it deletes is checked, as in the edit trees of Chrupała (2008): a script that takes
``ies`` away applies only to forms that end in it, so the scripts that apply to a form are few. Inside the edited parts
some characters may be kept, which is how vowels change inside a stem:

    parties → party     keep:~-ies+y
    Swam → swim         lower:~-a+i=1        (the last character stays)
    gesagt → sagen      keep:-ge~-t+en
    was → be            !be                  (nothing in common: the lemma itself)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plait.morphology._casing import CASINGS, in_casing

Step = int | tuple[str, str]  # keep so many characters, or (deleted, inserted)

ABSOLUTE = "!"
SHARED = "~"
KEPT, DELETED, INSERTED = "=", "-", "+"
_SPECIAL = f"\\{SHARED}{KEPT}{DELETED}{INSERTED}"
_FORBIDDEN = "\t\n\r\0"  # no column of any format can hold them
MAX_LENGTH = 200  # characters; longer words are not compared letter by letter, but kept or replaced as a whole
MAX_KEPT = 1000  # in one step; more than any word that training compares


class EditScript(NamedTuple):
    """One way from forms to lemmas.

    >>> script = EditScript.between("Parties", "party")
    >>> str(script), script.apply("Cities"), script.apply("Dogs")
    ('lower:~-ies+y', 'city', None)
    """

    casing: str
    before: tuple[Step, ...] = ()  # from the beginning of the form
    after: tuple[Step, ...] = ()  # up to its end
    absolute: str | None = None  # the lemma, whatever the form is

    @classmethod
    def between(cls, form: str, lemma: str) -> EditScript:
        """The cheapest script from a form to its lemma: fewest characters edited, then the plainest casing."""
        if form == lemma:
            return IDENTITY
        best, best_cost = cls("keep", absolute=lemma), len(form) + len(lemma)
        if max(len(form), len(lemma)) > MAX_LENGTH:
            return best
        for casing, text in cased(form).items():
            found = _edits(text, lemma)
            if found is not None:
                cost = sum(len(step[0]) + len(step[1]) for part in found for step in part if not isinstance(step, int))
                if cost < best_cost:
                    best, best_cost = cls(casing, *found), cost
        return best

    def apply(self, form: str) -> str | None:
        """The lemma of a form; None if the script does not apply."""
        if self.absolute is not None:
            return self.absolute
        return self.edit(in_casing(self.casing, form))

    def edit(self, text: str) -> str | None:
        """The same for a form whose casing has been changed already; something of it must be left between the edits."""
        start, end, head, tail = 0, len(text), "", ""
        for step in self.before:
            if isinstance(step, int):
                head += text[start : start + step]
                start += step
            else:
                if not text.startswith(step[0], start):
                    return None
                head += step[1]
                start += len(step[0])
        for step in reversed(self.after):
            if isinstance(step, int):
                if end < step:
                    return None
                tail = text[end - step : end] + tail
                end -= step
            else:
                if not text.endswith(step[0], 0, end):
                    return None
                tail = step[1] + tail
                end -= len(step[0])
        return head + text[start:end] + tail if start < end else None

    @property
    def ending(self) -> str:
        """What a form must end in for the last step to apply; empty if anything."""
        last = self.after[-1] if self.after else 0
        return "" if isinstance(last, int) else last[0]

    def __str__(self) -> str:
        if self.absolute is not None:
            return ABSOLUTE + self.absolute
        return f"{self.casing}:{_format_steps(self.before)}{SHARED}{_format_steps(self.after)}"

    @classmethod
    def parse(cls, text: str) -> EditScript:
        """The inverse of ``str``; a ValueError if it is not a script."""
        if any(c in text for c in _FORBIDDEN) or any("\ud800" <= c <= "\udfff" for c in text):
            raise ValueError(f"{text!r} is not an edit script")
        if text.startswith(ABSOLUTE) and len(text) > 1:
            return cls("keep", absolute=text[1:])
        casing, colon, edits = text.partition(":")
        parts: list[list[Step]] = [[]]
        for sign, value in _tokens(edits):
            if sign == SHARED:
                parts.append([])
            else:
                _extend(parts[-1], sign, value)
        if casing not in CASINGS or not colon or len(parts) != 2:
            raise ValueError(f"{text!r} is not an edit script")
        script = cls(casing, tuple(parts[0]), tuple(parts[1]))
        if str(script) != text:
            raise ValueError(f"{text!r} is not an edit script as training writes it")
        return script


IDENTITY = EditScript("keep")


def cased(form: str) -> dict[str, str]:
    """The form in every distinct casing, under the first casing that produces it.

    >>> cased("May")
    {'keep': 'May', 'lower': 'may', 'upper': 'MAY'}
    """
    found: dict[str, str] = {}
    known: set[str] = set()
    for casing in CASINGS:
        text = in_casing(casing, form)
        if text not in known:
            known.add(text)
            found[casing] = text
    return found


def _edits(text: str, lemma: str) -> tuple[tuple[Step, ...], tuple[Step, ...]] | None:
    """The steps before and after the longest common substring; None if there is none."""
    for size in range(min(len(text), len(lemma)), 0, -1):
        for start in range(len(text) - size + 1):
            at = lemma.find(text[start : start + size])
            if at >= 0:
                return _steps(text[:start], lemma[:at]), _steps(text[start + size :], lemma[at + size :])
    return None


def _steps(source: str, target: str) -> tuple[Step, ...]:
    """The shortest edits from one text to another, by dynamic programming.

    cost(i, j) = cost(i + 1, j + 1) where the characters agree, else 1 + min(cost(i + 1, j), cost(i, j + 1))
    """
    n, m = len(source), len(target)
    cost = [[n - i + m - j for j in range(m + 1)] for i in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            kept = cost[i + 1][j + 1] if source[i] == target[j] else n + m
            cost[i][j] = min(kept, 1 + cost[i + 1][j], 1 + cost[i][j + 1])
    i = j = 0
    steps: list[Step] = []
    while i < n or j < m:
        if i < n and j < m and source[i] == target[j] and cost[i][j] == cost[i + 1][j + 1]:
            _extend(steps, KEPT, "1")
            i, j = i + 1, j + 1
        elif i < n and cost[i][j] == 1 + cost[i + 1][j]:
            _extend(steps, DELETED, source[i])
            i += 1
        else:
            _extend(steps, INSERTED, target[j])
            j += 1
    return tuple(steps)


def _extend(steps: list[Step], sign: str, value: str) -> None:
    """Add an edit, merged into the last step if possible."""
    last = steps[-1] if steps else None
    if sign == KEPT:
        if not (value.isascii() and value.isdigit() and len(value) < 5 and 0 < int(value) <= MAX_KEPT):
            raise ValueError(f"{value!r} characters cannot be kept")
        if isinstance(last, int):
            steps[-1] = last + int(value)
        else:
            steps.append(int(value))
        return
    if not value:
        raise ValueError("an edit without characters")
    deleted, inserted = last if isinstance(last, tuple) else ("", "")
    step = (deleted + value, inserted) if sign == DELETED else (deleted, inserted + value)
    if isinstance(last, tuple):
        steps[-1] = step
    else:
        steps.append(step)


def _format_steps(steps: Sequence[Step]) -> str:
    written = ""
    for step in steps:
        if isinstance(step, int):
            written += f"{KEPT}{step}"
        else:
            deleted, inserted = ("".join("\\" + c if c in _SPECIAL else c for c in part) for part in step)
            written += (DELETED + deleted if deleted else "") + (INSERTED + inserted if inserted else "")
    return written


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """(sign, value) of each edit; a character after a backslash is not a sign."""
    at = 0
    while at < len(text):
        sign, value = text[at], ""
        if sign not in _SPECIAL[1:]:
            raise ValueError(f"{text!r} is not a list of edits")
        at += 1
        while sign != SHARED and at < len(text) and text[at] not in _SPECIAL[1:]:
            at += text[at] == "\\"
            value += text[at : at + 1]
            at += 1
        yield sign, value
