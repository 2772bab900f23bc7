"""Training examples of a segmenter: passages as labelled units, and properties of the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from plait.chain.multiword import JOIN, Splitter
from plait.chain.rawtext import Passage
from plait.chain.segments import SegmentLabels, Token
from plait.chain.training.heaviest import Source
from plait.chain.training.problem import Example
from plait.chain.units import JOINED, UnitReader
from plait.data.document import Sentence
from plait.features._units import find_units
from plait.features.heaviest import show_form
from plait.features.label_templates import LabelTemplates

CUT_RUNS = 0.005  # more letter or digit runs than this cut by words: every character is a unit

_GAPS = {JOINED: "none", 2: "space", 3: "line", 4: "start"}


def gold_example(
    passage: Passage,
    labels: SegmentLabels,
    features: LabelTemplates,
    reader: UnitReader,
    inner: bool,
    known: set[str],
) -> Example:
    """A passage as numbers. Where a word ends inside a run of letters, the run is split there."""
    units = reader.find(passage.text, {at for span in passage.spans for at in span})
    begins, finishes = units.places
    tokens = [
        Token(begins[a], finishes[b] + 1, type if type in known else type.split(JOIN)[0], final)
        for (a, b), type, final in zip(passage.spans, passage.types, passage.final, strict=True)
    ]
    masks = np.array([gap != JOINED and not inner for gap in units.gaps], dtype=np.uint8)
    return Example(reader.atoms(passage.text, units, features), *labels.encode(len(units.starts), tokens), masks)


def shown_units(train: Sequence[Passage], features: LabelTemplates, reader: UnitReader) -> Iterator[Source]:
    """The passages as sources for the readable names of features."""
    for passage in train:
        units = reader.find(passage.text)
        shown = [passage.text[a:b] for a, b in zip(units.starts, units.ends, strict=True)]

        def show(column: str, i: int, shown: list[str] = shown, gaps: list[int] = units.gaps) -> str:
            return _GAPS[gaps[i]] if column == "g" else show_form(column, shown[i])

        yield reader.atoms(passage.text, units, features), show


def keeps_runs(train: Sequence[Passage]) -> bool:
    """Whether words rarely end inside a run of letters or digits."""
    runs = cut = 0
    for passage in train[:2000]:
        starts, ends, _ = find_units(passage.text, True)
        borders = {at for span in passage.spans for at in span}
        for a, b in zip(starts, ends, strict=True):
            if b - a > 1:
                runs += 1
                cut += any(at in borders for at in range(a + 1, b))
    return cut <= CUT_RUNS * runs


def read_types(train: Sequence[Passage]) -> list[str]:
    """The types of the tokens, sorted; of multiword types those that were seen twice."""
    count = Counter(type for passage in train for type in passage.types)
    singles = {type for type in count if JOIN not in type}
    frequent = {type for type, times in count.items() if JOIN in type and times > 1}
    return sorted(singles | {part for type in count for part in [type.split(JOIN)[0]]} | frequent)


def learn_splits(sentences: Sequence[Sentence]) -> Splitter:
    """Learn how the multiword tokens of a treebank are split."""
    seen = [(r.form, s.forms[r.start - 1 : r.end]) for s in sentences for r in s.ranges]
    alone = Counter(form.lower() for s in sentences for a, b, form, _ in s.surface_tokens() if a == b) if seen else None
    return Splitter.learn(seen, alone)


def words_of(passage: Passage) -> list[str]:
    """The surface tokens as strings."""
    return [passage.text[a:b] for a, b in passage.spans]
