"""``plait parse --nbest``: several analyses of every sentence, one after the other, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.data.document import Sentence
from plait.pipeline import Model


def nbest_analyses(nlp: Model, sentences: Iterable[Sentence], count: int) -> Iterator[Sentence]:
    """The best analyses of each sentence, its words as they are."""
    for sentence in sentences:
        for rank, document in enumerate(nlp.nbest(sentence, count), 1):
            yield from (_numbered(found, rank) for found in document)


def nbest_segmentations(nlp: Model, texts: Iterable[str], count: int) -> Iterator[Sentence]:
    """The best ways to cut each text into words, for models that do no more than that."""
    for text in texts:
        for rank, document in enumerate(nlp.nbest(text, count), 1):
            yield from (_numbered(found, rank) for found in document)


def _numbered(sentence: Sentence, rank: int) -> Sentence:
    """The sentence with comments that say which analysis it is, and a sent_id of its own.

    The ending of the sent_id is one that treebanks do not use: ``doc-2`` would often be the next sentence of ``doc``.
    """
    sentence.set_comment("alternative", str(rank))
    if sentence.score is not None:
        sentence.set_comment("score", f"{sentence.score:.6g}")
    if rank > 1 and sentence.sent_id is not None:
        sentence.set_comment("sent_id", f"{sentence.sent_id}-alternative-{rank}")
    return sentence
