"""The options of the transition systems."""

from __future__ import annotations

from plait.features.word_lexicon import LEXICON_HELP
from plait.options import Needs, option, options_class
from plait.system.shared_options import LEARNER_HELP, LEARNERS, RUNS_HELP, OnlineOptions
from plait.transition._search import UPDATES
from plait.transition.mirror import LEFT_TO_RIGHT, RIGHT_TO_LEFT
from plait.trees.averaging import AUTO_RUNS, AUTO_RUNS_HELP
from plait.trees.guide import GUIDE_FOLDS_HELP, GUIDE_HELP, NEEDS_GUIDE
from plait.trees.inner_tagger import AUTO, NEEDS_MORPH, TAGGER_HELP, TAGGER_MEGABYTES_HELP, TAGGERS


@options_class
class TransitionOptions(OnlineOptions):
    """The options of all transition systems."""

    gold_tags = False  # an option of parsers: whether tags are taken as the treebank and the input have them
    tag_candidates, alpha, beam_tags = 1, 0.0, 0  # options of joint systems
    tag_at = "end"  # an option of transition-weave

    learner: str = option("pa", LEARNER_HELP, choices=LEARNERS)
    epochs: int = option(25, "passes over the training data; with --dev the best epoch is kept", minimum=1)
    runs: int = option(AUTO_RUNS, AUTO_RUNS_HELP, minimum=AUTO_RUNS, maximum=100)
    beam: int = option(40, "beam width: hypotheses with distinct trees kept at each step (b1)", minimum=1, maximum=4096)
    update: str = option(
        "max-violation",
        "where to update: at the maximum violation, or as soon as gold falls off the beam",
        choices=UPDATES,
    )
    word_dropout: float = option(
        3.0, "in training, hide a word seen n times with probability x / (x + n), so that tags and "
        "affixes learn to make up for unknown words",
        minimum=0.0, maximum=100.0,
    )  # fmt: skip
    direction: str = option(
        LEFT_TO_RIGHT, "order in which words are read; a parser that begins at the end is a good member of a committee",
        choices=(LEFT_TO_RIGHT, RIGHT_TO_LEFT),
    )  # fmt: skip
    oracle: str = option("lazy", "when the oracle swaps: as late or as early as possible", choices=("lazy", "eager"))
    tag: str = option("upos", "tag column: upos, xpos, feats, or several joined by +")
    templates: str = option(
        "", "feature templates: ZN11, default, endings, compact, morphology, or your own FILE or FILE:SET; empty: "
        "morphology for joined tags, otherwise default",
    )  # fmt: skip
    graph_features: bool = option(False, "also score factors of two and three arcs as they are completed")
    graph_templates: str = option(
        "default", "with --graph-features: second, factors, default, zh, en, or your own FILE or FILE:SET",
        needs=Needs("--graph-features", lambda o: o.graph_features),
    )  # fmt: skip
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count) to use as features")
    lexicon: str = option("", LEXICON_HELP)
    morphology: str = option(
        "auto", "choose FEATS together with the tags, and use case, agreement and lemmas for parsing; auto: if "
        "FEATS are informative", choices=("auto", "on", "off"),
    )  # fmt: skip
    guide: str = option("", GUIDE_HELP)
    guide_folds: int = option(5, GUIDE_FOLDS_HELP, minimum=2, needs=NEEDS_GUIDE)
    folds: int = option(10, "number of folds for jackknifing the training tags", minimum=2)
    tagger: str = option(AUTO, f"{TAGGER_HELP}, or crf with --tagger-lasso", choices=(AUTO, *TAGGERS))
    tagger_templates: str = option("general", "feature templates of the internal tagger, as for crf-tagger")
    tagger_epochs: int = option(8, "training epochs of the internal tagger", minimum=1)
    tagger_megabytes: float = option(0.0, TAGGER_MEGABYTES_HELP, minimum=0.0, needs=NEEDS_MORPH)
    tagger_lasso: float = option(
        0.0, "L1 penalty of an internal CRF tagger; 0.1 stores it in a tenth of the space", minimum=0.0,
        needs=Needs("--tagger crf", lambda o: o.tagger in (AUTO, "crf")),
    )  # fmt: skip
    check: bool = option(False, "debugging: assert that every update is valid")

    def candidate_limits(self) -> tuple[int, float]:
        """k and α: how many tags a word may choose among, and how far behind the best one."""
        return self.tag_candidates, self.alpha

    def tags_first(self) -> bool:
        """Whether a candidate word gets its tag before its extent is known."""
        return self.tag_at == "start"


@options_class
class TransitionParserOptions(TransitionOptions):
    """The options of ``transition-parser``."""

    gold_tags: bool = option(False, "train on gold tags, and use the tags of the input when parsing")


@options_class
class TransitionJointOptions(TransitionOptions):
    """The options of ``transition-joint``."""

    beam_tags: int = option(
        4, "additional beam entries for other taggings of the same trees (b2)", minimum=0, maximum=4096
    )
    tag_candidates: int = option(
        3, "maximum number of candidate tags per word (k)", minimum=1, maximum=64, formerly="tags"
    )
    alpha: float = option(
        0.8, "maximum difference in probability between a candidate tag and the best one", minimum=0.0, maximum=1.0,
        needs=Needs("several candidate tags (--tag-candidates 2 or more)", lambda o: o.tag_candidates > 1),
    )  # fmt: skip
    tag_templates: str = option("default", "tag feature templates: BN12, default, or your own FILE or FILE:SET")


@options_class
class TransitionWeaveOptions(TransitionJointOptions):
    """The options of ``transition-weave``."""

    runs: int = option(1, RUNS_HELP, minimum=1, maximum=100)  # training takes long, and what they gain is unknown
    segmenter_options: str = option(
        "structure=linear optimizer=adagrad", 'options of the crf-segmenter inside, such as "epochs=6 lexicon=FILE"'
    )
    word_probability: float = option(
        0.02,
        "minimum probability of a candidate word, according to the segmenter",
        minimum=0.0,
        maximum=1.0,
    )
    gold_words: bool = option(
        True, "also train on every sentence with its gold words: better trees, twice the training time"
    )
    second_look: bool = option(
        True, "once the words of a raw text are found, search for their tags and tree again, without competing words"
    )
    word_templates: str = option("default", "word feature templates: characters, default, or your own FILE or FILE:SET")
    tag_at: str = option(
        "end", "where a word of raw text gets its tag: at its end, when the whole word is known, or at its start",
        choices=("end", "start"),
    )  # fmt: skip
