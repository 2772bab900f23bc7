"""``easyfirst-tagger``: the surest tag first, so that hard words see the tags on both sides (Ma et al. 2012, 2013)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.core._weights import Scorer
from plait.core.tables import new_table
from plait.data.document import Sentence
from plait.data.given import Given
from plait.data.tags import TagColumns, shown_tag
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features, read_templates, tag_templates, template_texts
from plait.easyfirst.filling import Decoded, allowed_tags
from plait.easyfirst.heaviest import Words, heaviest_features
from plait.easyfirst.nbest import distinct_sentences, require_beam
from plait.easyfirst.steps import Rivals, Trace
from plait.easyfirst.training import TAGS, EasyFirstInTraining, EasyFirstOptions, Example
from plait.errors import ModelError, OptionError
from plait.features._lexicon import AffixTags, TagDictionary, build_affix_tags, build_dictionary
from plait.features.clusters import read_clusters
from plait.learn.fitting import fit_online
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.options import option
from plait.system import Parts, System
from plait.system.modelparts import (
    cluster_arrays,
    lexicon_arrays,
    open_affixes,
    open_clusters,
    open_dictionary,
    open_group,
    open_tags,
    read_tagset,
    table_parts,
)
from plait.system.request import PLAIN, Request


@dataclass(frozen=True)
class EasyFirstTaggerOptions(EasyFirstOptions):
    """The options of ``easyfirst-tagger``."""

    tag: str = option("upos", "columns to predict: upos, xpos, feats, or several joined by +")
    templates: str = option(
        "general", "feature set: Z&C08, BD, OP, shen, general, wide, quick, or a table FILE or FILE:SET"
    )
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    dictionary: int = option(20, "words seen more often than this keep to their known tags", minimum=0)


@dataclass(frozen=True)
class TagLexicon:
    """What a tagger knows of words from its training data: their tags, and those of their first and last characters."""

    tags: tuple[str, ...]
    dictionary: TagDictionary
    affixes: tuple[AffixTags, AffixTags]

    @classmethod
    def build(cls, tags: Sequence[str], gold: Sequence[tuple[Sequence[str], Sequence[int]]], threshold: int) -> Self:
        """From (forms, tag numbers) of the training sentences."""
        affixes = build_affix_tags(gold, False), build_affix_tags(gold, True)
        return cls(tuple(tags), build_dictionary(gold, len(tags), threshold), affixes)


class EasyFirstTagger(System):
    """A tagger that takes the surest decision first."""

    name = "easyfirst-tagger"
    grants = frozenset({"constrain"})
    Options = EasyFirstTaggerOptions

    def __init__(
        self,
        options: EasyFirstTaggerOptions,
        features: Features,
        weights: Scorer,
        lexicon: TagLexicon,
        training: dict[str, Any],
    ) -> None:
        self.options = options
        self.columns = TagColumns(options.tag)
        self.features = features
        self.weights = weights
        self.lexicon = lexicon
        self.tags = lexicon.tags
        self.number = {tag: i for i, tag in enumerate(lexicon.tags)}
        self.training = training
        self._reader = self.features.reader(lexicon.affixes)
        self._decoder = tag_decoder(self.features, weights, lexicon, options.beam)

    @property
    def predicts(self) -> tuple[str, ...]:
        """The tag columns."""
        return self.columns.columns

    @classmethod
    def fit(cls, task: TrainingTask, options: EasyFirstTaggerOptions, named: bool = True) -> Self:
        """Train the tagger online; ``named``: look for the names of its heaviest features as well."""
        columns = TagColumns(options.tag)
        options.greedy_epochs()  # a beam without epochs is refused before anything is trained
        clusters = read_clusters(options.clusters, task.files)
        features = Features(tag_templates(options.templates, clusters), clusters=clusters)
        if features.sees_neighbours or features.is_guided:
            seen = "trees (n-1, n+1)" if features.sees_neighbours else "another tagger's tags (p0)"
            raise OptionError(f'templates "{options.templates}" look at {seen}; only easyfirst-joint has them')
        tags = read_tagset(task.train, columns, task.dev)
        number = {tag: i for i, tag in enumerate(tags)}
        gold = [(s.forms, [number[t] for t in columns.read(s)]) for s in task.train if len(s)]
        lexicon = TagLexicon.build(tags, gold, options.dictionary)
        reader = features.reader(lexicon.affixes)
        examples = [
            Example(reader.atoms(forms), tags=np.array(numbers, dtype=np.uint16))
            for forms, numbers in task.track(gold, "features")
        ]

        def decoder(tables: Mapping[str, Scorer]) -> EasyFirst:
            return tag_decoder(features, tables[TAGS], lexicon, options.beam, options.check)

        model = EasyFirstInTraining(decoder, {TAGS: new_table(options.table, len(tags), options.hash_bits)}, options)
        dev = [(reader.atoms(s.forms), columns.read(s)) for s in task.dev if len(s)]

        def measure(tables: Mapping[str, Scorer]) -> Outcome:
            search, outcome = decoder(tables), Outcome("accuracy")
            for atoms, right_tags in dev:
                outcome.add(tags=(right_tags, [tags[t] for t in search.decode(atoms)[0].tolist()]))
            return outcome

        frozen, best, training = fit_online(task, options, model, examples, measure if dev else None, "accuracy")
        if named:
            shown = (
                Words(forms, [shown_tag(tags[t]) for t in numbers], example)
                for (forms, numbers), example in zip(gold, examples, strict=True)
            )
            training["heaviest"] = heaviest_features(decoder(frozen), features, best, shown, tags)
        return cls(options, features, frozen[TAGS], lexicon, training)

    def annotate(self, sentence: Sentence) -> None:
        """Tag one sentence; ``sentence.trace`` tells in which order."""
        if len(sentence) == 0:
            return
        self._write(sentence, self._decoder.decode(self._reader.atoms(sentence.forms)))

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.constrain`` the tags that the sentence has stay, and the others see them."""
        request.refuse(self.name, "scores", "dictionary")
        if not request.constrain or len(sentence) == 0:
            self.annotate(sentence)
            return
        given = Given(sentence, self.predicts)
        atoms = self._reader.atoms(sentence.forms)
        found = self._decoder.fill(atoms, None, allowed_tags(sentence, self.columns, self.tags), None, None)
        self._write(sentence, found or self._decoder.decode(atoms))
        given.restore(sentence)

    def _write(self, sentence: Sentence, found: Decoded) -> None:
        best, _, _, words, actions, scores = found
        tags = self.tags
        self.columns.write(sentence, [tags[t] for t in best.tolist()])
        sentence.score = sum(scores.tolist())
        sentence.trace = Trace(words, actions, scores, tags, contests=partial(self._contests, sentence.forms))

    def _contests(self, forms: Sequence[str], made: Sequence[tuple[int, int]], most: int) -> list[Rivals]:
        return self._decoder.contests(self._reader.atoms(forms), None, made, most)

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The best taggings that the beam ends with, best first, as many as it is wide at most."""
        require_beam(self.name, self.options.beam)
        request.watch(len(sentence))
        found = self._decoder.decode_all(self._reader.atoms(sentence.forms), None, self.options.beam)
        return distinct_sentences(sentence, found, self._write, count)

    def tag_numbers(self, forms: Sequence[str]) -> npt.NDArray[np.uint16]:
        """The tags of some words, as numbers."""
        return self._decoder.decode(self._reader.atoms(forms))[0]

    def parts(self) -> Parts:
        """Tags, templates, dictionary and weights."""
        header, arrays = table_parts({TAGS: self.weights})
        header |= {"tags": list(self.tags), "templates": template_texts(self.features.tagging)}
        arrays |= cluster_arrays(self.features.clusters)
        return header, arrays | lexicon_arrays(self.lexicon.dictionary, self.lexicon.affixes)

    @classmethod
    def from_parts(
        cls, options: EasyFirstTaggerOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a tagger together from a model file."""
        try:
            tags = tuple(open_tags(header["tags"], TagColumns(options.tag)))
            weights = open_group(TAGS, header, arrays, len(tags))
            lexicon = TagLexicon(tags, open_dictionary(len(tags), arrays), open_affixes(arrays))
            features = Features(read_templates(header, "templates"), clusters=open_clusters(arrays))
            return cls(options, features, weights, lexicon, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError, OptionError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error


def tag_decoder(features: Features, weights: Scorer, lexicon: TagLexicon, beam: int, check: bool = False) -> EasyFirst:
    """The search for tags alone."""
    scoring = features.tag_scoring(weights, lexicon.dictionary)
    return EasyFirst(scoring, None, features.width, features.pad, beam, check)
