"""``graph-parser``: exact first-order (CRF) and second-order (Carreras 2007) dependency parsing, with a tagger."""

from __future__ import annotations

from plait.graph.options import GraphParserOptions
from plait.graph.system import GraphSystem


class GraphParser(GraphSystem):
    """A graph-based dependency parser with exact search and an internal tagger (Li et al. 2012)."""

    name = "graph-parser"
    Options = GraphParserOptions
    joint = False
