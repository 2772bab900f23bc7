"""Gap filling: which annotation of the input is kept, while the rest is predicted under this constraint."""

from __future__ import annotations

from collections.abc import Iterable

from plait.data.document import UNKNOWN, UNSPECIFIED, Document, Sentence
from plait.errors import OptionError

SENTENCES, WORDS = "sentences", "words"
TAGS = ("upos", "xpos", "feats", "lemmas")
_COLUMNS = (*TAGS, "heads", "deprels")
_ALSO = {"tags": TAGS, "lemma": ("lemmas",), "head": ("heads",), "labels": ("deprels",), "deprel": ("deprels",)}

Keep = bool | str | Iterable[str]


def parse_keep(keep: Keep) -> frozenset[str]:
    """What ``keep`` asks for: sentences, words, or columns; ``True`` means all that is given.

    >>> sorted(parse_keep(["upos", "head"]))
    ['heads', 'upos']
    >>> parse_keep("colour")
    Traceback (most recent call last):
    plait.errors.OptionError: cannot keep "colour"; expected sentences, words, upos, xpos, feats, lemmas, heads, deprels
    """
    if isinstance(keep, bool):
        return frozenset({SENTENCES, WORDS, *_COLUMNS}) if keep else frozenset()
    if not isinstance(keep, Iterable):
        raise OptionError(f'keep is {keep!r}; expected True or names of columns, such as ["upos", "heads"]')
    found: set[str] = set()
    for name in [keep] if isinstance(keep, str) else keep:
        if name not in (SENTENCES, WORDS, *_COLUMNS, *_ALSO):
            raise OptionError(f'cannot keep "{name}"; expected {", ".join((SENTENCES, WORDS, *_COLUMNS))}')
        found.update(_ALSO.get(name, (name,)))
    return frozenset(found)


def keeps_columns(names: frozenset[str]) -> bool:
    """Whether tags, heads or labels are to be kept, not only boundaries."""
    return not names.isdisjoint(_COLUMNS)


def complete_columns(input: object) -> frozenset[str]:
    """The columns of a sentence or a document without missing values; other inputs have only words.

    Many words have no features, so FEATS are complete if some word has any and all others have another tag.

    >>> complete_columns(Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, None]))
    frozenset({'upos'})
    >>> sorted(complete_columns(Sentence(["We", "bark"], upos=["PRON", "VERB"], feats=["Number=Plur", "_"])))
    ['feats', 'upos']
    >>> complete_columns(Sentence(["We", "bark"], feats=["Number=Plur", "_"]))
    frozenset()
    """
    sentences = input if isinstance(input, Document) else [input] if isinstance(input, Sentence) else []
    if not any(map(len, sentences)):
        return frozenset()
    given = {c: [v not in (UNSPECIFIED, UNKNOWN) for s in sentences for v in getattr(s, c)] for c in _COLUMNS}
    if any(given["feats"]):
        given["feats"] = [*map(any, zip(given["feats"], given["upos"], given["xpos"], strict=True))]
    return frozenset(c for c, values in given.items() if all(values))


def clear_columns(sentence: Sentence, columns: Iterable[str]) -> None:
    """Clear these columns of a sentence, except for those that cannot be kept anyway."""
    for column in set(columns) & set(_COLUMNS):
        setattr(sentence, column, [UNKNOWN if column == "heads" else UNSPECIFIED] * len(sentence))
