"""The options of the easy-first systems."""

from __future__ import annotations

from plait.errors import OptionError
from plait.options import Needs, option, options_class
from plait.system.shared_options import OnlineOptions, ResourceOptions
from plait.trees.averaging import AUTO_RUNS, AUTO_RUNS_HELP
from plait.trees.inner_tagger import AUTO, NEEDS_MORPH, TAGGER_HELP, TAGGER_MEGABYTES_HELP, TAGGERS
from plait.trees.morphology import MORPHOLOGY_CHOICES, MORPHOLOGY_HELP

TAGGER = "easyfirst-tagger"
TAG_DICTIONARY_HELP = "words seen more often than this get only tags seen in training"
NEEDS_EASY_FIRST = Needs("--tagger easyfirst", lambda o: o.tagger == "easyfirst")


@options_class
class EasyFirstOptions(ResourceOptions, OnlineOptions):
    """The options of all easy-first systems."""

    gold_tags = False  # an option of the parser: whether tags are taken as the treebank and the input have them

    epochs: int = option(12, "passes over the training data; with --dev the best epoch is kept", minimum=1)
    beam: int = option(1, "beam width; 1: greedy search", minimum=1, maximum=256)
    after_error: str = option(
        "retry",
        "greedy training after a wrong decision: stop (Ma et al.); continue, with one update per sentence; "
        "retry with the updated weights (Goldberg & Elhadad)",
        choices=("stop", "continue", "retry"),
        needs=Needs("greedy epochs (--beam 1, or --warmup)", lambda o: o.greedy_epochs() > 0),
    )
    warmup: int = option(
        -1,
        "with a beam: train the first N epochs greedily, which converges much faster; -1: a third of them",
        minimum=-1,
        needs=Needs("a beam (--beam 2 or more)", lambda o: o.beam > 1 or o.warmup < 0),
    )
    check: bool = option(
        False,
        "debugging: assert that every beam update is valid",
        needs=Needs("a beam (--beam 2 or more)", lambda o: o.beam > 1 or not o.check),
    )

    tag: str = option("upos", "column to predict: upos, xpos, feats, or several joined by +")
    tag_dictionary: int = option(20, TAG_DICTIONARY_HELP, minimum=0, formerly="dictionary")

    def greedy_epochs(self) -> int:
        """The number of greedy epochs at the start; an OptionError if none is left for the beam."""
        if self.beam == 1:
            return self.epochs
        if self.warmup >= self.epochs:
            raise OptionError(
                f"warmup {self.warmup} of {self.epochs} epochs leaves none for beam training; increase --epochs"
            )
        return self.epochs // 3 if self.warmup < 0 else self.warmup


@options_class
class EasyFirstTaggerOptions(EasyFirstOptions):
    """The options of ``easyfirst-tagger``."""

    templates: str = option(
        "general", "feature templates: Z&C08, BD, OP, shen, general, wide, quick, or your own FILE or FILE:SET"
    )


@options_class
class ArcOptions(EasyFirstOptions):
    """The options of the two systems that parse."""

    runs: int = option(AUTO_RUNS, AUTO_RUNS_HELP, minimum=AUTO_RUNS, maximum=100)
    labeled: bool = option(True, "predict arc labels together with heads; --no-labeled: heads only")
    morphology: str = option("auto", MORPHOLOGY_HELP, choices=MORPHOLOGY_CHOICES)
    shared: bool = option(
        True, "labelled attachments share the weights of unlabelled ones", needs=Needs("labels", lambda o: o.labeled)
    )
    center: str = option(
        "table", "where template windows are centred: as in the table, on the pair, or on the attached item",
        choices=("table", "pair", "item"),
    )  # fmt: skip


@options_class
class EasyFirstParserOptions(ArcOptions):
    """The options of ``easyfirst-parser``."""

    templates: str = option(
        "compact", "feature templates: compact, small (faster), G&E10, VTT, OP, EFB13, or your own FILE or FILE:SET"
    )
    tag: str = option("upos", "tag column used by the templates: upos, xpos, feats, or several joined by +")
    gold_tags: bool = option(False, "train on gold tags, and use the tags of the input when parsing")
    folds: int = option(10, "number of folds for jackknifing the training tags", minimum=2)
    tagger: str = option(AUTO, f"{TAGGER_HELP}; easyfirst: as in the paper", choices=(AUTO, "easyfirst", *TAGGERS))
    tagger_megabytes: float = option(0.0, TAGGER_MEGABYTES_HELP, minimum=0.0, needs=NEEDS_MORPH)
    tag_dictionary: int = option(20, TAG_DICTIONARY_HELP, minimum=0, formerly="dictionary", needs=NEEDS_EASY_FIRST)
    tagger_templates: str = option("general", "feature templates of the internal tagger")
    tagger_epochs: int = option(8, "training epochs of the internal tagger", minimum=1)


@options_class
class EasyFirstJointOptions(ArcOptions):
    """The options of ``easyfirst-joint``."""

    losses: str = option("joint", "what counts as an error: joint; joint,dep and joint,pos alternate between epochs")
    tag_templates: str = option(
        "general+Syn", "tag feature templates: OP+Syn, general+Syn, guided+Syn, or your own FILE or FILE:SET"
    )
    templates: str = option(
        "compact", "arc feature templates: compact, small (faster), G&E10, VTT, OP, EFB13, or your own FILE or FILE:SET"
    )
    tag_step: float = option(
        0.0,
        "step size of tag updates relative to arc updates; smaller values postpone doubtful tags; "
        "0: 0.2 for greedy search, 1 with a beam",
        minimum=0.0,
        maximum=1000.0,
    )
    folds: int = option(10, "with guided templates: number of folds for jackknifing the guide's tags", minimum=2)
    guide_epochs: int = option(8, "with guided templates: training epochs of the guide", minimum=1)

    def step_of_tags(self) -> float:
        """The step size of tags; 1 with a beam, which compares states with different numbers of tags and arcs."""
        return self.tag_step or (0.2 if self.beam == 1 else 1.0)
