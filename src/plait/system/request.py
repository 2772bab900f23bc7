"""The options of one call of a model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.errors import OptionError

if TYPE_CHECKING:
    from plait.features.user_dictionary import UserDictionary

_SUPPORTED_BY = {
    "scores": "the CRF and graph systems support scores",
    "dictionary": "crf-segmenter supports dictionaries for raw text",
    "constrain": "taggers and parsers support constraints",
}

REQUEST_OPTIONS = tuple(_SUPPORTED_BY)

Watch = Callable[[int], None]


def _go_on(words: int) -> None:
    """The watch that lets everything pass."""


@dataclass(frozen=True)
class Request:
    """``scores``: confidences of tokens; ``dictionary``: words of the user's own, and how they bind; ``constrain``:
    what the input gives stays fixed; ``whole``: a raw text is one sentence; ``allowed``: for each word the tags of
    which a tagger may choose, none where it may choose any.

    ``watch`` is called before every step of the work with the number of words of the sentence that is next (0: none in
    particular); what it raises ends the work. So a server stops what nobody waits for any more."""

    scores: bool = False
    dictionary: UserDictionary | None = None
    constrain: bool = False
    whole: bool = False
    allowed: tuple[tuple[str, ...], ...] | None = None
    watch: Watch = field(default=_go_on, compare=False, repr=False)

    def only(self, options: Collection[str]) -> Request:
        """The same request with these options only, for a system that works on given words."""
        return Request(
            **{option: getattr(self, option) for option in REQUEST_OPTIONS if option in options}, watch=self.watch
        )

    def refuse(self, system: str, *options: str) -> None:
        """OptionError for options that this system does not support."""
        for option in options:
            if getattr(self, option):
                raise OptionError(
                    f"{system} does not support {option}; {_SUPPORTED_BY[option]}; remove it or use another model"
                )


PLAIN = Request()
