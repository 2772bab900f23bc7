"""The models of one server: loaded once at startup, described, and tried out to find their capabilities."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.data.document import Sentence
from plait.errors import OptionError, PlaitError, unknown_name
from plait.files.names import exists
from plait.models import choose_model, shipped
from plait.pipeline import load
from plait.pipeline.model import Model
from plait.web.errors import ApiError
from plait.web.limits import Limits

CUBIC = ("graph-parser", "graph-joint")
LONGEST_CUBIC = 1000  # words in a sentence: three seconds; time grows with the cube, memory with the square
LONGEST_SCORED = 400  # with scores, which take twelve times as long


@dataclass(frozen=True)
class ServedModel:
    """One model under its name."""

    name: str
    model: Model
    abilities: tuple[str, ...]  # scores, keep, nbest, trace, dictionary

    @property
    def is_cubic(self) -> bool:
        """Whether time grows with the cube of a sentence's length."""
        system = self.model.system
        names = (system.name, getattr(getattr(system, "parser", None), "name", ""))  # a pipeline has a parser inside
        return any(name in CUBIC for name in names)

    @property
    def segments(self) -> bool:
        """Whether the model cuts raw text into words itself."""
        return bool(self.model.system.segments)

    def longest(self, limits: Limits, scores: bool = False) -> int:
        """Words that a sentence may have; fewer where a chart must be summed for its scores."""
        if not self.is_cubic:
            return limits.max_sentence
        return min(LONGEST_SCORED if scores else LONGEST_CUBIC, limits.max_sentence)

    def describe(self, limits: Limits) -> dict[str, Any]:
        """What ``GET /v1/models`` tells."""
        header = self.model.header
        return {
            "name": self.name,
            "system": self.model.system.name,
            "segments": self.model.system.segments,
            "predicts": list(self.model.system.predicts),
            "abilities": list(self.abilities),
            "longest_sentence": self.longest(limits),
            "scores": header["training"].get("test", header["training"].get("dev", {})),
            "data": {part: {key: d[key] for key in ("sentences", "words")} for part, d in header["data"].items()},
            "licence": header["licence"],
            "attribution": header["attribution"],
        }


class Catalogue:
    """Models by name; a request that names none gets the one for its script."""

    def __init__(self, models: Iterable[tuple[str, Model]]) -> None:
        self.models: dict[str, ServedModel] = {}
        for name, model in models:
            if name in self.models:
                raise OptionError(f'two models are named "{name}"; rename one with --model NAME=PATH')
            self.models[name] = ServedModel(name, model, abilities(model))
        if not self.models:
            raise OptionError("no model to serve; give one with --model NAME_OR_PATH")

    @classmethod
    def load(cls, choices: Iterable[str]) -> Catalogue:
        """Load models given as a shipped name, a path, or ``NAME=PATH``."""
        pairs = map(_named, choices)
        return cls((name, load(place)) for name, place in pairs)

    def find(self, name: str | None, sample: str = "") -> ServedModel:
        """The model of this name, or 404; without a name the one for the sample's script."""
        if name is None:
            return self._for_script(sample)
        if name not in self.models:
            raise ApiError(404, "unknown_model", unknown_name("model", name, self.models), models=list(self.models))
        return self.models[name]

    def _for_script(self, sample: str) -> ServedModel:
        """The shipped model that the command line would choose, if it is served, otherwise the first.

        The first is the default of this server. Only where that is a shipped model, one of several, its script is
        known: text in another script is then refused, as it is on the command line.
        """
        first = next(iter(self.models.values()))
        if len(self.models) == 1 or not any(map(str.isalpha, sample)):
            return first
        try:
            return self.models[choose_model(sample)]
        except (OptionError, KeyError):
            if first.name not in shipped():
                return first
        names = ", ".join(self.models)
        message = f"no model of this server matches the script of this text; choose one explicitly: {names}"
        raise ApiError(422, "no_model_for_script", message, field="model", models=list(self.models)) from None

    def describe(self, limits: Limits) -> list[dict[str, Any]]:
        """All models, the default one first."""
        return [served.describe(limits) for served in self.models.values()]


def _named(choice: str) -> tuple[str, str]:
    name, equals, place = choice.partition("=")
    if equals and name and not exists(choice):
        return name, place
    return Path(choice).name.removesuffix(".plait"), choice


def abilities(model: Model) -> tuple[str, ...]:
    """The optional capabilities of a model, found by trying it on two words.

    The trial also warms the model up, so that the first request is not the slowest.
    """
    words = Sentence(["a", "b"])
    given = Sentence(["a", "b"], heads=[0, 1])
    trials: dict[str, Callable[[], bool]] = {
        "scores": lambda: model("a b" if model.system.segments else words, scores=True)[0].scores is not None,
        "keep": lambda: "heads" in model.system.predicts and len(model(given, keep=True)) > 0,
        "nbest": lambda: len(model.nbest("a b" if model.system.segments else words, 1)) > 0,
        "trace": lambda: model(words)[0].trace is not None,
        "dictionary": lambda: len(model("a b", dictionary=["a b"])) > 0,
    }
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, succeeds in trials.items():
            try:
                if succeeds():
                    found.append(name)
            except PlaitError:
                continue
    return tuple(found)
