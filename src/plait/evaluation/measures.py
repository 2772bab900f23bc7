"""Every measure as three counts per gold sentence: right, gold, predicted.

A measure is the F1 of its counts, 2 right / (gold + predicted); where both sides have the same words this is the
plain accuracy. With the counts kept per sentence, two systems can be compared by resampling without scoring again;
``right`` keeps the single gold units (words, sentences) for McNemar's test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.arrays import BoolArray, Int64Array
from plait.evaluation.chunks import chunks, plain_label
from plait.evaluation.conll18 import (
    Measure,
    function_words_right,
    is_content,
    lemma_right,
    universal_features,
    universal_relation,
)
from plait.evaluation.pairing import Pairing
from plait.evaluation.words import NO_HEAD, ROOT, Words

TAG = "tag"
TAGS = ("upos", "xpos", "feats")
TREE, LABELLED = ("heads",), ("heads", "deprels")
# the columns behind each measure, also of the shared task; words are not listed, since a system may be given them
NEEDED = {
    "upos": ("upos",),
    "xpos": ("xpos",),
    "feats": ("feats",),
    "ufeats": ("feats",),
    "alltags": TAGS,
    "lemmas": ("lemmas",),
    "seg_upos": (TAG,),
    "upos_known": (TAG,),
    "upos_unknown": (TAG,),
    "uas": TREE,
    "root": TREE,
    "complete": TREE,
    "las": LABELLED,
    "clas": LABELLED,
    "mlas": (*LABELLED, "upos", "feats"),
    "blex": (*LABELLED, "lemmas"),
    "tlas": (*LABELLED, TAG),
    "chunk": ("chunk",),
}


@dataclass(frozen=True)
class Tally:
    """One measure over a document."""

    right: BoolArray  # [gold units], is it right?
    counts: Int64Array  # [gold sentences][3]: right, gold, predicted

    @property
    def total(self) -> Measure:
        """The counts of the whole document."""
        return Measure(*self.counts.sum(axis=0).tolist())

    @property
    def f1(self) -> float:
        """Of the whole document, in per cent."""
        return self.total.f1


def tag_column(words: Words) -> str:
    """The column that holds *the* tag: UPOS, or XPOS where gold has no UPOS."""
    return "upos" if words.has("upos") or not words.has("xpos") else "xpos"


def measure(pairing: Pairing, *, punct: bool, vocabulary: frozenset[str] | None) -> dict[str, Tally]:
    """Every measure that applies, by name; what applies is decided by what gold gives."""
    gold = pairing.gold
    found: dict[str, Tally] = {}
    found["seg"] = _tally(pairing, pairing.paired)
    found |= _tagging(pairing, vocabulary)
    if gold.has("heads"):
        found |= _attachment(pairing, punct)
    if gold.has("chunk"):
        found["chunk"] = _chunking(pairing)
    copied, tag = pairing.copied, tag_column(gold)
    return {
        name: tally
        for name, tally in found.items()
        if tally.counts[:, 1].any()
        and copied.isdisjoint(tag if column == TAG else column for column in NEEDED.get(name, ()))
    }


def _tally(
    pairing: Pairing, right: BoolArray, of_gold: BoolArray | None = None, of_predicted: BoolArray | None = None
) -> Tally:
    """Count per sentence the right words among some gold and some predicted words; all of them where none are named.

    With the same words on both sides the predicted words of a measure are the partners of its gold words.
    """
    of_gold = np.ones(len(pairing.gold), np.bool_) if of_gold is None else of_gold
    if pairing.same_words and of_predicted is None:
        of_predicted = of_gold
    count = len(pairing.gold.sentences)
    home = pairing.home if of_predicted is None else pairing.home[of_predicted]
    columns = [pairing.gold.sentence[right & of_gold], pairing.gold.sentence[of_gold], home]
    return Tally(right[of_gold], _counts(columns, count))


def _counts(homes: Sequence[Int64Array], sentences: int) -> Int64Array:
    """[sentences][columns]: how many units of each column belong to a sentence."""
    return np.stack([np.bincount(home, minlength=sentences) for home in homes], axis=1)


def _recall(pairing: Pairing, right: BoolArray, of_gold: BoolArray) -> Tally:
    """The share of some gold words that are right, whatever else is predicted."""
    tally = _tally(pairing, right, of_gold)
    return Tally(tally.right, tally.counts[:, [0, 1, 1]])


def _tagging(pairing: Pairing, vocabulary: frozenset[str] | None) -> dict[str, Tally]:
    gold, tag = pairing.gold, tag_column(pairing.gold)
    found = {}
    for column in ("upos", "xpos"):
        if gold.has(column):
            found[column] = _tally(pairing, pairing.same(column), pairing.given(column))
    if gold.has("feats"):
        found["feats"] = _tally(pairing, _features_right(pairing))
    if gold.has("upos") and (gold.has("xpos") or gold.has("feats")):
        right = pairing.same("upos") & _features_right(pairing) & (pairing.same("xpos") | ~pairing.given("xpos"))
        found["alltags"] = _tally(pairing, right, pairing.given("upos"))
    if gold.has("lemmas"):
        found["lemmas"] = _tally(pairing, lemma_right(pairing), pairing.given("lemmas"))
    if gold.has(tag):
        found["seg_upos"] = _tally(pairing, pairing.same(tag), pairing.given(tag))
    if vocabulary is not None:
        known = np.fromiter((form in vocabulary for form in gold.forms), np.bool_, len(gold))
        found["oov"] = _recall(pairing, pairing.paired, ~known)
        if gold.has(tag):
            for name, words in (("upos_known", known), ("upos_unknown", ~known)):
                found[name] = _recall(pairing, pairing.same(tag), words & pairing.given(tag))
    return found


def _features_right(pairing: Pairing) -> BoolArray:
    """[gold words], are the features right? Over the same words all of them count, where gold has the column."""
    if pairing.same_words and not pairing.gold.has("feats"):
        return pairing.paired
    key = _sorted_features if pairing.same_words else universal_features
    return pairing.same("feats", key)


def _sorted_features(features: str) -> str:
    return "|".join(sorted(features.split("|")))


def _attachment(pairing: Pairing, punct: bool) -> dict[str, Tally]:
    gold, tag = pairing.gold, tag_column(pairing.gold)
    of_gold, of_predicted = attached_words(pairing, punct)
    found = {"uas": _tally(pairing, pairing.head_right, of_gold, of_predicted)}
    if gold.has("deprels"):
        las_right, las_gold = labelled_right(pairing), of_gold & pairing.given("deprels")
        found["las"] = _tally(pairing, las_right, las_gold, of_predicted)
        if gold.has(tag):
            found["tlas"] = _tally(pairing, las_right & pairing.same(tag), las_gold & pairing.given(tag), of_predicted)
        found |= _content(pairing)
    found["root"] = _roots(pairing)
    found["complete"] = _complete(pairing, of_gold, of_predicted)
    return found


def labelled_right(pairing: Pairing) -> BoolArray:
    """[gold words], are head and label right? Where words differ, subtypes do not count, as in CoNLL 2018."""
    key = None if pairing.same_words else universal_relation
    return np.asarray(pairing.head_right & pairing.same("deprels", key))


def attached_words(pairing: Pairing, punct: bool) -> tuple[BoolArray, BoolArray | None]:
    """The gold words whose attachment counts, and the predicted ones where these are not simply all or the partners."""
    gold, predicted = pairing.gold, pairing.predicted
    of_gold = gold.heads != NO_HEAD if pairing.same_words else np.ones(len(gold), np.bool_)
    if punct:
        return of_gold, None
    of_gold &= ~gold.punctuation
    if pairing.same_words:
        return of_gold, None
    # a predicted word without partner is judged by its own tag or form
    reverse = pairing.reverse
    skipped = np.where(reverse >= 0, gold.punctuation[np.maximum(reverse, 0)], predicted.punctuation)
    return of_gold, ~skipped


def _content(pairing: Pairing) -> dict[str, Tally]:
    """CLAS, MLAS and BLEX: the universal relation and the head of words in content relations, then with the tag, the
    universal features and the function words below them, or with the lemma; an F1 also over the same words."""
    gold, predicted = pairing.gold, pairing.predicted
    relations, tags, features = (
        pairing.codes(column, key)
        for column, key in (("deprels", universal_relation), ("upos", None), ("feats", universal_features))
    )
    right = pairing.head_right & pairing.equal(relations)
    found = {"clas": (right, "deprels")}  # and the column that must be given too
    attached = (gold.heads != NO_HEAD) & gold.given("deprels") if pairing.same_words else None
    if gold.has("upos") and gold.has("feats"):
        if attached is not None:  # any tag is right where gold has none
            tags = np.where(gold.given("upos"), tags[0], 0), np.where(gold.given("upos"), tags[1], 0)
        function_words = function_words_right(pairing, (relations, tags, features), attached)
        found["mlas"] = right & pairing.equal(tags) & pairing.equal(features) & function_words, "upos"
    if gold.has("lemmas"):
        found["blex"] = right & lemma_right(pairing), "deprels"  # any lemma is right where gold has none
    tallies = {}
    for name, (right, column) in found.items():
        of_gold, of_predicted = is_content(gold), is_content(predicted)
        if attached is not None:  # what gold leaves open is not scored
            scored = attached & gold.given(column)
            of_gold, of_predicted = of_gold & scored, of_predicted & scored
        tallies[name] = _tally(pairing, right, of_gold, of_predicted)
    return tallies


def _roots(pairing: Pairing) -> Tally:
    """Over the same words: sentences with exactly the gold root(s); otherwise the F1 of root words."""
    gold, predicted = pairing.gold, pairing.predicted
    gold_root, predicted_root = gold.heads == ROOT, predicted.heads == ROOT
    if not pairing.same_words:
        right = pairing.of_partner(predicted_root.astype(np.int64)) == 1
        return _tally(pairing, right, gold_root, predicted_root)
    wrong = np.bincount(gold.sentence[gold_root != predicted_root], minlength=len(gold.sentences))
    has_root = np.bincount(gold.sentence[gold_root], minlength=len(gold.sentences)) > 0
    return _sentence_tally(wrong == 0, has_root, has_root)


def _complete(pairing: Pairing, of_gold: BoolArray, of_predicted: BoolArray | None) -> Tally:
    """Sentences with every counted head right; over different words the sentence must also have the same span."""
    gold, count = pairing.gold, len(pairing.gold.sentences)
    counted = np.bincount(gold.sentence[of_gold], minlength=count) > 0
    right = np.bincount(gold.sentence[of_gold & ~pairing.head_right], minlength=count) == 0
    if pairing.same_words:
        return _sentence_tally(right, counted, counted)
    predicted = pairing.predicted
    spans = predicted.spans.sentences
    homes = pairing.sentence_at([start for start, _ in spans])
    if of_predicted is not None:
        homes = homes[np.bincount(predicted.sentence[of_predicted], minlength=len(spans)) > 0]
    same_span = np.fromiter(map({*spans}.__contains__, gold.spans.sentences), np.bool_, count)
    return _sentence_tally(right & same_span, counted, np.bincount(homes, minlength=count))


def _sentence_tally(right: BoolArray, of_gold: BoolArray, predicted: BoolArray | Int64Array) -> Tally:
    columns = [right & of_gold, of_gold, predicted]
    return Tally(right[of_gold], np.stack([c.astype(np.int64) for c in columns], axis=1))


def _chunking(pairing: Pairing) -> Tally:
    """Chunks with the same extent and type; the single units are the words' labels, as in Sha and Pereira (2003)."""
    gold, predicted = pairing.gold, pairing.predicted
    gold_chunks, predicted_chunks = _located_chunks(pairing, gold), _located_chunks(pairing, predicted)
    count = len(gold.sentences)
    wanted, offered = set(gold_chunks), set(predicted_chunks)
    gold_home = np.array([gold.sentence[word] for word in gold_chunks.values()], np.int64)
    right_home = np.array([gold.sentence[gold_chunks[c]] for c in wanted & offered], np.int64)
    predicted_home = np.array([pairing.home[word] for word in predicted_chunks.values()], np.int64)
    return Tally(pairing.same("chunk", plain_label), _counts([right_home, gold_home, predicted_home], count))


def _located_chunks(pairing: Pairing, words: Words) -> dict[tuple[int, int, str], int]:
    """Every chunk by extent and type, with its first word; extents in words or, where words differ, in characters."""
    located = {}
    for sentence, first in zip(words.sentences, words.first.tolist(), strict=False):
        for begin, end, type_ in chunks(sentence.extra.get("chunk", ())):
            a, b = first + begin, first + end - 1
            extent = (a, b) if pairing.same_words else (words.spans.starts[a], words.spans.ends[b])
            located[*extent, type_] = a
    return located
