"""From a checked request to the bytes of an answer: analyse, then write in the format asked for."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plait.data.document import Document
from plait.draw.steps import trace_record
from plait.formats import FORMATS
from plait.pipeline.model import as_document
from plait.web.asking import Asked, Unit
from plait.web.faults import ApiError, api_error
from plait.web.served import Served

MEDIA = {"json": "application/json", "svg": "image/svg+xml", "html": "text/html; charset=utf-8"}
PLAIN = "text/plain; charset=utf-8"

Check = Callable[[], None]  # called between sentences; raises when nobody waits for the answer any more


@dataclass(frozen=True)
class Answer:
    """A body and what kind it is."""

    body: bytes
    media: str


def answer_parse(asked: Asked, served: Served, check: Check) -> Answer:
    """Analyse everything that was sent."""
    begun = time.perf_counter()
    if asked.nbest is not None:
        return _json(_alternatives(asked, served), served.name, begun)
    if not asked.batch:
        document = analyse(asked.units[0], asked, served, check)
        if asked.format == "json":
            return _json(document_record(document, asked.trace), served.name, begun)
        return written(document, asked.format)
    documents = [_one_of_many(unit, asked, served, check) for unit in asked.units]
    return _json({"documents": documents}, served.name, begun)


def answer_convert(asked: Asked) -> Answer:
    """Sentences from one format to another, without a model."""
    document = as_document(asked.units[0])
    if asked.format == "json":
        return _json(document_record(document, False), None, time.perf_counter())
    return written(document, asked.format)


def analyse(unit: Unit, asked: Asked, served: Served, check: Check) -> Document:
    """One document under the wishes of the request."""
    model = served.model
    wishes: dict[str, Any] = {
        "scores": asked.scores, "dictionary": asked.dictionary, "mode": asked.dictionary_mode, "keep": asked.keep
    }  # fmt: skip
    if isinstance(unit, str) and model.system.segments:
        check()
        return model(unit, **wishes)
    document = as_document(unit)
    result = Document(text=document.source_text)
    for sentence in document:
        check()
        if served.longest is not None and len(sentence) > served.longest:
            message = f"a sentence has {len(sentence)} words; {served.name} takes at most {served.longest}"
            raise ApiError(422, "long_sentence", message + "; cut it, or take another model", longest=served.longest)
        result.sentences.extend(model(sentence, **wishes))
    return result


def _one_of_many(unit: Unit, asked: Asked, served: Served, check: Check) -> dict[str, Any]:
    """A document of a batch; what is wrong with it does not harm the others."""
    check()
    try:
        document = analyse(unit, asked, served, check)
        if asked.format == "json":
            return document_record(document, asked.trace)
        return {"output": written(document, asked.format).body.decode()}
    except Exception as error:
        found = api_error(error)
        if found.status == 504:
            raise
        return {"error": found.record()}


def _alternatives(asked: Asked, served: Served) -> dict[str, Any]:
    assert asked.nbest is not None
    if asked.format != "json":
        raise ApiError(422, "bad_field", "format: n-best analyses are given as json", field="format")
    if asked.keep or asked.dictionary is not None:
        raise ApiError(422, "bad_field", "nbest: cannot be had together with keep or a dictionary", field="nbest")
    unit = asked.units[0]
    if not unit if isinstance(unit, str) else not len(unit):
        return {"alternatives": []}
    found = served.model.nbest(unit, asked.nbest)
    return {"alternatives": [document_record(document, asked.trace) for document in found]}


def document_record(document: Document, trace: bool) -> dict[str, Any]:
    """``Document.to_dict``, with the text of each sentence and, if asked for, its trace."""
    record = document.to_dict()
    for sentence, columns in zip(document, record["sentences"], strict=True):
        columns["text"] = sentence.text
        if trace:
            columns["trace"] = None if sentence.trace is None else trace_record(sentence.trace)
    return record


def written(document: Document, format: str) -> Answer:
    """The document in a format of the registry."""
    return Answer("".join(FORMATS[format].write(document)).encode(), MEDIA.get(format, PLAIN))


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
