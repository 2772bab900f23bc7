"""Small data of our own for the CRF systems, and models that are unsure of everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import plait
from plait.data.document import Sentence

STRUCTURES = ["hybrid", "cross-product", "pipeline", "rerank", "linear"]

CHINESE = [
    ("我 爱 北京 天安门 。", "PRON VERB PROPN PROPN PUNCT"),
    ("他 在 北京 工作 。", "PRON ADP PROPN VERB PUNCT"),
    ("我 的 工作 在 上海 。", "PRON PART NOUN ADP PROPN PUNCT"),
    ("研究 生命 的 起源 。", "VERB NOUN PART NOUN PUNCT"),
    ("研究生 爱 工作 。", "NOUN VERB NOUN PUNCT"),
]
CHUNKS = [
    "He PRP B-NP|reckons VBZ B-VP|the DT B-NP|current JJ I-NP|deficit NN I-NP|. . O",
    "The DT B-NP|dog NN I-NP|will MD B-VP|bark VB I-VP|in IN B-PP|May NNP B-NP|. . O",
    "Well RB O|dogs NNS B-NP|the DT B-NP|man NN I-NP|bit VBD B-VP",
]
TEXTS = ["我爱工作", "研究生命的工作。他在上海", "北京人爱我的研究。", "工作工作研究", "天安门在起源的上海"]
WORDS = [
    ["The", "dog", "will", "bark", "."],
    ["He", "bit", "the", "current", "man", "in", "May"],
    ["dogs", "dogs", ".", "in", "The"],
]


def sentences() -> list[Sentence]:
    made = []
    for forms, upos in CHINESE:
        made.append(Sentence(forms.split(), upos=upos.split(), misc=["SpaceAfter=No"] * len(forms.split())))
    return made


def chunked() -> list[Sentence]:
    made = []
    for text in CHUNKS:
        forms, xpos, chunk = map(list, zip(*(row.split() for row in text.split("|")), strict=True))
        made.append(Sentence(forms, xpos=xpos, extra={"chunk": chunk}))
    return made


def undecided() -> list[Sentence]:
    """The same words with tags that only the tags beside them can tell."""
    tags = ["NOUN VERB PART", "VERB NOUN PART", "NOUN VERB NOUN", "PART PART VERB"]
    return [Sentence(["花", "花", "花"], upos=row.split(), misc=["SpaceAfter=No"] * 3) for row in tags]


def unsure(system: str, **options: Any) -> plait.pipeline.Model:
    """A model so little trained that its second choices are near its first ones."""
    train = options.pop("train", None) or (chunked() if system == "crf-chunker" else sentences())
    return plait.train(system, train=train, **{"epochs": 3, "sigma": 0.4, **options})


def segmentations(text: str) -> Iterator[list[tuple[int, int]]]:
    """All ways to cut a text into words, as spans."""
    for cuts in product((False, True), repeat=len(text) - 1):
        borders = [0, *(k for k, cut in enumerate(cuts, 1) if cut), len(text)]
        yield list(pairwise(borders))
