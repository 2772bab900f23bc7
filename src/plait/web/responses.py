"""From a checked request to the bytes of a response: analyse, then write in the requested format."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plait.data.document import Document, Sentence
from plait.data.provenance import mark
from plait.draw.steps import trace_record
from plait.features.user_dictionary import UserDictionary
from plait.formats import FORMATS
from plait.formats.scores import with_scores
from plait.pipeline.model import as_document
from plait.web.budget import Check, check_drawn, limit_sentence, step_limits
from plait.web.catalogue import ServedModel
from plait.web.errors import ApiError, api_error
from plait.web.limits import Limits
from plait.web.requests import ApiRequest, Unit

MEDIA = {"json": "application/json", "svg": "image/svg+xml", "html": "text/html; charset=utf-8"}
PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class Answer:
    """A response body and its media type."""

    body: bytes
    media: str


def answer_parse(wanted: ApiRequest, served: ServedModel, limits: Limits, check: Check) -> Answer:
    """Analyse all units of a request; ``check`` is called at every step and stops work for disconnected clients."""
    begun = time.perf_counter()
    work = _Work(wanted, served, limits, check)
    if wanted.nbest is not None:
        return _json(work.alternatives(), served.name, begun)
    if not wanted.batch:
        document = work.analyse(wanted.units[0])
        if wanted.format == "json":
            return _json(document_record(document, wanted.trace), served.name, begun)
        return written(document, wanted.format, limits, check, scored=wanted.scores)
    return _json({"documents": [work.one_of_many(i) for i in range(len(wanted.units))]}, served.name, begun)


def answer_convert(wanted: ApiRequest, limits: Limits, check: Check) -> Answer:
    """Sentences from one format to another, without a model."""
    (document,) = wanted.units
    assert isinstance(document, Document)
    if wanted.format == "json":
        return _json(document_record(document, False), None, time.perf_counter())
    return written(document, wanted.format, limits, check)


class _Work:
    """The analysis of one request."""

    def __init__(self, wanted: ApiRequest, served: ServedModel, limits: Limits, check: Check) -> None:
        self.wanted, self.served, self.limits, self.check = wanted, served, limits, check
        if wanted.trace and "trace" not in served.abilities:
            raise ApiError(422, "bad_field", "trace: this model does not support traces", field="trace")
        self.on_step = step_limits(check, served, limits, wanted.scores)
        dictionary = None if wanted.dictionary is None else UserDictionary.of(wanted.dictionary, wanted.dictionary_mode)
        self.options: dict[str, Any] = {
            "scores": wanted.scores, "dictionary": dictionary, "mode": wanted.dictionary_mode, "keep": wanted.keep
        }  # fmt: skip

    def analyse(self, unit: Unit) -> Document:
        """One document, with the options of the request."""
        model = self.served.model
        if isinstance(unit, str) and self.served.segments:
            result = model(unit, on_step=self.on_step, **self.options)
        else:
            document = as_document(unit) if isinstance(unit, str) else unit  # the model copies every sentence
            result = Document(text=document.source_text)
            result.predicted_columns = model.predicted_columns(document, keep=self.wanted.keep)
            for sentence in document:
                limit_sentence(sentence, self.on_step, self.served, self.limits)
                result.sentences.extend(model(sentence, **self.options))
        mark(result, self.served.name)
        return result

    def one_of_many(self, index: int) -> dict[str, Any]:
        """A document of a batch; its errors do not affect the others."""
        self.check()
        try:
            if index in self.wanted.faults:
                raise self.wanted.faults[index]
            document = self.analyse(self.wanted.units[index])
            if self.wanted.format == "json":
                return document_record(document, self.wanted.trace)
            answer = written(document, self.wanted.format, self.limits, self.check, scored=self.wanted.scores)
            return {"output": answer.body.decode()}
        except Exception as error:
            found = api_error(error)
            if found.status == 504:
                raise
            return {"error": found.record()}

    def alternatives(self) -> dict[str, Any]:
        """The best analyses of the one text."""
        wanted = self.wanted
        assert wanted.nbest is not None
        if wanted.format != "json":
            raise ApiError(422, "bad_field", "format: n-best analyses are only available as json", field="format")
        if wanted.scores or wanted.keep or wanted.dictionary is not None:
            message = "nbest: cannot be combined with scores, keep or dictionary"
            raise ApiError(422, "bad_field", message, field="nbest")
        unit = wanted.units[0]
        if not len(unit):
            return {"alternatives": []}
        for sentence in unit if isinstance(unit, Document) else ():
            limit_sentence(sentence, self.on_step, self.served, self.limits)
        found = self.served.model.nbest(unit, wanted.nbest, on_step=self.on_step)
        for document in found:
            mark(document, self.served.name)
        return {"alternatives": [document_record(document, wanted.trace) for document in found]}


def document_record(document: Document, trace: bool) -> dict[str, Any]:
    """``Document.to_dict``, with the text of each sentence and, if asked for, its trace."""
    record = document.to_dict()
    for sentence, columns in zip(document, record["sentences"], strict=True):
        columns["text"] = sentence.text
        if trace:
            columns["trace"] = None if sentence.trace is None else trace_record(sentence.trace)
    return record


def written(document: Document, format: str, limits: Limits, check: Check, *, scored: bool = False) -> Answer:
    """The document in a format of the registry; ``scored``: with what a model has just said of its tokens."""
    check_drawn(document, format, limits)

    def checked() -> Iterator[Sentence]:
        for sentence in with_scores(document, format) if scored else document:
            check()
            yield sentence

    return Answer("".join(FORMATS[format].write(checked())).encode(), MEDIA.get(format, PLAIN))


def _json(record: dict[str, Any], model: str | None, begun: float) -> Answer:
    if model is not None:
        record = {"model": model, "milliseconds": round(1000 * (time.perf_counter() - begun), 3), **record}
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:  # a model may call something impossible; JSON has no word for it
        text = json.dumps(_finite(record), ensure_ascii=False, separators=(",", ":"))
    return Answer(text.encode(), MEDIA["json"])


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value
