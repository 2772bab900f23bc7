"""The options of ``morph-tagger``."""

from __future__ import annotations

from plait.options import DEV, Needs, option, options_class
from plait.system.shared_options import ResourceOptions, StorageOptions


@options_class
class MorphOptions(ResourceOptions, StorageOptions):
    """What can be chosen for the tagger of structured tags."""

    tag: str = option("", "columns to predict, joined by +: upos, xpos, feats; empty: those that the treebank fills")
    tidy: bool = option(
        True, "put the features of FEATS in the order of the guidelines: two ways to write a tag are one"
    )
    apart: bool = option(False, "decide the columns one by one, each by a model of its own")
    order: int = option(1, "tags that a decision looks back at", choices=(0, 1, 2))
    threshold: float = option(
        0.003, "candidates less probable than this at order 0 are dropped; 0 keeps all: slow", minimum=0.0, maximum=0.5
    )
    tag_dictionary: int = option(
        30, "words seen more often than this get only tags seen in training; 0: no word does", minimum=0,
        formerly="dictionary",
    )  # fmt: skip
    unseen: int = option(
        0, "tags that the data does not show but whose parts it does, added to the tag set; the likeliest", minimum=0,
        maximum=20_000,
    )  # fmt: skip
    templates: str = option("morphology", "feature set: morphology, or a table FILE or FILE:SET")
    epochs: int = option(8, "passes over the training data; with --dev the best epoch is kept", minimum=1)
    warmup: int = option(1, "of these the first ones without transitions", minimum=0)
    patience: int = option(
        0, "stop after this many epochs without improvement on --dev; 0: never", minimum=0, needs=DEV
    )
    rate: float = option(0.1, "step size (AdaGrad)", minimum=1e-6, maximum=10.0)
    l2: float = option(0.01, "quadratic penalty on weights", minimum=0.0, maximum=10.0)
    l1: float = option(0.0, "absolute penalty on weights: smaller models", minimum=0.0, maximum=10.0)
    dropout: float = option(
        0.5, "a word seen n times is taken for unknown with probability x/(x+n) in training", minimum=0.0
    )
    cutoff: int = option(2, "features seen less often have no weights", minimum=1)
    shrink: int = option(
        3, "the epoch after which weights are dropped to that end, so that the later ones make up for them", minimum=1,
        needs=Needs("--megabytes", lambda options: options.megabytes > 0),
    )  # fmt: skip
