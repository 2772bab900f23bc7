"""The models that come with plait: found by name, listed with what they do, chosen by the script of a text.

They are made by ``scripts/train_models``; README.md beside them says from what, how good they are, and under which
licence they stand: that of their data, not that of the code.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from plait.errors import ModelError, OptionError

SUFFIX = ".plait"
LOOKED_AT = 1000  # characters of a text by which its model is chosen


def shipped() -> dict[str, Path]:
    """The shipped models by name.

    >>> sorted(shipped())
    ['en', 'zh']
    """
    here = Path(str(files(__name__)))
    return {path.stem: path for path in sorted(here.glob(f"*{SUFFIX}"))}


def find_model(name: str | Path) -> Path:
    """The file of a model: a shipped one by its name, any other by its path.

    >>> find_model("my/own.plait").name, find_model("zh").name
    ('own.plait', 'zh.plait')
    >>> find_model("klingon")
    Traceback (most recent call last):
    plait.errors.ModelError: no model "klingon"; shipped are en, zh; or give the path of a model file
    """
    path = Path(name)
    if isinstance(name, str) and name in (known := shipped()):
        return known[name]  # ./zh is a file of this name
    if path.name == str(name) and not path.suffix and not path.exists():
        names = ", ".join(shipped()) or "none"
        raise ModelError(f'no model "{name}"; shipped are {names}; or give the path of a model file')
    return path


@dataclass(frozen=True)
class Shipped:
    """What ``plait models`` tells of a model."""

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
    from plait.pipeline import load

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


def choose_model(text: str) -> str:
    """The shipped model for a text, by its script: Chinese characters without kana or hangul, or Latin letters.

    >>> choose_model("Dogs bark."), choose_model("iPhone 很貴")
    ('en', 'zh')
    >>> choose_model("Собака лает.")
    Traceback (most recent call last):
    plait.errors.OptionError: no shipped model is for this text; choose one: --model en, --model zh, or a path
    """
    scripts = Counter(unicodedata.name(c, "").partition(" ")[0] for c in text[:LOOKED_AT] if c.isalpha())
    known = shipped()
    name = ""
    if scripts["CJK"] and not any(scripts[other] for other in ("HIRAGANA", "KATAKANA", "HANGUL")):
        name = "zh"
    elif scripts["LATIN"] and 2 * scripts["LATIN"] > sum(scripts.values()):
        name = "en"
    if name not in known:
        choices = "".join(f"--model {name}, " for name in known)
        raise OptionError(f"no shipped model is for this text; choose one: {choices}or a path")
    return name
