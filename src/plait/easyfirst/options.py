"""The options of the easy-first systems."""

from __future__ import annotations

from dataclasses import dataclass

from plait.errors import OptionError
from plait.features.word_lexicon import LEXICON_HELP
from plait.options import Needs, option
from plait.system.shared_options import OnlineOptions

TAG_HELP = "columns to predict: upos, xpos, feats, or several joined by +"
CLUSTERS_HELP = "FILE of Brown clusters (bit string, word, count), for cluster features"
DICTIONARY_HELP = "words seen more often than this keep to their known tags"


@dataclass(frozen=True)
class EasyFirstOptions(OnlineOptions):
    """What the three easy-first systems can be told."""

    epochs: int = option(12, "passes over the training data; with --dev the best one is kept", minimum=1)
    beam: int = option(1, "states kept at each step; 1 is the greedy search", minimum=1, maximum=256)
    after_error: str = option(
        "retry",
        "greedy training at a wrong decision: stop (Ma et al.); continue, one update for the whole sentence; "
        "retry under the moved weights (Goldberg & Elhadad)",
        choices=("stop", "continue", "retry"),
        needs=Needs("greedy epochs (--beam 1, or --warmup)", lambda o: o.greedy_epochs() > 0),
    )
    warmup: int = option(
        -1,
        "with a beam: this many first epochs are trained greedily, which needs far fewer passes; -1: a third of them",
        minimum=-1,
        needs=Needs("a beam (--beam 2 or more)", lambda o: o.beam > 1 or o.warmup < 0),
    )
    check: bool = option(False, "assert that every update of beam training is valid")

    def greedy_epochs(self) -> int:
        """How many first epochs are trained greedily; an OptionError where a beam would be left with none."""
        if self.beam == 1:
            return self.epochs
        if self.warmup >= self.epochs:
            raise OptionError(f"warmup {self.warmup} of {self.epochs} epochs leaves none for the beam; raise --epochs")
        return self.epochs // 3 if self.warmup < 0 else self.warmup


@dataclass(frozen=True)
class EasyFirstTaggerOptions(EasyFirstOptions):
    """The options of ``easyfirst-tagger``."""

    tag: str = option("upos", TAG_HELP)
    templates: str = option(
        "general", "feature set: Z&C08, BD, OP, shen, general, wide, quick, or a table FILE or FILE:SET"
    )
    clusters: str = option("", CLUSTERS_HELP)
    lexicon: str = option("", LEXICON_HELP)
    dictionary: int = option(20, DICTIONARY_HELP, minimum=0)


@dataclass(frozen=True)
class EasyFirstParserOptions(EasyFirstOptions):
    """The options of ``easyfirst-parser``."""

    templates: str = option("compact", "feature set: compact, G&E10, VTT, OP, EFB13, or a table FILE or FILE:SET")
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    shared: bool = option(True, "labelled attachments share the weights of the bare attachment")
    center: str = option(
        "table", "window of the templates: as in the table, or all around the pair or the attached item",
        choices=("table", "pair", "item"),
    )  # fmt: skip
    tag: str = option("upos", "tag column that the templates see: upos, xpos, feats, or several joined by +")
    gold_tags: bool = option(False, "train on the tags of the treebank, and use those that the input has")
    folds: int = option(10, "jackknife folds for the tags of the training data", minimum=2)
    tagger_templates: str = option("general", "feature set of the tagger inside")
    clusters: str = option("", CLUSTERS_HELP)
    lexicon: str = option("", LEXICON_HELP)
    tagger_epochs: int = option(8, "passes over the training data for the tagger inside", minimum=1)
    dictionary: int = option(20, DICTIONARY_HELP, minimum=0)


@dataclass(frozen=True)
class EasyFirstJointOptions(EasyFirstOptions):
    """The options of ``easyfirst-joint``."""

    tag: str = option("upos", TAG_HELP)
    losses: str = option("joint", "what counts as an error: joint; joint,dep or joint,pos take turns by epoch")
    tag_templates: str = option(
        "general+Syn", "feature set for tags: OP+Syn, general+Syn, guided+Syn, or a table FILE or FILE:SET"
    )
    templates: str = option(
        "compact", "feature set for arcs: compact, G&E10, VTT, OP, EFB13, or a table FILE or FILE:SET"
    )
    clusters: str = option("", CLUSTERS_HELP)
    lexicon: str = option("", LEXICON_HELP)
    labeled: bool = option(True, "choose the label of an arc together with the attachment")
    shared: bool = option(True, "labelled attachments share the weights of the bare attachment")
    center: str = option(
        "table", "window of the templates: as in the table, or all around the pair or the attached item",
        choices=("table", "pair", "item"),
    )  # fmt: skip
    tag_step: float = option(
        0.0,
        "how far an update moves the weights of tags, where it moves those of arcs by 1: less lets doubtful tags wait; "
        "0: 0.2 in the greedy search, 1 with a beam",
        minimum=0.0,
        maximum=1000.0,
    )
    dictionary: int = option(20, DICTIONARY_HELP, minimum=0)
    folds: int = option(
        10, "with guided templates: jackknife folds for the guide's tags of the training data", minimum=2
    )
    guide_epochs: int = option(8, "with guided templates: passes over the training data for the guide", minimum=1)

    def step_of_tags(self) -> float:
        """A beam compares states with more tags and fewer arcs with others, and wants their scores as they come."""
        return self.tag_step or (0.2 if self.beam == 1 else 1.0)
