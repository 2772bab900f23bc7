"""Training of ``transition-weave``: the segmenter and taggers inside, then the search on what they leave open."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.core._weights import Scorer
from plait.core.tables import new_table
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.data.trees import with_trees
from plait.errors import OptionError
from plait.learn.dropout import WordDropout
from plait.learn.fitting import fit_online
from plait.learn.jackknife import jackknife
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.options import parse_options, user_options
from plait.system import find_system
from plait.system.modelparts import read_tagset
from plait.system.request import Request
from plait.transition._oracle import SHIFT
from plait.transition._search import TransitionSearch
from plait.transition.candidate_words import CandidateWords, over_paths
from plait.transition.mirror import LEFT_TO_RIGHT
from plait.transition.options import TransitionWeaveOptions
from plait.transition.reader import SentenceReader
from plait.transition.system import ARCS, TAGS, WORDS, make_search
from plait.transition.training.label_filter import arcs_between, build_filter
from plait.transition.training.model import Example, TransitionInTraining, gold_transitions
from plait.transition.training.systems import inner_tagger, read_features, read_templates, with_morphology
from plait.transition.weave import SEGMENTER_SYSTEM, Readable, TransitionWeave, surface_tokens
from plait.trees.arc_labels import ArcLabels
from plait.trees.candidates import RankedTags, ranked
from plait.trees.inner_tagger import ProbabilisticTagger, Tags
from plait.trees.morphology import Morphology
from plait.trees.training.inner_tagger import fit_tagger, jackknifed
from plait.trees.training.morphology import fit_inner_lemmatizer, has_lemmas, jackknifed_lemmas

WHOLE = Request(whole=True)
ABSENT = "-"  # what a gold word has in each column when it is no word of an analysis; no tag, label or head


def fit_transition_weave(task: TrainingTask, options: TransitionWeaveOptions) -> TransitionWeave:
    """Train segmenter and tagger, let them read the training data by jackknifing, train the search on that."""
    for name, told in (("guide", bool(options.guide)), ("direction", options.direction != LEFT_TO_RIGHT)):
        if told:
            raise OptionError(f"transition-weave does not support --{name}; remove it, or use transition-joint")
    kind = find_system(SEGMENTER_SYSTEM).Options
    values = parse_options(kind, options.segmenter_options, SEGMENTER_SYSTEM)
    segmenter_options: Any = user_options(kind, values, SEGMENTER_SYSTEM, dev=bool(task.dev))
    train, dev = with_trees(task.train), [s for s in task.dev if len(s)]
    options = with_morphology(options, train)
    lemmas = options.morphology == "on" and has_lemmas(train)
    templates = read_templates(task, options, lemmas)
    # faults in the templates are told before the work begins
    read_features(task, options, templates, read_tagset(train, TagColumns(options.tag)), lemmas)
    segmenter = fit_tagger(SEGMENTER_SYSTEM, task, segmenter_options)
    name, chosen = inner_tagger(task, options)
    tagger = fit_tagger(name, task, chosen)
    features = read_features(task, options, templates, tagger.tags, lemmas)
    morphology = Morphology(None, fit_inner_lemmatizer(task, options, options.tag) if lemmas else None)
    reader = SentenceReader(options, features, tagger, morphology)
    readings = [[reading] for reading in _training_lattices(task, train, segmenter, options)]
    if options.gold_words:
        for sentence, of_sentence in zip(train, readings, strict=True):
            of_sentence.append(Reading.given(sentence))
    training_tags = _training_tags(task, train, readings, reader)
    lemmatized = _training_lemmas(task, train, readings, training_tags, reader)
    labels = ArcLabels.read(train, labelled=True, projective=False)
    classes = reader.classes
    dropout = WordDropout(train, options.word_dropout, task.seed)
    examples = []
    seen: set[tuple[int, int, int]] = set()
    for k, sentence in enumerate(train):
        gold = reader.own_numbers(sentence)
        arc_labels = [labels.number[label] for label in sentence.deprels]
        for (words, own), tags, with_lemmas in zip(readings[k], training_tags[k], lemmatized[k], strict=True):
            candidates = tags.within(*options.candidate_limits())
            of_own = dataclasses.replace(candidates, tags=candidates.tags[own], counts=candidates.counts[own])
            chosen_tags = of_own.choices(gold)
            actions, choices, moved = gold_transitions(
                sentence.heads, arc_labels, chosen_tags, options.oracle == "lazy"
            )
            atoms = reader.candidate_atoms(words, candidates, with_lemmas)
            shifted = _first_shifts(actions, moved, own)
            hidden = dropout.chances(words.forms, with_lemmas.lemmas if with_lemmas is not None else None)
            examples.append(Example(atoms, candidates, actions, choices, hidden, words.lattice, shifted))
            for numbers in (gold, of_own.tags[np.arange(len(gold)), chosen_tags]):
                seen |= arcs_between(classes[numbers].tolist(), sentence.heads, arc_labels)
    label_filter = build_filter(int(classes.max()) + 1, len(labels.names), seen)
    tables = {ARCS: new_table(options.table, 2 + 2 * len(labels.names), options.hash_bits)}
    tables[TAGS] = new_table(options.table, int(classes.max()) + 1, options.hash_bits)
    tables[WORDS] = new_table(options.table, 1, options.hash_bits)

    def search(weights: Mapping[str, Scorer]) -> TransitionSearch:
        return make_search(reader, weights, label_filter)

    model = TransitionInTraining(search, tables, options.update, options.check, dropout, features.lemma_column)

    def system(weights: Mapping[str, Scorer], training: dict[str, Any]) -> TransitionWeave:
        return TransitionWeave(
            options, features, weights, labels, label_filter, tagger, morphology, training=training, segmenter=segmenter
        )

    held_out = HeldOut(dev, segmenter, reader.columns, options.word_probability)

    def measure(weights: Mapping[str, Scorer]) -> Outcome:
        return held_out.measure(system(weights, {}))

    frozen, _, training = fit_online(task, options, model, examples, measure if dev else None, "tlas")
    training["tagger"], training["segmenter"] = tagger.training, segmenter.training
    training |= morphology.training
    return system(frozen, training)


def _first_shifts(actions: Any, moved: Sequence[int], gold_words: Sequence[int]) -> Any:
    """The candidate word that each first SHIFT takes, counting from 1; 0 for other transitions."""
    found, front = [], 0
    for action, word in zip(actions.tolist(), moved, strict=True):
        fresh = action == SHIFT and word > front
        front = word if fresh else front
        found.append(gold_words[word - 1] + 1 if fresh else 0)
    return np.array(found, dtype=np.int32)


class Reading(NamedTuple):
    """Candidate words of a training sentence, and which of them are its own."""

    words: CandidateWords
    own: list[int]

    @classmethod
    def given(cls, sentence: Sentence) -> Reading:
        """Its words without rivals."""
        return cls(CandidateWords.given(sentence.forms), list(range(len(sentence))))


def _lattice(segmenter: Any, sentence: Sentence, least: float) -> Reading:
    """A sentence as the segmenter reads its text."""
    counts = [last - first + 1 for first, last, _, _ in sentence.surface_tokens()]
    passage, lattice = segmenter.lattice_of(sentence, least)
    words = CandidateWords.of(passage.text, lattice, segmenter.words_of)
    found = words.find(passage.spans, counts)
    if found is None or [words.forms[k] for k in found] != sentence.forms:
        # a multiword token that the segmenter does not know as such: the sentence teaches tags and trees alone
        return Reading.given(sentence)
    return Reading(words, found)


def _training_lattices(
    task: TrainingTask, train: Sequence[Sentence], segmenter: Any, options: TransitionWeaveOptions
) -> list[Reading]:
    """The candidate words of the training data, to segmenters that have not seen it."""
    least = options.word_probability
    if len(train) < 2:
        return [_lattice(segmenter, sentence, least) for sentence in train]

    def fit(seen: list[Sentence]) -> Callable[[list[Sentence]], list[Reading]]:
        fold = fit_tagger(SEGMENTER_SYSTEM, dataclasses.replace(task, train=seen, dev=()), segmenter.options)
        return lambda held_out: [_lattice(fold, sentence, least) for sentence in held_out]

    return jackknife(train, options.folds, fit, task.track)


def _training_tags(
    task: TrainingTask,
    train: Sequence[Sentence],
    readings: Sequence[Sequence[Reading]],
    reader: SentenceReader,
) -> list[list[RankedTags]]:
    """The tags of these candidate words, likewise."""
    own = [sentence.copy() for sentence in train]  # a sentence may be there twice, and be read differently
    of_sentence = {id(sentence): reading for sentence, reading in zip(own, readings, strict=True)}

    def predict(fold: ProbabilisticTagger, sentence: Sentence, numbers: Tags) -> list[RankedTags]:
        return [ranked(over_paths(r.words, fold.tag_probabilities), numbers) for r in of_sentence[id(sentence)]]

    if len(train) < 2:
        every = np.arange(len(reader.tagger.tags), dtype=np.uint16)
        return [predict(reader.tagger, sentence, every) for sentence in own]
    return jackknifed(task, own, reader.tagger, reader.options.folds, predict, calibrate=True)


def _training_lemmas(
    task: TrainingTask,
    train: Sequence[Sentence],
    readings: Sequence[Sequence[Reading]],
    tags: Sequence[Sequence[RankedTags]],
    reader: SentenceReader,
) -> Sequence[Sequence[Sentence | None]]:
    """The lemmas of these candidate words under their most probable tags, likewise; None where nothing sees them."""
    lemmatizer = reader.morphology.lemmatizer
    if lemmatizer is None:
        return [[None] * len(of_sentence) for of_sentence in readings]
    found = []
    for of_kind, tags_of_kind in zip(zip(*readings, strict=True), zip(*tags, strict=True), strict=True):
        pairs = zip(of_kind, tags_of_kind, strict=True)
        tagged = [reader.tagged(Sentence(reading.words.forms), ranks.tags[:, 0]) for reading, ranks in pairs]
        if len(train) < 2:
            found.append([reader.morphology.analysed(words) for words in tagged])
        else:
            found.append(jackknifed_lemmas(task, train, tagged, lemmatizer, reader.options.folds))
    return list(zip(*found, strict=True))


class HeldOut:
    """The development set: its candidate words, and how many of its words a search finds with their tags and arcs."""

    def __init__(self, dev: Sequence[Sentence], segmenter: Any, columns: TagColumns, least: float) -> None:
        self.columns = columns
        self.sentences: list[tuple[Sentence, list[Any], str, Any]] = []
        self.readings: list[Readable] = []
        words = known = 0
        for sentence in dev:
            passage = segmenter.passage_of(sentence)
            ((_, text, lattices),) = segmenter.lattices(passage.text, WHOLE, least)
            candidates = {(word.start, word.end) for lattice in lattices for word in lattice.words}
            words += len(passage.spans)
            known += sum(span in candidates for span in passage.spans)
            self.sentences.append((sentence, _keys(passage.spans, sentence), text, lattices[0]))
        self.recall = 100.0 * known / max(words, 1)

    def measure(self, system: TransitionWeave) -> Outcome:
        """Gold words count as found where the search has just this word."""
        outcome = Outcome("tlas", "las", "uas", "tags", "words")
        outcome.notes["candidates"] = self.recall  # more words cannot be found
        if not self.readings:  # the same in every epoch
            self.readings = [system.read(text, lattice) for _, _, text, lattice in self.sentences]
        for (sentence, keys, text, _), read in zip(self.sentences, self.readings, strict=True):
            (analysis,) = system.analyses(read, 1)
            spans = surface_tokens(read, analysis)
            (found,) = system.segmenter.build(text, 0, [spans])
            system.write(found, read, analysis)
            own = _keys(spans, found)
            place = {key: k for k, key in enumerate(own)}
            where = [place.get(key) for key in keys]

            def column(values: Sequence[Any], where: Sequence[int | None] = where) -> list[Any]:
                return [ABSENT if k is None else values[k] for k in where]

            outcome.add(
                words=(keys, column(own)),
                tags=(self.columns.read(sentence), column(self.columns.read(found))),
                heads=(_head_keys(keys, sentence.heads), column(_head_keys(own, found.heads))),
                labels=(sentence.deprels, column(found.deprels)),
            )
        return outcome


def _keys(spans: Sequence[tuple[int, int]], sentence: Sentence) -> list[Any]:
    """What tells each word of a sentence from any other in its text: offsets, and the number in its surface token."""
    return [
        (span, k)
        for span, (first, last, _, _) in zip(spans, sentence.surface_tokens(), strict=True)
        for k in range(last - first + 1)
    ]


def _head_keys(keys: Sequence[Any], heads: Sequence[int]) -> list[Any]:
    return [keys[head - 1] if head > 0 else head for head in heads]
