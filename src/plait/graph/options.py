"""The options of the graph-based systems."""

from __future__ import annotations

from plait.options import Needs, option, options_class
from plait.system.shared_options import LEARNER_HELP, LEARNERS, OnlineOptions, ResourceOptions
from plait.trees.averaging import AUTO_RUNS, AUTO_RUNS_HELP
from plait.trees.guide import GUIDE_FOLDS_HELP, GUIDE_HELP, NEEDS_GUIDE
from plait.trees.inner_tagger import AUTO, NEEDS_MORPH, TAGGER_HELP, TAGGER_MEGABYTES_HELP
from plait.trees.morphology import MORPHOLOGY_CHOICES, MORPHOLOGY_HELP


@options_class
class GraphOptions(ResourceOptions, OnlineOptions):
    """The options of both graph-based systems."""

    gold_tags = False  # an option of parsers: whether tags are taken as the treebank and the input have them

    augment: bool = option(
        True, "loss-augmented training: update against the analysis with the highest score plus loss"
    )
    learner: str = option("pa", LEARNER_HELP, choices=LEARNERS)
    runs: int = option(AUTO_RUNS, AUTO_RUNS_HELP, minimum=AUTO_RUNS, maximum=100)
    order: int = option(2, "1: single arcs; 2: siblings and grandchildren too", choices=(1, 2))
    labeled: bool = option(True, "predict arc labels together with heads; --no-labeled: heads only")
    templates: str = option(
        "", "feature templates: li2012, li2012-zh, -en, -ptb, zh, or your own FILE or FILE:SET; empty: zh for Chinese "
        "text, otherwise li2012-en",
    )  # fmt: skip
    prune_templates: str = option("prune", "feature templates of the first-order CRF used for pruning")
    tag: str = option("upos", "tag column used by the templates: upos, xpos, feats, or several joined by +")
    prune_arcs: float = option(
        1e-3, "prune heads less probable than this fraction of the best one; 0 keeps all", minimum=0.0, maximum=1.0
    )
    max_heads: int = option(20, "maximum number of candidate heads per word; 0: no limit", minimum=0)
    max_words: int = option(120, "longer sentences are parsed by the first-order model", minimum=1, maximum=1000)
    morphology: str = option("auto", MORPHOLOGY_HELP, choices=MORPHOLOGY_CHOICES)
    guide: str = option("", GUIDE_HELP)
    guide_folds: int = option(5, GUIDE_FOLDS_HELP, minimum=2, needs=NEEDS_GUIDE)
    folds: int = option(5, "number of folds for jackknifing the training tags", minimum=2)
    arc_folds: int = option(2, "number of folds for jackknifing the training arcs; more gain little", minimum=2)
    tagger: str = option(AUTO, TAGGER_HELP, choices=(AUTO, "crf", "morph"))
    tagger_templates: str = option("general", "feature templates of the internal tagger")
    tagger_epochs: int = option(6, "training epochs of the internal tagger", minimum=1)
    tagger_megabytes: float = option(0.0, TAGGER_MEGABYTES_HELP, minimum=0.0, needs=NEEDS_MORPH)
    arc_epochs: int = option(4, "training epochs of the first-order CRF", minimum=1)
    arc_rate: float = option(0.2, "learning rate of the first-order CRF", minimum=1e-6, maximum=1e6)
    arc_decay: float = option(1e-6, "weight decay of the first-order CRF", minimum=0.0, maximum=1.0)
    arc_cutoff: int = option(1, "first-order CRF: drop features seen less often than this", minimum=1)

    def is_projective(self) -> bool:
        """Whether trees are projective inside; only a first-order parser has the choice."""
        return True


@options_class
class GraphParserOptions(GraphOptions):
    """The options of ``graph-parser``. Order 1 is the CRF that prunes at order 2: its options begin with ``arc_``."""

    further_needs = dict.fromkeys(
        ("epochs", "learner", "augment", "runs", "table", "min_updates", "megabytes", "prune_templates", "prune_arcs",
         "max_heads", "max_words", "arc_folds", "guide"),
        Needs("--order 2", lambda o: o.order == 2),
    )  # fmt: skip

    gold_tags: bool = option(False, "train on gold tags, and use the tags of the input when parsing")
    projective: bool = option(
        True,
        "order 1: projective trees only; --no-projective for treebanks with many crossing arcs",
        needs=Needs("--order 1", lambda o: o.order == 1 or o.projective),
    )

    def is_projective(self) -> bool:
        """The second-order chart supports projective trees only."""
        return self.projective or self.order == 2


@options_class
class GraphJointOptions(GraphOptions):
    """The options of ``graph-joint``."""

    learner: str = option("spa", LEARNER_HELP, choices=LEARNERS)
    prune_tags: float = option(
        0.03, "prune tags less probable than this fraction of the best one", minimum=0.0, maximum=1.0
    )
    pos_templates: str = option(
        "general", "tag feature templates: general, collins, zhang-clark (Li et al. 2012, Chinese), "
        "ratnaparkhi (English), or your own FILE or FILE:SET",
    )  # fmt: skip
