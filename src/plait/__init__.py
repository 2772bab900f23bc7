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

_HOMES = {
    "Document": "plait.data.document",
    "Sentence": "plait.data.document",
    "Token": "plait.data.document",
    "PlaitError": "plait.errors",
    "FormatError": "plait.errors",
    "OptionError": "plait.errors",
    "DataError": "plait.errors",
    "ModelError": "plait.errors",
    "read": "plait.formats",
    "stream": "plait.formats",
    "write": "plait.formats",
    "evaluate": "plait.evaluation",
    "Model": "plait.pipeline",
    "load": "plait.pipeline",
    "train": "plait.pipeline",
    "cut": "plait.pipeline.cutting",
    "lcut": "plait.pipeline.cutting",
    "cut_for_search": "plait.pipeline.cutting",
    "lcut_for_search": "plait.pipeline.cutting",
    "tokenize": "plait.pipeline.cutting",
    "Cutter": "plait.pipeline.cutting",
    "load_userdict": "plait.pipeline.cutting",
    "add_word": "plait.pipeline.cutting",
    "del_word": "plait.pipeline.cutting",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'plait' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
