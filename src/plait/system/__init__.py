"""What a system is: the contract that every model family fulfils, the registry of names, and the model file."""

from plait.system.base import SYSTEMS, Parts, System, TrainingTask, find_system

__all__ = ["SYSTEMS", "Parts", "System", "TrainingTask", "find_system"]
