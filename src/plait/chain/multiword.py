"""Multiword tokens: how a surface form such as "don't" or "zum" is split into words, learnt from a treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

JOIN = "\n"  # between the tags of the words of one surface token: no column can hold it


class Splitter:
    """Forms that occur as several words, and endings that generalise them.

    >>> s = Splitter.learn([("don't", ("do", "n't")), ("It's", ("It", "'s"))])
    >>> s.split("Don't", 2), s.split("John's", 2), s.split("dog", 2)
    (('Do', "n't"), ('John', "'s"), None)
    >>> s.usual("she's"), s.usual("dog")
    (('she', "'s"), None)
    """

    def __init__(
        self, forms: dict[str, tuple[str, ...]], endings: Sequence[str], often: dict[str, int], sure: Iterable[str] = ()
    ) -> None:
        self.forms = forms  # lower case; one entry for each number of words: "2 don't"
        self.often = often  # forms that are several words more often than one: how many
        self.endings = tuple(sorted(endings, key=lambda e: (-len(e), e)))
        self.sure = frozenset(sure)  # endings that are more often a word of their own than not
        self._known = frozenset(key.partition(" ")[2] for key in forms)

    @property
    def splits(self) -> bool:
        """Whether ``usual`` ever returns several words."""
        return bool(self.often or self.sure)

    @classmethod
    def learn(cls, seen: Iterable[tuple[str, Sequence[str]]], alone: Mapping[str, int] | None = None) -> Self:
        """From (surface form, its words), and how often forms (in lower case) were one word."""
        counts: dict[str, Counter[int]] = {}
        ways: dict[str, Counter[tuple[str, ...]]] = {}
        endings: Counter[str] = Counter()
        for form, words in seen:
            parts = tuple(word.lower() for word in words)
            counts.setdefault(form.lower(), Counter())[len(parts)] += 1
            ways.setdefault(f"{len(parts)} {form.lower()}", Counter())[parts] += 1
            if len(parts) == 2 and "".join(parts) == form.lower():
                endings[parts[1]] += 1
        best = {key: min(count.items(), key=lambda item: (-item[1], item[0]))[0] for key, count in sorted(ways.items())}
        often = {
            form: min(count.items(), key=lambda item: (-item[1], item[0]))[0]
            for form, count in sorted(counts.items())
            if sum(count.values()) > (alone or {}).get(form, 0)
        }
        found = cls(best, sorted(endings), often)
        balance: Counter[str] = Counter()
        for form, count in counts.items():
            balance[found.ending(form) or ""] += sum(count.values())
        for form, times in (alone or {}).items():
            balance[found.ending(form) or ""] -= times
        found.sure = frozenset(ending for ending in found.endings if balance[ending] > 0)
        return found

    def ending(self, lower: str) -> str | None:
        """The longest known ending that is shorter than the form."""
        if not lower.endswith(self.endings):  # most forms: one call instead of one for each ending
            return None
        return next((e for e in self.endings if lower.endswith(e) and len(e) < len(lower)), None)

    def usual(self, form: str) -> tuple[str, ...] | None:
        """The words of a form that is usually split, for models that do not predict their number."""
        lower = form.lower()
        count = self.often.get(lower)
        if count is None and lower not in self._known and self.ending(lower) in self.sure:
            count = 2
        return None if count is None else self.split(form, count)

    def split(self, form: str, count: int) -> tuple[str, ...] | None:
        """The ``count`` words of a surface form, None if no such split is known."""
        lower = form.lower()
        parts = self.forms.get(f"{count} {lower}")
        if parts is None and count == 2:
            ending = self.ending(lower)
            parts = None if ending is None else (lower[: -len(ending)], ending)
        if parts is None:
            return None
        if "".join(parts) == lower and len(lower) == len(form):  # cut the form itself: its case is right
            words, at = [], 0
            for part in parts:
                words.append(form[at : at + len(part)])
                at += len(part)
            return tuple(words)
        if form[:1].isupper() and form[1:].islower():
            return (parts[0][:1].upper() + parts[0][1:], *parts[1:])
        return tuple(part.upper() for part in parts) if form.isupper() and len(form) > 1 else parts

    def header(self) -> dict[str, Any]:
        """Entries for the model header."""
        return {
            "forms": {key: list(parts) for key, parts in self.forms.items()},
            "endings": list(self.endings),
            "often": dict(self.often),
            "sure": sorted(self.sure),
        }

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Self:
        """The inverse of ``header``."""
        forms = {str(key): tuple(map(str, parts)) for key, parts in header["forms"].items()}
        for key, parts in forms.items():
            if key.partition(" ")[0] != str(len(parts)) or not all(parts):
                raise ValueError(f"{key!r:.60} as the words {parts!r:.60}")
        often = {str(form): int(count) for form, count in header["often"].items()}
        sure = map(str, header.get("sure", ()))
        return cls(forms, [str(ending) for ending in header["endings"]], often, sure)
