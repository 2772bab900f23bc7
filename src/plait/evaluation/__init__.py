"""Evaluation: every measure of tagging, parsing, segmentation and chunking, and the comparison of two systems."""

from plait.evaluation.conll18 import Measure, conll18
from plait.evaluation.pairing import Pairing, align, pair
from plait.evaluation.scores import Scores, evaluate

__all__ = ["Measure", "Pairing", "Scores", "align", "conll18", "evaluate", "pair"]
