"""Words with parts of speech, called as ``jieba.posseg`` is: ``import plait.posseg as pseg``."""

from __future__ import annotations

from plait.features.user_dictionary import DictionarySource
from plait.pipeline.cutting import Pair, posseg

__all__ = ["cut", "lcut", "pair"]

pair = Pair
cut = posseg


def lcut(text: str, HMM: bool = True, *, dictionary: DictionarySource | None = None) -> list[Pair]:
    """``cut`` as a list.

    >>> [str(pair) for pair in lcut("我们明天去北京")]
    ['我们/PRON', '明天/NOUN', '去/VERB', '北京/PROPN']
    """
    return list(posseg(text, HMM, dictionary=dictionary))
