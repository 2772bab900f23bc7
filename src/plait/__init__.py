"""plait: words, part-of-speech tags and dependency trees, woven jointly.

The names below are loaded when first used, so that ``import plait`` and ``plait --help`` start at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plait.data.document import Document as Document
    from plait.data.document import Sentence as Sentence
    from plait.data.document import Token as Token
    from plait.errors import DataError as DataError
    from plait.errors import FormatError as FormatError
    from plait.errors import ModelError as ModelError
    from plait.errors import OptionError as OptionError
    from plait.errors import PlaitError as PlaitError
    from plait.evaluation import evaluate as evaluate
    from plait.formats import read as read
    from plait.formats import stream as stream
    from plait.formats import write as write
    from plait.pipeline import Model as Model
    from plait.pipeline import load as load
    from plait.pipeline import train as train
    from plait.pipeline.cutting import Cutter as Cutter
    from plait.pipeline.cutting import add_word as add_word
    from plait.pipeline.cutting import cut as cut
    from plait.pipeline.cutting import cut_for_search as cut_for_search
    from plait.pipeline.cutting import del_word as del_word
    from plait.pipeline.cutting import lcut as lcut
    from plait.pipeline.cutting import lcut_for_search as lcut_for_search
    from plait.pipeline.cutting import load_userdict as load_userdict
    from plait.pipeline.cutting import tokenize as tokenize

__version__ = "0.1.0"

_NAMES = {
    "plait.data.document": ("Document", "Sentence", "Token"),
    "plait.errors": ("PlaitError", "FormatError", "OptionError", "DataError", "ModelError"),
    "plait.formats": ("read", "stream", "write"),
    "plait.evaluation": ("evaluate",),
    "plait.pipeline": ("Model", "load", "train"),
    "plait.pipeline.cutting": (
        *("cut", "lcut", "cut_for_search", "lcut_for_search", "tokenize"),
        *("Cutter", "load_userdict", "add_word", "del_word"),
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'plait' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
