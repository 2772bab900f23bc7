"""Estimates the work of a request before it is started; too much is refused with the limit that it exceeds.

Time and memory grow with characters or words, with the number of alternatives, with the matches of dictionary words,
and with what is drawn. Small requests can require much work, so the size of a body says little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import islice

from plait.data.document import Document, Sentence
from plait.web.catalogue import ServedModel
from plait.web.errors import ApiError
from plait.web.limits import Limits, WordCount, too_much
from plait.web.requests import ApiRequest

SMALL_WORK = 20_000  # characters or words beyond which a request waits among the large ones
SMALL_CUBIC = 500
COST_FACTOR = 5  # times that an alternative or a drawing costs what an analysis does
LETTERS = 10  # characters of a word on average, where a sentence is bounded by its characters
LONGEST_ENTRY = 100  # characters of a dictionary word
DRAWINGS = ("svg", "html", "tree")

_WORD = re.compile(r"\S+")

Check = Callable[[], None]  # raises when the client is gone


def is_large(wanted: ApiRequest, served: ServedModel, limits: Limits) -> bool:
    """Whether a request is large, so that small ones need not wait for it; 413 if it exceeds the limits."""
    size = _size(wanted, served, limits)
    if wanted.nbest is not None:
        _refuse_beyond(
            size * wanted.nbest, limits.max_words // COST_FACTOR, "units of text times alternatives", "nbest"
        )
        size *= wanted.nbest * COST_FACTOR
    if wanted.dictionary is not None:
        texts = [unit for unit in wanted.units if isinstance(unit, str)]
        size += _dictionary_work(wanted.dictionary, texts, limits)
    return size > (SMALL_CUBIC if served.is_cubic else SMALL_WORK)


def _size(wanted: ApiRequest, served: ServedModel, limits: Limits) -> int:
    """Characters of raw text for a model that segments it, words for all else; both within their limits."""
    characters = 0
    count = WordCount(limits)
    for unit in wanted.units:
        if not isinstance(unit, str):
            count.add(unit.token_count)
        elif served.segments:
            characters += len(unit)
        else:
            count.add(sum(1 for _ in islice(_WORD.finditer(unit), limits.max_words + 1)))
        if characters > limits.max_characters:
            raise too_much("characters", limits.max_characters, "--max-characters")
    return characters + count.words


def _dictionary_work(words: Collection[str], texts: Iterable[str], limits: Limits) -> int:
    """The characters of all matches, bounded; counting them is itself bounded before it is begun."""
    _refuse_beyond(len(words), limits.max_words // COST_FACTOR, "words in the dictionary", "dictionary")
    longest = max(map(len, words), default=0)
    _refuse_beyond(longest, LONGEST_ENTRY, "characters in a word of the dictionary", "dictionary")
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[:1], set()).add(len(word))
    compared = {first: sum(found) for first, found in lengths.items()}
    known = frozenset(words)
    allowed = 4 * limits.max_characters
    looked_at = matched = 0
    for text in texts:
        looked_at += sum(compared.get(c, 0) * count for c, count in Counter(text).items())
        _refuse_beyond(looked_at, 10 * allowed, "characters to compare with the dictionary", "dictionary")
        for i, c in enumerate(text):
            for length in lengths.get(c, ()):
                if text[i : i + length] in known:
                    matched += length
            _refuse_beyond(matched, allowed, "characters in matches of the dictionary", "dictionary")
    return matched


def _refuse_beyond(size: int, limit: int, what: str, field: str) -> None:
    if size > limit:
        raise ApiError(
            413, "too_much_work", f"{field}: {size:,} {what}; the limit is {limit:,}; request less",
            field=field, limit=limit,
        )  # fmt: skip


def step_limits(check: Check, served: ServedModel, limits: Limits, scores: bool) -> Callable[[int], None]:
    """The callback for a model before every step of its work, with the number of words of the next sentence or 0."""
    longest = served.longest(limits, scores)
    who = f"{served.name} with scores" if longest < served.longest(limits) else served.name

    def on_step(words: int) -> None:
        check()
        if words > longest:
            raise long_sentence(words, longest, who)

    return on_step


def limit_sentence(sentence: Sentence, on_step: Callable[[int], None], served: ServedModel, limits: Limits) -> None:
    """The same for a sentence whose words are given; its letters count too where the model works on those."""
    on_step(len(sentence))
    letters = LETTERS * limits.max_sentence
    if served.segments and sum(map(len, sentence.forms)) > letters:
        message = f"a sentence has over {letters:,} characters, the limit of {served.name}; split it"
        raise ApiError(422, "long_sentence", message, longest=letters)


def long_sentence(words: int, longest: int, who: str) -> ApiError:
    """The error for a sentence that is too long."""
    message = f"a sentence has {words:,} words; the limit of {who} is {longest:,} here; split it, or use another model"
    return ApiError(422, "long_sentence", message, longest=longest)


def check_drawn(document: Document, format: str, limits: Limits) -> None:
    """Refuse drawings of too much."""
    if format not in DRAWINGS:
        return
    if sum(max(1, len(sentence)) for sentence in document) > limits.max_words // COST_FACTOR:
        raise too_much("words to draw", limits.max_words // COST_FACTOR, "--max-words")
    longest = max(map(len, document), default=0)
    if longest > limits.max_sentence:
        raise long_sentence(longest, limits.max_sentence, "a drawing")
