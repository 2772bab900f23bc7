"""Training ``crf-segmenter``: the segmenter, and the tagger of pipeline and rerank."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plait.chain.crf import Crf
from plait.chain.crf_segmenter import CrfSegmenter, TextConventions, segment_labels
from plait.chain.multiword import JOIN
from plait.chain.options import TWO_STAGES, CrfSegmenterOptions
from plait.chain.rawtext import has_spaces, passages
from plait.chain.segments import FREE
from plait.chain.training.crf_tagger import fit_tagger
from plait.chain.training.fitting import fit_crf, make_problem
from plait.chain.training.heaviest import heaviest_features
from plait.chain.training.problem import Example
from plait.chain.training.segmenter_score import SegmenterScore
from plait.chain.training.unit_examples import gold_example, keeps_runs, learn_splits, read_types, shown_units, words_of
from plait.chain.training.variation import Variation
from plait.chain.training.warm_start import warm_model
from plait.chain.units import SEGMENTER_COLUMNS, UnitReader
from plait.chain.user_words import UserWords
from plait.data.folding import Folding
from plait.data.tags import TagColumns
from plait.errors import DataError
from plait.features.abbreviations import Abbreviations
from plait.features.label_templates import LabelTemplates
from plait.features.templates import load_templates
from plait.features.word_lexicon import read_lexicon
from plait.features.word_resources import WordResources
from plait.learn.task import TrainingTask
from plait.system.request import PLAIN


def fit_crf_segmenter(task: TrainingTask, options: CrfSegmenterOptions) -> CrfSegmenter:
    """Train the segmenter, and the tagger of pipeline and rerank."""
    tagged = options.structure != "linear"
    columns = TagColumns(options.tag) if tagged else None
    if columns is not None and not any(columns.given(s) for s in task.train):
        raise DataError(
            f'the training data has no "{columns.spec}" tags; choose another column with --tag, '
            "or --structure linear to predict words only"
        )
    if columns is not None and task.dev and not any(columns.given(s) for s in task.dev):
        raise DataError(
            f'the development set has no "{columns.spec}" tags; use another one, leave out --dev, '
            "or choose --structure linear to predict words only"
        )
    spaces = has_spaces(task.train)
    train = list(passages(task.train, columns, running=options.sentences, spaces=spaces))
    dev = list(passages(task.dev, columns, running=options.sentences, spaces=spaces))
    conventions = TextConventions(
        runs=options.units == "runs" or (options.units == "auto" and keeps_runs(train)),
        inner=any(any(c.isspace() for c in p.text[a:b]) for p in train for a, b in p.spans),
        spaces=spaces,
        folded=Folding.learn(p.text for p in train).characters,
    )
    types = read_types(train) if tagged else [""]
    splitter = learn_splits(task.train)
    labels = segment_labels(options, types)
    joint = options.structure in ("hybrid", "cross-product")
    name = options.templates or {"hybrid": "text-joint"}.get(options.structure, "text-words")
    resources = WordResources(lexicon=read_lexicon(options.lexicon, task.files))
    templates = resources.extended(load_templates(name, "chain"), "chain", "joint" if joint else "words")
    features = LabelTemplates(templates, SEGMENTER_COLUMNS)
    resources.check(features.columns)
    abbreviations = Abbreviations.load(options.abbreviations)
    reader = UnitReader(conventions.runs, abbreviations.numbers, resources.lexicon)
    known = set(types)
    varied = list(Variation(abbreviations, train, task.seed).copies(train)) if options.abbreviations else []

    def examples() -> Iterator[Example]:
        for passage in task.track([*train, *varied], "features"):
            yield gold_example(passage, labels, features, reader, conventions.inner, known)

    mask = labels.mask([FREE, (labels.beginnings, "")])
    masks = mask["s"].astype(np.float64), mask["t"].astype(np.float64)
    problem = make_problem(labels.space, features, examples(), options, masks)

    def measure(crf: Crf) -> dict[str, float]:
        model = CrfSegmenter(options, types, crf, None, splitter, conventions, abbreviations, resources)
        score = SegmenterScore()
        for passage in dev:
            tokens, _ = model.search.tokens(passage.text, UserWords(None, passage.text), PLAIN)
            score.add(passage, tokens)
        return score.measures(joint=joint, sentences=options.sentences)

    warm = warm_model(options.warm_start, CrfSegmenter)
    decides = "joint_f1" if joint else "text_f1" if options.sentences else "seg_f1"
    crf, w, training = fit_crf(problem, task, options, measure if dev else None, decides, warm)
    training["heaviest"] = heaviest_features(problem, w, shown_units(train, features, reader))
    tagger = None
    if options.structure in TWO_STAGES:
        pairs = [(words_of(p), [t if t in known else t.split(JOIN)[0] for t in p.types]) for p in train]
        held_out = [(words_of(p), list(p.types)) for p in dev]
        tagger, _, training["tagger"] = fit_tagger(
            pairs, held_out, types, task, options, options.tag_templates, part="tagger"
        )
    found = CrfSegmenter(options, types, crf, tagger, splitter, conventions, abbreviations, resources)
    found.training = training
    return found
