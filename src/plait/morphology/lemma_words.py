"""The training data of a lemmatizer: word types (a form with a tag), and the counts of their lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from plait.data.document import UNSPECIFIED, Sentence
from plait.data.feats import tidy_feats
from plait.errors import DataError
from plait.morphology.lemma_features import Tag
from plait.morphology.lemma_options import tag_columns

Word = tuple[str, Tag]
NO_TAG: Tag = (UNSPECIFIED, UNSPECIFIED, UNSPECIFIED)


def words_of(sentence: Sentence, spec: str) -> Iterator[tuple[Word, str]]:
    """Each word, with the columns of its tag that ``spec`` names, FEATS in order, and its lemma.

    Words without a lemma are skipped.
    """
    nothing = [UNSPECIFIED] * len(sentence)
    tags = [getattr(sentence, name) if used else nothing for name, used in tag_columns(spec).items()]
    for form, upos, xpos, feats, lemma in zip(sentence.forms, *tags, sentence.lemmas, strict=True):
        if lemma != UNSPECIFIED or form == UNSPECIFIED:
            yield (form, (upos, xpos, tidy_feats(feats))), lemma


def count_lemmas(sentences: Iterable[Sentence], spec: str) -> dict[Word, Counter[str]]:
    """How often each lemma occurred with each word."""
    found: dict[Word, Counter[str]] = {}
    for sentence in sentences:
        for word, lemma in words_of(sentence, spec):
            found.setdefault(word, Counter())[lemma] += 1
    return found


def without_tags(counts: dict[Word, Counter[str]]) -> dict[Word, Counter[str]]:
    """The same words without their tags, except those that already occur without a tag."""
    found: dict[Word, Counter[str]] = {}
    for (form, _), lemmas in counts.items():
        if (form, NO_TAG) not in counts:
            found.setdefault((form, NO_TAG), Counter()).update(lemmas)
    return found


def usual_lemma(lemmas: Counter[str]) -> str:
    """The most frequent lemma; of equally frequent ones the alphabetically first.

    >>> usual_lemma(Counter({"leave": 3, "left": 3}))
    'leave'
    """
    return min(lemmas, key=lambda lemma: (-lemmas[lemma], lemma))


def check_lemmas(train: Iterable[Sentence], dev: Iterable[Sentence]) -> None:
    """Raise a DataError if the training or development data has no lemmas."""
    for name, part in (("training data", train), ("development set", dev)):
        sentences = list(part)
        if any(map(len, sentences)) and not any(True for sentence in sentences for _ in words_of(sentence, "")):
            raise DataError(f'the {name} has no lemmas ({len(sentences)} sentences, all "_"); a lemmatizer needs some')
