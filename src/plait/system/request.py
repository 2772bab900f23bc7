"""What can be asked of a model for one call, beside the text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.errors import OptionError

if TYPE_CHECKING:
    from plait.features.user_dictionary import UserDictionary

_WHO = {
    "scores": "the CRF and graph systems support scores",
    "dictionary": "crf-segmenter supports dictionaries for raw text",
    "constrain": "taggers and parsers support constraints",
}

WISHES = tuple(_WHO)

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

    def only(self, wishes: Collection[str]) -> Request:
        """These wishes alone, as a request to a system that works on given words."""
        return Request(**{wish: getattr(self, wish) for wish in WISHES if wish in wishes}, watch=self.watch)

    def refuse(self, system: str, *wishes: str) -> None:
        """OptionError for what this system cannot do."""
        for wish in wishes:
            if getattr(self, wish):
                raise OptionError(f"{system} does not support {wish}; {_WHO[wish]}; remove it or use another model")


PLAIN = Request()
