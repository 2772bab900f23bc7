"""Options that systems of several families share. They stand in the header of a model, so its users need them too."""

from __future__ import annotations

from plait.features.word_lexicon import LEXICON_HELP
from plait.options import DEV, Needs, option, options_class

LEARNERS = ("perceptron", "pa", "spa")  # by name; plait.learn.learners has the functions
LEARNER_HELP = "averaged perceptron, passive-aggressive, or pa with separate steps for tags and arcs"
RUNS_HELP = (
    "train this many times, each time in another order, and average the weights: more accurate, equally fast in use"
)


@options_class
class StorageOptions:
    """How the weights of a system are stored."""

    bits: int = option(0, "bits per stored weight; 0: as few as --slack allows", choices=(0, 8, 16, 32))
    prune: bool = option(True, "drop small weights from the stored model, as far as --slack allows")
    slack: float = option(
        0.05, "how many points each dev score may lose to make the stored model smaller", minimum=0.0, maximum=100.0,
        needs=DEV,
    )  # fmt: skip
    megabytes: float = option(
        0.0, "maximum size of the weights in the model file, whatever the dev scores; 0: no limit", minimum=0.0
    )


@options_class
class ResourceOptions:
    """Word resources for templates: clusters and lexicons."""

    clusters: str = option("", "FILE of Brown clusters (bit string, word, count) to use as features")
    lexicon: str = option("", LEXICON_HELP)


@options_class
class OnlineOptions(StorageOptions):
    """The options of all online-trained systems; their own options classes add to them."""

    learner: str = option("perceptron", LEARNER_HELP, choices=LEARNERS)
    epochs: int = option(10, "passes over the training data; with --dev the best epoch is kept", minimum=1)
    runs: int = option(1, RUNS_HELP, minimum=1, maximum=100)
    patience: int = option(
        0, "stop after this many epochs without improvement on --dev; 0: never", minimum=0, needs=DEV
    )
    table: str = option(
        "exact", "exact: one row per feature; hash: a fixed number of weights", choices=("exact", "hash")
    )
    hash_bits: int = option(
        22,
        "with --table hash: use 2^N weights",
        minimum=8,
        maximum=30,
        needs=Needs("--table hash", lambda o: o.table == "hash"),
    )
    min_updates: int = option(
        1, "drop features updated less often than this in training; 2 gives smaller models",
        minimum=1, maximum=255,
    )  # fmt: skip
