"""``graph-joint``: tags and labelled trees in one exact chart, trained with SPA (Li et al. 2012)."""

from __future__ import annotations

from plait.graph.options import GraphJointOptions
from plait.graph.system import GraphSystem


class GraphJoint(GraphSystem):
    """Tagging and parsing at once, exact within what pruning leaves."""

    name = "graph-joint"
    Options = GraphJointOptions
    joint = True
