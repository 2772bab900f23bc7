"""How many trainings a parser averages where the user leaves it open."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from plait.data.document import Sentence
from plait.logs import logger
from plait.system.shared_options import RUNS_HELP

# Chance decides most in small treebanks, where training is short as well. A toy treebank is trained once, so that a
# first try ends at once.
FEWEST_WORDS, MOST_WORDS, RUNS = 2_000, 50_000, 3
AUTO_RUNS = 0
AUTO_RUNS_HELP = (
    f"{RUNS_HELP}; {AUTO_RUNS}: {RUNS} times if the training data has {FEWEST_WORDS:,} to {MOST_WORDS:,} words, "
    "otherwise once"
)


def usual_runs(words: int) -> int:
    """The number of trainings for a treebank of so many words.

    >>> [usual_runs(words) for words in (1_999, 2_000, 50_000, 50_001)]
    [1, 3, 3, 1]
    """
    return RUNS if FEWEST_WORDS <= words <= MOST_WORDS else 1


def with_runs(options: Any, train: Sequence[Sentence]) -> Any:
    """The options with a number of runs; an automatic decision for more than one is logged."""
    if options.runs != AUTO_RUNS:
        return options
    words = sum(map(len, train))
    runs = usual_runs(words)
    if runs > 1:
        logger.info("%d runs, whose weights are averaged: the training data has only %d words", runs, words)
    return dataclasses.replace(options, runs=runs)
