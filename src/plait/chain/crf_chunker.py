"""``crf-chunker``: chunks of words, such as noun and verb phrases (CoNLL-2000), by a cross-product or hybrid CRF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.chain.crf import Crf
from plait.chain.fitting import CrfOptions, CrfProblem, Example, fit_crf
from plait.chain.labels import LabelSpace, hybrid_space, linear_space
from plait.chain.warm import warm_model
from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.schemes import BIO, OUTSIDE, SCHEMES, Scheme, Stretch, split
from plait.errors import DataError, ModelError
from plait.features._words import WORD_COLUMNS, word_atoms
from plait.features.labelled import LabelledTemplates
from plait.features.templates import load_templates
from plait.learn.options import option
from plait.system import Parts, System, TrainingTask
from plait.system.request import PLAIN, Request

COLUMN = "chunk"
TEMPLATES = {
    "hybrid": "qian2010-chunk-hybrid",
    "cross-product": "qian2010-chunk-cross",
    "linear": "qian2010-chunk-cross",
}


@dataclass(frozen=True)
class CrfChunkerOptions(CrfOptions):
    """The options of ``crf-chunker``."""

    structure: str = option("hybrid", "how chunk borders and types are decoded together", choices=tuple(TEMPLATES))
    scheme: str = option("bies", "labels of the borders; linear takes bio, as in the file", choices=("bio", "bies"))
    hard: bool = option(True, "never break a chunk by its type; --no-hard learns that, as the paper did")
    pos: str = option("xpos", "the part of speech that templates call p", choices=("xpos", "upos"))
    templates: str = option(
        "", "feature set; empty: Table 2 of Qian et al. for the structure; or a table FILE or FILE:SET"
    )


class ChunkLabels:
    """Chunk labels of a file as numbers of a label space, and back."""

    def __init__(self, structure: str, scheme: Scheme, types: Sequence[str], hard: bool) -> None:
        self.hybrid = structure == "hybrid"
        self.scheme = BIO if structure == "linear" else scheme
        self.space: LabelSpace
        if self.hybrid:
            self.space = hybrid_space(self.scheme.marks, [*types, OUTSIDE], self.scheme, hard=hard)
        else:
            self.space = linear_space(self.scheme.labels(types), self.scheme if hard else None)
        self.mark = {mark: i for i, mark in enumerate(self.space.marks)}
        self.type = {type: i for i, type in enumerate(self.space.types)}

    def encode(self, labels: Sequence[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Marks and types of a gold sentence; what is not a legal sequence is read as conlleval reads it."""
        written = self.scheme.encode(len(labels), self.scheme.decode(labels))
        if not self.hybrid:
            marks = [0] * len(written)
            types = [self.type[label] for label in written]
        else:
            alone = self.scheme.single or self.scheme.begin[0]
            pairs = [split(label) if label != OUTSIDE else (alone, OUTSIDE) for label in written]
            marks = [self.mark[mark] for mark, _ in pairs]
            types = [self.type[type] for _, type in pairs]
        return np.array(marks, dtype=np.int32), np.array(types, dtype=np.int32)

    def stretches(self, marks: npt.NDArray[np.int32], types: npt.NDArray[np.int32]) -> list[Stretch]:
        """The chunks of a labelling."""
        if not self.hybrid:
            return self.scheme.decode([self.space.types[t] for t in types])
        names = [(self.space.marks[s], self.space.types[t]) for s, t in zip(marks, types, strict=True)]
        return self.scheme.decode([OUTSIDE if type == OUTSIDE else f"{mark}-{type}" for mark, type in names])


class CrfChunker(System):
    """Finds chunks of words; borders and types are decoded together, exactly."""

    name = "crf-chunker"
    Options = CrfChunkerOptions

    def __init__(self, options: CrfChunkerOptions, types: Sequence[str], crf: Crf, training: dict[str, Any]) -> None:
        self.options = options
        self.types = tuple(types)
        self.labels = ChunkLabels(options.structure, SCHEMES[options.scheme], types, options.hard)
        self.crf = crf
        self.training = training

    @property
    def predicts(self) -> tuple[str, ...]:
        """Chunks stand beside the columns of CoNLL-U."""
        return (COLUMN,)

    @classmethod
    def fit(cls, task: TrainingTask, options: CrfChunkerOptions) -> Self:
        """Train the chunker."""
        types = read_types(task.train)
        labels = ChunkLabels(options.structure, SCHEMES[options.scheme], types, options.hard)
        templates = load_templates(options.templates or TEMPLATES[options.structure], "chain")
        features = LabelledTemplates(templates, WORD_COLUMNS)
        train = [s for s in task.train if len(s)]

        def examples() -> Iterable[Example]:
            for sentence in task.track(train, "features"):
                yield Example(atoms_of(sentence, features, options.pos), *labels.encode(sentence.extra[COLUMN]))

        problem = CrfProblem(labels.space, features, examples(), cutoff=options.cutoff, unseen=options.unseen)
        dev = [(atoms_of(s, features, options.pos), BIO.decode(s.extra[COLUMN])) for s in task.dev if len(s)]

        def measure(crf: Crf) -> dict[str, float]:
            right = found = gold = 0
            for atoms, wanted in dev:
                predicted = labels.stretches(*crf.best(atoms)[:2])
                right += len(set(predicted) & set(wanted))
                found += len(predicted)
                gold += len(wanted)
            return {"chunk_f1": 200.0 * right / max(found + gold, 1)}

        warm = warm_model(options.warm_start, cls)
        crf, training = fit_crf(problem, task, options, measure if dev else None, warm)
        return cls(options, types, crf, training)

    def annotate(self, sentence: Sentence) -> None:
        """Find the chunks of one sentence; they are written in BIO."""
        self.annotate_with(sentence, PLAIN)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` every token gets the probability of its border label and type."""
        request.refuse(self.name, "dictionary")
        atoms = self._atoms(sentence)
        marks, types, score = self.crf.best(atoms)
        self._write(sentence, marks, types, score)
        if request.scores and len(sentence):
            _, p = self.crf.probabilities(atoms)
            sentence.scores = p["st"][np.arange(len(marks)), marks, types].tolist()

    def alternatives(self, sentence: Sentence, count: int) -> list[Sentence]:
        """The ``count`` best analyses of a sentence, best first, each with its score."""
        found: list[Sentence] = []
        for marks, types, score in self.crf.best_n(self._atoms(sentence), count):
            twin = sentence.copy()
            self._write(twin, marks, types, score)
            found.append(twin)
        return found

    def _atoms(self, sentence: Sentence) -> npt.NDArray[np.uint64]:
        if len(sentence) and all(tag == UNSPECIFIED for tag in getattr(sentence, self.options.pos)):
            raise DataError(
                f"the sentence {sentence.text[:40]!r} has no {self.options.pos}, which the chunker looks at; "
                "tag it first, with a tagger of the same tag set"
            )
        return atoms_of(sentence, self.crf.features, self.options.pos)

    def _write(
        self, sentence: Sentence, marks: npt.NDArray[np.int32], types: npt.NDArray[np.int32], score: float
    ) -> None:
        sentence.extra[COLUMN] = BIO.encode(len(sentence), self.labels.stretches(marks, types))
        sentence.score = score

    def parts(self) -> Parts:
        """Types, templates and weights."""
        header, arrays = self.crf.parts()
        return {"crf": header, "types": list(self.types)}, arrays

    @classmethod
    def from_parts(
        cls, options: CrfChunkerOptions, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> Self:
        """Put a chunker together from a model file."""
        try:
            types = [str(type) for type in header["types"]]
            crf = Crf.from_parts(header["crf"], arrays, WORD_COLUMNS)
            chunker = cls(options, types, crf, dict(header.get("training", {})))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"damaged {cls.name} model: {error}; train or fetch the model again") from error
        if (chunker.labels.space.marks, chunker.labels.space.types) != (crf.space.marks, crf.space.types):
            raise ModelError(f"damaged {cls.name} model: other labels than its types; train or fetch the model again")
        return chunker


def read_types(sentences: Sequence[Sentence]) -> list[str]:
    """The chunk types of the training data, sorted."""
    missing = next((s for s in sentences if len(s) and COLUMN not in s.extra), None)
    if missing is not None:
        raise DataError(f"the training sentence {missing.text[:40]!r} has no chunks; expected CoNLL-2000 columns")
    return sorted({split(label)[1] for s in sentences for label in s.extra.get(COLUMN, ())} - {""})


def atoms_of(sentence: Sentence, features: LabelledTemplates, pos: str) -> npt.NDArray[np.uint64]:
    """The padded matrix of a sentence, with its parts of speech as column p."""
    atoms = word_atoms(sentence.forms, features.columns, features.pad)
    if "p" in features.columns and len(sentence):
        tags: list[str] = getattr(sentence, pos)
        known = {tag: text_hash(tag) for tag in set(tags)}
        column = features.columns.index("p")
        atoms[features.pad : features.pad + len(sentence), column] = [known[tag] for tag in tags]
    return atoms
