"""Warm starts: the CRF inside an earlier model of the same system."""

from __future__ import annotations

from plait.chain.crf import Crf
from plait.chain.crf_chunker import CrfChunker
from plait.chain.crf_segmenter import CrfSegmenter
from plait.chain.crf_tagger import CrfTagger
from plait.errors import OptionError
from plait.system.modelfile import open_model
from plait.system.modelparts import open_system


def warm_model(path: str, system: type[CrfTagger | CrfChunker | CrfSegmenter]) -> Crf | None:
    """The CRF of the model at ``path``; None for an empty path."""
    if not path:
        return None
    header, arrays = open_model(path)
    if header.get("system") != system.name:
        raise OptionError(f"{path} is a {header.get('system')} model; a warm start needs one of {system.name}")
    return open_system(system, header, arrays).crf
