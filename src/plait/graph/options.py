"""What both graph-based systems can be told."""

from __future__ import annotations

from dataclasses import dataclass

from plait.options import option
from plait.system.shared_options import OnlineOptions


@dataclass(frozen=True)
class GraphOptions(OnlineOptions):
    """What both graph-based systems can be told."""

    augment: bool = option(True, "train against the analysis of highest score plus loss, not of highest score")
    learner: str = option(
        "pa", "perceptron: averaged; pa: passive-aggressive; spa: separate step sizes for tags and arcs",
        choices=("perceptron", "pa", "spa"),
    )  # fmt: skip
    order: int = option(2, "1: arcs alone; 2: siblings and grandchildren as well", choices=(1, 2))
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    templates: str = option(
        "", "feature set: li2012, li2012-zh, -en, -ptb, zh, or a table FILE or FILE:SET; empty: zh for Chinese "
        "characters, else li2012-en",
    )  # fmt: skip
    prune_templates: str = option("prune", "feature set of the first-order CRF that prunes")
    tag: str = option("upos", "tag column that the templates see: upos, xpos, feats, or several joined by +")
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    prune_arcs: float = option(
        1e-3, "leave out heads less probable than this part of the best one; 0 keeps all", minimum=0.0, maximum=1.0
    )
    max_heads: int = option(20, "and keep no more heads of a word than this; 0: any number", minimum=0)
    max_words: int = option(120, "longer sentences get the tree of the first-order model", minimum=1, maximum=1000)
    folds: int = option(5, "jackknife folds for tags of the training data", minimum=2)
    arc_folds: int = option(2, "jackknife folds for arcs of the training data: more cost time, gain little", minimum=2)
    tagger_templates: str = option("general", "feature set of the tagger inside")
    tagger_epochs: int = option(6, "passes over the training data for the tagger inside", minimum=1)
    arc_epochs: int = option(4, "passes over the training data for the first-order CRF", minimum=1)
    arc_rate: float = option(0.2, "size of its steps", minimum=1e-6, maximum=1e6)
    arc_decay: float = option(1e-6, "how much it pulls its weights towards 0", minimum=0.0, maximum=1.0)
    arc_cutoff: int = option(1, "features seen less often are left out of it", minimum=1)
