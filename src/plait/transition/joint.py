"""``transition-joint``: tags and labelled non-projective trees in one search (Bohnet & Nivre 2012).

SHIFT_p chooses among the k best tags of the tagger; what the tree makes of a tag decides with it.
"""

from __future__ import annotations

from plait.transition.options import TransitionJointOptions
from plait.transition.system import TransitionSystem


class TransitionJoint(TransitionSystem):
    """A transition-based joint tagger and parser for non-projective trees (Bohnet & Nivre 2012)."""

    name = "transition-joint"
    Options = TransitionJointOptions
