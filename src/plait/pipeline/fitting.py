"""Training a ``pipeline``: its parts one after the other, then the scores of the whole pipeline."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from plait.chain.crf_segmenter import CrfSegmenter
from plait.chain.crf_tagger import CrfTagger
from plait.chain.rawtext import passages
from plait.data.document import UNKNOWN, UNSPECIFIED, Sentence
from plait.data.tags import TagColumns, filled_columns
from plait.errors import DataError, OptionError
from plait.evaluation import conll18
from plait.learn.task import TrainingTask
from plait.logs import logger
from plait.morphology.lemma_joint import can_be_joint
from plait.morphology.lemma_options import LemmatizerOptions, tag_columns
from plait.morphology.lemma_words import words_of
from plait.morphology.lemmatizer import Lemmatizer
from plait.morphology.system import MorphTagger
from plait.options import shown_options, written_options
from plait.pipeline.agreement import COARSE
from plait.pipeline.system import (
    AUTO,
    LEMMATIZER,
    PARSER,
    SEGMENTER,
    TAGGER,
    Pipeline,
    PipelineOptions,
    learn_agreement,
    part_system,
    segmenter_inside,
)
from plait.system import System, find_system, find_trainer
from plait.system.modelparts import read_tagset
from plait.system.request import PLAIN

DEFAULT_PARSER = "transition-joint"
# its options here: close to the accuracy of its own defaults, and several times as fast to train
SHORT_TRAINING = "beam=8 epochs=12"
PATIENCE = "patience=3"  # the same, with development data
JOINT_TAGGERS = (MorphTagger.name, CrfTagger.name)  # which can decide together with the lemmatizer
NO_JOINT_LEMMAS = "pipeline: option lemma_weight has no effect without a morph-tagger and lemmas; leave it out"
SEGMENTER_OPTIONS = "segmenter_options"  # of a parser that has the segmenter inside


def fit_pipeline(task: TrainingTask, options: PipelineOptions) -> Pipeline:
    """Train the parts one after the other; each is scored on dev alone, and all together from raw text."""
    options = _with_parser(options, task)
    # all options are looked at before the first training
    wanted = {
        SEGMENTER: (CrfSegmenter.name, options.segmenter_options),
        PARSER: (options.parser, options.parser_options),
    }
    if find_system(options.parser).finds_words:  # it has the segmenter inside
        del wanted[SEGMENTER]
    if options.tagger:
        name = MorphTagger.name if options.tagger == AUTO else options.tagger
        wanted[TAGGER] = name, options.tagger_options
    lemmas = options.lemmatizer == AUTO and any(True for sentence in task.train for _ in words_of(sentence, ""))
    if lemmas:
        wanted[LEMMATIZER] = Lemmatizer.name, options.lemmatizer_options
    if options.lemma_weight > 0 and not (lemmas and wanted.get(TAGGER, ("",))[0] in JOINT_TAGGERS):
        raise OptionError(NO_JOINT_LEMMAS)
    chosen = {part: _chosen(part, *texts, prune=options.prune, dev=bool(task.dev)) for part, texts in wanted.items()}
    parser, parser_options = chosen[PARSER]
    if parser.finds_words and SEGMENTER_OPTIONS not in options.parser_options:
        told = {SEGMENTER_OPTIONS: options.segmenter_options}
        chosen[PARSER] = parser, dataclasses.replace(parser_options, **told)
    tagging = (PARSER,) if options.tagger == AUTO else (PARSER, TAGGER)
    for part in tagging:  # words without tags are found before hours of training, too
        if part in chosen and (tag := getattr(chosen[part][1], "tag", "")):
            read_tagset(task.train, TagColumns(tag))
    trained: dict[str, Any] = {}
    for part, (system, part_options) in chosen.items():
        own = task.part(part).named(part)
        if part == TAGGER and options.tagger == AUTO:
            columns = _left_open(task.train, trained[PARSER])
            if not columns:
                continue
            dev = [*filter(TagColumns("+".join(columns)).given, task.dev)]
            if set(columns) - set(filled_columns(dev)):
                dev = []  # without one of the columns no tag would be right
            own = dataclasses.replace(own, dev=dev)
            part_options = dataclasses.replace(part_options, tag="+".join(columns))
        if part == LEMMATIZER and any("lemmas" in system.predicts for system in trained.values()):
            continue  # a tagger of the user's choice does that
        if part == LEMMATIZER:
            own, part_options = _for_lemmas(
                own, part_options, [trained[name] for name in (PARSER, TAGGER) if name in trained]
            )
        trained[part] = find_trainer(system.name)(own, part_options)
    if options.lemma_weight > 0 and not (LEMMATIZER in trained and can_be_joint(trained.get(TAGGER))):
        raise OptionError(NO_JOINT_LEMMAS)  # the parser has left no column to the tagger, for example
    segmenter = segmenter_inside(trained[PARSER]) or trained[SEGMENTER]
    assert isinstance(segmenter, CrfSegmenter)
    agreement = learn_agreement(task.train, trained[PARSER], trained.get(TAGGER))
    pipeline = Pipeline(options, segmenter, trained[PARSER], trained.get(TAGGER), agreement, trained.get(LEMMATIZER))
    pipeline.training = {part: system.training for part, system in trained.items()}
    if any(map(len, task.dev)):
        pipeline.training["dev"] = raw_text_scores(pipeline, task.dev)
    return pipeline


def raw_text_scores(pipeline: Pipeline, gold: Iterable[Sentence]) -> dict[str, float]:
    """The CoNLL 2018 measures on the running text of these sentences, for predicted columns that they have."""
    sentences = [sentence for sentence in gold if len(sentence)]
    running, spaces = pipeline.segmenter.options.sentences, pipeline.segmenter.conventions.spaces
    texts = (passage.text for passage in passages(sentences, None, running=running, spaces=spaces))
    found = conll18(sentences, [sentence for text in texts for sentence in pipeline.segment(text, PLAIN)])
    wanted = {
        "heads": ("UAS", "LAS"), "upos": ("UPOS",), "xpos": ("XPOS",), "feats": ("UFeats",), "lemmas": ("Lemmas",),
    }  # fmt: skip
    filled = {c for s in sentences for c in wanted if any(v not in (UNSPECIFIED, UNKNOWN) for v in getattr(s, c))}
    names = [name for column in pipeline.predicts if column in filled for name in wanted[column]]
    return {name.lower(): found[name].f1 for name in ("Words", "Sentences", *names)}


def _with_parser(options: PipelineOptions, task: TrainingTask) -> PipelineOptions:
    """The options with the parser and the tag column that the training data asks for, unless a parser is chosen."""
    if options.parser != AUTO:
        return options
    filled = filled_columns(task.train)
    if not filled:
        raise DataError(
            "pipeline: no word of the training data has UPOS, XPOS or FEATS, which parsers and taggers need; for words "
            "alone, train a crf-segmenter"
        )
    if any(head != UNKNOWN for sentence in task.train for head in sentence.heads):
        name, chosen = DEFAULT_PARSER, [SHORT_TRAINING, PATIENCE] if task.dev else [SHORT_TRAINING]
        if COARSE not in filled:
            chosen.append(f"tag={filled[0]}")
            logger.warning("pipeline: the training data has no UPOS; the tags of the parser are %s", filled[0].upper())
    else:
        name, chosen = MorphTagger.name, []
        logger.warning("pipeline: no word of the training data has a head; training a tagger instead of a parser")
    text = " ".join([*chosen, options.parser_options])  # of two values for an option the later one counts
    written = shown_options(written_options(find_system(name).Options, text, name, dev=bool(task.dev)))
    return dataclasses.replace(options, parser=name, parser_options=written)


def _chosen(part: str, name: str, options: str, *, prune: bool, dev: bool) -> tuple[type[System], Any]:
    """A part's system and options, both checked; without ``prune`` it drops no weights, whatever its options."""
    system = find_system(name) if part == SEGMENTER else part_system(name, part)
    return system, written_options(system.Options, options, name, dev=dev, prune=prune)


def _left_open(train: Sequence[Sentence], parser: System) -> list[str]:
    """The tag columns that the training data has and the parser does not predict."""
    found = set(parser.predicts) - parser.takes
    return [column for column in filled_columns(train) if column not in found]


def _for_lemmas(
    task: TrainingTask, options: LemmatizerOptions, others: Iterable[System]
) -> tuple[TrainingTask, LemmatizerOptions]:
    """Task and options of the lemmatizer, which uses the columns that other parts predict, and dev data with lemmas."""
    filled = {column for system in others for column in system.predicts}
    columns = [column for column, used in tag_columns(options.tag).items() if used and column in filled]
    dev = [sentence for sentence in task.dev if any(True for _ in words_of(sentence, ""))]
    return dataclasses.replace(task, dev=dev), dataclasses.replace(options, tag="+".join(columns))
