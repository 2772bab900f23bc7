"""Comments on the first sentence of a file that name the model and the columns it predicted, and how to read them.

    # generator = plait 0.1.0, model en
    # plait_columns = sentences words lemma upos xpos feats head deprel

The first names the program and the model, as other programs do; the second the columns that the model predicted. All
other columns were in the input. Columns predicted by an earlier model and kept follow it, ``; upos from pos.plait``. A
document written from Python does not know its model: the first comment names the program alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import plait
from plait.data.document import UNKNOWN, UNSPECIFIED, Document, Sentence, split_comment

GENERATOR, COLUMNS_KEY = "generator", "plait_columns"

# the columns of a sentence by their names in the comment; sentences and words are found in raw text
NAMES = {
    "sentences": "sentences", "forms": "words", "lemmas": "lemma", "upos": "upos", "xpos": "xpos", "feats": "feats",
    "heads": "head", "deprels": "deprel", "chunk": "chunk",
}  # fmt: skip
_COLUMNS = {name: column for column, name in NAMES.items()}


class Origin(NamedTuple):
    """A model, and the columns that it predicted, by their names in ``Sentence``."""

    model: str  # "" if its name is not known
    columns: frozenset[str]


def marked(sentences: Iterable[Sentence], origin: Callable[[], Origin]) -> Iterator[Sentence]:
    """The sentences with their origin in comments on the first; earlier such comments are removed.

    ``origin`` is asked when the first sentence has come, since a model may be chosen by it.

    >>> first, second = marked([Sentence(["Hi"]), Sentence(["you"])], lambda: Origin("en", frozenset({"heads"})))
    >>> first.comments[1], second.comments
    ('# plait_columns = head', [])
    """
    first = True
    for sentence in sentences:
        if first:
            model, columns = origin()
            model = _printable(model)
            earlier = {c: by for c, by in (_origins(sentence) or {}).items() if c not in columns}
            sentence.comments = [
                f"# {GENERATOR} = plait {plait.__version__}{f', model {model}' if model else ''}",
                f"# {COLUMNS_KEY} = {_column_list(columns, earlier)}",
                *(line for line in sentence.comments if split_comment(line)[0] not in (GENERATOR, COLUMNS_KEY)),
            ]
            first = False
        elif any("plait" in line for line in sentence.comments):
            sentence.comments = [line for line in sentence.comments if not _is_ours(line)]
        yield sentence


def mark(document: Document, model: str) -> None:
    """Record on the first sentence of an analysed document which model predicted which columns."""
    for _ in marked(document, lambda: Origin(model, document.predicted_columns or frozenset())):
        pass


def marked_as_found(document: Document) -> Iterator[Sentence]:
    """The sentences of a document that a model has analysed, with comments that say which columns it predicted.

    The document itself stays as it is.
    """
    columns = document.predicted_columns
    if columns is None or (len(document) and (_origins(document[0]) or {}).keys() == columns):
        return iter(document)
    return marked((sentence.copy() for sentence in document), lambda: Origin("", columns))


def copied_columns(sentence: Sentence, predicted: frozenset[str]) -> list[str]:
    """What a sentence has besides the columns that models found, as the comment calls it.

    >>> copied_columns(Sentence(["Hi"], upos=["INTJ"], heads=[0]), frozenset({"upos"}))
    ['head']
    """
    given = {"chunk": sentence.extra.get("chunk", ())} | {
        column: getattr(sentence, column) for column in ("lemmas", "upos", "xpos", "feats", "heads", "deprels")
    }
    predicted |= (_origins(sentence) or {}).keys()
    return [
        name for column, name in NAMES.items()
        if column not in predicted and any(value not in (UNSPECIFIED, UNKNOWN) for value in given.get(column, ()))
    ]  # fmt: skip


def predicted_columns(document: Document) -> frozenset[str] | None:
    """The columns that models predicted, by their names in ``Sentence``; None if that is not known.

    >>> predicted_columns(Document([Sentence(["Hi"], comments=["# plait_columns = upos; head from b.plait"])])) == {
    ...     "upos", "heads"}
    True
    """
    if document.predicted_columns is not None:
        return document.predicted_columns
    origins = _origins(document[0]) if len(document) else None
    return None if origins is None else frozenset(origins)


def _printable(model: str) -> str:
    """A name for use in a comment, where ``;`` separates groups of columns."""
    return "".join(c if c.isprintable() else "\ufffd" for c in model).replace(";", ",")


def _origins(sentence: Sentence) -> dict[str, str] | None:
    """The model of each column that the comments of a sentence name."""
    value = sentence.comment(COLUMNS_KEY)
    if value is None:
        return None
    model = (sentence.comment(GENERATOR) or "").partition(", model ")[2]
    origins: dict[str, str] = {}
    for group in value.split("; "):
        names, from_, other = group.partition(" from ")
        origins |= {_COLUMNS[name]: other if from_ else model for name in names.split() if name in _COLUMNS}
    return origins


def _column_list(columns: frozenset[str], earlier: Mapping[str, str]) -> str:
    groups = [_names(columns) or "none"]
    for model in dict.fromkeys(earlier.values()):
        groups.append(f"{_names(c for c, by in earlier.items() if by == model)} from {model or 'another model'}")
    return "; ".join(groups)


def _names(columns: Iterable[str]) -> str:
    chosen = set(columns)
    return " ".join(name for column, name in NAMES.items() if column in chosen)


def _is_ours(line: str) -> bool:
    key, value = split_comment(line)
    return key == COLUMNS_KEY or (key == GENERATOR and value.startswith("plait "))
