"""The options of ``committee``."""

from __future__ import annotations

from plait.options import option, options_class

WEIGHTS = ("equal", "accuracy", "probability")


@options_class
class CommitteeOptions:
    """The options of ``committee``; those of a member follow its name as NAME=VALUE."""

    members: str = option(
        "transition-joint; graph-joint; easyfirst-joint",
        'systems that vote, each with its options: "transition-joint beam=16; graph-joint"',
    )
    weights: str = option(
        "accuracy",
        "weight of a vote: equal; accuracy: the member's accuracy on the development set for words with that tag; "
        "probability: the member's own probability of the arc, where it has one",
        choices=WEIGHTS,
    )
    projective: bool = option(False, "choose the best projective tree instead of the best tree")
