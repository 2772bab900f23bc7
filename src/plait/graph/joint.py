"""``graph-joint``: tags and labelled trees in one exact chart, trained with SPA (Li et al. 2012)."""

from __future__ import annotations

from plait.graph.options import GraphJointOptions
from plait.graph.system import GraphSystem


class GraphJoint(GraphSystem):
    """A graph-based joint tagger and parser with exact search after pruning (Li et al. 2012)."""

    name = "graph-joint"
    Options = GraphJointOptions
    joint = True
