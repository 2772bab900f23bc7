"""Training ``perceptron-tagger``: Viterbi decoding, one update for each sentence that is tagged wrongly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait.arrays import UInt16Array, UInt64Array
from plait.chain._tagger import ChainTagger
from plait.chain.options import PerceptronTaggerOptions
from plait.chain.perceptron_tagger import GROUP, PerceptronTagger, chain_tagger, tagging_features
from plait.core._weights import Scorer
from plait.core.tables import Arrays, new_table
from plait.data.tags import TagColumns, shown_tag
from plait.features._lexicon import build_dictionary
from plait.features.heaviest import HeavyFeatures, Named
from plait.features.sequence import SequenceTemplates
from plait.features.templates import load_templates
from plait.features.word_resources import WordResources
from plait.learn.decoding_model import DecodingModel
from plait.learn.fitting import fit_online
from plait.learn.learners import Violation
from plait.learn.outcome import Outcome
from plait.learn.task import TrainingTask
from plait.system.modelparts import read_tagset


@dataclass(frozen=True)
class Example:
    """A training sentence, its atoms computed once for all epochs."""

    atoms: UInt64Array
    gold: UInt16Array


class TaggerInTraining(DecodingModel[ChainTagger]):
    """The tagger as the online loop sees it."""

    def violation(self, example: Example) -> Violation | None:
        """Decode; where a tag is wrong, the difference of the two feature vectors."""
        predicted, _ = self._decoder.decode(example.atoms)
        if np.array_equal(predicted, example.gold):
            return None
        delta, wrong = self._decoder.difference(example.atoms, example.gold, predicted)
        return Violation({GROUP: delta}, {GROUP: float(wrong)})


def fit_perceptron_tagger(task: TrainingTask, options: PerceptronTaggerOptions) -> PerceptronTagger:
    """Train the tagger online."""
    columns = TagColumns(options.tag)
    resources = WordResources.read(options, task.files)
    chosen = load_templates(options.templates, "tagging")
    features = tagging_features(resources.extended(chosen, "chain", "perceptron"), resources)
    tags = read_tagset(task.train, columns, task.dev)
    number = {tag: i for i, tag in enumerate(tags)}
    gold = [(s.forms, [number[t] for t in columns.read(s)]) for s in task.train if len(s)]
    dictionary = build_dictionary(gold, len(tags), options.tag_dictionary)
    examples = [
        Example(features.atoms(forms), np.array(numbers, dtype=np.uint16))
        for forms, numbers in task.track(gold, "features")
    ]

    def decoder(tables: Mapping[str, Scorer]) -> ChainTagger:
        return chain_tagger(tables[GROUP], features, dictionary, options.limit)

    model = TaggerInTraining(decoder, {GROUP: new_table(options.table, len(tags), options.hash_bits)})
    dev = [(features.atoms(s.forms), columns.read(s)) for s in task.dev if len(s)]

    def measure(tables: Mapping[str, Scorer]) -> Outcome:
        tagger, outcome = decoder(tables), Outcome("accuracy")
        for atoms, right_tags in dev:
            outcome.add(tags=(right_tags, [tags[t] for t in tagger.decode(atoms)[0].tolist()]))
        return outcome

    frozen, best, training = fit_online(task, options, model, examples, measure if dev else None, "accuracy")
    training["heaviest"] = heaviest_features(best[GROUP], tags, features, gold)
    return PerceptronTagger(options, tuple(tags), features, frozen[GROUP], dictionary, training=training)


def heaviest_features(
    weights: Arrays,
    tags: Sequence[str],
    features: SequenceTemplates,
    sentences: Iterable[tuple[Sequence[str], Sequence[int]]],
) -> Named:
    """For each tag its heaviest features in words."""
    names = [shown_tag(tag) for tag in tags]
    heavy = HeavyFeatures()
    heavy.add_table(weights, names)
    for key, text in features.name_keys(set(heavy.unnamed), sentences, names):
        heavy.name([key], lambda _, text=text: text)  # type: ignore[misc]
    return heavy.named()
