"""The limits of one server: size, work and time of a request, and concurrency."""

from __future__ import annotations

from dataclasses import dataclass

from plait.web.errors import ApiError


@dataclass(frozen=True)
class Limits:
    """The limits of one server; each bounds time or memory that one client could otherwise take from all others."""

    threads: int = 2  # small requests worked on at the same time; large ones have threads of their own
    concurrency: int = 32  # requests waiting or worked on, counted from the last byte of the body
    max_body: int = 4 << 20  # bytes
    timeout: float = 30.0  # seconds from the last byte of a request to its answer
    max_words: int = 100_000  # of a request; a sentence or a text counts as one word at least
    max_characters: int = 250_000  # of raw text that a model must segment
    max_sentence: int = 5_000  # words of a sentence
    body_timeout: float = 10.0  # seconds for a body to arrive
    connections: int = 256  # open at the same time; beyond that the slowest is closed for the newest

    @property
    def large_threads(self) -> int:
        """Threads for large requests, which must not delay small ones."""
        return max(1, self.threads // 2)

    @property
    def large_concurrency(self) -> int:
        """The maximum number of large requests among the concurrent ones."""
        return max(1, self.concurrency // 2)


class WordCount:
    """Words of a request, counted as they are read, so that too many are refused before they fill the memory."""

    def __init__(self, limits: Limits) -> None:
        self.limit = limits.max_words
        self.words = 0

    def add(self, words: int) -> None:
        """Count words; a sentence or a text counts as at least one."""
        self.words += max(1, words)
        if self.words > self.limit:
            raise too_much("words", self.limit, "--max-words")


def too_much(what: str, limit: int, option: str) -> ApiError:
    """The answer to a request that has more in it than an option of the server allows.

    >>> too_much("words", 1000, "--max-words").message
    'the request has over 1,000 words, the limit of this server; send it in parts, or increase --max-words'
    """
    message = f"the request has over {limit:,} {what}, the limit of this server"
    code = "too_many_" + what.replace(" ", "_")
    return ApiError(413, code, f"{message}; send it in parts, or increase {option}", limit=limit)
