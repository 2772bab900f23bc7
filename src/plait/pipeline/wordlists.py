"""Lists of strings are the words of one sentence, unless they are obviously texts."""

from __future__ import annotations

from collections.abc import Sequence

FINAL = (".", "!", "?", "…", "。", "！", "？")
CLOSING = "\"'”’»」』）)] "


def find_text(words: Sequence[str]) -> str | None:
    """An item that shows that the list contains texts; None if it may contain words.

    Words may contain spaces (as in Vietnamese), but then a separate punctuation mark indicates a list of words.

    >>> find_text(["Two sentences.", "Another."])
    'Two sentences.'
    >>> find_text(["Stop!", "Why?"])
    'Stop!'
    >>> find_text(["Dr.", "Smith", "paid", "10 000"])
    >>> find_text(["học sinh", "đến", "trường", "."])
    """
    if not all(any(map(str.isalnum, word)) for word in reversed(words)):  # most sentences end in a punctuation mark
        return None
    if len(words) > 1 and all(map(_ends_a_sentence, words)):
        return words[0]
    return next((word for word in words if _is_text(word)), None)


def _is_text(word: str) -> bool:
    # hardly a word holds a space between letters, and none an ideographic full stop
    if word.isalpha():
        return False
    return ("。" in word and _has_letter(word)) or sum(map(_has_letter, word.split())) > 1


def _ends_a_sentence(word: str) -> bool:
    # so do abbreviations, but not all words of a sentence are abbreviations
    return word.rstrip(CLOSING).endswith(FINAL) and _has_letter(word)


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))
