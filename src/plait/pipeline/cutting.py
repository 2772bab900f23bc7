"""Chinese words in the manner of jieba: ``cut``, ``lcut``, ``cut_for_search`` and ``tokenize``, with the model ``zh``.

White space between words is not given out; everything else of a text is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from plait.chain.crf_segmenter import CrfSegmenter
from plait.data.lexicon import Source, UserDictionary
from plait.pipeline.model import load
from plait.pipeline.whole import Pipeline
from plait.system.request import Request

CANDIDATES = 8  # segmentations of a word that cut_for_search looks at


def cut(text: str, *, dictionary: Source | None = None) -> Iterator[str]:
    """The words of a text, one by one; ``dictionary`` gives words of one's own.

    >>> list(cut("他在清华大学工作", dictionary=["清华大学"]))
    ['他', '在', '清华大学', '工作']
    """
    for word, _, _ in tokenize(text, dictionary=dictionary):
        yield word


def lcut(text: str, *, dictionary: Source | None = None) -> list[str]:
    """``cut`` as a list.

    >>> lcut("今天天气很好。")
    ['今天', '天气', '很', '好', '。']
    """
    return list(cut(text, dictionary=dictionary))


def tokenize(text: str, *, dictionary: Source | None = None) -> Iterator[tuple[str, int, int]]:
    """Each word with its beginning and end in the text, in code points.

    >>> list(tokenize("天气很好"))
    [('天气', 0, 2), ('很', 2, 3), ('好', 3, 4)]
    """
    request = Request(dictionary=None if dictionary is None else UserDictionary.of(dictionary, "force"))
    for sentence in _segmenter().segment(text, request):
        for (start, end), form in zip(sentence.offsets or (), sentence.forms, strict=True):
            yield form, start, end


def cut_for_search(text: str, *, dictionary: Source | None = None) -> Iterator[str]:
    """``cut`` for an index: before a word of three characters or more come the shorter words it may be cut into.

    These are the words of two characters or more in the word's own best segmentations.

    >>> "清华大学" in list(cut_for_search("清华大学", dictionary=["清华大学"]))
    True
    """
    for word in cut(text, dictionary=dictionary):
        yield from _parts(word)
        yield word


@cache
def _segmenter() -> CrfSegmenter:
    """The segmenter of the model ``zh``, opened at the first call."""
    system = load("zh").system
    assert isinstance(system, Pipeline)
    return system.segmenter


def _parts(word: str) -> list[str]:
    """The shorter words of two characters or more inside a word, in order of their beginning."""
    if len(word) < 3 or word.isascii():
        return []
    found: set[tuple[int, int]] = set()
    for sentences in _segmenter().alternatives_of(word, CANDIDATES):
        found.update(span for s in sentences for span in s.offsets or () if 2 <= span[1] - span[0] < len(word))
    return [word[a:b] for a, b in sorted(found)]
