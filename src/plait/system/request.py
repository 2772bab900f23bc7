"""The options of one call of a model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.errors import OptionError

if TYPE_CHECKING:
    from plait.features.user_dictionary import UserDictionary

_SUPPORTED_BY = {
    "scores": "all but easy-first and perceptron systems do",
    "dictionary": "crf-segmenter supports dictionaries for raw text",
    "constrain": "taggers and parsers support constraints",
}

REQUEST_OPTIONS = tuple(_SUPPORTED_BY)

OnStep = Callable[[int], None]


def _continue(words: int) -> None:
    """The callback that never ends the work."""


@dataclass(frozen=True)
class Request:
    """``scores``: confidence of each token; ``dictionary``: the user's words, and how they constrain segmentation;
    ``constrain``: keep the annotation of the input; ``single_sentence``: a raw text is one sentence; ``allowed``: for
    each word the tags among which a tagger may choose, none where it may choose any.

    ``on_step`` is called before each step of the work with the number of words of the next sentence (0: of none in
    particular). If it raises, the work ends: that is how a server cancels a request.
    """

    scores: bool = False
    dictionary: UserDictionary | None = None
    constrain: bool = False
    single_sentence: bool = False
    allowed: tuple[tuple[str, ...], ...] | None = None
    on_step: OnStep = field(default=_continue, compare=False, repr=False)

    def only(self, options: Collection[str]) -> Request:
        """The same request with these options only, for a system that works on given words."""
        return Request(
            **{option: getattr(self, option) for option in REQUEST_OPTIONS if option in options}, on_step=self.on_step
        )

    def refuse(self, system: str, *options: str) -> None:
        """OptionError for options that this system does not support."""
        for option in options:
            if getattr(self, option):
                raise OptionError(
                    f"{system} does not support {option}; {_SUPPORTED_BY[option]}; remove it or use another model"
                )


PLAIN = Request()
