"""``graph-joint``: tags and labelled trees in one exact chart, trained with SPA (Li et al. 2012)."""

from __future__ import annotations

from dataclasses import dataclass

from plait.graph.base import GraphSystem
from plait.graph.groundwork import Matrix
from plait.graph.options import GraphOptions
from plait.graph.pruning import keep_tags
from plait.options import option


@dataclass(frozen=True)
class GraphJointOptions(GraphOptions):
    """The options of ``graph-joint``."""

    learner: str = option(
        "spa", "perceptron: averaged; pa: passive-aggressive; spa: separate step sizes for tags and arcs",
        choices=("perceptron", "pa", "spa"),
    )  # fmt: skip
    prune_tags: float = option(
        0.03, "leave out tags less probable than this part of the best one", minimum=0.0, maximum=1.0
    )
    pos_templates: str = option(
        "general", "POS features in the chart: general, collins, those of Li et al. (2012): zhang-clark for Chinese, "
        "ratnaparkhi for English, or a table FILE or FILE:SET",
    )  # fmt: skip


class GraphJoint(GraphSystem):
    """Tagging and parsing at once, exact within what pruning leaves."""

    name = "graph-joint"
    Options = GraphJointOptions
    joint = True

    @classmethod
    def uses_gold_tags(cls, options: GraphJointOptions) -> bool:
        """Tags are what it looks for."""
        return False

    def _candidate_tags(self, p: Matrix) -> list[list[int]]:
        return keep_tags(p, self.options.prune_tags)
