"""Sentences as plain lists, strings and None, for JSON and other exchange; nothing is lost."""

from __future__ import annotations

from typing import Any

from plait.data.absent import given, given_heads, given_lemmas, stored
from plait.data.document import COLUMNS, EmptyNode, Range, Sentence


def sentence_record(sentence: Sentence) -> dict[str, Any]:
    """A list for each column, with None for what is not given; offsets and scores where there are any.

    >>> record = sentence_record(Sentence(["Dogs", "bark"], upos=["NOUN", "_"], heads=[2, -1]))
    >>> record["forms"], record["upos"], record["heads"], record["lemmas"]
    (['Dogs', 'bark'], ['NOUN', None], [2, None], [None, None])
    """
    record: dict[str, Any] = {"forms": list(sentence.forms), "lemmas": given_lemmas(sentence.lemmas, sentence.forms)}
    for name in COLUMNS[2:]:
        record[name] = given_heads(sentence.heads) if name == "heads" else given(getattr(sentence, name))
    record["comments"] = list(sentence.comments)
    record["ranges"] = [[r.start, r.end, r.form, given(r.rest)] for r in sentence.ranges]
    record["empties"] = [[e.after, e.minor, given(e.columns)] for e in sentence.empties]
    record["extra"] = {key: given(column) for key, column in sentence.extra.items()}
    for name in ("offsets", "score", "scores"):
        if getattr(sentence, name) is not None:
            record[name] = getattr(sentence, name)
    return record


def sentence_of(record: dict[str, Any]) -> Sentence:
    """The inverse; all columns but ``forms`` may be left out. ``"_"`` and head −1 are taken for None."""
    sentence = Sentence(
        record["forms"],
        **{name: record[name] for name in COLUMNS[1:] if name in record},
        comments=record.get("comments") or (),
        ranges=[Range(a, b, form, tuple(stored(rest))) for a, b, form, rest in record.get("ranges") or ()],
        empties=[EmptyNode(a, m, tuple(stored(columns))) for a, m, columns in record.get("empties") or ()],
        extra={key: stored(column) for key, column in (record.get("extra") or {}).items()},
    )
    if record.get("offsets") is not None:
        sentence.offsets = [(a, b) for a, b in record["offsets"]]
    sentence.score = record.get("score")
    sentence.scores = record.get("scores")
    return sentence
