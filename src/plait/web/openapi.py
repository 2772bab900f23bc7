"""The description of the REST interface, as OpenAPI 3.1; ``/docs`` draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plait
from plait.data.document import COLUMNS
from plait.features.user_dictionary import MODES
from plait.formats import FORMATS
from plait.pipeline.gap_filling import parse_keep
from plait.web.limits import Limits
from plait.web.requests import MAX_ALTERNATIVES

STRINGS = {"type": "array", "items": {"type": "string"}}
VALUES = {"type": "array", "items": {"type": ["string", "null"]}}
HEADS = {"type": "array", "items": {"type": ["integer", "null"]}}

SENTENCE = {
    "type": "object",
    "description": "A sentence, one list a column; null is what is not given. Heads count from 1, and 0 is the root.",
    "required": ["forms"],
    "properties": {
        "text": {"type": "string"},
        **dict.fromkeys(COLUMNS, VALUES),
        "forms": STRINGS,
        "heads": HEADS,
        "comments": STRINGS,
        "ranges": {"type": "array", "description": "multiword tokens: [first, last, form, the other eight columns]"},
        "empties": {"type": "array", "description": "empty nodes: [after, minor, columns]"},
        "extra": {"type": "object", "description": "columns that CoNLL-U does not have, by name"},
        "offsets": {"type": "array", "description": "[start, end] of each token in the text, in code points"},
        "score": {"type": "number", "description": "of the whole analysis"},
        "scores": {"type": "array", "items": {"type": "number"}, "description": "confidence in each token"},
        "trace": {"type": "array", "description": "decisions in the order they were made"},
    },
}

ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "required": ["status", "code", "message"],
            "properties": {
                "status": {"type": "integer"},
                "code": {
                    "type": "string",
                    "description": "for programs: bad_json, bad_field, unknown_model, busy, ...",
                },
                "message": {"type": "string", "description": "for people: what came, what was expected, what to do"},
                "field": {"type": "string"},
                "line": {"type": "integer"},
            },
        }
    },
}

FAULTS = {
    "400": "not JSON, not UTF-8, or cut short",
    "403": "addressed to another server, or sent by a page of another site",
    "404": "no such model",
    "408": "the request came too slowly",
    "413": "the body is too large, or asks for too much",
    "415": "the Content-Type is neither JSON nor bare text nor CoNLL-U",
    "422": "a field is wrong, CoNLL-U is malformed (with the line), or the model cannot do this",
    "503": "too many requests at once; try again after Retry-After seconds",
    "504": "no answer in time",
}


def openapi_document(models: Sequence[str], limits: Limits) -> dict[str, Any]:
    """The whole description; names of models and formats and the limits are those of this server.

    >>> sorted(openapi_document(["en"], Limits())["paths"])
    ['/health', '/v1/convert', '/v1/models', '/v1/parse']
    """
    document = {"sentences": {"type": "array", "items": _ref("Sentence")}}
    format = {"type": "string", "enum": list(FORMATS), "default": "json", "description": "format of the answer"}
    parse = {
        "type": "object",
        "description": "Exactly one of text, words, conllu and sentences; the rest may be left out.",
        "properties": {
            "text": {
                "oneOf": [{"type": "string"}, STRINGS],
                "description": "raw text; a list gives a list of documents, each with its own result or error",
            },
            "words": {
                "oneOf": [STRINGS, {"type": "array", "items": STRINGS}],
                "description": "the words of a sentence, or of several sentences",
            },
            "conllu": {"type": "string", "description": "CoNLL-U; what the model predicts is replaced"},
            "sentences": {**document["sentences"], "description": "sentences as this interface gives them"},
            "model": {
                "type": "string",
                "enum": list(models),
                "description": "without one: en or zh by the script of the text, where they are here; or the first",
            },
            "format": format,
            "scores": {"type": "boolean", "default": False, "description": "give the confidence of every token"},
            "trace": {"type": "boolean", "default": False, "description": "give the decisions in their order"},
            "nbest": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_ALTERNATIVES,
                "description": "give so many analyses, best first; for one sentence",
            },
            "keep": {
                "oneOf": [{"type": "boolean"}, {"type": "array", "items": {"enum": sorted(parse_keep(True))}}],
                "description": "what these columns of conllu or sentences give stays fixed, the rest is found; "
                '["sentences"]: every line of a text is a sentence',
            },
            "dictionary": {
                "oneOf": [STRINGS, {"type": "object", "additionalProperties": {"type": ["string", "null"]}}],
                "description": "words of your own, or words and their tags; for models that segment",
            },
            "dictionary_mode": {"type": "string", "enum": list(MODES), "default": "force"},
        },
    }
    convert = {
        "type": "object",
        "properties": {"conllu": {"type": "string"}, "sentences": document["sentences"], "format": format},
    }
    parsed = {
        "type": "object",
        "properties": {
            "model": {"type": "string"},
            "milliseconds": {"type": "number"},
            **document,
            "documents": {"type": "array", "description": "for a list of texts: sentences, output or error of each"},
            "alternatives": {"type": "array", "description": "for nbest: the analyses, best first"},
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "plait",
            "version": plait.__version__,
            "description": "Text into words, part-of-speech tags and dependency trees. "
            f"Requests of up to {limits.max_body:,} bytes, {limits.max_words:,} words and {limits.timeout:g} s, "
            f"{limits.concurrency} at once.",
        },
        "paths": {
            "/v1/parse": {
                "post": {
                    "summary": "Analyse text, words or annotated sentences",
                    "description": "JSON, or the bare text (text/plain) or CoNLL-U (text/x-conllu) with the other "
                    "fields in the address: /v1/parse?model=...&format=conllu",
                    "requestBody": _body(parse, {"text": "She reads a book.", "model": models[0], "format": "json"}),
                    "responses": _responses("the analysis, as JSON or in the format asked for", parsed),
                }
            },
            "/v1/convert": {
                "post": {
                    "summary": "Turn sentences into another format, without a model",
                    "requestBody": _body(convert, {"sentences": [{"forms": ["Dogs", "bark"]}], "format": "conllu"}),
                    "responses": _responses("the sentences", {"type": "object", "properties": document}),
                }
            },
            "/v1/models": {
                "get": {
                    "summary": "The models of this server, and what each can do",
                    "responses": {"200": _content("the models, the default one first", {"type": "object"})},
                }
            },
            "/health": {
                "get": {
                    "summary": "Whether the server is well",
                    "responses": {"200": _content("it is", {"type": "object"})},
                }
            },
        },
        "components": {"schemas": {"Sentence": SENTENCE, "Error": ERROR}},
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


def _content(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _responses(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "200": _content(description, schema),
        **{status: _content(why, _ref("Error")) for status, why in FAULTS.items()},
    }
