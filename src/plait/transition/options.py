"""The options of the transition systems."""

from __future__ import annotations

from dataclasses import dataclass

from plait.features.word_lexicon import LEXICON_HELP
from plait.options import Needs, option
from plait.system.shared_options import LEARNERS, OnlineOptions
from plait.transition._search import UPDATES
from plait.trees.inner_tagger import TAGGERS


@dataclass(frozen=True)
class TransitionOptions(OnlineOptions):
    """What both transition systems can be told."""

    learner: str = option("pa", "how weights move", choices=LEARNERS)
    epochs: int = option(25, "passes over the training data; with --dev the best one is kept", minimum=1)
    beam: int = option(40, "hypotheses with distinct trees kept at each step (b1)", minimum=1, maximum=4096)
    update: str = option(
        "max-violation", "where weights move: where gold is farthest behind, or as soon as it is lost", choices=UPDATES
    )
    word_dropout: float = option(
        3.0, "in training a word seen n times is hidden with probability x / (x + n): its tag and affixes learn to "
        "speak for it, as they must for unknown words",
        minimum=0.0, maximum=100.0,
    )  # fmt: skip
    oracle: str = option("lazy", "when gold transitions swap: late or as early as possible", choices=("lazy", "eager"))
    tag: str = option("upos", "tag columns: upos, xpos, feats, or several joined by +")
    templates: str = option(
        "", "feature set: ZN11, default, endings, compact, morphology, or a table FILE or FILE:SET; empty: morphology "
        "for tags with parts, else default",
    )  # fmt: skip
    graph_features: bool = option(False, "score factors of two and three arcs as soon as they are complete (G)")
    graph_templates: str = option(
        "default", "with --graph-features: second, factors, default, zh, en, or a table FILE or FILE:SET",
        needs=Needs("--graph-features", lambda o: o.graph_features),
    )  # fmt: skip
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features (C)")
    lexicon: str = option("", LEXICON_HELP)
    morphology: bool = option(
        False,
        "train a tagger of FEATS too: they are written, and case, verb form and agreement help to parse",
    )
    folds: int = option(10, "jackknife folds for the tags of the training data", minimum=2)
    tagger: str = option(
        "auto",
        "tagger inside: a CRF, or a perceptron for more tags than a CRF has time for",
        choices=("auto", *TAGGERS),
    )
    tagger_templates: str = option("general", "feature set of the tagger inside, as for crf-tagger")
    tagger_epochs: int = option(8, "passes over the training data for the tagger inside", minimum=1)
    tagger_lasso: float = option(
        0.0, "pull of the tagger's weights towards 0: 0.1 stores the tagger in a tenth of the space", minimum=0.0
    )
    check: bool = option(False, "assert that every update is valid")

    def takes_gold_tags(self) -> bool:
        """Whether the tags of the treebank and of the input are taken as they are."""
        return False

    def candidate_limits(self) -> tuple[int, float]:
        """k and α: how many tags a word may choose among, and how far behind the best one."""
        return 1, 0.0

    def tag_beam(self) -> int:
        """b2: how many further hypotheses differ mostly in tags."""
        return 0


@dataclass(frozen=True)
class TransitionParserOptions(TransitionOptions):
    """The options of ``transition-parser``."""

    gold_tags: bool = option(False, "train on the tags of the treebank, and use those that the input has")

    def takes_gold_tags(self) -> bool:
        """As the option says."""
        return self.gold_tags


@dataclass(frozen=True)
class TransitionJointOptions(TransitionOptions):
    """The options of ``transition-joint``."""

    beam_tags: int = option(4, "further hypotheses, mostly other tags for the same trees (b2)", minimum=0, maximum=4096)
    tag_candidates: int = option(3, "maximum number of candidate tags per word (k)", minimum=2, maximum=64)
    alpha: float = option(0.8, "candidates are at most so much less probable than the best", minimum=0.0, maximum=1.0)
    tag_templates: str = option("default", "feature set for tags: BN12, default, or a table FILE or FILE:SET")

    def candidate_limits(self) -> tuple[int, float]:
        """As the options say."""
        return self.tag_candidates, self.alpha

    def tag_beam(self) -> int:
        """As the option says."""
        return self.beam_tags
