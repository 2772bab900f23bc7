"""``plait.evaluate``: all measures that apply to a gold and a predicted document, in one object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any, TypeAlias

from plait.data.document import Document, Sentence
from plait.data.provenance import NAMES
from plait.errors import DataError
from plait.evaluation.conll18 import Measure, score_pairing
from plait.evaluation.measures import NEEDED, Tally, measure
from plait.evaluation.pairing import SCORED, Pairing, pair

Source: TypeAlias = "Document | Iterable[Sentence] | str | PathLike[str]"


def _score(title: str, measure: str = "", value: str = "f1") -> Any:
    """A score: its name in a table, the measure behind it, by default that of its name, and which of its values."""
    return field(default=None, metadata={"title": title, "measure": measure, "value": value})


@dataclass(frozen=True)
class Scores:
    """The measures of one predicted document, in per cent; None where one does not apply.

    Gold determines which ones apply: without gold heads there is no ``uas``, and a predicted document without heads has
    a ``uas`` of 0. Columns that a model copied from its input are not scored: ``copied`` names them (as ``upos``,
    ``feats``, ``head``), and measures that depend on them are None. Documents returned by a model record the columns
    that it predicted, and files written by ``plait parse`` in a comment; otherwise all columns are scored.
    """

    tokens: int  # gold words
    sentences: int  # gold sentences
    upos: float | None = _score("UPOS")
    xpos: float | None = _score("XPOS")
    feats: float | None = _score("FEATS")
    alltags: float | None = _score("all tags")
    lemmas: float | None = _score("lemmas")
    upos_known: float | None = _score("tag, known words")
    upos_unknown: float | None = _score("tag, unknown words")
    uas: float | None = _score("UAS")
    las: float | None = _score("LAS")
    tlas: float | None = _score("TLAS")
    clas: float | None = _score("CLAS")
    mlas: float | None = _score("MLAS")
    blex: float | None = _score("BLEX")
    complete: float | None = _score("complete match")
    root: float | None = _score("root")
    seg_precision: float | None = _score("words, precision", "seg", "precision")
    seg_recall: float | None = _score("words, recall", "seg", "recall")
    seg_f1: float | None = _score("words, F1", "seg")
    seg_upos_f1: float | None = _score("words + tags, F1", "seg_upos")
    oov_recall: float | None = _score("unknown words, recall", "oov")
    chunk_precision: float | None = _score("chunks, precision", "chunk", "precision")
    chunk_recall: float | None = _score("chunks, recall", "chunk", "recall")
    chunk_f1: float | None = _score("chunks, F1", "chunk")
    copied: tuple[str, ...] = ()  # columns that the model took over from its input, which are therefore not scored
    conll18: Mapping[str, Measure] | None = None  # where the words differ: the table of the shared task
    tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)  # counts per sentence

    def to_dict(self) -> dict[str, Any]:
        """Numbers by name, for JSON; only those that apply."""
        record: dict[str, Any] = {"tokens": self.tokens, "sentences": self.sentences}
        record |= {name: getattr(self, name) for name in SCORES if getattr(self, name) is not None}
        if self.copied:
            record["copied"] = list(self.copied)
        if self.conll18 is not None:
            record["conll18"] = {name: row.to_dict() for name, row in self.conll18.items()}
        return record

    def to_text(self) -> str:
        """The measures as a table."""
        from plait.evaluation.tables import conll18_table, scores_table

        text = scores_table(self).to_text()
        return text if self.conll18 is None else text + "\n" + conll18_table(self.conll18).to_text()

    def __str__(self) -> str:
        return self.to_text()


# the measure behind each score, which of its three values, and its name in a table
SCORES: dict[str, tuple[str, str, str]] = {
    f.name: (f.metadata["measure"] or f.name, f.metadata["value"], f.metadata["title"])
    for f in fields(Scores)
    if f.metadata
}


def evaluate(
    gold: Source,
    predicted: Source,
    *,
    punct: bool = True,
    train: Source | Iterable[str] | Iterable[Source] | None = None,
) -> Scores:
    """Score predicted sentences against gold ones.

    Where both have the same sentences of the same words, words are compared one by one. Otherwise they are aligned by
    their characters, the measures are the F1 values of the CoNLL 2018 shared task, and its table comes with them.

    gold, predicted: documents, lists of sentences, or paths of files.
    punct: count the attachment of punctuation; punctuation is what gold tags PUNCT or, where gold has no UPOS, words
        of punctuation characters alone.
    train: the training data, for known and unknown words: the same kinds as gold, or several of them, or simply the
        set of its forms.

    >>> gold = [Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])]
    >>> predicted = [Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["obj", "root"])]
    >>> scores = evaluate(gold, predicted)
    >>> scores.uas, scores.las, scores.upos
    (100.0, 50.0, None)
    """
    vocabulary = None if train is None else training_vocabulary(train)
    return score(pair(document(gold), document(predicted)), punct=punct, vocabulary=vocabulary)


def score(pairing: Pairing, *, punct: bool = True, vocabulary: frozenset[str] | None = None) -> Scores:
    """The scores of words that are already paired."""
    tallies = measure(pairing, punct=punct, vocabulary=vocabulary)
    values = {name: getattr(tallies[key].total, value) for name, (key, value, _) in SCORES.items() if key in tallies}
    rows = {} if pairing.same_words else score_pairing(pairing)
    known = {name: row for name, row in rows.items() if pairing.copied.isdisjoint(NEEDED.get(name.lower(), ()))}
    return Scores(
        tokens=len(pairing.gold),
        sentences=len(pairing.gold.sentences),
        copied=tuple(NAMES[column] for column in SCORED if column in pairing.copied),
        conll18=known or None,
        tallies=tallies,
        **values,
    )


def shared_measures(scores: Sequence[Scores]) -> dict[str, str]:
    """The names of the F1 scores that all systems have, and of their tallies; a copied column has none."""
    shared = set.intersection(*(set(s.tallies) for s in scores))
    return {name: key for name, (key, value, _) in SCORES.items() if value == "f1" and key in shared}


def document(source: Source) -> Document:
    """The sentences of a document, of a list, or of a file."""
    if isinstance(source, Document):
        return source
    if isinstance(source, str | PathLike):
        from plait.formats import read

        return read(source)
    if not isinstance(source, Iterable):
        raise DataError(f"cannot evaluate {type(source).__name__}; expected a file, a Document or a list of Sentences")
    sentences = list(source)
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise DataError(f"expected plait.Sentence objects, found a {type(sentence).__name__}")
    return Document(sentences)


def training_vocabulary(train: Source | Iterable[str] | Iterable[Source]) -> frozenset[str]:
    """The forms of the training data; a set of strings is taken as the forms themselves."""
    if isinstance(train, set | frozenset):
        return frozenset(str(form) for form in train)
    if isinstance(train, Document | str | PathLike):
        return frozenset(form for sentence in document(train) for form in sentence.forms)
    forms: set[str] = set()
    for part in train:
        forms.update(part.forms if isinstance(part, Sentence) else training_vocabulary(part))
    return frozenset(forms)
