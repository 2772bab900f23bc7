"""``transition-weave``: words, tags and trees of raw text in one search (Hatori et al. 2012; Zhang et al. 2014).

A segmenter proposes candidate words where it is uncertain. SHIFT takes one of the candidate words that start at the
next character, with one of its candidate tags; words, tags and arcs are scored together. Once the words are found, a
second search over them alone finds tags and tree with the whole beam. On given words it is the same as
``transition-joint``. From data without trees it learns words and tags only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from plait.arrays import AnyArray, UInt64Array
from plait.core.tables import prefixed, under
from plait.data.document import Sentence
from plait.data.word_lattice import WordLattice
from plait.errors import OptionError
from plait.system import Parts, find_system
from plait.system.modelparts import joined_parts, nested_parts, open_nested
from plait.system.request import PLAIN, Request
from plait.transition._oracle import SHIFT
from plait.transition.candidate_words import CandidateWords, over_paths
from plait.transition.options import TransitionWeaveOptions
from plait.transition.seen_words import SeenWords
from plait.transition.system import ARCS, TAGS, WORDS, TransitionSystem
from plait.trees.candidates import Candidates

SEGMENTER = "segmenter"  # the part of the model file
SEGMENTER_SYSTEM = "crf-segmenter"


class SearchInput(NamedTuple):
    """A sentence in the form that the search needs."""

    words: CandidateWords
    candidates: Candidates
    atoms: UInt64Array
    pieces: Sequence[int]  # of which each word is made


@dataclass(eq=False, repr=False)
class TransitionWeave(TransitionSystem):
    """A transition-based segmenter, tagger and parser of raw text in one search (Hatori et al. 2012)."""

    name = "transition-weave"
    Options = TransitionWeaveOptions
    segments = True
    finds_words = True
    needs_trees = False

    segmenter: Any = field(kw_only=True)
    seen_words: SeenWords | None = field(kw_only=True, default=None)

    def __post_init__(self) -> None:
        if self.seen_words is None and self.features.sees_seen_words:
            raise ValueError("the templates use counts of seen words, but the model has none")
        super().__post_init__()
        self._reader.seen_words = self.seen_words

    def segment(self, text: str, request: Request = PLAIN) -> list[Sentence]:
        """Sentences of a raw text, tagged and parsed; offsets count from its beginning."""
        found: list[Sentence] = []
        for start, piece, lattices in self.segmenter.lattices(text, request, self.options.word_probability):
            groups, analyses = [], []
            for lattice in lattices:
                request.on_step(len(lattice.best))
                analyses += self.analyses(self.read(piece, lattice), 1)
                groups.append(surface_tokens(*analyses[-1]))
            sentences = self.segmenter.build(text, start, groups, unsplit(lattices))
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
            further = self.analyses(self.read(piece, lattice), count)
            pairs = [
                (score + analysis[3], [*before, (read, analysis)])
                for score, before in ranked
                for read, analysis in further
            ]
            ranked = sorted(pairs, key=lambda pair: -pair[0])[:count]
        found = []
        for _, chosen in ranked:
            groups = [surface_tokens(*pair) for pair in chosen]
            sentences = self.segmenter.build(text, start, groups, unsplit(lattices))
            for sentence, pair in zip(sentences, chosen, strict=True):
                self.write(sentence, *pair)
            found.append(sentences)
        return found

    def read(self, text: str, lattice: Any) -> SearchInput:
        """The input of the search, from a segmenter's lattice."""
        words = CandidateWords.of(text, lattice, self.segmenter.words_of)
        return self._input_of(words, [end - begin for begin, end in zip(words.begins, words.ends, strict=True)])

    def _input_of(self, words: CandidateWords, pieces: Sequence[int]) -> SearchInput:
        candidates = self._reader.of_candidates(words)
        return SearchInput(words, candidates, self._reader.candidate_atoms(words, candidates), pieces)

    def analyses(self, read: SearchInput, count: int) -> list[tuple[SearchInput, Any]]:
        """The best analyses of a sentence, as the search gives them, each with the words that it is about.

        The search chooses the words, and ranks the analyses by its scores. A second look at the words of each finds its
        tags and tree: of several analyses with the same words, the first gets the best ones, and so on.
        """
        found = self._searched(read, count)
        if not self._looks_again(read):
            return [(read, analysis) for analysis in found]
        seen: dict[tuple[int, ...], tuple[SearchInput, Iterator[Any]]] = {}
        pairs = []
        for analysis in found:
            chosen = tuple((analysis[5] - 1).tolist())
            if chosen not in seen:
                alone = self._input_of(read.words.only(chosen), [read.pieces[k] for k in chosen])
                seen[chosen] = alone, iter(self._searched(alone, count))
            alone, again = seen[chosen]
            pairs += [(alone, (*better[:3], analysis[3], *better[4:])) for better in islice(again, 1)]
        return pairs

    def _looks_again(self, read: SearchInput) -> bool:
        """Not where the first search had no competing words, nor where no trees are predicted."""
        competing = len(read.words.entries) > read.words.lattice.length
        return self.options.second_look and bool(self.labels.names) and competing

    def _searched(self, read: SearchInput, count: int) -> list[Any]:
        return self._search.analyses(read.atoms, read.candidates, count, lattice=read.words.lattice)

    def write(self, sentence: Sentence, read: SearchInput, analysis: Any) -> None:
        """Write an analysis to the sentence with its words."""
        chosen = analysis[5] - 1
        self._write(sentence, analysis[:5])
        bound = {k: read.words.tags[word] for k, word in enumerate(chosen.tolist()) if word in read.words.tags}
        if bound:  # also tags that the model does not know
            tags = self.columns.read(sentence)
            self.columns.write(sentence, [bound.get(k, tag) for k, tag in enumerate(tags)])
        sentence.trace = names_with_appends(
            sentence.trace or [], analysis[4], [read.pieces[k] for k in chosen.tolist()]
        )

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
        """The parts of the base class, the segmenter, and the words that were seen in training."""
        seen = prefixed("seen.", self.seen_words.arrays()) if self.seen_words is not None else {}
        return joined_parts(super().parts(), nested_parts(SEGMENTER, self.segmenter), ({}, seen))

    @classmethod
    def further_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> dict[str, Any]:
        """The segmenter, and the words that were seen in training where templates look at them."""
        seen = under("seen.", arrays)
        return {
            SEGMENTER: open_nested(SEGMENTER, find_system(SEGMENTER_SYSTEM), header, arrays),
            "seen_words": SeenWords.from_arrays(**seen) if seen else None,
        }


def surface_tokens(read: SearchInput, analysis: Any) -> list[tuple[int, int]]:
    """The offsets of the surface tokens of an analysis."""
    entries = [read.words.entries[k] for k in (analysis[5] - 1).tolist()]
    return [entry.offsets for entry in entries if not entry.continues]


def unsplit(lattices: Sequence[WordLattice]) -> frozenset[tuple[int, int]]:
    """The offsets of the words of a user's dictionary in the sentences of a paragraph."""
    return frozenset().union(*(lattice.whole for lattice in lattices))


def names_with_appends(names: Sequence[str], steps: Sequence[tuple[int, int]], pieces: Sequence[int]) -> list[str]:
    """The transitions with an APPEND for each piece of a word but the first."""
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
