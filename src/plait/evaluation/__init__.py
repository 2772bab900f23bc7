"""Evaluation: every measure of tagging, parsing, segmentation and chunking, and the comparison of two systems."""

from plait.evaluation.breakdown import breakdown as breakdown
from plait.evaluation.breakdown import error_patterns as error_patterns
from plait.evaluation.comparison import Comparison as Comparison
from plait.evaluation.comparison import Difference as Difference
from plait.evaluation.comparison import Pattern as Pattern
from plait.evaluation.comparison import compare as compare
from plait.evaluation.conll18 import Measure as Measure
from plait.evaluation.conll18 import conll18 as conll18
from plait.evaluation.pairing import Pairing as Pairing
from plait.evaluation.pairing import align as align
from plait.evaluation.pairing import pair as pair
from plait.evaluation.runs import RunDifference as RunDifference
from plait.evaluation.runs import compare_runs as compare_runs
from plait.evaluation.scores import Scores as Scores
from plait.evaluation.scores import evaluate as evaluate
from plait.evaluation.significance import mcnemar as mcnemar
from plait.evaluation.significance import paired_bootstrap as paired_bootstrap
from plait.evaluation.significance import paired_permutation as paired_permutation
from plait.evaluation.tables import Table as Table
