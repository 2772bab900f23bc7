"""Training of morphology inside a parser: whether a treebank calls for it, its systems, jackknifed FEATS and lemmas."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from plait.data.absent import given_lemmas
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.system import System, find_system
from plait.trees.morphology import LEMMATIZER, TAGGER, Morphology
from plait.trees.training.inner_tagger import fit_tagger

FOLDS = 5  # at most, for a tagger of so many tags takes its time
FEWEST_LEMMAS = 0.02  # of the words: lemmas unlike the form, below which they say nothing new


def feats_bits(train: Iterable[Sentence]) -> float:
    """How much FEATS say beyond the part of speech: their conditional entropy, in bits a word.

    >>> words = [("a", "NOUN", "Case=Nom"), ("b", "NOUN", "Case=Acc"), ("c", "PUNCT", "_"), ("d", "PUNCT", "_")]
    >>> feats_bits(Sentence([form], upos=[upos], feats=[feats]) for form, upos, feats in words)
    0.5
    """
    pairs = Counter(pair for sentence in train for pair in zip(sentence.upos, sentence.feats, strict=True))
    tags: Counter[str] = Counter()
    for (upos, _), count in pairs.items():
        tags[upos] += count
    return -sum(count * math.log2(count / tags[upos]) for (upos, _), count in pairs.items()) / max(pairs.total(), 1)


Pair = tuple[Sentence, Sentence]  # as the treebank has it, and with tags as on new text


def has_feats(train: Iterable[Sentence]) -> bool:
    """Whether any word has features."""
    return any(feats != UNSPECIFIED for sentence in train for feats in sentence.feats)


def has_lemmas(train: Iterable[Sentence]) -> bool:
    """Whether there are lemmas, and enough of them that are not the form itself."""
    words = other = 0
    for sentence in train:
        for form, lemma in zip(sentence.forms, given_lemmas(sentence.lemmas, sentence.forms), strict=True):
            words += lemma is not None
            other += lemma is not None and lemma.lower() != form.lower()
    return other > FEWEST_LEMMAS * words


def fit_inner_lemmatizer(task: TrainingTask, parser: Any, spec: str) -> System:
    """The lemmatizer inside; it looks at the columns of tags that the parser, or the tagger beside it, finds."""
    kind: Any = find_system(LEMMATIZER).Options
    dev = [sentence for sentence in task.dev if has_lemmas([sentence])]
    options = kind(tag=spec, bits=parser.bits, prune=parser.prune, slack=parser.slack)
    found: System = fit_tagger(LEMMATIZER, dataclasses.replace(task, dev=dev), options)
    return found


def jackknifed_lemmas(
    task: TrainingTask, train: Sequence[Sentence], tagged: Sequence[Sentence], lemmatizer: System, folds: int
) -> list[Sentence]:
    """Training sentences with tags as on new text, and lemmas by lemmatizers that have not seen the sentence."""

    def fit(seen: list[Pair]) -> Callable[[list[Pair]], list[Sentence]]:
        own = dataclasses.replace(task, train=[gold for gold, _ in seen], dev=())
        fold = Morphology(None, _fold_lemmatizer(own, lemmatizer))
        return lambda held_out: [fold.analysed(_unlemmatized(words)) for _, words in held_out]

    return jackknife(list(zip(train, tagged, strict=True)), min(folds, FOLDS), fit, task.track)


def fit_morphology(
    task: TrainingTask, train: Sequence[Sentence], parser: Any, *, gold: bool = False
) -> tuple[Morphology, list[Sentence]]:
    """The tagger and the lemmatizer of a parser that does not find FEATS itself; the training data as on new text.

    ``gold``: the parser is given FEATS and lemmas, so the training data stays as it is.
    """
    kind: Any = find_system(TAGGER).Options
    spec = "upos+feats" if TagColumns("upos").given(train[0]) else "feats"
    dev = [sentence for sentence in task.dev if has_feats([sentence])]
    options = kind(tag=spec, tidy=False, bits=max(16, parser.bits), prune=parser.prune, slack=parser.slack)
    tagger: System = fit_tagger(TAGGER, dataclasses.replace(task, train=list(train), dev=dev), options)
    lemmatizer = fit_inner_lemmatizer(task, parser, spec) if has_lemmas(train) else None
    morphology = Morphology(tagger, lemmatizer)
    if gold or len(train) < 2:
        return morphology, [sentence.copy() for sentence in train]

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Sentence]]:
        own = dataclasses.replace(task, train=seen, dev=())
        fold = Morphology(fit_tagger(TAGGER, own, tagger.options), _fold_lemmatizer(own, lemmatizer))
        return lambda held_out: [fold.analysed(_unlemmatized(sentence)) for sentence in held_out]

    return morphology, jackknife(list(train), min(parser.folds, FOLDS), fit, task.track)


def _fold_lemmatizer(task: TrainingTask, lemmatizer: System | None) -> System | None:
    """One like this, of other data; None for data in which no word has a lemma, as there may be folds of it."""
    if lemmatizer is None or not any(lemma != UNSPECIFIED for s in task.train for lemma in s.lemmas):
        return None
    found: System = fit_tagger(LEMMATIZER, task, lemmatizer.options)
    return found


def _unlemmatized(sentence: Sentence) -> Sentence:
    """A copy that gives no lemmas away."""
    found = sentence.copy()
    found.lemmas = [UNSPECIFIED] * len(found)
    return found
