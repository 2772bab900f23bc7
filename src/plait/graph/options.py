"""The options of the graph-based systems."""

from __future__ import annotations

from dataclasses import dataclass

from plait.features.word_lexicon import LEXICON_HELP
from plait.options import option
from plait.system.shared_options import LEARNERS, OnlineOptions

LEARNER_HELP = "perceptron: averaged; pa: passive-aggressive; spa: separate step sizes for tags and arcs"


@dataclass(frozen=True)
class GraphOptions(OnlineOptions):
    """What both graph-based systems can be told."""

    augment: bool = option(True, "train against the analysis of highest score plus loss, not of highest score")
    learner: str = option("pa", LEARNER_HELP, choices=LEARNERS)
    order: int = option(2, "1: arcs alone; 2: siblings and grandchildren as well", choices=(1, 2))
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    templates: str = option(
        "", "feature set: li2012, li2012-zh, -en, -ptb, zh, or a table FILE or FILE:SET; empty: zh for Chinese "
        "characters, else li2012-en",
    )  # fmt: skip
    prune_templates: str = option("prune", "feature set of the first-order CRF that prunes")
    tag: str = option("upos", "tag column that the templates see: upos, xpos, feats, or several joined by +")
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    lexicon: str = option("", LEXICON_HELP)
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

    def takes_gold_tags(self) -> bool:
        """Whether the tags of the treebank and of the input are taken as they are."""
        return False

    def is_projective(self) -> bool:
        """Whether trees are projective inside; only a first-order parser has the choice."""
        return True


@dataclass(frozen=True)
class GraphParserOptions(GraphOptions):
    """The options of ``graph-parser``. Order 1 is a CRF, trained by its likelihood: ``learner`` is for order 2."""

    gold_tags: bool = option(False, "train on the tags of the treebank, and use those that the input has")
    projective: bool = option(True, "order 1: projective trees; else any tree, for treebanks with many crossing arcs")

    def takes_gold_tags(self) -> bool:
        """As the option says."""
        return self.gold_tags

    def is_projective(self) -> bool:
        """The chart of order 2 knows projective trees only."""
        return self.projective or self.order == 2


@dataclass(frozen=True)
class GraphJointOptions(GraphOptions):
    """The options of ``graph-joint``."""

    learner: str = option("spa", LEARNER_HELP, choices=LEARNERS)
    prune_tags: float = option(
        0.03, "leave out tags less probable than this part of the best one", minimum=0.0, maximum=1.0
    )
    pos_templates: str = option(
        "general", "POS features in the chart: general, collins, those of Li et al. (2012): zhang-clark for Chinese, "
        "ratnaparkhi for English, or a table FILE or FILE:SET",
    )  # fmt: skip
