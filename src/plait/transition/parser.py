"""``transition-parser``: the k = 1 system of Bohnet & Nivre (2012), in which the tagger decides the tags."""

from __future__ import annotations

from plait.transition.options import TransitionParserOptions
from plait.transition.system import TransitionSystem


class TransitionParser(TransitionSystem):
    """A transition-based parser for non-projective trees, with an internal tagger (Bohnet & Nivre 2012)."""

    name = "transition-parser"
    Options = TransitionParserOptions
