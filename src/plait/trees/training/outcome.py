"""A parser's scores on the development set."""

from __future__ import annotations

from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.learn.outcome import Outcome
from plait.trees.arc_labels import ArcLabels


def tree_measures(labels: ArcLabels) -> tuple[str, ...]:
    """The scores of trees, the one that decides first: LAS when labelled, otherwise UAS."""
    return ("las", "uas") if labels.labelled else ("uas",)


def add_sentence(outcome: Outcome, columns: TagColumns, gold: Sentence, found: Sentence) -> None:
    """Count one analysed sentence."""
    outcome.add(
        tags=(columns.read(gold), columns.read(found)),
        heads=(gold.heads, found.heads),
        labels=(gold.deprels, found.deprels),
    )
