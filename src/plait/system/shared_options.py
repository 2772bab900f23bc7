"""Options that systems of several families share. They stand in the header of a model, so its users need them too."""

from __future__ import annotations

from dataclasses import dataclass

from plait.options import DEV, Needs, option

LEARNERS = ("perceptron", "pa", "spa")  # by name; plait.learn.learners has the functions


@dataclass(frozen=True)
class OnlineOptions:
    """What all online-trained systems can be told; their own options classes add to it."""

    learner: str = option("perceptron", "how weights move", choices=LEARNERS)
    epochs: int = option(10, "passes over the training data; with --dev the best one is kept", minimum=1)
    patience: int = option(0, "stop after so many epochs without gain on dev; 0 never does", minimum=0, needs=DEV)
    table: str = option("exact", "exact: features apart; hash: a fixed number of weights", choices=("exact", "hash"))
    hash_bits: int = option(
        22,
        "with --table hash: 2 to the power of this many weights",
        minimum=8,
        maximum=30,
        needs=Needs("--table hash", lambda o: o.table == "hash"),
    )
    min_updates: int = option(
        1, "features that are corrected less often in training have no weights: 2 makes smaller models",
        minimum=1, maximum=255,
    )  # fmt: skip
    bits: int = option(0, "bits of a stored weight; 0: the fewest that --slack allows", choices=(0, 8, 16, 32))
    prune: bool = option(True, "drop small weights from the stored model as far as --slack allows")
    slack: float = option(
        0.05, "points that no dev score may lose more than for a smaller stored model", minimum=0.0, maximum=100.0,
        needs=DEV,
    )  # fmt: skip
    megabytes: float = option(0.0, "most that the stored weights may take, whatever dev says; 0: anything", minimum=0.0)
