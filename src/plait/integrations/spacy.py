"""plait inside spaCy: the component ``plait`` for tags and trees, and a tokenizer for scripts without spaces.

Both are found by name as soon as plait is installed (entry points in pyproject.toml): no import is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy import registry
from spacy.language import Language
from spacy.parts_of_speech import IDS as UNIVERSAL_TAGS
from spacy.tokens import Doc

from plait.data.document import Sentence
from plait.errors import OptionError, PlaitError
from plait.integrations.conversion import spacy_feats
from plait.pipeline import Model, load
from plait.system.request import PLAIN

MODEL_FILE = "model.plait"  # in the folder that spaCy gives the component or the tokenizer
SPACE_TAG, SPACE_LABEL = "_SP", "dep"  # as spaCy's own models treat white space
ROOT = "ROOT"  # spaCy's name of the root's label, which its tools look for


class TextSpan(NamedTuple):
    """A sentence in a ``Doc``: its tokens, and those of them that are words and not white space."""

    start: int
    end: int
    words: list[int]


class HasModel:
    """A model by name or path that spaCy can save with its pipeline, and pickle.

    spaCy makes a pipeline from its configuration first and gives it its saved parts afterwards: a name that cannot be
    opened is an error only when the model is used.
    """

    def __init__(self, model: str | Path) -> None:
        self._fault: PlaitError | None = None
        self._model: Model | None = None
        try:
            self._model = load(model)
        except PlaitError as error:
            self._fault = error

    @property
    def loaded(self) -> Model:
        """The model, or the error that it could not be opened with.

        Not called ``model``: spaCy checks every component for an attribute of that name, which must not raise an error.
        """
        if self._model is None:
            raise self._fault or OptionError("no model is loaded")
        return self._model

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the model into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.loaded.save(folder / MODEL_FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> HasModel:
        """Take the model that ``to_disk`` saved."""
        self._model = load(Path(path) / MODEL_FILE)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The model as bytes."""
        return self.loaded.to_bytes()

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> HasModel:
        """The inverse of ``to_bytes``."""
        self._model = Model.from_bytes(content)
        return self


class Component(HasModel):
    """Sets tags, morphology, lemmas, heads, labels and sentence starts of a ``Doc``; its words stay as they are.

    What is set is what the model predicts. Sentence starts that are there already are kept; without them a model that
    splits raw text finds them, and for other models lines are sentences.
    """

    def __call__(self, doc: Doc) -> Doc:
        """Annotate a document in place."""
        model = self.loaded
        spans = self._text_spans(doc)
        analysed = [Sentence([doc[i].text for i in span.words]) for span in spans]
        for _ in model.annotate(sentence for sentence in analysed if len(sentence)):
            pass  # filled in place
        _set_tokens(doc, spans, analysed, model.system.predicts)
        if "heads" in model.system.predicts:
            _set_trees(doc, spans, analysed)
        if "heads" in model.system.predicts or model.system.segments:
            # spaCy derives sentence starts from trees too, but gives up on some that are far from projective
            _set_starts(doc, spans)
        return doc

    def _text_spans(self, doc: Doc) -> list[TextSpan]:
        words = [token.i for token in doc if not token.is_space]
        if doc.has_annotation("SENT_START"):
            starts = {span.start for span in doc.sents}
        elif not words:
            starts = set()
        elif self.loaded.system.segments:
            # a sentence begins with the first token at or after the place that the segmenter found
            places = [sentence.offsets[0][0] for sentence in _segment(self.loaded, doc.text) if sentence.offsets]
            starts = {int(i) for i in np.searchsorted([token.idx for token in doc], places)} - {words[0]}
        else:
            starts = {j for i, j in pairwise(words) if any("\n" in token.text for token in doc[i + 1 : j])}
        bounds = [0, *sorted(starts - {0, len(doc)}), len(doc)] if len(doc) else []
        return [TextSpan(a, b, [t.i for t in doc[a:b] if not t.is_space]) for a, b in pairwise(bounds)]


class Tokenizer(HasModel):
    """spaCy's words from a plait model that segments raw text; sentence starts come with them.

    The words of a multiword token become tokens of their own where they spell the text (do + n't); where they do not
    (French du = de + le) the token stays whole, as a ``Doc`` must spell its text.
    """

    def __init__(self, vocab: Any, model: str | Path) -> None:
        super().__init__(model)
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """The words of a text, with its white space; joined again they give exactly the text."""
        if not self.loaded.system.segments:
            raise OptionError(
                f"the {self.loaded.system.name} model does not segment raw text; "
                "plait.Tokenizer.v1 needs a pipeline or crf-segmenter model"
            )
        words: list[str] = []
        spaces: list[bool] = []
        starts: list[bool] = []
        end = 0
        for begin, stop, first in _spans(_segment(self.loaded, text), text):
            _add_gap(text[end:begin], words, spaces, starts)
            words.append(text[begin:stop])
            spaces.append(False)
            starts.append(first and bool(end))  # the text begins a sentence, whatever stands first
            end = stop
        _add_gap(text[end:], words, spaces, starts)
        starts[:1] = [True] * bool(starts)
        return Doc(self.vocab, words=words, spaces=spaces, sent_starts=starts)

    def pipe(self, texts: Iterable[str], batch_size: int = 0) -> Iterator[Doc]:
        """One document a text."""
        return map(self, texts)


def make_component(nlp: Language, name: str, model: str) -> Component:
    """The factory behind ``nlp.add_pipe("plait", config={"model": "zh"})``."""
    return Component(model)


def make_tokenizer(model: str) -> Any:
    """What stands as ``@tokenizers = "plait.Tokenizer.v1"`` in a spaCy configuration."""

    def create(nlp: Language) -> Tokenizer:
        return Tokenizer(nlp.vocab, model)

    return create


Language.factory(
    "plait",
    assigns=[
        "token.pos", "token.tag", "token.morph", "token.lemma", "token.dep", "token.head", "token.is_sent_start",
        "doc.sents",
    ],
    func=make_component,
)  # fmt: skip
registry.tokenizers("plait.Tokenizer.v1", func=make_tokenizer)


def _segment(model: Model, text: str) -> list[Sentence]:
    # of a pipeline only its segmenter is needed here: the words are tagged and parsed by the component
    segmenter = getattr(model.system, "segmenter", model.system)
    found: list[Sentence] = segmenter.segment(text, PLAIN)
    return [sentence for sentence in found if len(sentence)]


def _spans(sentences: Iterable[Sentence], text: str) -> Iterator[tuple[int, int, bool]]:
    """(begin, end, whether a sentence begins) of every token that spaCy will have."""
    for sentence in sentences:
        assert sentence.offsets is not None
        first = True
        for a, b, _, _ in sentence.surface_tokens():
            begin, end = sentence.offsets[a - 1][0], sentence.offsets[b - 1][1]
            pieces = sentence.forms[a - 1 : b]
            if a == b or "".join(pieces) != text[begin:end] or not all(pieces):
                yield begin, end, first
            else:
                for k, piece in enumerate(pieces):
                    yield begin, begin + len(piece), first and k == 0
                    begin += len(piece)
            first = False


def _add_gap(gap: str, words: list[str], spaces: list[bool], starts: list[bool]) -> None:
    """Add the whitespace between two words: one space belongs to the preceding word, more is a separate token."""
    if gap.startswith(" ") and words:
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)
        starts.append(False)


def _set_tokens(doc: Doc, spans: list[TextSpan], analysed: list[Sentence], predicts: tuple[str, ...]) -> None:
    """Tags, morphology and lemmas, where the model predicts them."""
    for span, sentence in zip(spans, analysed, strict=True):
        for i, word in zip(span.words, sentence, strict=True):
            token = doc[i]
            if "upos" in predicts:
                tag = word.upos or ""
                token.pos_ = tag if tag in UNIVERSAL_TAGS else "X"
                if tag not in UNIVERSAL_TAGS and "xpos" not in predicts:  # tags of another tradition: their only place
                    token.tag_ = tag
            if "xpos" in predicts:
                token.tag_ = word.xpos or ""
            if "feats" in predicts:
                token.set_morph(spacy_feats(word.feats or ""))
            if "lemmas" in predicts:
                token.lemma_ = word.lemma or ""
    if "upos" in predicts or "xpos" in predicts:
        for token in doc:
            if token.is_space:
                token.pos_, token.tag_ = "SPACE", SPACE_TAG


def _set_trees(doc: Doc, spans: list[TextSpan], analysed: list[Sentence]) -> None:
    """Heads and labels; whitespace is attached to the preceding word or, at the start of a sentence, to the next."""
    if not spans:
        return
    heads = np.zeros(len(doc), dtype=np.int64)  # relative, as spaCy stores them
    labels = [SPACE_LABEL] * len(doc)
    for (start, end, words), sentence in zip(spans, analysed, strict=True):
        near = words[0] if words else start
        for i in range(start, end):
            near = i if not doc[i].is_space else near
            heads[i] = near - i
        if not words:
            labels[start] = ROOT
        for i, word in zip(words, sentence, strict=True):
            heads[i] = words[word.head - 1] - i if word.head else 0
            label = word.deprel or ""
            labels[i] = ROOT if label.lower() == "root" else label
    deps = np.asarray([doc.vocab.strings.add(label) for label in labels], dtype=np.uint64)
    doc.from_array(["HEAD", "DEP"], np.stack([heads.astype(np.uint64), deps], axis=1))


def _set_starts(doc: Doc, spans: Iterable[TextSpan]) -> None:
    values = np.full(len(doc), -1, dtype=np.int64)  # not a start; 0 would be unknown
    for span in spans:
        values[span.start] = 1
    if len(doc):
        doc.from_array(["SENT_START"], values.astype(np.uint64))
