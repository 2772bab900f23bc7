"""Training of morphology inside a parser: when it is used, its systems, jackknifed FEATS and lemmas."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from plait.data.absent import given_lemmas
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.errors import DataError, OptionError
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.logs import logger
from plait.system import System, find_system
from plait.trees.morphology import LEMMATIZER, NO_MORPHOLOGY, TAGGER, Morphology, SeenMorphology
from plait.trees.training.inner_tagger import fit_tagger

FOLDS = 5  # at most, for a tagger of so many tags takes its time
INFORMATIVE = 2.0  # bits per word beyond the part of speech; FEATS that carry at least as many are used
MIN_LEMMAS = 0.02  # of the words: lemmas unlike the form, below which they say nothing new


def feats_bits(train: Iterable[Sentence]) -> float:
    """The information of FEATS beyond the part of speech: their conditional entropy, in bits per word.

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


def decided(options: Any, train: Sequence[Sentence]) -> Any:
    """The options with ``morphology`` on or off; the decision of ``auto`` is logged."""
    if options.morphology != "off" and "feats" in TagColumns(options.tag).columns:
        if options.morphology == "on":
            raise OptionError(f"--morphology and --tag {options.tag} both predict FEATS; remove one of them")
        return dataclasses.replace(options, morphology="off")
    if options.morphology == "auto":
        bits = feats_bits(train)
        choice = "on" if bits >= INFORMATIVE else "off"
        logger.info("morphology %s: FEATS carry %.2f bits per word beyond the part of speech", choice, bits)
        return dataclasses.replace(options, morphology=choice)
    if options.morphology == "on" and not has_feats(train):
        raise DataError("the training data has no FEATS; leave --morphology out")
    return options


def seen_in(train: Sequence[Sentence], options: Any) -> SeenMorphology:
    """The morphology that will be available to templates after training on this data."""
    if options.morphology != "on":
        return NO_MORPHOLOGY
    return SeenMorphology(tuple({feats for sentence in train for feats in sentence.feats}), has_lemmas(train))


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
    return other > MIN_LEMMAS * words


def fit_inner_lemmatizer(task: TrainingTask, parser: Any, spec: str) -> System:
    """The internal lemmatizer; it uses the tag columns predicted by the parser, or by the tagger for FEATS."""
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

    return jackknife(list(zip(train, tagged, strict=True)), train, min(folds, FOLDS), fit, task.track)


def fit_morphology(
    task: TrainingTask, train: Sequence[Sentence], parser: Any, *, gold: bool = False
) -> tuple[Morphology, Sequence[Sentence]]:
    """The tagger and the lemmatizer of a parser that does not predict FEATS itself; the training data as on new text.

    There are none if morphology is off. ``gold``: the parser uses given FEATS and lemmas, so the training data is
    unchanged.
    """
    if parser.morphology != "on":
        return Morphology(), train
    kind: Any = find_system(TAGGER).Options
    spec = "upos+feats" if any(map(TagColumns("upos").given, train)) else "feats"
    dev = [sentence for sentence in task.dev if has_feats([sentence])]
    options = kind(tag=spec, tidy=False, bits=parser.bits, prune=parser.prune, slack=parser.slack)
    tagger: System = fit_tagger(TAGGER, dataclasses.replace(task, train=list(train), dev=dev), options)
    lemmatizer = fit_inner_lemmatizer(task, parser, spec) if has_lemmas(train) else None
    morphology = Morphology(tagger, lemmatizer)
    if gold or len(train) < 2:
        return morphology, [sentence.copy() for sentence in train]

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Sentence]]:
        own = dataclasses.replace(task, train=seen, dev=())
        fold = Morphology(fit_tagger(TAGGER, own, tagger.options), _fold_lemmatizer(own, lemmatizer))
        return lambda held_out: [fold.analysed(_unlemmatized(sentence)) for sentence in held_out]

    return morphology, jackknife(train, train, min(parser.folds, FOLDS), fit, task.track)


def _fold_lemmatizer(task: TrainingTask, lemmatizer: System | None) -> System | None:
    """A lemmatizer with the same options, trained on other data; None if no word of it has a lemma."""
    if lemmatizer is None or not any(lemma != UNSPECIFIED for s in task.train for lemma in s.lemmas):
        return None
    found: System = fit_tagger(LEMMATIZER, task, lemmatizer.options)
    return found


def _unlemmatized(sentence: Sentence) -> Sentence:
    """A copy without lemmas."""
    found = sentence.copy()
    found.lemmas = [UNSPECIFIED] * len(found)
    return found
