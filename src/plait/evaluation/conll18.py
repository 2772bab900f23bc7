"""The measures of the CoNLL 2018 shared task (Zeman et al. 2018), as counted by its official scorer.

Only the universal part of a relation counts (``nsubj:pass`` is ``nsubj``) and only the universal features. If gold has
no lemma, any lemma is right. Empty nodes are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from plait.arrays import BoolArray, Int64Array
from plait.data.document import Document, Sentence
from plait.evaluation.pairing import Pairing, align
from plait.evaluation.words import Words

# fmt: off
CONTENT_RELATIONS = frozenset({
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
})
FUNCTION_RELATIONS = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
UNIVERSAL_FEATURES = frozenset({
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
})
# fmt: on


class Measure(NamedTuple):
    """The counts of one measure, and its values in per cent."""

    correct: int
    gold: int
    predicted: int
    aligned: int | None = None  # gold words of the measure that have a partner; None where nothing is aligned

    @property
    def precision(self) -> float:
        """The right ones among the predicted."""
        return 100 * (self.correct / self.predicted) if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The right ones among the gold."""
        return 100 * (self.correct / self.gold) if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.gold + self.predicted
        return 100 * (2 * self.correct / total) if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The right ones among those that have a partner."""
        if self.aligned is None:
            return None
        return 100 * (self.correct / self.aligned) if self.aligned else 0.0

    def to_dict(self) -> dict[str, float]:
        """Precision, recall, F1 and, where words are aligned, aligned accuracy."""
        record = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        if self.aligned_accuracy is not None:
            record["aligned_accuracy"] = self.aligned_accuracy
        return record


def conll18(gold: Document | Iterable[Sentence], predicted: Document | Iterable[Sentence]) -> dict[str, Measure]:
    """The table of the shared task, from Tokens to BLEX; the texts must have the same characters, spaces aside.

    >>> s = Sentence(["Hi"], upos=["INTJ"], heads=[0], deprels=["root"])
    >>> conll18([s], [s])["LAS"].f1
    100.0
    """
    return score_pairing(align(gold, predicted))


def score_pairing(pairing: Pairing) -> dict[str, Measure]:
    """The table of the shared task for words that are already paired."""
    gold, predicted = pairing.gold, pairing.predicted
    everywhere = np.ones(len(gold), np.bool_), np.ones(len(predicted), np.bool_)

    def measure(right: BoolArray, among: tuple[BoolArray, BoolArray] = everywhere) -> Measure:
        of_gold, of_predicted = among
        return Measure(
            correct=int((right & of_gold).sum()),
            gold=int(of_gold.sum()),
            predicted=int(of_predicted.sum()),
            aligned=int((pairing.paired & of_gold).sum()),
        )

    upos, features = pairing.codes("upos"), pairing.codes("feats", universal_features)
    tag_right, feature_right, xpos_right = pairing.equal(upos), pairing.equal(features), pairing.same("xpos")
    lemmas_right = lemma_right(pairing)
    relations = pairing.codes("deprels", universal_relation)
    labelled = pairing.head_right & pairing.equal(relations)
    content = is_content(gold), is_content(predicted)
    same_function_words = function_words_right(pairing, (relations, upos, features))
    return {
        "Tokens": _spans_measure(gold.spans.tokens, predicted.spans.tokens),
        "Sentences": _spans_measure(gold.spans.sentences, predicted.spans.sentences),
        "Words": Measure(int(pairing.paired.sum()), len(gold), len(predicted)),
        "UPOS": measure(tag_right),
        "XPOS": measure(xpos_right),
        "UFeats": measure(feature_right),
        "AllTags": measure(tag_right & xpos_right & feature_right),
        "Lemmas": measure(lemmas_right),
        "UAS": measure(pairing.head_right),
        "LAS": measure(labelled),
        "CLAS": measure(labelled, content),
        "MLAS": measure(labelled & tag_right & feature_right & same_function_words, content),
        "BLEX": measure(labelled & lemmas_right, content),
    }


def universal_relation(relation: str) -> str:
    """The relation without its subtype."""
    return relation.partition(":")[0]


def universal_features(features: str) -> str:
    """The universal features alone, sorted."""
    return "|".join(sorted(f for f in features.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES))


def is_content(words: Words) -> BoolArray:
    """[words], is the word attached by a content relation?"""
    column = words.column("deprels")
    known = {relation: universal_relation(relation) in CONTENT_RELATIONS for relation in set(column)}
    return np.fromiter(map(known.__getitem__, column), np.bool_, len(column))


def lemma_right(pairing: Pairing) -> BoolArray:
    """[gold words], is the lemma right? Any is where gold gives none."""
    return pairing.paired & (~pairing.gold.given("lemmas") | pairing.same("lemmas"))


def _spans_measure(gold: list[tuple[int, int]], predicted: list[tuple[int, int]]) -> Measure:
    return Measure(len({*gold} & {*predicted}), len(gold), len(predicted))


def function_words_right(
    pairing: Pairing, columns: tuple[tuple[Int64Array, Int64Array], ...], attached: BoolArray | None = None
) -> BoolArray:
    """[gold words], have both partners the same function words below them, with equal relation, tag and features?

    Over the same words, ``attached`` are those of which gold has head and relation; others count on neither side.
    """
    numbers = np.arange(len(pairing.gold)), pairing.reverse
    gold, predicted = (
        _function_words(words, [codes[side] for codes in columns], numbers[side], attached)
        for side, words in enumerate((pairing.gold, pairing.predicted))
    )
    partners = pairing.partner.tolist()
    return np.fromiter(
        (gold.get(i, ()) == predicted.get(j, ()) for i, j in enumerate(partners)), np.bool_, len(partners)
    )


def _function_words(
    words: Words, columns: list[Int64Array], number: Int64Array, counted: BoolArray | None
) -> dict[int, list[tuple[int, ...]]]:
    """For every word that governs function words: their (gold) number and codes, in order."""
    column = words.column("deprels")
    below: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for i, relation in enumerate(column):
        if universal_relation(relation) in FUNCTION_RELATIONS and (counted is None or counted[i]):
            below[int(words.heads[i])].append((int(number[i]), *(int(codes[i]) for codes in columns)))
    return below
