"""A loaded model: text, words or documents in, annotated documents out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from plait.data.document import Document, Sentence
from plait.data.lexicon import MODES, Source, UserDictionary
from plait.errors import ModelError, OptionError, PlaitError
from plait.formats.atomic import open_atomic
from plait.learn.options import make_options
from plait.pipeline.words import split_words
from plait.system import System, find_system
from plait.system.modelfile import model_bytes, open_model, parse_model
from plait.system.request import PLAIN, Request

Input = str | Document | Sentence | Sequence[str]
T = TypeVar("T")

BATCH = 64  # units handed to a thread at a time: enough to hide the hand-over, few enough to keep memory flat


class Model:
    """A trained system and its header. Models can be pickled, forked and shared between threads.

    Calling it with a text, a list of words, a ``Sentence`` or a ``Document`` gives a new ``Document``; the input is
    left as it was. A segmenting system cuts a text itself; for others lines are sentences and words stand between
    spaces. ``scores=True`` asks for the confidence of every token. ``dictionary`` (a path, an open file, a list or a
    dict) gives words of one's own for this call, and ``mode`` says how they bind: force, merge or prefer. With
    ``constrain=True`` what a sentence gives (tags, heads, labels) stays fixed, and the rest is found under it.
    """

    def __init__(self, system: System, header: Mapping[str, Any]) -> None:
        self.system = system
        self.header = dict(header)

    def __repr__(self) -> str:
        return f"<Model {self.system.name}, predicts {', '.join(self.system.predicts)}>"

    def __call__(
        self,
        input: Input,
        *,
        scores: bool = False,
        dictionary: Source | None = None,
        mode: str = "force",
        constrain: bool = False,
    ) -> Document:
        """Analyse one input."""
        return self._analyse(input, make_request(scores, dictionary, mode, constrain))

    def _analyse(self, input: Input, request: Request) -> Document:
        if isinstance(input, str) and self.system.segments:
            return Document(self.system.segment(input, request), text=input)
        document = as_document(input)
        for sentence in document:
            if request == PLAIN:
                self.system.annotate(sentence)
            else:
                self.system.annotate_with(sentence, request)
        return document

    def nbest(self, input: Input, count: int) -> list[Document]:
        """The best analyses of one paragraph, or of a sentence with given words, best first, with their scores."""
        if count < 1:
            raise OptionError(f"{count} analyses were asked for; expected at least 1")
        if isinstance(input, str) and self.system.segments:
            return [Document(sentences, text=input) for sentences in self.system.alternatives_of(input, count)]
        document = as_document(input)
        if len(document) != 1:
            raise OptionError(f"alternatives are given for one sentence at a time, not for {len(document)}")
        return [Document([s], text=document.source_text) for s in self.system.alternatives(document[0], count)]

    def pipe(
        self,
        inputs: Iterable[Input],
        *,
        threads: int = 1,
        scores: bool = False,
        dictionary: Source | None = None,
        mode: str = "force",
    ) -> Iterator[Document]:
        """Annotate a stream: the order is kept, and memory stays flat however long it is."""
        request = make_request(scores, dictionary, mode)
        return in_order(lambda input: self._analyse(input, request), inputs, threads)

    def annotate(
        self, sentences: Iterable[Sentence], *, threads: int = 1, scores: bool = False, constrain: bool = False
    ) -> Iterator[Sentence]:
        """Annotate sentences in place as they pass by, in order."""
        request = make_request(scores, None, "force", constrain)

        def fill(sentence: Sentence) -> Sentence:
            if request == PLAIN:
                self.system.annotate(sentence)
            else:
                self.system.annotate_with(sentence, request)
            return sentence

        return in_order(fill, sentences, threads)

    def to_bytes(self) -> bytes:
        """The model file as bytes; equal training gives equal bytes."""
        header, arrays = self.system.parts()
        return model_bytes({**self.header, **header}, arrays)

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "model") -> Model:
        """The inverse of ``to_bytes``."""
        return cls._from_parts(*parse_model(content, name), name)

    def save(self, path: str | Path) -> None:
        """Write the model file; it appears whole or not at all."""
        content = self.to_bytes()
        with open_atomic(path, "wb") as file:
            file.write(content)

    @classmethod
    def _from_parts(cls, header: dict[str, Any], arrays: Any, name: str) -> Model:
        if "checkpoint" in header:
            raise ModelError(f"{name}: a training checkpoint, not a model; go on with plait train --resume")
        try:
            found = find_system(str(header.get("system")))
            options: Any = make_options(found.Options, header["options"], found.name)
            system = found.from_parts(options, header, arrays)
        except (OptionError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{name}: {error}; the model may come from a newer plait: upgrade or retrain") from error
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from error
        expected = {"system": str, "options": dict, "data": dict, "training": dict, "seed": int} | dict.fromkeys(
            ("licence", "attribution"), str
        )
        for key, kind in expected.items():
            if not isinstance(header.get(key), kind):
                raise ModelError(f"{name}: the header has no {key}; train or fetch the model again")
        return cls(system, {key: header[key] for key in expected})

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)


def load(name: str | Path) -> Model:
    """Open a model file."""
    header, arrays = open_model(name)
    return Model._from_parts(header, arrays, str(name))


def make_request(scores: bool, dictionary: Source | None, mode: str, constrain: bool = False) -> Request:
    """The wishes of one call."""
    if mode not in MODES:
        raise OptionError(f'dictionary mode "{mode}" is not known; expected {", ".join(MODES)}')
    return Request(scores, None if dictionary is None else UserDictionary.of(dictionary, mode), constrain)


def as_document(input: Input) -> Document:
    """Any layer of input as a fresh document that may be written to."""
    if isinstance(input, Document):
        return Document([s.copy() for s in input], text=input.source_text, name=input.name)
    if isinstance(input, Sentence):
        return Document([input.copy()])
    if isinstance(input, str):
        return split_words(input)
    if isinstance(input, Sequence) and all(isinstance(word, str) for word in input):
        return Document([Sentence(input)])
    raise PlaitError(
        f"cannot analyse a {type(input).__name__}; expected a str, a list of words, a Sentence or a Document"
    )


def in_order(function: Callable[[Any], T], inputs: Iterable[Any], threads: int) -> Iterator[T]:
    """``map`` over a stream with some threads: results in order, only a few batches in memory at once."""
    if threads <= 1:
        yield from map(function, inputs)
        return
    source = iter(inputs)

    def batch(items: list[Any]) -> list[T]:
        return [function(item) for item in items]

    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[list[T]]] = deque()
        fault: Exception | None = None
        while fault is None:
            items, fault = _take(source, BATCH)
            if not items:
                break
            waiting.append(pool.submit(batch, items))
            if len(waiting) > 2 * threads:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
        if fault is not None:  # what came before it has been given, as without threads
            raise fault


def _take(source: Iterator[Any], count: int) -> tuple[list[Any], Exception | None]:
    """The next items of a source, and the error that cut them short."""
    items: list[Any] = []
    try:
        for item in islice(source, count):
            items.append(item)
    except Exception as error:
        return items, error
    return items, None
