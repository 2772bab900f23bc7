"""Malformed FEATS, other than ``Name=Value|…``: they are reported with file and line, and used as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from plait.data.document import Sentence
from plait.data.feats import feats_fault
from plait.formats.source import Source
from plait.logs import logger

MAX_SHOWN = 3


def report_feats(sentences: Sequence[Sentence], files: Sequence[str | Path], told: set[str]) -> None:
    """Log the first faults of some treebanks with file and line, and how many words have them; nothing twice."""
    counts = Counter(feats for sentence in sentences for feats in sentence.feats)
    faults = {feats: fault for feats in counts if feats not in told and (fault := feats_fault(feats))}
    if not faults:
        return
    told.update(faults)
    shown = 0
    for place, feats in islice(_places(faults, files), MAX_SHOWN):
        logger.warning(
            '%s: FEATS is "%s": %s; expected Name=Value|Name=Value; every part between bars is learnt as it is, once',
            place, feats, faults[feats],
        )  # fmt: skip
        shown += 1
    words = sum(counts[feats] for feats in faults)
    if shown == 0:
        feats, fault = next(iter(faults.items()))
        logger.warning('FEATS is "%s" in the training data: %s; expected Name=Value|Name=Value', feats, fault)
    if len(faults) > max(shown, 1):
        logger.warning("%d words have such FEATS, %d different ones; `plait validate` lists them", words, len(faults))


def _places(faults: Mapping[str, str], files: Sequence[str | Path]) -> Iterator[tuple[str, str]]:
    """(file:line, FEATS) of each faulty value, where it comes first."""
    left = set(faults)
    for file in files:
        with Source(str(file), notice=lambda *_: None) as source:
            for number, line in source.lines():
                for feats in left.intersection(line.split("\t")[5:7]):  # the column of CoNLL-U and X, or of CoNLL-2009
                    yield f"{file}:{number}", feats
                    left.discard(feats)
