"""JSON lines: one object per sentence, as ``Sentence.to_dict`` makes it; lossless."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from plait.data.document import COLUMNS, UNKNOWN, Document, Sentence
from plait.data.trees import tree_fault
from plait.errors import DataError, FormatError
from plait.formats.rows import no_sentences
from plait.formats.source import Source


def read_json(source: Source) -> Iterator[Sentence]:
    """The sentences of a JSON source; ``forms`` is needed, what else is left out or null is not given.

    >>> next(read_json(Source(b'{"forms": ["Hi"], "upos": ["INTJ"]}'))).upos
    ['INTJ']
    """
    sentences = 0
    for number, line in source.lines():
        if not line.strip():
            continue
        sentences += 1
        try:
            sentence = _parse(line, number, source, f"#{sentences}")
        except FormatError as error:
            source.report(error)
        else:
            yield sentence
    if sentences == 0:
        raise no_sentences(source)


def write_json(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Each sentence as a line."""
    for sentence in sentences:
        record = sentence.to_dict()
        wrong = _wrong(record)
        if wrong is not None:
            raise DataError(f"the sentence {sentence.text[:40]!r} cannot be written as json: {wrong}")
        yield json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def checked_sentence(text: str) -> Sentence:
    """A sentence from one JSON object; DataError says what is wrong with it."""
    return checked_record(_loaded(text), "the sentence")


def checked_document(text: str) -> Document:
    """A document from one JSON object with ``sentences``; DataError says what is wrong, and in which sentence."""
    record = _loaded(text)
    if not isinstance(record, dict) or not isinstance(record.get("sentences"), list):
        raise DataError('not a document in JSON; expected an object such as {"sentences": [{"forms": ["Hi"]}]}')
    for name in ("text", "name"):
        if not isinstance(record.get(name, ""), str | None):
            raise DataError(f"{name} is not a string")
    sentences = [checked_record(sentence, f"sentence {k}") for k, sentence in enumerate(record["sentences"])]
    return Document(sentences, text=record.get("text"), name=record.get("name"))


def _loaded(text: str) -> Any:
    try:
        record = json.loads(text)
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DataError("the JSON contains half of a surrogate pair; check how the text was decoded") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON ({error})") from None
    return record


def checked_record(record: Any, name: str) -> Sentence:
    """A sentence from a decoded JSON object; DataError says what is wrong with it, after its name."""
    wrong = _wrong(record)
    if wrong is None:
        try:
            return Sentence.from_dict(record)
        except (ValueError, TypeError, KeyError) as error:
            wrong = str(error)
    raise DataError(f"{name}: {wrong}")


def _parse(line: str, number: int, source: Source, name: str) -> Sentence:
    try:
        record = json.loads(line)
        wrong = _wrong(record)
        if wrong is None:
            if "\\ud" in line.lower():
                json.dumps(record, ensure_ascii=False).encode()  # half of a surrogate pair could never be written
            return Sentence.from_dict(record)
    except UnicodeEncodeError:
        wrong = "it contains half of a surrogate pair"
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        wrong = f"not a sentence in JSON ({error})"
    raise source.fault(
        wrong,
        number,
        sentence=name,
        value=line,
        expected='one object per line, such as {"forms": ["Hi"]}',
        hint="write it with: plait convert --to json",
    )


def _wrong(record: Any) -> str | None:
    """What keeps a decoded line from being a sentence."""
    if not isinstance(record, dict) or "forms" not in record:
        return "not an object with forms"
    for name in COLUMNS:
        column = record.get(name)
        if column is None and name != "forms":
            continue
        kinds = ((int if name == "heads" else str), str if name == "forms" else type(None))
        if not isinstance(column, list) or not all(type(value) in kinds for value in column):
            return f"{name} is not a list of {'numbers' if name == 'heads' else 'strings'}"
        if len(column) != len(record["forms"]):
            return f"{name} has {len(column)} values for {len(record['forms'])} words"
    if not record["forms"]:
        return "the sentence has no words"
    heads = [UNKNOWN if head is None else head for head in _given(record, "heads", [])]
    if any(not -1 <= head <= len(heads) for head in heads) or tree_fault(heads, one_root=False):
        return "heads are not a tree"
    return _wrong_rest(record)


def _wrong_rest(record: dict[str, Any]) -> str | None:
    n = len(record["forms"])
    if not _strings(_given(record, "comments", [])):
        return "comments is not a list of strings"
    extra = _given(record, "extra", {})
    if not isinstance(extra, dict) or not all(_texts(c) and len(c) == n for c in extra.values()):
        return "extra is not an object of lists of strings, one for each word"
    if not _pairs(record.get("offsets"), n):
        return "offsets is not a list of two numbers, start and end, for each word"
    scores, score = record.get("scores"), record.get("score")
    if not (scores is None or (isinstance(scores, list) and len(scores) == n and all(map(_real, scores)))):
        return "scores is not a list of numbers, one for each word"
    if not (score is None or _real(score)):
        return "score is not a number"
    for name, size, columns in (("ranges", 4, 8), ("empties", 3, 9)):
        items = _given(record, name, [])
        if not isinstance(items, list):
            return f"{name} is not a list"
        for item in items:
            if not isinstance(item, list) or len(item) != size or not _texts(item[-1]):
                return f"{name} has an item that is not one"
            if type(item[0]) is not int or type(item[1]) is not int or not 0 <= item[0] <= n:
                return f"{name} has an item that is out of place"
            fits = name == "empties" or (type(item[2]) is str and item[0] < item[1] <= n)
            if not fits or len(item[-1]) != columns:
                return f"{name} has an item that is not one"
    return None


def _given(record: dict[str, Any], name: str, nothing: Any) -> Any:
    value = record.get(name)
    return nothing if value is None else value


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is str for item in value)


def _texts(value: Any) -> bool:
    """Whether it is a list of strings, null where nothing is given."""
    return isinstance(value, list) and all(item is None or type(item) is str for item in value)


def _pairs(value: Any, n: int) -> bool:
    if value is None:
        return True
    items = value if isinstance(value, list) and len(value) == n else [None]
    return all(isinstance(x, list | tuple) and len(x) == 2 and type(x[0]) is type(x[1]) is int for x in items)


def _real(value: Any) -> bool:
    return type(value) in (int, float)
