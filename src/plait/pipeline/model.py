"""A loaded model: text, words or documents in, annotated documents out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from plait.core.ahead import opening_ahead
from plait.data.document import Document, Sentence
from plait.data.provenance import predicted_columns
from plait.errors import DataError, ModelError, OptionError, PlaitError
from plait.features.user_dictionary import MODES, DictionarySource, UserDictionary
from plait.files import open_atomic
from plait.models import find_model
from plait.options import check_positive
from plait.pipeline.gap_filling import SENTENCES, Keep, clear_columns, complete_columns, keeps_columns, parse_keep
from plait.pipeline.streams import BATCH, in_order, size_of
from plait.pipeline.whitespace import split_words
from plait.pipeline.wordlists import find_text
from plait.system import System, find_system
from plait.system.modelfile import model_bytes, open_model, parse_model
from plait.system.modelparts import open_system
from plait.system.records import RECORDED, check_records
from plait.system.request import PLAIN, OnStep, Request

Input = str | Document | Sentence | Sequence[str]
Context = TypeVar("Context")


class PipeOptions(TypedDict, total=False):
    """The keywords of ``Model.pipe``."""

    threads: int
    batch_size: int
    scores: bool
    dictionary: DictionarySource | None
    mode: str
    keep: Keep
    errors: Literal["raise", "skip"]
    on_error: Callable[[int, Exception], None] | None


_LINE = re.compile(r"[^\n]+")


class Model:
    """A trained system and its header. Models can be pickled, forked and shared between threads.

    Calling it with a text, a list of words, a ``Sentence`` or a ``Document`` gives a new ``Document``; the input is
    left as it was. A segmenting system cuts a text itself; for others lines are sentences and words stand between
    spaces. A list holds the words of one sentence; many texts go through ``pipe``. ``scores=True`` asks for the
    confidence of every token. ``dictionary`` (a path, an open file, a list or a dict) gives user words for
    this call, and ``mode`` says how they bind: force, merge or prefer.

    ``keep`` names what stays as the input has it, while the rest is found under it: columns (``"upos"``, ``"heads"``,
    ``["upos", "deprels"]``), ``True`` for all that is given (``constrain=True`` is the same), or ``"sentences"``: then
    the sentences of a document are resegmented, and every line of a text is a sentence.

    >>> nlp = load("en")
    >>> sentence = nlp("Mary reads the old book.")[0]
    >>> sentence[0].form, sentence[-1].form, sentence.root.form, sentence[0].lemma
    ('Mary', '.', 'reads', 'Mary')
    >>> [(token.form, token.deprel) for token in sentence.root.children]
    [('Mary', 'nsubj'), ('book', 'obj'), ('.', 'punct')]
    >>> [token.form for token in sentence[4].subtree]
    ['the', 'old', 'book']
    """

    def __init__(self, system: System, header: Mapping[str, Any]) -> None:
        self.system = system
        self.header = dict(header)
        self._predicts, self._takes = frozenset(system.predicts), system.takes  # asked for at every call

    def __repr__(self) -> str:
        return f"<Model {self.system.name}, predicts {', '.join(self.system.predicts)}>"

    def __call__(
        self,
        input: Input,
        *,
        scores: bool = False,
        dictionary: DictionarySource | None = None,
        mode: str = "force",
        keep: Keep = (),
        constrain: bool = False,
        on_step: OnStep | None = None,
    ) -> Document:
        """Analyse one input. ``on_step`` can end the work early: see ``Request``."""
        request = make_request(scores, dictionary, mode, constrain)
        if on_step is not None:
            request = replace(request, on_step=on_step)
        return self._analyse(input, request, parse_keep(keep or constrain))

    def predicted_columns(self, input: Input, *, keep: Keep = ()) -> frozenset[str]:
        """The columns that the analysis of such an input fills.

        What the input gives and ``keep`` names stays; so do the tags for a parser that was trained to use those given.
        """
        return self._columns_predicted(input, parse_keep(keep))

    def _columns_predicted(self, input: Input, kept: frozenset[str]) -> frozenset[str]:
        found, stays = self._predicts, kept | self._takes
        if stays:
            found -= stays & complete_columns(input)
        if self.system.segments and (isinstance(input, str) or kept == {SENTENCES}):
            found |= {"forms", SENTENCES} - kept
        return found

    def _analyse(self, input: Input, request: Request, keep: frozenset[str] = frozenset()) -> Document:
        found = self._columns_found(input, keep)
        document = self._analysed(input, request, keep)
        document.predicted_columns = found
        return document

    def _columns_found(self, input: Input, keep: frozenset[str] = frozenset()) -> frozenset[str]:
        """The columns that this model fills, and those that another one has filled before."""
        before = predicted_columns(input) if isinstance(input, Document) else None
        found = self._columns_predicted(input, keep)
        return found | before if before else found

    def _analysed(self, input: Input, request: Request, keep: frozenset[str]) -> Document:
        if isinstance(input, str) and self.system.segments:
            if keep == {SENTENCES}:
                return Document(self._lines(input, request), text=input)
            return Document(self.system.segment(input, request), text=input)
        document = as_document(input)
        if keep == {SENTENCES} and self.system.segments:
            return Document(
                [self._words(s, document.source_text, request) for s in document], text=document.source_text
            )
        if keeps_columns(keep):
            request = replace(request, constrain=True)
            for sentence in document:
                clear_columns(sentence, set(self.system.predicts) - keep)
        self.system.annotate_each(document.sentences, request)
        return document

    def _lines(self, text: str, request: Request) -> list[Sentence]:
        """The sentences of a text with one sentence per line."""
        found: list[Sentence] = []
        for match in _LINE.finditer(text):
            for sentence in self.system.segment(match[0], replace(request, single_sentence=True)):
                if sentence.offsets is not None:
                    sentence.offsets = [(a + match.start(), b + match.start()) for a, b in sentence.offsets]
                found.append(sentence)
        return found

    def _words(self, sentence: Sentence, source: str | None, request: Request) -> Sentence:
        """A resegmented sentence; where its text is part of a document's, offsets refer to the document."""
        text = sentence.surface_text()
        start: int | None = None
        if source is not None and sentence.offsets:
            start = sentence.offsets[0][0]
            text = source[start : sentence.offsets[-1][1]]
        found = self.system.segment(" ".join(text.split("\n")), replace(request, single_sentence=True))
        if not found:
            return sentence
        new = found[0]
        new.comments = [*sentence.comments, *(c for c in new.comments if sentence.comment("text") is None)]
        new.offsets = None if start is None else [(a + start, b + start) for a, b in new.offsets or ()]
        return new

    def nbest(self, input: Input, count: int, *, on_step: OnStep | None = None) -> list[Document]:
        """The best analyses of one paragraph, or of a sentence with given words, best first, with their scores.

        ``on_step`` can end the work early: see ``Request``.
        """
        check_positive("count", count)
        request = PLAIN if on_step is None else replace(PLAIN, on_step=on_step)
        columns = self._columns_found(input)
        if isinstance(input, str) and self.system.segments:
            found = self.system.alternatives_of(input, count, request)
            documents = [Document(sentences, text=input) for sentences in found]
        else:
            given = as_document(input)
            if len(given) != 1:
                raise OptionError(f"n-best analyses are limited to one sentence, not {len(given)}")
            alternatives = self.system.alternatives(given[0], count, request)
            documents = [Document([sentence], text=given.source_text) for sentence in alternatives]
        for document in documents:
            document.predicted_columns = columns
        return documents

    @overload
    def pipe(
        self, inputs: Iterable[Input], *, as_tuples: Literal[False] = False, **options: Unpack[PipeOptions]
    ) -> Iterator[Document]: ...
    @overload
    def pipe(
        self, inputs: Iterable[tuple[Input, Context]], *, as_tuples: Literal[True], **options: Unpack[PipeOptions]
    ) -> Iterator[tuple[Document, Context]]: ...
    def pipe(
        self,
        inputs: Iterable[Any],
        *,
        as_tuples: bool = False,
        threads: int = 1,
        batch_size: int = BATCH,
        scores: bool = False,
        dictionary: DictionarySource | None = None,
        mode: str = "force",
        keep: Keep = (),
        errors: Literal["raise", "skip"] = "raise",
        on_error: Callable[[int, Exception], None] | None = None,
    ) -> Iterator[Any]:
        """Annotate a stream: the order is kept, and memory stays flat however long it is.

        as_tuples: the inputs are pairs of an input and anything that belongs to it, such as the number of a record,
            and the results are pairs of a document and that.
        threads, batch_size: several threads work at once, each on so many inputs at a time (fewer, if they are long).

        A document that cannot be analysed ends the stream with its error, which names the document's index; all before
        it have been given. With ``errors="skip"`` it is left out and the rest goes on: ``on_error(index, error)`` is
        called, or otherwise the logger ``plait`` gets a warning.

        >>> nlp = load("en")
        >>> [(doc[0].root.form, key) for doc, key in nlp.pipe([("Dogs bark.", 7), ("She sleeps.", 8)], as_tuples=True)]
        [('bark', 7), ('sleeps', 8)]
        """
        if isinstance(inputs, (str, bytes)):
            raise DataError("pipe expects several inputs, not a single string; call nlp(text) or nlp.pipe([text])")
        if not isinstance(inputs, Iterable):
            raise DataError(f"pipe expects several inputs, such as a list of texts, not {type(inputs).__name__}")
        if errors not in ("raise", "skip"):
            raise OptionError(f'errors is "{errors}"; expected raise or skip')
        check_positive("threads", threads)
        check_positive("batch_size", batch_size)
        if on_error is not None and errors != "skip":
            raise OptionError('on_error has no effect without errors="skip"')
        request = make_request(scores, dictionary, mode)
        kept = parse_keep(keep)

        def analyse(numbered: tuple[int, Any]) -> tuple[int, Any]:
            index, input = numbered
            try:
                if not as_tuples:
                    return index, self._analyse(input, request, kept)
                input, context = _pair(input)
                return index, (self._analyse(input, request, kept), context)
            except Exception as error:
                return index, error

        size = _size_without_context if as_tuples else size_of
        results = in_order(analyse, enumerate(inputs), threads, batch_size, size)
        return _results_or_errors(results, on_error or _log, stop=errors == "raise")

    def annotate(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int | None = None,
        scores: bool = False,
        keep: Keep = (),
        constrain: bool = False,
    ) -> Iterator[Sentence]:
        """Annotate sentences in place as they pass by, in order; their words stay.

        threads, batch_size: several threads work at once, each on so many sentences at a time (fewer, if they are
            long). One thread without a batch size reads no sentence before the one before it has been given. With a
            batch size the parts of a model take turns after so many sentences, at most 64, which is faster; after an
            error, sentences behind the one that caused it may be annotated in part.

        If only ``sentences`` are to be kept, they are replaced by sentences with new words, as everywhere.
        """
        check_positive("threads", threads)
        if batch_size is not None:
            check_positive("batch_size", batch_size)
        kept = parse_keep(keep or constrain)
        request = make_request(scores, None, "force", keeps_columns(kept))
        resegments = kept == {SENTENCES} and self.system.segments

        def fill(sentence: Sentence) -> Sentence:
            if resegments:
                return self._words(sentence, None, request)
            if request.constrain:
                clear_columns(sentence, set(self.system.predicts) - kept)
            self.system.annotate_each([sentence], request)
            return sentence

        def fill_block(block: list[Sentence]) -> list[Sentence]:
            self.system.annotate_each(block, request)
            return block

        # after a fault a block is done again, one by one, which gives the same only if nothing given is used
        uses_given = resegments or request.constrain or bool(self._takes)
        together = fill_block if (batch_size is not None or threads > 1) and not uses_given else None
        return in_order(fill, sentences, threads, batch_size or BATCH, together=together)

    def with_beam(self, width: int) -> Model:
        """The same model with another beam width: a wider beam is slower and usually more accurate.

        Weights are shared with this model. Models that were trained greedily gain little or nothing.
        """
        system = self.system.with_beam(width)
        return Model(system, self.header | {"options": asdict(system.options)})

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
            raise ModelError(f"{name}: a training checkpoint, not a model; continue with plait train --resume")
        try:
            check_records(header)
            with opening_ahead(header, arrays):
                system = open_system(find_system(header["system"]), header, arrays)
        except (OptionError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{name}: {error}; the model may come from a newer plait: upgrade or retrain") from error
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from error
        return cls(system, {key: header[key] for key in RECORDED})

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)


def load(name: str | Path, *, beam: int | None = None) -> Model:
    """Open a model: a shipped one by its name, such as ``"zh"`` or ``"en"``, any other by its path.

    ``beam`` is another beam width than the one of training: see ``Model.with_beam``.

    The result is a ``plait.Model``: call it with a text, and the document that comes back holds sentences, which hold
    tokens. Positions count from 0, ``token.id`` and ``token.head`` from 1, as in CoNLL-U.

    >>> nlp = load("en")
    >>> doc = nlp("She reads a book.")
    >>> [(token.form, token.upos) for token in doc[0]]
    [('She', 'PRON'), ('reads', 'VERB'), ('a', 'DET'), ('book', 'NOUN'), ('.', 'PUNCT')]
    >>> doc[0][0].form, doc[0][0].id, doc[0][0].head, doc[0].root.form
    ('She', 1, 2, 'reads')
    """
    header, arrays = open_model(find_model(name))
    model = Model._from_parts(header, arrays, str(name))
    return model if beam is None else model.with_beam(beam)


def _results_or_errors(
    results: Iterator[tuple[int, Any]], report: Callable[[int, Exception], None], *, stop: bool
) -> Iterator[Any]:
    """The results; an error among them is raised or reported."""
    for index, result in results:
        if not isinstance(result, Exception):
            yield result
        elif stop:
            result.add_note(f"in document {index} of the stream, counted from 0")
            raise result
        else:
            report(index, result)


def _pair(item: Any) -> tuple[Any, Any]:
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise DataError(f"with as_tuples the inputs must be pairs (text, context), not {type(item).__name__}")
    return item[0], item[1]


def _size_without_context(numbered: tuple[int, Any]) -> int:
    _, item = numbered
    return size_of(item[0] if isinstance(item, (tuple, list)) and item else item)


def _log(index: int, error: Exception) -> None:
    from plait.logs import logger

    logger.warning("document %d was skipped: %s: %s", index, type(error).__name__, error)


def make_request(scores: bool, dictionary: DictionarySource | None, mode: str, constrain: bool = False) -> Request:
    """The options of one call."""
    if mode not in MODES:
        raise OptionError(f'unknown dictionary mode "{mode}"; expected {", ".join(MODES)}')
    if dictionary is None and mode != MODES[0]:
        raise OptionError(f'mode "{mode}" has no effect without a dictionary')
    if not (scores or constrain) and dictionary is None:
        return PLAIN  # nearly all calls
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
        text = find_text(input)
        if text is not None:
            shown = repr(text if len(text) <= 40 else text[:40] + "…")
            raise DataError(
                f"a list must contain the words of one sentence, but {shown} is a text; for several texts "
                "use nlp.pipe(texts), "
                "for words with spaces plait.Sentence(words)"
            )
        return Document([Sentence(input)])
    if isinstance(input, Sequence) and any(isinstance(part, (Sentence, Document, list, tuple)) for part in input):
        raise DataError(
            "a list must contain the words of one sentence; for several inputs use nlp.pipe(inputs), for several "
            "sentences plait.Document(sentences)"
        )
    raise PlaitError(
        f"cannot analyse input of type {type(input).__name__}; expected a str, a list of words, a Sentence or a "
        "Document"
    )
