"""The options of the chain systems; they are stored in the header of a model file, so using a model needs them too."""

from __future__ import annotations

from plait.features.word_lexicon import LEXICON_HELP
from plait.options import Needs, option, options_class
from plait.system.shared_options import OnlineOptions, ResourceOptions

STRUCTURES = ("hybrid", "cross-product", "pipeline", "rerank", "linear")
TWO_STAGES = ("pipeline", "rerank")  # segments first, their types afterwards
LBFGS_ONLY = Needs("--optimizer lbfgs", lambda o: o.optimizer == "lbfgs")
RERANK_ONLY = Needs("--structure rerank", lambda o: o.structure == "rerank")
ADAGRAD_ONLY = Needs("--optimizer adagrad", lambda o: o.optimizer == "adagrad")


@options_class
class CrfOptions:
    """Training options of all CRF systems."""

    optimizer: str = option("lbfgs", "lbfgs: train to the optimum; adagrad: a few passes", choices=("lbfgs", "adagrad"))
    sigma: float = option(
        1.0, "standard deviation of the Gaussian prior; smaller: stronger regularisation", minimum=1e-3, maximum=1e6
    )
    cutoff: int = option(1, "drop features seen less often than this", minimum=1)
    unseen: bool = option(
        False, "also learn weights for labels never seen with a feature: more memory, slightly better"
    )
    epochs: int = option(0, "maximum iterations (lbfgs) or passes (adagrad); 0: 300 or 10", minimum=0)
    delta: float = option(
        1e-4,
        "lbfgs: stop when ten iterations improve the objective by less than this fraction",
        minimum=0.0,
        maximum=1.0,
        needs=LBFGS_ONLY,
    )
    memory: int = option(6, "lbfgs: number of stored update pairs", minimum=1, maximum=1000, needs=LBFGS_ONLY)
    lasso: float = option(
        0.0, "adagrad: L1 penalty beside the prior (elastic net): smaller models", minimum=0.0, needs=ADAGRAD_ONLY
    )
    rate: float = option(0.2, "adagrad: learning rate", minimum=1e-6, maximum=1e6, needs=ADAGRAD_ONLY)
    batch: int = option(8, "adagrad: batch size in sentences", minimum=1, maximum=1 << 16, needs=ADAGRAD_ONLY)
    dev_every: int = option(10, "lbfgs: evaluate on --dev every N iterations", minimum=1, needs=LBFGS_ONLY)
    bits: int = option(16, "bits per stored weight", choices=(8, 16, 32))
    prune_below: float = option(
        0.0, "drop weights with a smaller absolute value from the model", minimum=0.0, formerly="prune"
    )
    warm_start: str = option("", "start from this MODEL of the same system")


@options_class
class CrfTaggerOptions(ResourceOptions, CrfOptions):
    """The options of ``crf-tagger``."""

    tag: str = option("upos", "column to predict: upos, xpos, feats, or several joined by +")
    templates: str = option(
        "general", "feature templates: general, collins, qian2010-tag, or your own FILE or FILE:SET"
    )
    structure: str = option("linear", "the only structure of taggers", choices=("linear",))


@options_class
class CrfChunkerOptions(ResourceOptions, CrfOptions):
    """The options of ``crf-chunker``."""

    structure: str = option("hybrid", "how chunk boundaries and types are predicted together", choices=STRUCTURES)
    scheme: str = option("bies", "boundary labels; linear uses bio, as in the file", choices=("bio", "bies"))
    hard: bool = option(
        True, "allow only consistent label sequences; --no-hard leaves that to learning, as in the paper"
    )
    tag: str = option(
        "xpos", "column of the part-of-speech tags (p in templates)", choices=("xpos", "upos"), formerly="pos"
    )
    templates: str = option("", "feature templates; empty: Table 2 of Qian et al. (2010); or your own FILE or FILE:SET")
    candidates: int = option(
        20, "rerank: number of candidate segmentations", minimum=1, maximum=1000, needs=RERANK_ONLY
    )
    tagger: bool = option(True, "also train a tagger, for sentences without part-of-speech tags")


@options_class
class CrfSegmenterOptions(CrfOptions):
    """The options of ``crf-segmenter``."""

    structure: str = option(
        "hybrid", "hybrid and cross-product: words and tags jointly; pipeline: tags after words; rerank: choose among "
        "several segmentations; linear: words only", choices=STRUCTURES
    )  # fmt: skip
    tag: str = option("upos", "column to predict: upos, xpos, feats, or several joined by +")
    scheme: str = option("bmes", "character labels: bmes (four labels) or six", choices=("bmes", "six"))
    hard: bool = option(
        True, "allow only consistent label sequences; --no-hard leaves that to learning, as in the paper"
    )
    sentences: bool = option(True, "learn to split text into sentences; --no-sentences: one sentence per line")
    units: str = option(
        "auto", "runs: never split within a run of letters or digits", choices=("auto", "runs", "characters")
    )
    templates: str = option("", "feature templates: text-words, text-joint, qian2010-..., or your own FILE or FILE:SET")
    abbreviations: str = option("", "abbreviation list used by the templates: en, or your own FILE")
    lexicon: str = option("", LEXICON_HELP)
    tag_templates: str = option(
        "qian2010-tag", "pipeline and rerank: feature templates of the word tagger",
        needs=Needs("--structure pipeline or rerank", lambda o: o.structure in TWO_STAGES),
    )  # fmt: skip
    candidates: int = option(
        20, "rerank: number of candidate segmentations", minimum=1, maximum=1000, needs=RERANK_ONLY
    )


@options_class
class PerceptronTaggerOptions(ResourceOptions, OnlineOptions):
    """The options of ``perceptron-tagger``."""

    tag: str = option("upos", "column to predict: upos, xpos, feats, or several joined by +")
    templates: str = option("general", "feature templates: general, collins, or your own FILE or FILE:SET")
    tag_dictionary: int = option(
        6, "words seen more often than this get only tags seen in training", minimum=0, formerly="dictionary"
    )
    limit: int = option(
        0, "consider only the N best tags of a word, judged by its context; 0: all", minimum=0, maximum=64
    )
