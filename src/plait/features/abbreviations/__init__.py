"""Lists of abbreviations by kind, for the features of a segmenter: a period after them need not end a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from plait.errors import FormatError, OptionError


class Abbreviations:
    """Words (in lower case, without their last period) by kind.

    >>> known = Abbreviations.load("en")
    >>> known.numbers["mt"] == known.numbers["pp"] != known.numbers["inc"]
    True
    """

    def __init__(self, kinds: Mapping[str, frozenset[str]]) -> None:
        self.kinds = dict(sorted(kinds.items()))
        self.numbers = {word: k for k, words in enumerate(self.kinds.values()) for word in words}

    @classmethod
    def load(cls, name: str) -> Self:
        """A shipped list by its name, any other by its path; "" is an empty one."""
        if not name:
            return cls({})
        shipped = Path(__file__).with_name(f"{name}.txt") if name.isalpha() else None
        try:
            if shipped is not None and shipped.is_file():
                return cls.parse(shipped.read_text("utf-8"), name)
            return cls.parse(Path(name).read_text("utf-8-sig"), name)
        except UnicodeDecodeError as error:
            raise FormatError("not UTF-8 text", file=name, expected="lines of abbreviations, KIND: WORD ...") from error
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have
            reason = error.strerror if isinstance(error, OSError) else error
            raise OptionError(f"abbreviations {name}: {reason}; expected en or the path of a readable file") from error

    @classmethod
    def parse(cls, text: str, file: str = "<abbreviations>") -> Self:
        """Lines ``KIND: WORD WORD ...``; # begins a comment line. A word of two kinds is a FormatError."""
        kinds: dict[str, set[str]] = {}
        kind_of: dict[str, str] = {}
        for number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            kind, colon, words = line.partition(":")
            if not colon or not kind.strip() or len(kind.split()) > 1:
                raise FormatError(f"no kind in {line[:40]!r}", file=file, line=number, expected="KIND: WORD WORD ...")
            for word in words.lower().split():
                plain = word.removesuffix(".")
                if kind_of.setdefault(plain, kind) != kind or not plain:
                    raise FormatError(
                        f"{word!r} already has the kind {kind_of[plain]}", file=file, line=number,
                        hint="remove it here",
                    )  # fmt: skip
                kinds.setdefault(kind, set()).add(plain)
        return cls({kind: frozenset(words) for kind, words in kinds.items()})

    def header(self) -> dict[str, list[str]]:
        """What the model file keeps."""
        return {kind: sorted(words) for kind, words in self.kinds.items()}

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Self:
        """The inverse of ``header``."""
        return cls({str(kind): frozenset(map(str, words)) for kind, words in header.items()})
