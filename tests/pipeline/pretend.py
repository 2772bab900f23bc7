"""Systems that learn nothing and note how they are called: what is around them can be tested without training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plait.data.document import Sentence
from plait.errors import DataError
from plait.options import option
from plait.pipeline.model import Model
from plait.system import System
from plait.system.request import PLAIN, Request

HEADER = {
    "system": "pretend", "options": {}, "data": {}, "training": {}, "seed": 1, "licence": "", "attribution": "",
}  # fmt: skip


@dataclass(frozen=True)
class PretendOptions:
    """The options of ``Pretend``."""

    tag: str = option("upos", "the column")
    volume: int = option(3, "how loud", minimum=1)


@dataclass(eq=False, repr=False)
class Pretend(System):
    """Writes its mark in the columns that it predicts: heads are a chain from the first word on."""

    name = "pretend"
    Options = PretendOptions
    supports = frozenset(["constrain", "scores"])

    options: Any = PretendOptions()
    fills: tuple[str, ...] = ("upos",)
    mark: str = "X"
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def predicts(self):
        return self.fills

    def annotate(self, sentence):
        self.calls.append(("annotate", list(sentence.forms)))
        self._write(sentence)

    def annotate_with(self, sentence, request):
        self.calls.append(("annotate_with", list(sentence.forms), request))
        self._write(sentence)
        if request.scores:
            sentence.scores = [0.5] * len(sentence)

    def _write(self, sentence):
        if "?" in sentence.forms:
            raise DataError("a question")
        for column in self.fills:
            words = range(len(sentence))
            setattr(sentence, column, list(words) if column == "heads" else [self.mark for _ in words])

    def alternatives(self, sentence, count, request=PLAIN):
        self.calls.append(("alternatives", list(sentence.forms), count, request))
        found = [sentence.copy() for _ in range(count)]
        for number, each in enumerate(found):
            self._write(each)
            each.score = -float(number)
        return found

    def parts(self):
        return {"mark": self.mark}, {"loudness": np.arange(self.options.volume)}

    @classmethod
    def _open(cls, options, header, arrays):
        return cls(options, mark=header["mark"])


@dataclass(eq=False, repr=False)
class PretendSegmenter(Pretend):
    """Cuts words at blanks and sentences after full stops, or not at all with ``whole``."""

    name = "pretend-segmenter"
    segments = True

    def segment(self, text, request=PLAIN):
        self.calls.append(("segment", text, request))
        found, words = [], []
        start = 0
        for piece in text.split(" "):
            if piece:
                words.append((piece, start, start + len(piece)))
            if words and piece == "." and not request.single_sentence:
                found.append(words)
                words = []
            start += len(piece) + 1
        return [self._sentence(words) for words in [*found, words] if words]

    def _sentence(self, words):
        sentence = Sentence([form for form, _, _ in words], comments=["# text = " + " ".join(w[0] for w in words)])
        sentence.offsets = [(start, end) for _, start, end in words]
        self._write(sentence)
        return sentence

    def alternatives_of(self, text, count, request=PLAIN):
        self.calls.append(("alternatives_of", text, count, request))
        found = [self.segment(text, Request(single_sentence=k % 2 == 1)) for k in range(count)]
        for number, sentences in enumerate(found):
            for sentence in sentences:
                sentence.score = -float(number)
        return found


def pretend_model(system=None, **header):
    """A model around such a system."""
    return Model(system or Pretend(), {**HEADER, **header})
