"""The options of the chain systems; the header of a model file holds them, so those who use a model need them too."""

from __future__ import annotations

from dataclasses import dataclass

from plait.features.word_lexicon import LEXICON_HELP
from plait.options import Needs, option
from plait.system.shared_options import OnlineOptions

STRUCTURES = ("hybrid", "cross-product", "pipeline", "rerank", "linear")
TWO_STAGES = ("pipeline", "rerank")  # segments first, their types afterwards
LBFGS_ONLY = Needs("--optimizer lbfgs", lambda o: o.optimizer == "lbfgs")
ADAGRAD_ONLY = Needs("--optimizer adagrad", lambda o: o.optimizer == "adagrad")


@dataclass(frozen=True)
class CrfOptions:
    """What all CRF systems can be told about training."""

    optimizer: str = option("lbfgs", "lbfgs: to the optimum; adagrad: a few passes", choices=("lbfgs", "adagrad"))
    sigma: float = option(1.0, "width of the Gaussian prior: smaller keeps weights smaller", minimum=1e-3, maximum=1e6)
    cutoff: int = option(1, "features seen less often are left out", minimum=1)
    unseen: bool = option(
        False, "weights also for labels that a feature was never seen with: more memory, a bit better"
    )
    epochs: int = option(0, "most iterations (lbfgs) or passes (adagrad); 0: 300 or 10", minimum=0)
    delta: float = option(
        1e-4,
        "lbfgs: stop when ten iterations gain less than this part of the objective",
        minimum=0.0,
        maximum=1.0,
        needs=LBFGS_ONLY,
    )
    memory: int = option(6, "lbfgs: earlier steps it learns from", minimum=1, maximum=1000, needs=LBFGS_ONLY)
    lasso: float = option(
        0.0, "adagrad: pull towards 0 beside the prior (elastic net): smaller models", minimum=0.0, needs=ADAGRAD_ONLY
    )
    rate: float = option(0.2, "adagrad: size of a step", minimum=1e-6, maximum=1e6, needs=ADAGRAD_ONLY)
    batch: int = option(8, "adagrad: sentences between two steps", minimum=1, maximum=1 << 16, needs=ADAGRAD_ONLY)
    dev_every: int = option(10, "lbfgs: iterations between two looks at --dev", minimum=1, needs=LBFGS_ONLY)
    bits: int = option(16, "bits of a stored weight", choices=(8, 16, 32))
    prune_below: float = option(0.0, "drop weights with a smaller absolute value from the model", minimum=0.0)
    warm_start: str = option("", "a model of the same system to start from")


@dataclass(frozen=True)
class CrfTaggerOptions(CrfOptions):
    """The options of ``crf-tagger``."""

    tag: str = option("upos", "columns to predict: upos, xpos, feats, or several joined by +")
    templates: str = option("general", "feature set: general, collins, qian2010-tag, or a table FILE or FILE:SET")
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    lexicon: str = option("", LEXICON_HELP)
    structure: str = option("linear", "the only one there is for tagging", choices=("linear",))


@dataclass(frozen=True)
class CrfChunkerOptions(CrfOptions):
    """The options of ``crf-chunker``."""

    structure: str = option("hybrid", "how chunk borders and types are found together", choices=STRUCTURES)
    scheme: str = option("bies", "labels of the borders; linear takes bio, as in the file", choices=("bio", "bies"))
    hard: bool = option(True, "never break a chunk by its type; --no-hard learns that, as the paper did")
    pos: str = option("xpos", "the part of speech that templates call p", choices=("xpos", "upos"))
    templates: str = option("", "feature set; empty: Table 2 of Qian et al.; or a table FILE or FILE:SET")
    candidates: int = option(20, "rerank: segmentations to choose from", minimum=1, maximum=1000)
    tagger: bool = option(True, "train a tagger as well, for sentences without parts of speech")


@dataclass(frozen=True)
class CrfSegmenterOptions(CrfOptions):
    """The options of ``crf-segmenter``."""

    structure: str = option(
        "hybrid", "hybrid and cross-product: words and tags at once; pipeline: tags after words; rerank: the best of "
        "several segmentations; linear: words alone", choices=STRUCTURES
    )  # fmt: skip
    tag: str = option("upos", "columns to predict: upos, xpos, feats, or several joined by +")
    scheme: str = option("bmes", "labels of a word's characters: bmes (four) or six", choices=("bmes", "six"))
    hard: bool = option(True, "legal labels and one tag a word always; --no-hard learns that, as the paper did")
    sentences: bool = option(True, "learn to split running text into sentences; off: every line is one")
    units: str = option(
        "auto", "runs: letters and digits in a row stay together", choices=("auto", "runs", "characters")
    )
    templates: str = option("", "feature set: text-words, text-joint, qian2010-..., or a table FILE or FILE:SET")
    abbreviations: str = option("", "abbreviations that the templates may look at: en, or a FILE of your own")
    lexicon: str = option("", LEXICON_HELP)
    tag_templates: str = option("qian2010-tag", "pipeline and rerank: feature set of the tagger over words")
    candidates: int = option(20, "rerank: segmentations to choose from", minimum=1, maximum=1000)


@dataclass(frozen=True)
class PerceptronTaggerOptions(OnlineOptions):
    """The options of ``perceptron-tagger``."""

    tag: str = option("upos", "columns to predict: upos, xpos, feats, or several joined by +")
    templates: str = option("general", "feature set: general, collins, or a table FILE or FILE:SET")
    dictionary: int = option(6, "words seen more often than this keep to their known tags", minimum=0)
    clusters: str = option("", "FILE of Brown clusters (bit string, word, count), for cluster features")
    lexicon: str = option("", LEXICON_HELP)
    limit: int = option(0, "tags that compete for a word, by what its surroundings say; 0: all", minimum=0, maximum=64)
