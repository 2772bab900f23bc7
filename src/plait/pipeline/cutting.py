"""Chinese words with the interface of jieba, using the model ``zh``.

Whitespace between words is dropped; everything else of a text is returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from plait.errors import DataError, OptionError
from plait.features.user_dictionary import DictionarySource, Entry, UserDictionary, check_entry
from plait.pipeline.model import load
from plait.pipeline.system import Pipeline
from plait.pipeline.userdict import UserdictFile, read_userdict
from plait.system.request import Request

CANDIDATES = 8  # segmentations of a word that cut_for_search looks at
MIN_PROBABILITY = 0.01  # probability of a word that cut_all gives out


class Pair(NamedTuple):
    """A word and its part of speech."""

    word: str
    flag: str

    def __str__(self) -> str:
        return f"{self.word}/{self.flag}"


class Cutter:
    """A segmenter with user words, which are kept until they are deleted. The functions of this module share one.

    >>> mine = Cutter()
    >>> mine.add_word("石墨烯", tag="nz")
    >>> mine.lcut("石墨烯很便宜")
    ['石墨烯', '很', '便宜']
    >>> [str(pair) for pair in mine.posseg("石墨烯很便宜")]
    ['石墨烯/nz', '很/ADV', '便宜/ADJ']
    """

    def __init__(self, model: str = "zh") -> None:
        self.model = model
        self._words: dict[str, Entry] = {}
        self._dictionary: UserDictionary | None = None  # of these words; None until it is needed
        self._lock = Lock()  # a word added while the dictionary is made must not be lost

    @cached_property
    def pipeline(self) -> Pipeline:
        """The model, opened at the first call."""
        system = load(self.model).system
        if not isinstance(system, Pipeline):
            raise OptionError(f'model "{self.model}" is a {system.name}; expected a pipeline, such as zh')
        return system

    def load_userdict(self, file: UserdictFile) -> None:
        """Add the words of a file in jieba's format, lines of ``WORD [COUNT] [TAG]``; all of them or, on error, none.

        The count has no effect, except that 0 removes the word.
        """
        for word, count, tag in read_userdict(file):
            self.add_word(word, count, tag)

    def add_word(self, word: str, freq: int | None = None, tag: str | None = None) -> None:
        """Always segment this word where it occurs; ``freq`` 0 deletes it, any other value has no effect."""
        if freq is not None and (isinstance(freq, bool) or not isinstance(freq, int) or freq < 0):
            raise OptionError(f"the count of {word!r} is {freq!r}; expected a non-negative integer, or None")
        if freq == 0:
            self.del_word(word)
            return
        entry = check_entry(Entry(word, tag or ""))
        with self._lock:
            self._words[word] = entry
            self._dictionary = None

    def del_word(self, word: str) -> None:
        """Remove a word that was added; words that the model finds by itself are unaffected."""
        with self._lock:
            self._words.pop(word, None)
            self._dictionary = None

    def cut(
        self, text: str, cut_all: bool = False, HMM: bool = True, *, dictionary: DictionarySource | None = None
    ) -> Iterator[str]:
        """The words of a text, one by one; with ``cut_all`` every possible word, overlapping.

        ``HMM`` is accepted as in jieba and has no effect: words that are in no dictionary are always found.
        ``dictionary`` gives user words for this call alone.

        >>> list(cut("他在清华大学工作", dictionary=["清华大学"]))
        ['他', '在', '清华大学', '工作']
        """
        if not cut_all:
            yield from (word for word, _, _ in self.tokenize(text, HMM=HMM, dictionary=dictionary))
            return
        own, text = self._combined_dictionary(dictionary), _checked_text(text)
        spans = {(match.start, match.end) for match in own.all(text)}
        spans.update((start, end) for start, end, _ in self.pipeline.segmenter.likely_words(text, MIN_PROBABILITY))
        held = {place for start, end in spans if end - start > 1 for place in range(start, end)}
        for start, end in sorted(spans):
            if end - start > 1 or start not in held:  # a character by itself only where no longer word has it
                yield text[start:end]

    def lcut(
        self, text: str, cut_all: bool = False, HMM: bool = True, *, dictionary: DictionarySource | None = None
    ) -> list[str]:
        """``cut`` as a list.

        >>> lcut("今天天气很好。")
        ['今天', '天气', '很', '好', '。']
        """
        return list(self.cut(text, cut_all, HMM, dictionary=dictionary))

    def tokenize(
        self, text: str, mode: str = "default", HMM: bool = True, *, dictionary: DictionarySource | None = None
    ) -> Iterator[tuple[str, int, int]]:
        """Each word with its beginning and end in the text, in code points; ``mode="search"`` as ``cut_for_search``.

        >>> list(tokenize("天气很好"))
        [('天气', 0, 2), ('很', 2, 3), ('好', 3, 4)]
        """
        if mode not in ("default", "search"):
            raise OptionError(f'mode is "{mode}"; expected default or search')
        request = Request(dictionary=self._combined_dictionary(dictionary))
        for sentence in self.pipeline.find_words(_checked_text(text), request):
            for (start, end), form in zip(sentence.offsets or (), sentence.forms, strict=True):
                if mode == "search":
                    yield from ((form[a:b], start + a, start + b) for a, b in self._inside(form))
                yield form, start, end

    def cut_for_search(
        self, text: str, HMM: bool = True, *, dictionary: DictionarySource | None = None
    ) -> Iterator[str]:
        """``cut`` for an index: a word of three or more characters is preceded by the shorter words inside it.

        These are the words of two characters or more in the word's own best segmentations.

        >>> "清华大学" in list(cut_for_search("清华大学", dictionary=["清华大学"]))
        True
        """
        yield from (word for word, _, _ in self.tokenize(text, "search", HMM, dictionary=dictionary))

    def lcut_for_search(self, text: str, HMM: bool = True, *, dictionary: DictionarySource | None = None) -> list[str]:
        """``cut_for_search`` as a list."""
        return list(self.cut_for_search(text, HMM, dictionary=dictionary))

    def posseg(self, text: str, HMM: bool = True, *, dictionary: DictionarySource | None = None) -> Iterator[Pair]:
        """Words with their parts of speech: the tag of the dictionary entry, if any, otherwise the model's UPOS."""
        own = self._combined_dictionary(dictionary)
        for sentence in self.pipeline.segment(_checked_text(text), Request(dictionary=own)):
            for form, upos in zip(sentence.forms, sentence.upos, strict=True):
                yield Pair(form, own.tag_of(form) or upos)

    def _combined_dictionary(self, more: DictionarySource | None) -> UserDictionary:
        """The words that were added, and those of one call."""
        with self._lock:
            if self._dictionary is None:
                self._dictionary = UserDictionary(self._words.values())
            own = self._dictionary
        if more is None:
            return own
        return UserDictionary([*own.entries.values(), *UserDictionary.of(more).entries.values()])

    def _inside(self, word: str) -> list[tuple[int, int]]:
        """The shorter words of two characters or more inside a word, in order of their beginning."""
        if len(word) < 3 or word.isascii():
            return []
        found: set[tuple[int, int]] = set()
        for sentences in self.pipeline.segmenter.alternatives_of(word, CANDIDATES):
            found.update(span for s in sentences for span in s.offsets or () if 2 <= span[1] - span[0] < len(word))
        return sorted(found)


def _checked_text(text: object) -> str:
    if not isinstance(text, str):
        raise DataError(f"cannot segment {type(text).__name__}; expected a str")
    return text


_SHARED = Cutter()

cut = _SHARED.cut
lcut = _SHARED.lcut
tokenize = _SHARED.tokenize
cut_for_search = _SHARED.cut_for_search
lcut_for_search = _SHARED.lcut_for_search
posseg = _SHARED.posseg
load_userdict = _SHARED.load_userdict
add_word = _SHARED.add_word
del_word = _SHARED.del_word
