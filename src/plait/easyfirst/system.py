"""The base class of the easy-first systems: decoding, constraints, traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from plait.arrays import Float32Array, Int32Array, UInt8Array, UInt16Array, UInt64Array
from plait.core._weights import Scorer
from plait.data.document import Sentence
from plait.data.given import GivenAnnotation
from plait.data.tags import TagColumns
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features
from plait.easyfirst.lexicon import TagLexicon
from plait.easyfirst.steps import Trace, ValidActions
from plait.errors import OptionError
from plait.system import System
from plait.system.request import Request
from plait.trees.arc_labels import ArcLabels
from plait.trees.constraints import ArcConstraints
from plait.trees.inner_tagger import Tags
from plait.trees.morphology import NO_SYSTEMS, Morphology

FREE = 2  # no tag is given for the word: the dictionary decides, as usual

TAGS, ARCS = "tags", "arcs"  # the feature groups

Atoms = UInt64Array
# tags, heads, labels, and the decisions in order: words, actions, scores
Decoded = tuple[
    Tags, Int32Array, UInt16Array,
    Int32Array, Int32Array, Float32Array,
]  # fmt: skip


class _Read(NamedTuple):
    """A sentence as the search sees it."""

    sentence: Sentence
    tags: Tags | None  # given to the search
    analysed: Sentence | None  # a copy with FEATS and lemmas
    atoms: Atoms
    given: GivenAnnotation | None  # what is to be kept
    allowed: UInt8Array | None  # with ``given``: the tags that agree with it


@dataclass(eq=False, repr=False)
class EasyFirstSystem(System):
    """A search for tags (with a lexicon), for arcs (with labels), or for both jointly."""

    supports = frozenset({"constrain"})

    features: Features
    weights: Mapping[str, Scorer]
    lexicon: TagLexicon | None
    labels: ArcLabels | None
    morphology: Morphology = field(default=NO_SYSTEMS, kw_only=True)

    def __post_init__(self) -> None:
        self._reader = self.features.reader(self.lexicon.affixes if self.lexicon is not None else ())
        self._decoder = make_decoder(self.features, self.weights, self.lexicon, self.labels, self.options)

    @property
    def predicts(self) -> tuple[str, ...]:
        """Tags; FEATS and lemmas with morphology; heads and labels if it parses."""
        parsed = ("heads", "deprels") if self.labels is not None else ()
        return (*self.columns.columns, *self.morphology.predicts, *parsed)

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Analyse one sentence; ``sentence.trace`` has the decisions in order.

        With ``request.constrain`` the given tags, heads and labels are kept. The search is greedy then; if it finds no
        tree (non-projective heads), the unconstrained tree is changed as little as necessary.
        """
        self._annotate_block([sentence], request)

    def _annotate_block(self, sentences: Sequence[Sentence], request: Request) -> None:
        """Internal tagger and morphology work on all sentences before the search does."""
        request.refuse(self.name, "scores", "dictionary")
        read = []
        for sentence in sentences:
            request.on_step(len(sentence))
            if len(sentence) > 0:
                read.append(self._read(sentence, request))
        for each in read:
            self._search_and_write(each)

    def _read(self, sentence: Sentence, request: Request) -> _Read:
        given = allowed = None
        if request.constrain:
            given = GivenAnnotation(sentence, self.predicts)
            if self.lexicon is not None:
                allowed = allowed_tags(sentence, self.columns, self.lexicon.tags)
            tags = self._constrained_tags_of(sentence, request)
            analysed = self._analysed(sentence, keep=True)
        else:
            analysed = self._analysed(sentence, keep=self.options.gold_tags)
            tags = self._tags_of(sentence)
        return _Read(sentence, tags, analysed, self._atoms(sentence.forms, analysed), given, allowed)

    def _search_and_write(self, read: _Read) -> None:
        sentence, tags, analysed, atoms, given, allowed = read
        found = None
        if given is not None:
            heads = labels = None
            if self.labels is not None:
                arcs = ArcConstraints.of(given.heads, given.labels, self.labels)
                heads, labels = arcs.heads, arcs.labels
            found = self._decoder.decode_given(atoms, tags, allowed, heads, labels)
        self._write(sentence, tags, found or self._decoder.decode(atoms, tags), analysed)
        if given is not None:
            given.restore(sentence, self.labels.root if self.labels is not None else "")

    def _ranked(self, sentence: Sentence, count: int, request: Request) -> Iterator[Sentence]:
        """The analyses in the final beam, best first, at most as many as its width."""
        if self.options.beam == 1:
            raise OptionError(
                f"this {self.name} does not support n-best analyses, since it searches greedily; widen its --beam"
            )
        return self._in_beam(sentence, request)

    def _in_beam(self, sentence: Sentence, request: Request) -> Iterator[Sentence]:
        request.on_step(len(sentence))
        analysed = self._analysed(sentence, keep=self.options.gold_tags)
        tagged = sentence.copy()
        tags = self._tags_of(tagged)
        for found in self._decoder.decode_all(self._atoms(sentence.forms, analysed), tags, self.options.beam):
            twin = tagged.copy()
            self._write(twin, tags, found, analysed)
            yield twin

    def _tags_of(self, sentence: Sentence) -> Tags | None:
        """The given tags of the search; None if it predicts them itself."""
        return None

    def _constrained_tags_of(self, sentence: Sentence, request: Request) -> Tags | None:
        """The same, keeping the tags of the sentence."""
        return None

    def _analysed(self, sentence: Sentence, *, keep: bool = False) -> Sentence | None:
        """A copy with FEATS and lemmas, if the system predicts them."""
        if not self.morphology.predicts:
            return None
        return self.morphology.analysed(sentence if keep else sentence.bare(), keep=keep)

    def _atoms(self, forms: Sequence[str], analysed: Sentence | None) -> Atoms:
        atoms = self._reader.atoms(forms)
        if analysed is not None:
            self.features.analyse(atoms, analysed)
        return atoms

    def _write(self, sentence: Sentence, given: Tags | None, found: Decoded, analysed: Sentence | None) -> None:
        if analysed is not None:
            self.morphology.write(sentence, analysed)
        tags, heads, labels, words, actions, scores = found
        searched: Sequence[str] = ()
        if self.lexicon is not None:
            searched = self.lexicon.tags
            self.columns.write(sentence, [searched[t] for t in tags.tolist()])
        sentence.score = sum(scores.tolist())
        find_valid = partial(self._valid_actions, sentence.forms, given, analysed)
        if self.labels is None:
            sentence.trace = Trace(words, actions, scores, searched, find_valid=find_valid)
            return
        self.labels.write(sentence, heads.tolist(), labels.tolist())
        sentence.trace = Trace(words, actions, scores, searched, self.labels.names, heads, self.labels.root, find_valid)

    def _valid_actions(
        self,
        forms: Sequence[str],
        tags: Tags | None,
        analysed: Sentence | None,
        made: Sequence[tuple[int, int]],
        limit: int,
    ) -> list[ValidActions]:
        """The valid alternatives of each of some decisions."""
        return self._decoder.valid_actions(self._atoms(forms, analysed), tags, made, limit)


def make_decoder(
    features: Features,
    weights: Mapping[str, Scorer],
    lexicon: TagLexicon | None,
    labels: ArcLabels | None,
    options: Any,
) -> EasyFirst:
    """The search under some weights."""
    return EasyFirst(
        features.tag_scoring(weights[TAGS], lexicon.dictionary) if lexicon is not None else None,
        features.arc_scoring(weights[ARCS], len(labels.names), options.shared) if labels is not None else None,
        features.width,
        features.pad,
        options.beam,
        options.check,
    )


def allowed_tags(sentence: Sentence, columns: TagColumns, tags: Sequence[str]) -> UInt8Array:
    """[words][tags]: 1 for the tags that agree with what a word has, ``FREE`` where it has nothing."""
    found = np.full((len(sentence), len(tags)), FREE, dtype=np.uint8)
    for row, agreeing in zip(found, columns.agreeing(sentence, tags), strict=True):
        if agreeing:
            row[:] = 0
            row[agreeing] = 1
    return found
