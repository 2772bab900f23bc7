"""``crf-chunker``: chunks of words, such as noun and verb phrases (CoNLL-2000), and the rivals of the hybrid CRF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf import Crf, Labelling
from plait.chain.crf_tagger import fit_tagger
from plait.chain.distinct import distinct
from plait.chain.fitting import CrfOptions, CrfProblem, Example, fit_crf
from plait.chain.heaviest import Source, heaviest_features
from plait.chain.labels import LabelSpace, hybrid_space, linear_space
from plait.chain.stretches import STRETCH_COLUMNS, stretch_atoms
from plait.chain.warm import warm_model
from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.schemes import BIO, OUTSIDE, SCHEMES, Scheme, Stretch, split
from plait.errors import DataError, ModelError
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.heaviest import show_form
from plait.features.labelled import LabelledTemplates
from plait.features.templates import load_templates
from plait.learn.task import TrainingTask
from plait.options import option
from plait.system import Parts, System
from plait.system.modelparts import open_names
from plait.system.request import PLAIN, Request

COLUMN = "chunk"
STRUCTURES = ("hybrid", "cross-product", "pipeline", "rerank", "linear")
TWO_STAGES = ("pipeline", "rerank")

Numbers = npt.NDArray[np.int32]


class Analysis(NamedTuple):
    """Chunks, marks and types in the chart, the score; and of two stages the types of all stretches."""

    chunks: list[Stretch]
    marks: Numbers
    types: Numbers
    score: float
    kinds: Numbers | None = None


@dataclass(frozen=True)
class CrfChunkerOptions(CrfOptions):
    """The options of ``crf-chunker``."""

    structure: str = option("hybrid", "how chunk borders and types are found together", choices=STRUCTURES)
    scheme: str = option("bies", "labels of the borders; linear takes bio, as in the file", choices=("bio", "bies"))
    hard: bool = option(True, "never break a chunk by its type; --no-hard learns that, as the paper did")
    pos: str = option("xpos", "the part of speech that templates call p", choices=("xpos", "upos"))
    templates: str = option("", "feature set; empty: Table 2 of Qian et al.; or a table FILE or FILE:SET")
    candidates: int = option(20, "rerank: segmentations to choose from", minimum=1, maximum=1000)
    tagger: bool = option(True, "train a tagger as well, for sentences without parts of speech")


class ChunkLabels:
    """Chunk labels of a file as numbers of a label space, and back. Outside counts as stretches of one, of type O."""

    def __init__(self, structure: str, scheme: Scheme, types: Sequence[str], hard: bool) -> None:
        self.structure = structure
        self.scheme = BIO if structure == "linear" else scheme
        self.types = (*types, OUTSIDE)
        self.space: LabelSpace
        if structure == "hybrid":
            self.space = hybrid_space(self.scheme.marks, self.types, self.scheme, hard=hard)
        elif structure in TWO_STAGES:
            self.space = linear_space(self.scheme.marks, self.scheme if hard else None)
        else:
            self.space = linear_space(self.scheme.labels(types), self.scheme if hard else None)
        self.mark = {mark: i for i, mark in enumerate(self.space.marks)}
        self.type = {type: i for i, type in enumerate(self.space.types)}

    def encode(self, labels: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Marks and types of a gold sentence; what is not a legal sequence is read as conlleval reads it."""
        written = self.scheme.encode(len(labels), self.scheme.decode(labels))
        alone = self.scheme.single or self.scheme.begin[0]
        pairs = [split(label) if label != OUTSIDE else (alone, OUTSIDE) for label in written]
        if self.structure == "hybrid":
            marks = [self.mark[mark] for mark, _ in pairs]
            types = [self.type[type] for _, type in pairs]
        else:
            marks = [0] * len(written)
            types = [self.type[mark] for mark, _ in pairs] if self.structure in TWO_STAGES else [
                self.type[label] for label in written
            ]  # fmt: skip
        return np.array(marks, dtype=np.int32), np.array(types, dtype=np.int32)

    def stretches(self, marks: Numbers, types: Numbers) -> list[Stretch]:
        """The chunks of a labelling; of two stages, all stretches without a type."""
        if self.structure != "hybrid":
            return self.scheme.decode([self.space.types[t] for t in types])
        names = [(self.space.marks[s], self.space.types[t]) for s, t in zip(marks, types, strict=True)]
        return self.scheme.decode([OUTSIDE if type == OUTSIDE else f"{mark}-{type}" for mark, type in names])

    def all_stretches(self, labels: Sequence[str]) -> list[Stretch]:
        """The gold stretches of a sentence, those outside included."""
        chunks = {s.start: s for s in self.scheme.decode(labels)}
        covered = {i for s in chunks.values() for i in range(s.start, s.end)}
        return [
            chunks.get(i, Stretch(i, i + 1, OUTSIDE)) for i in range(len(labels)) if i in chunks or i not in covered
        ]


class CrfChunker(System):
    """Finds chunks of words; borders and types are decoded together, exactly."""

    name = "crf-chunker"
    grants = frozenset({"scores"})
    Options = CrfChunkerOptions

    def __init__(
        self,
        options: CrfChunkerOptions,
        types: Sequence[str],
        crf: Crf,
        typer: Crf | None,
        tagger: Crf | None,
        training: dict[str, Any],
    ) -> None:
        self.options = options
        self.types = tuple(types)
        self.labels = ChunkLabels(options.structure, SCHEMES[options.scheme], types, options.hard)
        self.crf = crf
        self.typer = typer  # types of stretches: the second stage of pipeline and rerank
        self.tagger = tagger  # parts of speech, where the input has none
        self.training = training

    @property
    def predicts(self) -> tuple[str, ...]:
        """Chunks stand beside the columns of CoNLL-U."""
        return (COLUMN,)

    @classmethod
    def fit(cls, task: TrainingTask, options: CrfChunkerOptions) -> Self:
        """Train the chunker, and whatever stands beside it."""
        types = read_types(task.train)
        labels = ChunkLabels(options.structure, SCHEMES[options.scheme], types, options.hard)
        name = "qian2010-chunk-hybrid" if options.structure == "hybrid" else "qian2010-chunk-cross"
        features = LabelledTemplates(load_templates(options.templates or name, "chain"), WORD_COLUMNS)
        train = [s for s in task.train if len(s)]
        dev = [s for s in task.dev if len(s)]

        def examples() -> Iterable[Example]:
            for sentence in task.track(train, "features"):
                tags = getattr(sentence, options.pos)
                yield Example(atoms_of(sentence.forms, tags, features), *labels.encode(sentence.extra[COLUMN]))

        problem = CrfProblem(labels.space, features, examples(), cutoff=options.cutoff, unseen=options.unseen)
        gold = [set(BIO.decode(s.extra[COLUMN])) for s in dev]

        def measure(crf: Crf, typer: Crf | None = None) -> dict[str, float]:
            model = cls(options, types, crf, typer, None, {})
            right = found = 0
            for sentence, wanted in zip(dev, gold, strict=True):
                chunks = next(model._ranked(sentence.forms, getattr(sentence, options.pos))).chunks
                if typer is None and options.structure in TWO_STAGES:
                    chunks = [s._replace(type="") for s in chunks]
                    wanted = {Stretch(s.start, s.end) for s in labels.all_stretches(sentence.extra[COLUMN])}
                right += len(set(chunks) & wanted)
                found += len(chunks) + len(wanted)
            return {"chunk_f1": 200.0 * right / max(found, 1)}

        warm = warm_model(options.warm_start, cls)
        crf, training = fit_crf(problem, task, options, measure if dev else None, "chunk_f1", warm)
        training["heaviest"] = heaviest_features(problem, crf, shown_words(train, features, options.pos))
        typer = None
        if options.structure in TWO_STAGES:
            typer, training["typer"] = fit_typer(train, labels, task, options)
            training["dev"] = measure(crf, typer) if dev else {}
        tagger = None
        if options.tagger:
            tagged = [(s.forms, getattr(s, options.pos)) for s in train]
            tags = sorted({tag for _, given in tagged for tag in given})
            fast = replace(options, optimizer="adagrad", epochs=5, lasso=0.0)
            quiet = replace(task, dev=(), checkpoint=None, on_epoch=lambda record: None)
            tagger, _ = fit_tagger(tagged, [], tags, quiet, fast, "general")
        return cls(options, types, crf, typer, tagger, training)

    def annotate(self, sentence: Sentence) -> None:
        """Find the chunks of one sentence; they are written in BIO."""
        self.annotate_with(sentence, PLAIN)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` every token gets the probability of its border label and type."""
        request.refuse(self.name, "dictionary", "constrain")
        tags = self._tags(sentence)
        chosen = next(self._ranked(sentence.forms, tags))
        sentence.extra[COLUMN] = BIO.encode(len(sentence), chosen.chunks)
        if request.scores and len(sentence):
            _, p = self.crf.probabilities(atoms_of(sentence.forms, tags, self.crf.features))
            scores = p["st"][np.arange(len(sentence)), chosen.marks, chosen.types]
            if self.typer is not None:
                scores = scores * self._type_chances(sentence.forms, tags, chosen)
            sentence.scores = scores.tolist()

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The ``count`` best analyses of a sentence, best first, each with its score.

        Under ``pipeline`` the score is that of the borders, and each analysis has its best types; under ``rerank``
        there are no more analyses than candidates.
        """

        def twins() -> Iterator[Sentence]:
            for analysis in self._ranked(sentence.forms, self._tags(sentence)):
                request.watch(0)
                twin = sentence.copy()
                twin.extra[COLUMN] = BIO.encode(len(sentence), analysis.chunks)
                twin.score = analysis.score
                yield twin

        return list(distinct(twins(), lambda twin: tuple(twin.extra[COLUMN]), count))

    def _ranked(self, forms: Sequence[str], tags: Sequence[str]) -> Iterator[Analysis]:
        """The analyses of a sentence, best first."""
        labellings = self.crf.ranked(atoms_of(forms, tags, self.crf.features))
        if self.options.structure == "rerank" and self.typer is not None and len(forms):
            # Shi and Wang (2007): the best product of both models' probabilities
            scored = [self._analysis(forms, tags, x) for x in islice(labellings, self.options.candidates)]
            yield from sorted(scored, key=lambda analysis: -analysis.score)
        else:
            yield from (self._analysis(forms, tags, labelling) for labelling in labellings)

    def _analysis(self, forms: Sequence[str], tags: Sequence[str], labelling: Labelling) -> Analysis:
        """The chunks of a labelling, those of two stages with their best types."""
        marks, types, score = labelling
        stretches = self.labels.stretches(marks, types)
        if self.typer is None:
            return Analysis(stretches, marks, types, score)
        atoms = self._stretch_atoms(forms, tags, stretches)
        _, kinds, type_score = self.typer.best(atoms)
        if self.options.structure == "rerank":
            score += type_score - self.typer.probabilities(atoms)[0]
        names = self.typer.space.types
        named = [s._replace(type=names[t]) for s, t in zip(stretches, kinds.tolist(), strict=True)]
        return Analysis([s for s in named if s.type != OUTSIDE], marks, types, score, kinds)

    def _type_chances(self, forms: Sequence[str], tags: Sequence[str], chosen: Analysis) -> npt.NDArray[np.float64]:
        """For each word the probability of the type that its stretch was given."""
        assert self.typer is not None and chosen.kinds is not None  # noqa: PT018
        stretches = self.labels.stretches(chosen.marks, chosen.types)
        _, p = self.typer.probabilities(self._stretch_atoms(forms, tags, stretches))
        chances = p["t"][np.arange(len(stretches)), chosen.kinds]
        return np.repeat(chances, [s.end - s.start for s in stretches])

    def _stretch_atoms(
        self, forms: Sequence[str], tags: Sequence[str], stretches: Sequence[Stretch]
    ) -> npt.NDArray[np.uint64]:
        assert self.typer is not None
        features = self.typer.features
        return stretch_atoms(forms, tags, [(s.start, s.end) for s in stretches], features.columns, features.pad)

    def _tags(self, sentence: Sentence) -> list[str]:
        """The given parts of speech, or those of the model's own tagger."""
        tags: list[str] = getattr(sentence, self.options.pos)
        if not len(sentence) or any(tag != UNSPECIFIED for tag in tags):
            return tags
        if self.tagger is None:
            raise DataError(
                f"the sentence {sentence.text[:40]!r} has no {self.options.pos}, which the chunker looks at; "
                "tag it first with the same tag set, or train the chunker with its own tagger"
            )
        atoms = word_atoms(sentence.forms, self.tagger.features.columns, self.tagger.features.pad)
        return [self.tagger.space.types[t] for t in self.tagger.best(atoms)[1].tolist()]

    def parts(self) -> Parts:
        """Types, templates and weights."""
        header: dict[str, Any] = {"types": list(self.types)}
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name, prefix, crf in self._models():
            if crf is not None:
                header[name], more = crf.parts(prefix)
                arrays.update(more)
        return header, arrays

    def _models(self) -> Iterator[tuple[str, str, Crf | None]]:
        yield "crf", "", self.crf
        yield "typer", "typer.", self.typer
        yield "tagger", "tagger.", self.tagger

    @classmethod
    def from_parts(
        cls, options: CrfChunkerOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a chunker together from a model file."""
        try:
            types = open_names(header["types"], "types")
            crf = Crf.from_parts(header["crf"], arrays, WORD_COLUMNS)
            two = options.structure in TWO_STAGES
            typer = Crf.from_parts(header["typer"], arrays, STRETCH_COLUMNS, "typer.") if two else None
            tagger = Crf.from_parts(header["tagger"], arrays, WORD_COLUMNS, "tagger.") if "tagger" in header else None
            chunker = cls(options, types, crf, typer, tagger, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error
        if (chunker.labels.space.marks, chunker.labels.space.types) != (crf.space.marks, crf.space.types):
            raise ModelError(f"damaged {cls.name} model: other labels than its types; train or fetch the model again")
        return chunker


def shown_words(sentences: Sequence[Sentence], features: LabelledTemplates, pos: str) -> Iterator[Source]:
    """The sentences, to be looked up for what features say."""
    for sentence in sentences:
        tags: list[str] = getattr(sentence, pos)

        def show(column: str, i: int, forms: list[str] = sentence.forms, tags: list[str] = tags) -> str:
            return tags[i] if column == "p" else show_form(column, forms[i])

        yield atoms_of(sentence.forms, tags, features), show


def fit_typer(
    train: Sequence[Sentence], labels: ChunkLabels, task: TrainingTask, options: CrfChunkerOptions
) -> tuple[Crf, dict[str, Any]]:
    """The second stage: types of gold stretches."""
    features = LabelledTemplates(load_templates("chunk-types", "chain"), STRETCH_COLUMNS)
    number = {type: i for i, type in enumerate(labels.types)}

    def examples() -> Iterable[Example]:
        for sentence in train:
            stretches = labels.all_stretches(sentence.extra[COLUMN])
            spans = [(s.start, s.end) for s in stretches]
            tags = getattr(sentence, options.pos)
            atoms = stretch_atoms(sentence.forms, tags, spans, features.columns, features.pad)
            types = np.array([number[s.type] for s in stretches], dtype=np.int32)
            yield Example(atoms, np.zeros(len(types), dtype=np.int32), types)

    space = linear_space(labels.types)
    problem = CrfProblem(space, features, examples(), cutoff=options.cutoff, unseen=options.unseen)
    return fit_crf(problem, task, options, part="typer")


def read_types(sentences: Sequence[Sentence]) -> list[str]:
    """The chunk types of the training data, sorted."""
    missing = next((s for s in sentences if len(s) and COLUMN not in s.extra), None)
    if missing is not None:
        raise DataError(f"the training sentence {missing.text[:40]!r} has no chunks; expected CoNLL-2000 columns")
    return sorted({split(label)[1] for s in sentences for label in s.extra.get(COLUMN, ())} - {""})


def atoms_of(forms: Sequence[str], tags: Sequence[str], features: LabelledTemplates) -> npt.NDArray[np.uint64]:
    """The padded matrix of a sentence, with its parts of speech as column p."""
    atoms = word_atoms(forms, features.columns, features.pad)
    if "p" in features.columns and len(forms):
        known = {tag: text_hash(tag) for tag in set(tags)}
        column = features.columns.index("p")
        atoms[features.pad : features.pad + len(forms), column] = [known[tag] for tag in tags]
    return atoms
