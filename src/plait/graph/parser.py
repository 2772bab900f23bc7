"""``graph-parser``: exact first-order (CRF) and second-order (Carreras 2007) dependency parsing, with a tagger."""

from __future__ import annotations

from plait.graph.options import GraphParserOptions
from plait.graph.system import GraphSystem


class GraphParser(GraphSystem):
    """A dependency parser with exact search and a tagger of its own."""

    name = "graph-parser"
    Options = GraphParserOptions
    joint = False
