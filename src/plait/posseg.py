"""Words with parts of speech, called as ``jieba.posseg`` is: ``import plait.posseg as pseg``."""

from __future__ import annotations

from plait.features.user_dictionary import DictionarySource
from plait.pipeline.cutting import Pair, posseg

__all__ = ["cut", "lcut", "pair"]

pair = Pair
cut = posseg


def lcut(text: str, HMM: bool = True, *, dictionary: DictionarySource | None = None) -> list[Pair]:
    """``cut`` as a list.

    >>> [str(pair) for pair in lcut("他在北京工作")]
    ['他/PRON', '在/ADP', '北京/PROPN', '工作/VERB']
    """
    return list(posseg(text, HMM, dictionary=dictionary))
