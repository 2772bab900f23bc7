"""The systems by name: where each is used, where it is trained, and what it does in one line.

Modules are named as text and imported when a system is asked for. So this room knows nothing of the families after it,
and whoever loads a model never imports what trains one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import reduce
from importlib import import_module
from typing import Any

from plait.errors import OptionError
from plait.system.base import System

Trainer = Callable[..., System]  # (TrainingTask, options) -> the trained system


@dataclass(frozen=True)
class Entry:
    """One system."""

    runtime: str  # module:class
    trainer: str  # module:function
    help: str


SYSTEMS = {
    "pipeline": Entry(
        "plait.pipeline.system:Pipeline",
        "plait.pipeline.fitting:fit_pipeline",
        "raw text to words, tags and trees in one model",
    ),
    "easyfirst-tagger": Entry(
        "plait.easyfirst.tagger:EasyFirstTagger",
        "plait.easyfirst.training.systems:fit_easyfirst_tagger",
        "tagger: most confident decision first",
    ),
    "easyfirst-parser": Entry(
        "plait.easyfirst.parser:EasyFirstParser",
        "plait.easyfirst.training.systems:fit_easyfirst_parser",
        "parser: most confident attachment first",
    ),
    "easyfirst-joint": Entry(
        "plait.easyfirst.joint:EasyFirstJoint",
        "plait.easyfirst.training.systems:fit_easyfirst_joint",
        "joint tagger and parser, easy-first: fast",
    ),
    "perceptron-tagger": Entry(
        "plait.chain.perceptron_tagger:PerceptronTagger",
        "plait.chain.training.perceptron_tagger:fit_perceptron_tagger",
        "tagger: Viterbi decoding, small and fast",
    ),
    "crf-tagger": Entry(
        "plait.chain.crf_tagger:CrfTagger",
        "plait.chain.training.crf_tagger:fit_crf_tagger",
        "tagger with probabilities",
    ),
    "morph-tagger": Entry(
        "plait.morphology.system:MorphTagger",
        "plait.morphology.training:fit_morph",
        "UPOS, XPOS and FEATS of given words as one structured tag",
    ),
    "crf-chunker": Entry(
        "plait.chain.crf_chunker:CrfChunker",
        "plait.chain.training.crf_chunker:fit_crf_chunker",
        "chunker with probabilities",
    ),
    "crf-segmenter": Entry(
        "plait.chain.crf_segmenter:CrfSegmenter",
        "plait.chain.training.crf_segmenter:fit_crf_segmenter",
        "raw text to sentences and words, optionally tagged",
    ),
    "lemmatizer": Entry(
        "plait.morphology.lemmatizer:Lemmatizer",
        "plait.morphology.lemma_training:fit_lemmatizer",
        "lemmas of words, from their forms and tags",
    ),
    "transition-parser": Entry(
        "plait.transition.parser:TransitionParser",
        "plait.transition.training.systems:fit_transition_parser",
        "parser: beam search, non-projective trees",
    ),
    "transition-joint": Entry(
        "plait.transition.joint:TransitionJoint",
        "plait.transition.training.systems:fit_transition_joint",
        "joint tagger and parser, non-projective: accurate",
    ),
    "graph-parser": Entry(
        "plait.graph.parser:GraphParser",
        "plait.graph.training.systems:fit_graph_parser",
        "parser: exact search, with probabilities",
    ),
    "graph-joint": Entry(
        "plait.graph.joint:GraphJoint",
        "plait.graph.training.systems:fit_graph_joint",
        "joint tagger and parser, exact search: accurate",
    ),
    "committee": Entry(
        "plait.committee.system:Committee",
        "plait.committee.training:fit_committee",
        "several systems vote on tags and trees: most accurate",
    ),
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
    if name not in SYSTEMS:
        near = get_close_matches(name, SYSTEMS, n=1)
        guess = f" (did you mean {near[0]}?)" if near else ""
        raise OptionError(f'unknown system "{name}"{guess}; available: {", ".join(SYSTEMS)}')
    return SYSTEMS[name]


def _find(place: str) -> Any:
    module, _, path = place.partition(":")
    return reduce(getattr, path.split("."), import_module(module))
