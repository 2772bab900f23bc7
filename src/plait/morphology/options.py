"""The options of ``morph-tagger``."""

from __future__ import annotations

from plait.options import DEV, Needs, option, options_class
from plait.system.shared_options import ResourceOptions, StorageOptions

SEVERAL_COLUMNS = Needs(
    "several columns that are decided together",
    lambda options: not options.apart and (not options.tag or "+" in options.tag),
)
FEW_WORDS = 200_000  # smaller treebanks gain from features seen once
SMALL_DATA, SMALL_L1 = 300_000, 0.003  # smaller treebanks gain from a penalty, the one with 470,000 words does not


@options_class
class MorphOptions(ResourceOptions, StorageOptions):
    """What can be chosen for the tagger of structured tags."""

    tag: str = option("", "columns to predict, joined by +: upos, xpos, feats; empty: all that the treebank has")
    tidy: bool = option(True, "sort the features of FEATS, so that the same features always form the same tag")
    apart: bool = option(False, "train a separate model for each column")
    order: int = option(2, "order of the chain: number of previous tags a decision depends on", choices=(0, 1, 2))
    threshold: float = option(
        0.003, "prune tags less probable than this in the order-0 model; 0 keeps all (slow)", minimum=0.0, maximum=0.5
    )
    tag_dictionary: int = option(
        30, "words seen more often than this get only tags seen in training; 0: no dictionary", minimum=0,
        formerly="dictionary",
    )  # fmt: skip
    unseen: int = option(
        0, "add up to N likely tags that do not occur in the training data but whose parts do", minimum=0,
        maximum=20_000,
    )  # fmt: skip
    templates: str = option("morphology", "feature templates: morphology, or your own FILE or FILE:SET")
    epochs: int = option(8, "passes over the training data; with --dev the best epoch is kept", minimum=1)
    warmup: int = option(1, "train the first N epochs without transitions between tags", minimum=0)
    patience: int = option(
        0, "stop after this many epochs without improvement on --dev; 0: never", minimum=0, needs=DEV
    )
    rate: float = option(0.1, "learning rate (AdaGrad)", minimum=1e-6, maximum=10.0)
    l2: float = option(0.01, "L2 penalty on weights", minimum=0.0, maximum=10.0)
    l1: float = option(
        -1.0,
        f"L1 penalty on weights, so that rare features are trusted less; -1: {SMALL_L1} with fewer than {SMALL_DATA:,} "
        "words, else 0",
        minimum=-1.0, maximum=10.0,
    )  # fmt: skip
    coarse_weight: float = option(
        0.5,
        "weight of a model of the first column alone, such as UPOS, that is added to that of whole tags: it predicts "
        "that column better; 0: none",
        minimum=0.0, maximum=10.0, needs=SEVERAL_COLUMNS,
    )  # fmt: skip
    dropout: float = option(
        0.5, "in training, treat a word seen n times as unknown with probability x / (x + n)", minimum=0.0
    )
    cutoff: int = option(
        0, f"drop features seen less often than this; 0: 1 with fewer than {FEW_WORDS:,} words, else 2", minimum=0
    )
    shrink: int = option(
        3, "with --megabytes: drop weights after this epoch, so that later epochs can compensate", minimum=1,
        needs=Needs("--megabytes", lambda options: options.megabytes > 0),
    )  # fmt: skip
