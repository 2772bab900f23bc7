"""Evaluation: every measure of tagging, parsing, segmentation and chunking, and the comparison of two systems."""

from plait.evaluation.breakdown import breakdown, error_patterns
from plait.evaluation.comparison import Comparison, Difference, Pattern, compare
from plait.evaluation.conll18 import Measure, conll18
from plait.evaluation.pairing import Pairing, align, pair
from plait.evaluation.runs import RunDifference, compare_runs
from plait.evaluation.scores import Scores, evaluate
from plait.evaluation.significance import mcnemar, paired_bootstrap, paired_permutation
from plait.evaluation.tables import Table

__all__ = [
    "Comparison",
    "Difference",
    "Measure",
    "Pairing",
    "Pattern",
    "RunDifference",
    "Scores",
    "Table",
    "align",
    "breakdown",
    "compare",
    "compare_runs",
    "conll18",
    "error_patterns",
    "evaluate",
    "mcnemar",
    "pair",
    "paired_bootstrap",
    "paired_permutation",
]
