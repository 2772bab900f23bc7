"""Training ``crf-chunker``: the chunker, the types of its second stage, and a tagger for sentences without tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from plait.chain.chunk_atoms import CHUNK_COLUMNS, chunk_atoms
from plait.chain.chunk_labels import ChunkLabels
from plait.chain.crf import Crf
from plait.chain.crf_chunker import COLUMN, CrfChunker, atoms_of
from plait.chain.labels import linear_space
from plait.chain.options import TWO_STAGES, CrfChunkerOptions
from plait.chain.training.crf_tagger import fit_tagger
from plait.chain.training.fitting import FittedCrf, fit_crf, make_problem
from plait.chain.training.heaviest import Source, heaviest_features
from plait.chain.training.problem import Example
from plait.chain.training.warm_start import warm_model
from plait.data.document import Sentence
from plait.data.schemes import BIO, SCHEMES, Span, split
from plait.errors import DataError
from plait.features._words import WordRows
from plait.features.label_templates import LabelTemplates
from plait.features.templates import load_templates
from plait.features.word_resources import KNOWN_COLUMNS, WordResources, show_word
from plait.learn.task import TrainingTask


def fit_crf_chunker(task: TrainingTask, options: CrfChunkerOptions) -> CrfChunker:
    """Train the chunker and, depending on the options, its second stage and its tagger."""
    types = read_types(task.train)
    labels = ChunkLabels(options.structure, SCHEMES[options.scheme], types, options.hard)
    name = "chunk-hybrid" if options.structure == "hybrid" else "chunk-cross"
    resources = WordResources.read(options, task.files)
    templates = load_templates(options.templates or f"qian2010-{name}", "chain")
    features = LabelTemplates(resources.extended(templates, "chain", name), KNOWN_COLUMNS)
    resources.check(features.columns)
    reader = resources.reader(features.columns, features.pad)
    train = [s for s in task.train if len(s)]
    dev = [s for s in task.dev if len(s)]

    def examples() -> Iterable[Example]:
        for sentence in task.track(train, "features"):
            tags = getattr(sentence, options.tag)
            yield Example(atoms_of(sentence.forms, tags, reader), *labels.encode(sentence.extra[COLUMN]))

    problem = make_problem(labels.space, features, examples(), options)
    gold = [set(BIO.decode(s.extra[COLUMN])) for s in dev]

    def measure(crf: Crf, typer: Crf | None = None) -> dict[str, float]:
        model = CrfChunker(options, types, crf, typer, None, resources)
        right = found = 0
        for sentence, expected in zip(dev, gold, strict=True):
            chunks = next(model._analyses(sentence.forms, getattr(sentence, options.tag))).chunks
            if typer is None and options.structure in TWO_STAGES:
                chunks = [s._replace(type="") for s in chunks]
                expected = {Span(s.start, s.end) for s in labels.all_spans(sentence.extra[COLUMN])}
            right += len(set(chunks) & expected)
            found += len(chunks) + len(expected)
        return {"chunk_f1": 200.0 * right / max(found, 1)}

    warm = warm_model(options.warm_start, CrfChunker)
    crf, w, training = fit_crf(problem, task, options, measure if dev else None, "chunk_f1", warm)
    training["heaviest"] = heaviest_features(problem, w, shown_words(train, reader, options.tag))
    typer = None
    if options.structure in TWO_STAGES:
        typer, _, training["typer"] = fit_typer(train, labels, task, options)
        training["dev"] = measure(crf, typer) if dev else {}
    tagger = None
    if options.tagger:
        tagged = [(s.forms, getattr(s, options.tag)) for s in train]
        tags = sorted({tag for _, given in tagged for tag in given})
        fast = replace(options, optimizer="adagrad", epochs=5, lasso=0.0)
        quiet = replace(task, dev=(), checkpoint=None, on_epoch=lambda record: None)
        tagger = fit_tagger(tagged, [], tags, quiet, fast, "general", resources=resources).crf
    return CrfChunker(options, types, crf, typer, tagger, resources, training=training)


def shown_words(sentences: Sequence[Sentence], reader: WordRows, pos: str) -> Iterator[Source]:
    """The sentences as sources for the readable names of features."""
    for sentence in sentences:
        tags: list[str] = getattr(sentence, pos)

        def show(column: str, i: int, forms: list[str] = sentence.forms, tags: list[str] = tags) -> str:
            return tags[i] if column == "p" else show_word(column, forms[i])

        yield atoms_of(sentence.forms, tags, reader), show


def fit_typer(
    train: Sequence[Sentence], labels: ChunkLabels, task: TrainingTask, options: CrfChunkerOptions
) -> FittedCrf:
    """The second stage: types of gold spans."""
    features = LabelTemplates(load_templates("chunk-types", "chain"), CHUNK_COLUMNS)
    number = {type: i for i, type in enumerate(labels.types)}

    def examples() -> Iterable[Example]:
        for sentence in train:
            chunks = labels.all_spans(sentence.extra[COLUMN])
            spans = [(chunk.start, chunk.end) for chunk in chunks]
            tags = getattr(sentence, options.tag)
            atoms = chunk_atoms(sentence.forms, tags, spans, features.columns, features.pad)
            types = np.array([number[chunk.type] for chunk in chunks], dtype=np.int32)
            yield Example(atoms, np.zeros(len(types), dtype=np.int32), types)

    space = linear_space(labels.types)
    problem = make_problem(space, features, examples(), options)
    return fit_crf(problem, task, options, part="typer")


def read_types(sentences: Sequence[Sentence]) -> list[str]:
    """The chunk types of the training data, sorted."""
    missing = next((s for s in sentences if len(s) and COLUMN not in s.extra), None)
    if missing is not None:
        raise DataError(f"the training sentence {missing.text[:40]!r} has no chunks; expected CoNLL-2000 columns")
    return sorted({split(label)[1] for s in sentences for label in s.extra.get(COLUMN, ())} - {""})
