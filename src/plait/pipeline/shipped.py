"""What the shipped models do, how well, and under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plait.models import shipped
from plait.pipeline.model import load


@dataclass(frozen=True)
class Shipped:
    """What ``plait models`` says about a model."""

    name: str
    system: str
    predicts: tuple[str, ...]
    scores: dict[str, float]  # on the test set, from raw text
    bytes: int
    licence: str
    attribution: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**self.__dict__, "predicts": list(self.predicts)}


def describe_shipped() -> list[Shipped]:
    """All shipped models."""
    found = []
    for name, path in shipped().items():
        model = load(name)
        training = model.header["training"]
        found.append(
            Shipped(
                name,
                model.system.name,
                (*(("sentences", "words") if model.system.segments else ()), *model.system.predicts),
                training.get("test", training.get("dev", {})),
                path.stat().st_size,
                model.header["licence"],
                model.header["attribution"],
            )
        )
    return found
