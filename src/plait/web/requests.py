"""Requests checked field by field: JSON in, a typed request out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.data.document import Document, Sentence
from plait.errors import FormatError, OptionError, unknown_name
from plait.features.user_dictionary import MODES
from plait.formats import FORMATS, stream
from plait.formats.json_lines import checked_record
from plait.formats.report import ignore
from plait.formats.scores import SCORED
from plait.formats.source import Source
from plait.models import look_ahead
from plait.pipeline.gap_filling import keeps_columns, parse_keep
from plait.web.errors import ApiError
from plait.web.limits import Limits, WordCount

INPUTS = ("text", "words", "conllu", "sentences")
PARSE_FIELDS = (*INPUTS, "model", "format", "scores", "trace", "nbest", "keep", "dictionary", "dictionary_mode")
CONVERT_FIELDS = ("conllu", "sentences", "format")
BARE = {"text/plain": "text", "text/x-conllu": "conllu"}  # media types other than JSON, and the field of the body
COUNTED = ("forms", "comments", "ranges", "empties", "extra")  # of a sentence: what takes time and memory by number
MAX_ALTERNATIVES = 100
LIMITS = Limits()

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")

Unit = str | Document  # one document to analyse: raw text, or sentences with words
Reader = Callable[[Any, WordCount], Document | tuple[str, ...]]  # of the field with the input


@dataclass(frozen=True)
class ApiRequest:
    """One request, checked."""

    units: tuple[Unit, ...]
    batch: bool  # whether a list of texts came, so that a list of documents goes back
    model: str | None = None
    format: str = "json"
    scores: bool = False
    trace: bool = False
    nbest: int | None = None
    keep: frozenset[str] = frozenset()
    dictionary: list[str] | dict[str, str | None] | None = None
    dictionary_mode: str = "force"
    faults: Mapping[int, ApiError] = field(default_factory=dict)  # of single texts in a batch, by their index

    @property
    def sample(self) -> str:
        """Some of the text, by which a model may be chosen."""
        return look_ahead(self.units, _beginning)[0]


def _beginning(unit: Unit) -> str:
    return unit if isinstance(unit, str) else look_ahead(unit, lambda sentence: " ".join(sentence.forms))[0]


def read_request(
    body: bytes, content_type: str, query: Mapping[str, str], fields: tuple[str, ...], limits: Limits = LIMITS
) -> ApiRequest:
    """The request in a body: JSON, or plain text or CoNLL-U with the other fields in the query string.

    >>> read_request(b'{"text": "Hi .", "model": "en"}', "application/json", {}, PARSE_FIELDS).units
    ('Hi .',)
    >>> read_request(b"Hi .", "text/plain", {"format": "conllu"}, PARSE_FIELDS).format
    'conllu'
    """
    kind = content_type.partition(";")[0].strip().lower()
    text = _decoded(body).removeprefix("\ufeff")
    if kind in BARE:
        if BARE[kind] in query:
            raise _wrong(BARE[kind], "is in the body and in the query string; give it once")
        record: dict[str, Any] = {**_from_query(query), BARE[kind]: text}
    elif kind == "application/json":
        record = _json_object(text)
    else:  # what a form on any page can send is refused, so that no page can use this server behind its user's back
        came = f"found {kind[:60]!r}" if kind else "found none"
        message = f"expected the header Content-Type: application/json, text/plain or text/x-conllu; {came}"
        raise ApiError(415, "bad_content_type", message)
    return checked(record, fields, limits)


def checked(record: dict[str, Any], fields: tuple[str, ...], limits: Limits = LIMITS) -> ApiRequest:
    """The typed request; the first error is an ``ApiError`` that names the field."""
    faults = _surrogates_in_batch(record)
    for name in record:
        if name not in fields:
            raise ApiError(422, "unknown_field", unknown_name("field", name, fields), field=name[:60])
    given = [name for name in INPUTS if record.get(name) is not None]
    known = [name for name in INPUTS if name in fields]
    if len(given) != 1:
        came = " and ".join(given) or "none"
        raise ApiError(422, "bad_input", f"expected exactly one of {', '.join(known)}; found {came}")
    value = record[given[0]]
    batch = given[0] == "text" and isinstance(value, list)
    readers: dict[str, Reader] = {"text": _texts, "words": _words, "conllu": _conllu, "sentences": _sentences}
    found = readers[given[0]](value, WordCount(limits))
    units: tuple[Unit, ...] = (found,) if isinstance(found, Document) else found
    keep = _keep(record.get("keep"))
    dictionary, mode = _dictionary(record.get("dictionary")), _mode(record)
    if dictionary is None and record.get("dictionary_mode") is not None:
        raise _wrong("dictionary_mode", "requires dictionary")
    if keeps_columns(keep) and given[0] not in ("conllu", "sentences"):
        raise _wrong("keep", "requires conllu or sentences; text and words have no columns to keep")
    format = _format(record)
    scores, trace = (bool(_typed(record, name, bool, False)) for name in ("scores", "trace"))
    if scores and format not in SCORED:
        raise _wrong("scores", f"{format} cannot represent them; expected the format {', '.join(SCORED)}")
    if trace and format != "json":
        raise _wrong("trace", "requires the format json")
    return ApiRequest(
        units,
        batch,
        _typed(record, "model", str, None),
        format,
        scores,
        trace,
        _nbest(record, batch),
        keep,
        dictionary,
        mode,
        faults,
    )


def _json_object(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text, parse_constant=_no_constant)
        if _ESCAPED.search(text):
            _refuse_surrogates(record, "")
    except json.JSONDecodeError as error:
        message = f"the body is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        raise ApiError(400, "bad_json", message, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise ApiError(400, "bad_json", f"the body is not valid JSON: {error}") from None
    if not isinstance(record, dict):
        raise ApiError(422, "bad_input", f'the body is {_kind(record)}; expected an object such as {{"text": "Hi"}}')
    return record


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _refuse_surrogates(value: Any, path: str) -> None:
    """Refuse half of a surrogate pair, which can neither be analysed nor written."""
    if isinstance(value, str):
        if fault := _surrogate_fault(value, path[:100] or "the body"):
            raise fault
    elif isinstance(value, list):
        for i, item in enumerate(value):
            if path != "text" or not isinstance(item, str):  # faults of one text of a batch are reported with that text
                _refuse_surrogates(item, f"{path}[{i}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_surrogates(key, f"a name in {path}" if path else "the name of a field")
            _refuse_surrogates(item, f"{path}.{key}" if path else key)


def _surrogate_fault(text: str, place: str) -> ApiError | None:
    found = _SURROGATE.search(text)
    if found is None:
        return None
    what = f"{place} contains half of a surrogate pair (U+{ord(found[0]):04X}) at position {found.start()}"
    return ApiError(422, "lone_surrogate", f"{what}; send complete characters", field=place, position=found.start())


def _surrogates_in_batch(record: dict[str, Any]) -> dict[int, ApiError]:
    """Find the texts of a batch that contain half of a surrogate pair and replace them by empty ones; their errors."""
    texts = record.get("text")
    if not isinstance(texts, list):
        return {}
    found = {i: _surrogate_fault(text, f"text[{i}]") for i, text in enumerate(texts) if isinstance(text, str)}
    faults = {i: fault for i, fault in found.items() if fault is not None}
    record["text"] = ["" if i in faults else text for i, text in enumerate(texts)]
    return faults


def _from_query(query: Mapping[str, str]) -> dict[str, Any]:
    """Fields in the query string, where everything is text."""
    record: dict[str, Any] = dict(query)
    for name in ("scores", "trace"):
        if name in record:
            value = record[name].lower()
            if value not in ("", "0", "1", "true", "false"):
                raise _wrong(name, f"is {value[:20]!r}; expected true or false")
            record[name] = value not in ("0", "false")
    if "nbest" in record:
        if not re.fullmatch("[0-9]{1,4}", record["nbest"]):
            raise _wrong("nbest", "is not a number")
        record["nbest"] = int(record["nbest"])
    if "keep" in record:
        names = [name for name in record["keep"].split(",") if name]
        record["keep"] = True if names == ["true"] else names
    return record


def _decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise ApiError(
            400, "not_utf8", f"the body is not UTF-8: byte {error.start} is wrong", byte=error.start
        ) from None


def _texts(value: Any, count: WordCount) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        for i, item in enumerate(value):
            count.add(1)
            if not isinstance(item, str):
                raise _wrong(f"text[{i}]", f"is {_kind(item)}; expected a string")
        return tuple(value)
    raise _wrong("text", f"is {_kind(value)}; expected a string or a list of strings")


def _words(value: Any, count: WordCount) -> Document:
    if not isinstance(value, list):
        raise _wrong("words", f"is {_kind(value)}; expected a list of words, or a list of such lists")
    sentences = value if value and isinstance(value[0], list) else [value]
    for i, sentence in enumerate(sentences):
        place = "words" if sentences[0] is value else f"words[{i}]"
        if not isinstance(sentence, list):
            raise _wrong(place, f"is {_kind(sentence)}; expected a list of words")
        count.add(len(sentence))
        for k, word in enumerate(sentence):
            if not isinstance(word, str) or not word.strip():
                shown = "empty" if isinstance(word, str) else _kind(word)
                raise _wrong(f"{place}[{k}]", f"is {shown}; expected a word")
    return Document(Sentence(sentence) for sentence in sentences if sentence)


def _conllu(value: Any, count: WordCount) -> Document:
    if not isinstance(value, str):
        raise _wrong("conllu", f"is {_kind(value)}; expected a string")
    sentences = []
    try:
        for sentence in stream(Source(value.encode(), notice=ignore), "conllu"):
            count.add(len(sentence))
            sentences.append(sentence)
        return Document(sentences)
    except FormatError as error:
        error.file = "conllu"  # the field, as the client knows it
        error.args = (error._message(),)
        raise


def _sentences(value: Any, count: WordCount) -> Document:
    if not isinstance(value, list):
        raise _wrong("sentences", f"is {_kind(value)}; expected a list of sentences")
    for record in value:  # all are counted before the first is checked, which takes longer
        parts = [record.get(name) for name in COUNTED] if isinstance(record, dict) else []
        count.add(sum(len(part) for part in parts if isinstance(part, (list, dict))))
    sentences = []
    for i, record in enumerate(value):
        if isinstance(record, dict):  # an answer sent back: this says nothing about the words
            record = {key: item for key, item in record.items() if key not in ("offsets", "score", "scores")}
        sentences.append(checked_record(record, f"sentences[{i}]"))
    return Document(sentences)


def _keep(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    several = isinstance(value, list) and all(isinstance(name, str) for name in value)
    if not several and not isinstance(value, (bool, str)):
        raise _wrong("keep", f"is {_kind(value)}; expected true, a name or a list of names")
    try:
        return parse_keep(value)
    except OptionError as error:
        raise _wrong("keep", str(error)[-200:]) from None


def _format(record: Mapping[str, Any]) -> str:
    format = _typed(record, "format", str, "json") or "json"
    if format not in FORMATS:
        raise _wrong("format", unknown_name("format", format, FORMATS))
    return str(format)


def _nbest(record: Mapping[str, Any], batch: bool) -> int | None:
    count = _typed(record, "nbest", int, None)
    if count is None:
        return None
    if batch:
        raise _wrong("nbest", "is limited to one text")
    if not 1 <= count <= MAX_ALTERNATIVES:
        raise _wrong("nbest", f"is {count}; expected 1 to {MAX_ALTERNATIVES}")
    return int(count)


def _mode(record: Mapping[str, Any]) -> str:
    mode = _typed(record, "dictionary_mode", str, "force") or "force"
    if mode not in MODES:
        raise _wrong("dictionary_mode", f"is {mode[:40]!r}; expected {', '.join(MODES)}")
    return str(mode)


def _dictionary(value: Any) -> list[str] | dict[str, str | None] | None:
    """Words with or without tags. A string is refused: in Python it would be the name of a file."""
    if value is None:
        return None
    if isinstance(value, dict):
        if all(tag is None or isinstance(tag, str) for tag in value.values()):
            return dict(value)
    elif isinstance(value, list) and all(isinstance(word, str) for word in value):
        return list(value)
    raise _wrong("dictionary", "is neither a list of words nor an object of words and their tags (or null)")


def _typed(record: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    value = record.get(name)
    if value is None:
        return default
    if type(value) is not kind:
        names = {str: "a string", bool: "true or false", int: "a whole number"}
        raise _wrong(name, f"is {_kind(value)}; expected {names[kind]}")
    return value


def _wrong(field: str, what: str) -> ApiError:
    return ApiError(422, "bad_field", f"{field}: {what}", field=field)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
