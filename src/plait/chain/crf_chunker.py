"""``crf-chunker``: chunks of words, such as noun and verb phrases (CoNLL-2000), with all CRF structures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np

from plait.arrays import Float64Array, Int32Array, UInt64Array
from plait.chain.chunk_atoms import CHUNK_COLUMNS, chunk_atoms
from plait.chain.chunk_labels import ChunkLabels
from plait.chain.crf import PATIENCE, Crf, Labelling
from plait.chain.options import TWO_STAGES, CrfChunkerOptions
from plait.core._hashing import text_hash
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.schemes import BIO, OUTSIDE, SCHEMES, Span
from plait.errors import DataError
from plait.features._words import WordRows
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources
from plait.system import Arrays, Parts, System
from plait.system.alternatives import distinct
from plait.system.modelparts import joined_parts, open_names
from plait.system.request import PLAIN, Request

COLUMN = "chunk"


class Analysis(NamedTuple):
    """Chunks, marks and types in the chart, the score; with two stages also the types of all spans."""

    chunks: list[Span]
    marks: Int32Array
    types: Int32Array
    score: float
    kinds: Int32Array | None = None


@dataclass(eq=False, repr=False)
class CrfChunker(System):
    """A CRF chunker: boundaries and types are decoded jointly and exactly (Qian et al. 2010)."""

    name = "crf-chunker"
    supports = frozenset({"scores"})
    Options = CrfChunkerOptions

    types: Sequence[str]
    crf: Crf
    typer: Crf | None  # types of spans: the second stage of pipeline and rerank
    tagger: Crf | None  # parts of speech, where the input has none
    resources: WordResources = NO_RESOURCES

    def __post_init__(self) -> None:
        options = self.options
        self.labels = ChunkLabels(options.structure, SCHEMES[options.scheme], self.types, options.hard)
        features = self.crf.features
        self._reader = self.resources.reader(features.columns, features.pad)
        if self.tagger is not None:
            seen = self.tagger.features
            self._tagger_reader = self.resources.reader(seen.columns, seen.pad)

    @property
    def predicts(self) -> tuple[str, ...]:
        """Chunks are an extra column, outside CoNLL-U."""
        return (COLUMN,)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Find the chunks of one sentence; they are written in BIO.

        With ``request.scores`` every token gets the probability of its border label and type.
        """
        request.refuse(self.name, "dictionary", "constrain")
        tags = self._tags(sentence)
        chosen = next(self._analyses(sentence.forms, tags))
        sentence.extra[COLUMN] = BIO.encode(len(sentence), chosen.chunks)
        if request.scores and len(sentence):
            _, p = self.crf.probabilities(self._atoms(sentence.forms, tags))
            scores = p["st"][np.arange(len(sentence)), chosen.marks, chosen.types]
            if self.typer is not None:
                scores = scores * self._type_probabilities(sentence.forms, tags, chosen)
            sentence.scores = scores.tolist()

    def alternatives(self, sentence: Sentence, count: int, request: Request = PLAIN) -> list[Sentence]:
        """The ``count`` best analyses of a sentence, best first, each with its score.

        With ``pipeline`` the score is that of the boundaries, and each analysis has its best types; with ``rerank``
        there are no more analyses than candidates.
        """

        def analyses() -> Iterator[Sentence]:
            for analysis in self._analyses(sentence.forms, self._tags(sentence)):
                request.on_step(0)
                copy = sentence.copy()
                copy.extra[COLUMN] = BIO.encode(len(sentence), analysis.chunks)
                copy.score = analysis.score
                yield copy

        return list(distinct(analyses(), lambda copy: tuple(copy.extra[COLUMN]), count, PATIENCE))

    def _analyses(self, forms: Sequence[str], tags: Sequence[str]) -> Iterator[Analysis]:
        """The analyses of a sentence, best first."""
        labellings = self.crf.ranked(self._atoms(forms, tags))
        if self.options.structure == "rerank" and self.typer is not None and len(forms):
            # Shi and Wang (2007): the best product of both models' probabilities
            scored = [self._analysis(forms, tags, x) for x in islice(labellings, self.options.candidates)]
            yield from sorted(scored, key=lambda analysis: -analysis.score)
        else:
            yield from (self._analysis(forms, tags, labelling) for labelling in labellings)

    def _analysis(self, forms: Sequence[str], tags: Sequence[str], labelling: Labelling) -> Analysis:
        """The chunks of a labelling; with two stages, with their best types."""
        marks, types, score = labelling
        spans = self.labels.spans(marks, types)
        if self.typer is None:
            return Analysis(spans, marks, types, score)
        atoms = self._chunk_atoms(forms, tags, spans)
        _, kinds, type_score = self.typer.best(atoms)
        if self.options.structure == "rerank":
            score += type_score - self.typer.probabilities(atoms)[0]
        names = self.typer.space.types
        named = [s._replace(type=names[t]) for s, t in zip(spans, kinds.tolist(), strict=True)]
        return Analysis([s for s in named if s.type != OUTSIDE], marks, types, score, kinds)

    def _type_probabilities(self, forms: Sequence[str], tags: Sequence[str], chosen: Analysis) -> Float64Array:
        """For each word the probability of the type of its span."""
        assert self.typer is not None and chosen.kinds is not None  # noqa: PT018
        spans = self.labels.spans(chosen.marks, chosen.types)
        _, p = self.typer.probabilities(self._chunk_atoms(forms, tags, spans))
        probabilities = p["t"][np.arange(len(spans)), chosen.kinds]
        return np.repeat(probabilities, [s.end - s.start for s in spans])

    def _atoms(self, forms: Sequence[str], tags: Sequence[str]) -> UInt64Array:
        return atoms_of(forms, tags, self._reader)

    def _chunk_atoms(self, forms: Sequence[str], tags: Sequence[str], spans: Sequence[Span]) -> UInt64Array:
        assert self.typer is not None
        features = self.typer.features
        return chunk_atoms(forms, tags, [(s.start, s.end) for s in spans], features.columns, features.pad)

    def _tags(self, sentence: Sentence) -> list[str]:
        """The given parts of speech, or those of the model's own tagger."""
        tags: list[str] = getattr(sentence, self.options.tag)
        if not len(sentence) or any(tag != UNSPECIFIED for tag in tags):
            return tags
        if self.tagger is None:
            raise DataError(
                f"the sentence {sentence.text[:40]!r} has no {self.options.tag}, which the chunker needs; "
                "tag it first with the same tag set, or train the chunker with its own tagger"
            )
        _, found, _ = self.tagger.best(self._tagger_reader.atoms(sentence.forms))
        return [self.tagger.space.types[t] for t in found.tolist()]

    def parts(self) -> Parts:
        """Types, templates, weights, clusters and lexicon."""
        crfs = {"crf": self.crf, "typer": self.typer, "tagger": self.tagger}
        parts = (crf.parts(name) for name, crf in crfs.items() if crf is not None)
        return joined_parts(({"types": list(self.types)}, {}), self.resources.parts(), *parts)

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        types = open_names(header["types"], "types")
        resources = WordResources.from_parts(header, arrays)
        crf = Crf.from_parts(header, arrays, KNOWN_COLUMNS)
        two = options.structure in TWO_STAGES
        typer = Crf.from_parts(header, arrays, CHUNK_COLUMNS, "typer") if two else None
        tagger = Crf.from_parts(header, arrays, KNOWN_COLUMNS, "tagger") if "tagger" in header else None
        for part in (crf, tagger):
            resources.check(part.features.columns if part is not None else ())
        chunker = cls(options, types, crf, typer, tagger, resources)
        if (chunker.labels.space.marks, chunker.labels.space.types) != (crf.space.marks, crf.space.types):
            raise ValueError("its labels do not match its types")
        return chunker


def atoms_of(forms: Sequence[str], tags: Sequence[str], reader: WordRows) -> UInt64Array:
    """The padded matrix of a sentence, with its parts of speech as column p."""
    atoms = reader.atoms(forms)
    if "p" in reader.columns and len(forms):
        known = {tag: text_hash(tag) for tag in set(tags)}
        atoms[reader.pad : reader.pad + len(forms), reader.columns.index("p")] = [known[tag] for tag in tags]
    return atoms
