"""The systems by name: the runtime class, the trainer, and one line of help.

Modules are named as strings and imported on demand. So this package does not depend on the model families, and loading
a model never imports training code.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from plait.errors import OptionError, nearest
from plait.system.base import System

Trainer = Callable[..., System]  # (TrainingTask, options) -> the trained system


class Entry(NamedTuple):
    """One system."""

    runtime: str  # module:class
    trainer: str  # module:function
    help: str


# name, module and class in use, module that trains it (by a function ``fit_NAME``), help
_TABLE = (
    ("pipeline", "plait.pipeline.system:Pipeline", "plait.pipeline.fitting",
     "raw text to words, tags and trees in one model"),
    ("easyfirst-tagger", "plait.easyfirst.tagger:EasyFirstTagger", "plait.easyfirst.training.systems",
     "tagger: most confident decision first"),
    ("easyfirst-parser", "plait.easyfirst.parser:EasyFirstParser", "plait.easyfirst.training.systems",
     "parser: most confident attachment first"),
    ("easyfirst-joint", "plait.easyfirst.joint:EasyFirstJoint", "plait.easyfirst.training.systems",
     "joint tagger and parser, easy-first: fast"),
    ("perceptron-tagger", "plait.chain.perceptron_tagger:PerceptronTagger", "plait.chain.training.perceptron_tagger",
     "tagger: Viterbi decoding, small and fast"),
    ("crf-tagger", "plait.chain.crf_tagger:CrfTagger", "plait.chain.training.crf_tagger",
     "tagger with probabilities"),
    ("morph-tagger", "plait.morphology.system:MorphTagger", "plait.morphology.training",
     "UPOS, XPOS and FEATS of given words as one structured tag"),
    ("crf-chunker", "plait.chain.crf_chunker:CrfChunker", "plait.chain.training.crf_chunker",
     "chunker with probabilities"),
    ("crf-segmenter", "plait.chain.crf_segmenter:CrfSegmenter", "plait.chain.training.crf_segmenter",
     "raw text to sentences and words, optionally tagged"),
    ("lemmatizer", "plait.morphology.lemmatizer:Lemmatizer", "plait.morphology.lemma_training",
     "lemmas of words, from their forms and tags"),
    ("transition-parser", "plait.transition.system:TransitionParser", "plait.transition.training.systems",
     "parser: beam search, non-projective trees"),
    ("transition-joint", "plait.transition.system:TransitionJoint", "plait.transition.training.systems",
     "joint tagger and parser, non-projective: accurate"),
    ("transition-weave", "plait.transition.weave:TransitionWeave", "plait.transition.training.weave",
     "raw text: words, tags and trees in one search"),
    ("graph-parser", "plait.graph.system:GraphParser", "plait.graph.training.systems",
     "parser: exact search, with probabilities"),
    ("graph-joint", "plait.graph.system:GraphJoint", "plait.graph.training.systems",
     "joint tagger and parser, exact search: accurate"),
    ("committee", "plait.committee.system:Committee", "plait.committee.training",
     "several systems vote on tags and trees: most accurate"),
)  # fmt: skip
SYSTEMS = {
    name: Entry(runtime, f"{trainer}:fit_{name.replace('-', '_')}", help) for name, runtime, trainer, help in _TABLE
}


def find_system(name: str) -> type[System]:
    """The class of a system, by name."""
    found: type[System] = _find(_entry(name).runtime)
    return found


def find_trainer(name: str) -> Trainer:
    """The function that trains a system, by name."""
    found: Trainer = _find(_entry(name).trainer)
    return found


def _entry(name: str) -> Entry:
    if not isinstance(name, str):
        raise OptionError(f"the system is {name!r}; expected a name, one of {', '.join(SYSTEMS)}")
    if name not in SYSTEMS:
        raise OptionError(f'unknown system "{name}"{nearest(name, SYSTEMS)}; available: {", ".join(SYSTEMS)}')
    return SYSTEMS[name]


def _find(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
