"""Validation of the descriptive records of a model file, so that code that displays them can rely on them.

The parts that a system is built from (labels, templates, tables) are checked where it is built.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from plait.errors import ModelError

RECORDED = ("system", "options", "data", "training", "seed", "licence", "attribution")
# the parts whose records lie in another's
PARTS = ("segmenter", "tagger", "typer", "morphology", "parser", "first_order", "guide", "lemmatizer")
DEEPEST = 6  # records in records

_MEMBER = re.compile(r"member[1-9]\d?")  # of a committee
_TEXTS = ("system", "plait", "licence", "attribution")
_AGAIN = "train or download the model again"


def check_records(header: Mapping[str, Any]) -> None:
    """Check what ``plait info``, the server and ``plait models`` show of a header; a ModelError if it is invalid."""
    for key in (*_TEXTS, "options", "data", "training", "seed"):
        if key not in header:
            raise ModelError(f"the header has no {key}; {_AGAIN}")
    for key in _TEXTS:
        _check(isinstance(header[key], str), key, header[key], "a text")
    _check(type(header["seed"]) is int, "seed", header["seed"], "a whole number")
    _check(isinstance(header["options"], dict), "options", header["options"], "names with values")
    _check(isinstance(header["data"], dict), "data", header["data"], "names with records")
    for name, record in header["data"].items():
        _check(isinstance(record, dict), f"data of {name}", record, "a record")
        for key in ("sentences", "words"):
            _check(_is_count(record.get(key)), f"{key} of {name}", record.get(key), "a number from 0 on")
        digest = record.get("sha256")
        _check(isinstance(digest, str), f"sha256 of {name}", digest, "a digest")
    _check_training(header["training"], "training")


def _check_training(record: Any, where: str, depth: int = 0) -> None:
    """The record of one training: epochs, scores, heaviest features, and the records of its parts."""
    _check(isinstance(record, dict) and depth < DEEPEST, where, record, "a record")
    best = record.get("best_epoch")
    _check(best is None or _is_count(best), f"best_epoch of {where}", best, "a number from 0 on")
    for key, value in record.items():
        here = f"{key} of {where}"
        if key in PARTS or _MEMBER.fullmatch(key):
            _check_training(value, here, depth + 1)
        elif key in ("dev", "test", "pruning"):
            _check_scores(value, here)
        elif key == "epochs":
            _check(isinstance(value, list), here, value, "a list")
            for epoch in value:
                _check_epoch(epoch, here)
        elif key == "heaviest":
            _check_heaviest(value, here)
        else:
            _check(_is_plain(value), here, value, "a number or a text")


def _check_epoch(epoch: Any, where: str) -> None:
    _check(isinstance(epoch, dict) and _is_count(epoch.get("epoch")), where, epoch, "numbered records")
    _check_scores(epoch.get("dev"), f"dev in {where}")
    for key, value in epoch.items():
        _check(key == "dev" or _is_plain(value), f"{key} in {where}", value, "a number or a text")


def _check_scores(scores: Any, where: str) -> None:
    _check(isinstance(scores, dict), where, scores, "names with numbers")
    for value in scores.values():
        _check(_is_number(value), where, value, "numbers")


def _check_heaviest(heaviest: Any, where: str) -> None:
    """Of each label a list of (feature, weight)."""
    _check(isinstance(heaviest, dict), where, heaviest, "labels with features")
    for features in heaviest.values():
        _check(isinstance(features, list), where, features, "lists")
        for pair in features:
            sound = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and _is_number(pair[1])
            _check(sound, where, pair, "features with weights")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and abs(value) < 1e300


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | bool) or _is_number(value)


def _check(sound: bool, what: str, value: Any, expected: str) -> None:
    if not sound:
        raise ModelError(f"the header's {what} is {_shown(value)}; expected {expected}; {_AGAIN}")


def _shown(value: Any) -> str:
    """A short representation of a value, however deep or long it is."""
    return repr(value)[:40] if isinstance(value, str | int | float | bool | None) else f"a {type(value).__name__}"
