"""``graph-parser``: exact first-order (CRF) and second-order (Carreras 2007) dependency parsing, with a tagger."""

from __future__ import annotations

from dataclasses import dataclass

from plait.graph.base import GraphSystem
from plait.graph.options import GraphOptions
from plait.options import option


@dataclass(frozen=True)
class GraphParserOptions(GraphOptions):
    """The options of ``graph-parser``. Order 1 is a CRF, trained by its likelihood: ``learner`` is for order 2."""

    gold_tags: bool = option(False, "train on the tags of the treebank, and use those that the input has")
    projective: bool = option(True, "order 1: projective trees; else any tree, for treebanks with many crossing arcs")


class GraphParser(GraphSystem):
    """A dependency parser with exact search and a tagger of its own."""

    name = "graph-parser"
    Options = GraphParserOptions
    joint = False

    @classmethod
    def uses_gold_tags(cls, options: GraphParserOptions) -> bool:
        """As the option says."""
        return options.gold_tags

    @classmethod
    def projective(cls, options: GraphParserOptions) -> bool:
        """The chart of order 2 knows projective trees only."""
        return options.projective or options.order == 2
