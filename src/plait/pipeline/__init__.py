"""Systems put to use: training by name, model files, whole documents in many threads."""

from plait.pipeline.model import Model, load
from plait.pipeline.training import train

__all__ = ["Model", "load", "train"]
