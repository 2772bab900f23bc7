"""Chinese treebanks in both scripts, by OpenCC."""

from __future__ import annotations

from collections.abc import Iterable

from opencc import OpenCC

from plait.data.document import Sentence


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


_KNOWN: dict[str, OpenCC] = {}


def _converter(how: str) -> OpenCC:
    if how not in _KNOWN:
        _KNOWN[how] = OpenCC(how)
    return _KNOWN[how]
