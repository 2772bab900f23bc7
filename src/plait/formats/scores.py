"""Where a format has a place for the confidence scores of tokens; CoNLL-U has one in MISC."""

from __future__ import annotations

from collections.abc import Iterable

from plait.data.absent import UNSPECIFIED
from plait.data.document import Sentence
from plait.errors import OptionError

SCORED = ("conllu", "json", "svg", "html")


def check_scored(format: str) -> None:
    """OptionError if scores would be lost in this format."""
    if format not in SCORED:
        raise OptionError(f"{format} cannot represent scores; choose one of {', '.join(SCORED)}")


def with_scores(sentences: Iterable[Sentence], format: str) -> Iterable[Sentence]:
    """The sentences with their scores where the writer of this format finds them."""
    return map(with_score_notes, sentences) if format == "conllu" else sentences


def with_score_notes(sentence: Sentence) -> Sentence:
    """The sentence with the scores of its tokens in MISC; a score that stood there before is replaced.

    >>> s = Sentence(["a", "b"], misc=["SpaceAfter=No", "Score=0.1"])
    >>> s.scores = [0.5, 1.0]
    >>> with_score_notes(s).misc
    ['SpaceAfter=No|Score=0.5000', 'Score=1.0000']
    """
    if sentence.scores is not None:
        for i, score in enumerate(sentence.scores):
            kept = [
                note for note in sentence.misc[i].split("|") if note != UNSPECIFIED and not note.startswith("Score=")
            ]
            sentence.misc[i] = "|".join([*kept, f"Score={score:.4f}"])
    return sentence
