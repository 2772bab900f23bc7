"""What can be asked of a model for one call, beside the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.errors import OptionError

if TYPE_CHECKING:
    from plait.data.lexicon import UserDictionary


@dataclass(frozen=True)
class Request:
    """``scores``: confidences of tokens; ``dictionary``: words of the user's own, and how they bind; ``constrain``:
    what the input gives stays fixed."""

    scores: bool = False
    dictionary: UserDictionary | None = None
    constrain: bool = False

    def refuse(self, system: str, *wishes: str) -> None:
        """OptionError for what this system cannot do."""
        able = {"scores": "a CRF or graph-based model", "dictionary": "a model of crf-segmenter",
                "constrain": "a graph-based model"}  # fmt: skip
        for wish in wishes:
            if getattr(self, wish):
                raise OptionError(f"{system} gives no {wish}; use {able[wish]} for it, or leave it out")


PLAIN = Request()
