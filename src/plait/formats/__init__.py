"""File formats: one registry, streaming in bounded memory, lossless conversion.

To add a format, write its reader and its writer and add one line to ``FORMATS`` in ``registry.py``.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

from plait.data.document import Document, Sentence
from plait.data.provenance import marked_as_found
from plait.errors import DataError, OptionError
from plait.formats.registry import FORMATS as FORMATS
from plait.formats.registry import READABLE as READABLE
from plait.formats.registry import Format as Format
from plait.formats.registry import find_format as find_format
from plait.formats.registry import find_input_format as find_input_format
from plait.formats.registry import segmented as segmented
from plait.formats.registry import sniff as sniff
from plait.formats.report import Report
from plait.formats.report import Skipped as Skipped
from plait.formats.segmented import Segmented as Segmented
from plait.formats.sink import Output, checked_pieces, write_pieces
from plait.formats.source import Input, Source

T = TypeVar("T")


def stream(
    source: Input | Source,
    format: str | Format | None = None,
    *,
    on_error: Literal["stop", "skip"] = "stop",
    skipped: Skipped | None = None,
    strict: bool = False,
) -> Iterator[Sentence]:
    """The sentences of a file one at a time, in bounded memory.

    ``source`` is a path, ``"-"``, an open file or bytes, compressed or not. With ``on_error="skip"`` sentences with a
    fault are left out, and counted in ``skipped`` if one is given. What does no harm (the line ends of Windows, a byte
    order mark, extra blank lines, none at the end) is a ``FormatWarning`` or, if ``strict``, an error. A ``Source`` has
    its own report and notice, which stand.

    >>> [s.forms for s in stream(b"He PRP B-NP\\n\\nruns VBZ B-VP\\n\\n", "conll2000")]
    [['He'], ['runs']]
    """
    opened = source if isinstance(source, Source) else Source.open(source, on_error, skipped, strict=strict)
    chosen = find_input_format(format, opened.origin)
    if chosen.read is None:
        shown = f"{opened.name}: " if opened.name[:1] != "<" else ""
        raise OptionError(
            f"{shown}{chosen.name} is raw text, not words; segment it with a model (plait parse), "
            "or read it with stream_text"
        )
    return _closing(opened, chosen.read)


def _closing(source: Source, read: Callable[[Source], Iterator[T]]) -> Iterator[T]:
    with source:
        yield from read(source)


def stream_text(source: Input | Source, format: str | Format | None = None) -> Iterator[str]:
    """The units of a raw text: the lines of ``lines``, the paragraphs of ``text``.

    >>> list(stream_text(b"Hi you.\\nBye.\\n", "lines"))
    ['Hi you.', 'Bye.']
    """
    opened = source if isinstance(source, Source) else Source(source)
    chosen = find_input_format(format, opened.origin)
    if chosen.read_text is None:
        raise OptionError(f"{chosen.name} contains words, not raw text; read it with stream or read")
    yield from _closing(opened, chosen.read_text)


def read(
    source: Input | Source,
    format: str | Format | None = None,
    *,
    on_error: Literal["stop", "skip"] = "stop",
    skipped: Skipped | None = None,
    strict: bool = False,
) -> Document:
    """All sentences of a file; parameters as in ``stream``.

    >>> read(b"He PRP B-NP\\n\\n", "conll2000")
    <Document of 1 sentences, 1 tokens>
    """
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    with _collector_paused():
        return Document(stream(source, format, on_error=on_error, skipped=skipped, strict=strict), name=name)


def write(sentences: Iterable[Sentence], target: Output, format: str | Format | None = None) -> None:
    """Write sentences as they come, to a path (compressed when it ends in .gz, .xz or .zst), ``"-"`` or an open file.

    A file appears whole or not at all. The first sentence of a document that a model has analysed gets comments which
    say what it predicted, as in the output of ``plait parse``.

    >>> import io
    >>> file = io.StringIO()
    >>> write([Sentence(["Hi", "you"])], file, "lines")
    >>> file.getvalue()
    'Hi you\\n'
    """
    given: object = sentences
    if isinstance(sentences, Document):
        sentences = marked_as_found(sentences)
    elif isinstance(given, (Sentence, str)) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise DataError(f"write expects a Document or several sentences, such as [sentence], not {kind}")
    write_pieces(find_format(format, target).write(sentences), target)


def writable(sentences: Iterable[Sentence], format: Format, report: Report) -> Iterator[Sentence]:
    """The sentences that the format can hold; the others are reported.

    >>> skipped = Skipped()
    >>> [s.forms for s in writable([Sentence(["a b"]), Sentence(["c"])], FORMATS["segmented"], skipped)]
    [['c']]
    """
    first: list[Sentence] = []  # how it is written may decide how the others are
    for sentence in sentences:
        try:
            for piece in checked_pieces(format.write([*first, sentence])):
                piece.encode()
        except DataError as error:
            report(error)
        except UnicodeEncodeError:
            report(DataError(f"the sentence {sentence.text[:40]!r} contains half of a surrogate pair"))
        else:
            first = first or [sentence]
            yield sentence


@contextmanager
def _collector_paused() -> Iterator[None]:
    # a treebank makes a million lasting lists and no cycles; the collector's walks over them cost 40 % of reading
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
