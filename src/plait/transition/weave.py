"""``transition-weave``: words, tags and trees of raw text in one search (Hatori et al. 2012; Zhang et al. 2014).

A segmenter proposes candidate words where it is uncertain. SHIFT takes one of the candidate words that start at the
next character, with one of its candidate tags; words, tags and arcs are scored together. On given words it is the same
as ``transition-joint``. From data without trees it learns words and tags only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from plait.data.document import Sentence
from plait.errors import OptionError
from plait.system import Parts, find_system
from plait.system.modelparts import joined_parts, nested_parts, open_nested
from plait.system.request import PLAIN, Request
from plait.transition._oracle import SHIFT
from plait.transition.candidate_words import CandidateWords, over_paths
from plait.transition.options import TransitionWeaveOptions
from plait.transition.system import ARCS, TAGS, WORDS, TransitionSystem
from plait.trees.candidates import Candidates

SEGMENTER = "segmenter"  # the part of the model file
SEGMENTER_SYSTEM = "crf-segmenter"


class SearchInput(NamedTuple):
    """A sentence in the form that the search needs."""

    words: CandidateWords
    candidates: Candidates
    atoms: npt.NDArray[np.uint64]


@dataclass(eq=False, repr=False)
class TransitionWeave(TransitionSystem):
    """A transition-based segmenter, tagger and parser of raw text in one search (Hatori et al. 2012)."""

    name = "transition-weave"
    Options = TransitionWeaveOptions
    segments = True
    finds_words = True
    needs_trees = False

    segmenter: Any = field(kw_only=True)

    def segment(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """Sentences of a raw text, tagged and parsed; offsets count from its beginning."""
        found: list[Sentence] = []
        for start, piece, lattices in self.segmenter.lattices(text, request, self.options.word_probability):
            groups, analyses = [], []
            for lattice in lattices:
                request.on_step(len(lattice.best))
                read = self.read(piece, lattice)
                analyses.append((read, self.analyses(read, 1)[0]))
                groups.append(surface_tokens(*analyses[-1]))
            sentences = self.segmenter.build(text, start, groups)
            for sentence, (read, analysis) in zip(sentences, analyses, strict=True):
                self.write(sentence, read, analysis)
                if request.scores:
                    sentence.scores = self._token_scores(read, analysis)
            found += sentences
        return found

    def alternatives_of(self, text: str, count: int, request: Request = PLAIN) -> list[list[Sentence]]:
        """The best analyses of a text of one paragraph (or line) in the final beam, best first."""
        paragraphs = list(self.segmenter.lattices(text, request, self.options.word_probability))
        if len(paragraphs) > 1:
            raise OptionError("n-best analyses are limited to one paragraph; split the text at blank lines")
        if not paragraphs:
            return [[]]
        ((start, piece, lattices),) = paragraphs
        ranked: list[tuple[float, list[tuple[SearchInput, Any]]]] = [(0.0, [])]
        for lattice in lattices:
            request.on_step(len(lattice.best))
            read = self.read(piece, lattice)
            pairs = [
                (score + further[3], [*before, (read, further)])
                for score, before in ranked
                for further in self.analyses(read, count)
            ]
            ranked = sorted(pairs, key=lambda pair: -pair[0])[:count]
        found = []
        for _, chosen in ranked:
            sentences = self.segmenter.build(text, start, [surface_tokens(*pair) for pair in chosen])
            for sentence, pair in zip(sentences, chosen, strict=True):
                self.write(sentence, *pair)
            found.append(sentences)
        return found

    def read(self, text: str, lattice: Any) -> SearchInput:
        """The input of the search, from a segmenter's lattice."""
        words = CandidateWords.of(text, lattice, self.segmenter.words_of)
        candidates = self._reader.of_candidates(words)
        return SearchInput(words, candidates, self._reader.candidate_atoms(words, candidates))

    def analyses(self, read: SearchInput, count: int) -> list[Any]:
        """The best analyses of a sentence, as the search gives them."""
        c = read.candidates
        return self._search.analyses(read.atoms, c.tags, c.counts, c.bins, count, lattice=read.words.lattice)

    def write(self, sentence: Sentence, read: SearchInput, analysis: Any) -> None:
        """Write an analysis to the sentence with its words."""
        chosen = analysis[5] - 1
        self._write(sentence, analysis[:5])
        bound = {k: read.words.tags[word] for k, word in enumerate(chosen.tolist()) if word in read.words.tags}
        if bound:  # also tags that the model does not know
            tags = self.columns.read(sentence)
            self.columns.write(sentence, [bound.get(k, tag) for k, tag in enumerate(tags)])
        sentence.trace = names_with_appends(sentence.trace or [], analysis[4], chosen, read.words)

    def _token_scores(self, read: SearchInput, analysis: Any) -> list[float]:
        """The probability that each is a word, to the segmenter, times that of its tag, to the tagger."""
        p = over_paths(read.words, self.tagger.tag_probabilities)
        chosen = (analysis[5] - 1).tolist()
        return [
            read.words.entries[k].probability * float(p[k, tag])
            for k, tag in zip(chosen, analysis[0].tolist(), strict=True)
        ]

    @classmethod
    def feature_groups(cls, options: Any) -> tuple[str, ...]:
        """Those of tags and trees, and that of words."""
        return ARCS, TAGS, WORDS  # tags of competing words are scored even if each has one candidate

    def parts(self) -> Parts:
        """The parts of the base class, and the segmenter."""
        return joined_parts(super().parts(), nested_parts(SEGMENTER, self.segmenter))

    @classmethod
    def further_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Any]:
        """The segmenter."""
        return {SEGMENTER: open_nested(SEGMENTER, find_system(SEGMENTER_SYSTEM), header, arrays)}


def surface_tokens(read: SearchInput, analysis: Any) -> list[tuple[int, int]]:
    """The offsets of the surface tokens of an analysis."""
    entries = [read.words.entries[k] for k in (analysis[5] - 1).tolist()]
    return [entry.offsets for entry in entries if not entry.continues]


def names_with_appends(
    names: Sequence[str], steps: Sequence[tuple[int, int]], chosen: npt.NDArray[np.int64], words: CandidateWords
) -> list[str]:
    """The transitions with an APPEND for each piece of a word but the first."""
    pieces = [words.ends[k] - words.begins[k] for k in chosen.tolist()]
    found: list[str] = []
    shifted, waiting = 0, 0  # words that were shifted for the first time, and words that SWAP put back
    for name, (action, _) in zip(names, steps, strict=True):
        found.append(name)
        if name == "SWAP":
            waiting += 1
        elif action == SHIFT and waiting:
            waiting -= 1
        elif action == SHIFT:
            found += ["APPEND"] * (pieces[shifted] - 1)
            shifted += 1
    return found
