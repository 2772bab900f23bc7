"""What a trained system is: the contract that every model family fulfils, the registry of names, and the model file."""

from plait.system.base import Arrays, Parts, System
from plait.system.registry import SYSTEMS, find_system, find_trainer

__all__ = ["SYSTEMS", "Arrays", "Parts", "System", "find_system", "find_trainer"]
