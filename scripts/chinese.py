"""Chinese treebanks made ready: both scripts by OpenCC, and UD v1 trees as hints for UD v2 ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

from opencc import OpenCC

from plait.data.document import Sentence

# UD v1 GSD was written with ASCII punctuation and other quotes; this is how UD v2 has them
PUNCTUATION = {
    ",": "，", ".": "。", "(": "（", ")": "）", ":": "：", ";": "；", "?": "？", "!": "！", "..": "。。",
    "「": "“", "」": "”",
}  # fmt: skip

T = TypeVar("T")

SURE = 0.95  # a pattern of v1 is trusted when so much of it comes out alike in v2
SEEN = 5  # and when it was seen so often


def in_both_scripts(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences in simplified script, then in traditional script."""
    given = list(sentences)
    return [converted(s, "t2s") for s in given] + [converted(s, "s2t") for s in given]


def converted(sentence: Sentence, how: str) -> Sentence:
    """The sentence in the other script; its text is converted as a whole, since some characters need their context."""
    convert = _converter(how).convert
    text = "".join(sentence.forms)
    new = convert(text)
    twin = sentence.copy()
    twin.comments = [c for c in sentence.comments if not c.startswith("# text")]
    if len(new) != len(text):
        twin.forms = [convert(form) for form in sentence.forms]
        return twin
    at = 0
    for i, form in enumerate(sentence.forms):
        twin.forms[i] = new[at : at + len(form)]
        at += len(form)
    return twin


def like_v2(sentence: Sentence) -> Sentence:
    """A sentence of UD v1 GSD written as UD v2 GSDSimp is; words are the same in both."""
    twin = converted(sentence, "t2s")
    twin.forms = [PUNCTUATION.get(form, form) for form in twin.forms]
    for i, (form, after) in enumerate(zip(twin.forms, [*twin.forms[1:], "。"], strict=True)):
        latin = form[-1:].isascii() and form[-1:].isalnum() and after[:1].isascii() and after[:1].isalnum()
        twin.misc[i] = "_" if latin else "SpaceAfter=No"  # v1 does not say where spaces are
    return twin


class Hints:
    """What a v1 annotation says about the v2 one, learnt from sentences that have both."""

    def __init__(self, pairs: Iterable[tuple[Sentence, Sentence]]) -> None:
        self.tags: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        self.stays: dict[tuple[str, ...], Counter[bool]] = defaultdict(Counter)
        self.labels: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for old, new in pairs:
            for i in range(len(old)):
                self.tags[old.upos[i], old.xpos[i], old.deprels[i]][new.upos[i]] += 1
                same = old.heads[i] == new.heads[i]
                for pattern in _patterns(old, i):
                    self.stays[pattern][same] += 1
                    if same:
                        self.labels[pattern][new.deprels[i]] += 1

    def give(self, old: Sentence) -> Sentence:
        """The words with the tags, heads and labels that are nearly certain; the rest is left open."""
        new = Sentence(old.forms, misc=old.misc)
        for i in range(len(old)):
            tag = _sure(self.tags[old.upos[i], old.xpos[i], old.deprels[i]], 1)
            new.upos[i] = tag or "_"
            pattern = next((p for p in _patterns(old, i) if self.stays[p].total() >= SEEN), None)
            if pattern is not None and _sure(self.stays[pattern]) is True:
                new.heads[i] = old.heads[i]
                new.deprels[i] = _sure(self.labels[pattern]) or "_"
        return new


def _patterns(sentence: Sentence, i: int) -> Sequence[tuple[str, ...]]:
    """From the most special to the most general."""
    head = sentence.heads[i]
    above = sentence.upos[head - 1] if head > 0 else "ROOT"
    label = sentence.deprels[i]
    return (label, sentence.xpos[i], above), (label,)


def _sure(counts: Counter[T], seen: int = SEEN) -> T | None:
    if counts.total() < seen:
        return None
    value, times = counts.most_common(1)[0]
    return value if times >= SURE * counts.total() else None


@cache
def _converter(how: str) -> OpenCC:
    return OpenCC(how)
