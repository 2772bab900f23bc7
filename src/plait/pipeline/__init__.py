"""Systems put to use: training by name, model files, whole documents in many threads.

``train`` is imported when it is first asked for: who loads a model needs nothing that trains one.
"""

from typing import TYPE_CHECKING, Any

from plait.pipeline.model import Model, load

if TYPE_CHECKING:
    from plait.pipeline.training import train

__all__ = ["Model", "load", "train"]


def __getattr__(name: str) -> Any:
    if name != "train":
        raise AttributeError(f"module 'plait.pipeline' has no attribute {name!r}")
    from plait.pipeline.training import train

    return train
