"""The exceptions of plait; every message says what was found, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass


class PlaitError(Exception):
    """The base class of all errors that plait raises deliberately."""


@dataclass(eq=False, repr=False)
class FormatError(PlaitError):
    """A file or text that does not conform to its format.

    The parts are kept as attributes, and the message puts them together as
    ``FILE:LINE: sentence "ID": COLUMN is 'VALUE': what; expected ...; do this``.
    """

    what: str
    _: KW_ONLY
    file: str = "<text>"
    line: int | None = None
    sentence: str | None = None
    column: str | None = None
    value: str | None = None
    expected: str | None = None
    hint: str | None = None
    lost: int = 1  # sentences that are left out where this fault is skipped

    def __post_init__(self) -> None:
        super().__init__(self._message())

    def _message(self) -> str:
        parts = [self.file if self.line is None else f"{self.file}:{self.line}"]
        if self.sentence is not None:
            parts.append(f'sentence "{self.sentence}"')
        if self.column is not None:
            parts.append(self.column if self.value is None else f"{self.column} is {_shown(self.value)}")
        elif self.value is not None:
            parts.append(_shown(self.value))
        parts.append(self.what)
        message = ": ".join(parts)
        if self.expected is not None:
            message += f"; expected {self.expected}"
        if self.hint is not None:
            message += f"; {self.hint}"
        return message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.__class__, self.what, {k: v for k, v in self.__dict__.items() if k != "what"})


class FormatWarning(UserWarning):
    """Input that was accepted although it does not quite conform to its format; ``strict`` rejects it."""


class OptionError(PlaitError):
    """An option, system, format or model name that does not exist, or a value it cannot take."""


class DataError(PlaitError):
    """Well-formed data that cannot be used: a training file without trees, gold and predicted that do not match."""


class ModelError(PlaitError):
    """A model file that is truncated, corrupted, of another kind or version, or lacks what was requested."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to an unknown one, in brackets for a message; empty if none is close.

    >>> nearest("conlu", ["conllu", "json"]), nearest("x", ["conllu"])
    (' (did you mean conllu?)', '')
    """
    from difflib import get_close_matches

    return "".join(f" (did you mean {near}?)" for near in get_close_matches(name[:60], known, n=1))


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """The message for an unknown name: the nearest known one, or all of them.

    >>> unknown_name("format", "conlu", ["conllu", "json"]), unknown_name("format", "x", ["conllu", "json"])
    ("unknown format 'conlu'; did you mean 'conllu'?", "unknown format 'x'; available: conllu, json")
    """
    from difflib import get_close_matches

    near = get_close_matches(name[:60], known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"available: {', '.join(known)}"
    return f"unknown {kind} {name[:60]!r}; {hint}"


def _shown(value: str, limit: int = 60) -> str:
    """The value for a one-line message: quoted, control characters escaped, cut when long."""
    return repr(value if len(value) <= limit else value[:limit] + "…")


def _rebuild(cls: type[FormatError], what: str, parts: dict[str, object]) -> FormatError:
    return cls(what, **parts)  # type: ignore[arg-type]
