"""Trained systems: the interface of every model family, the registry of names, and the model file."""

from plait.system.base import Arrays, Parts, System
from plait.system.registry import SYSTEMS, find_system, find_trainer

__all__ = ["SYSTEMS", "Arrays", "Parts", "System", "find_system", "find_trainer"]
