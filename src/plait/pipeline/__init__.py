"""Using systems: training by name, model files, whole documents in many threads.

``train`` is imported on first use: loading a model must not import training code.
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
