"""File formats: one registry, streaming in bounded memory, and nothing lost on the way.

To add a format, write its reader and its writer and add one line to ``FORMATS``.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from plait.data.document import Document, Sentence
from plait.errors import DataError, OptionError
from plait.formats.columns import read_conll2000, write_conll2000
from plait.formats.compression import SUFFIXES
from plait.formats.conll09 import read_conll09, write_conll09
from plait.formats.conllu import read_conllu, write_conllu
from plait.formats.conllx import read_conllx, write_conllx
from plait.formats.json_lines import read_json, write_json
from plait.formats.pictures import tree_writer, write_html, write_svg
from plait.formats.report import Report, Skipped, choose_report
from plait.formats.segmented import Segmented
from plait.formats.sink import Output, write_pieces
from plait.formats.source import Input, Source
from plait.formats.text import read_lines, read_text, write_lines, write_text

__all__ = [
    "FORMATS",
    "Format",
    "Segmented",
    "Skipped",
    "find_format",
    "read",
    "segmented",
    "stream",
    "stream_text",
    "writable",
    "write",
]


@dataclass(frozen=True)
class Format:
    """A way to store sentences. Raw text has no words to ``read`` yet: such formats have ``read_text`` instead.

    Formats with neither are drawings, which are only written.
    """

    name: str
    suffixes: tuple[str, ...]
    help: str
    write: Callable[[Iterable[Sentence]], Iterator[str]]
    read: Callable[[Source], Iterator[Sentence]] | None = None
    read_text: Callable[[Source], Iterator[str]] | None = None


def segmented(options: Segmented) -> Format:
    """The segmented format with a separator or tag column of one's own."""
    return Format(
        "segmented", (".seg",), "a sentence a line: word word, word_TAG, word/TAG", options.write, options.read
    )


FORMATS = {
    format.name: format
    for format in (
        Format("conllu", (".conllu",), "CoNLL-U, Universal Dependencies", write_conllu, read_conllu),
        Format("conllx", (".conllx", ".conll06"), "CoNLL-X, 2006 and 2007", write_conllx, read_conllx),
        Format("conll09", (".conll09",), "CoNLL-2009, with predicates", write_conll09, read_conll09),
        Format("conll2000", (".conll2000",), "word tag chunk", write_conll2000, read_conll2000),
        segmented(Segmented()),
        Format("lines", (".lines",), "raw text, a sentence a line", write_lines, read_text=read_lines),
        Format("text", (".txt",), "raw running text", write_text, read_text=read_text),
        Format("json", (".json", ".jsonl"), "a sentence a line, as an object", write_json, read_json),
        Format("tree", (".tree",), "a tree for the terminal", tree_writer()),
        Format("svg", (".svg",), "a drawing of all sentences", write_svg),
        Format("html", (".html", ".htm"), "a page with a drawing for each sentence", write_html),
    )
}


def find_format(format: str | Format | None, path: object = None) -> Format:
    """The format of this name or, without a name, of the path's suffix; OptionError when there is none.

    >>> find_format(None, "train.conllu.xz").name
    'conllu'
    """
    if isinstance(format, Format):
        return format
    if format is not None:
        if format not in FORMATS:
            near = get_close_matches(format, FORMATS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(FORMATS)}"
            raise OptionError(f"unknown format {format!r}; {hint}")
        return FORMATS[format]
    name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    suffixes = Path(name).suffixes if isinstance(name, (str, os.PathLike)) else []
    while suffixes and suffixes[-1] in SUFFIXES:
        suffixes.pop()
    for known in FORMATS.values():
        if suffixes and suffixes[-1].lower() in known.suffixes:
            return known
    shown = "the data" if name is None else "standard input or output" if name == "-" else f"{os.fspath(name)!r}"
    raise OptionError(f"the format of {shown} cannot be told from a suffix; name it, one of {', '.join(FORMATS)}")


def stream(
    source: Input | Source,
    format: str | Format | None = None,
    *,
    on_error: Literal["stop", "skip"] = "stop",
    skipped: Skipped | None = None,
) -> Iterator[Sentence]:
    """The sentences of a file one at a time, in bounded memory.

    ``source`` is a path, ``"-"``, an open file or bytes, compressed or not. With ``on_error="skip"`` sentences with a
    fault are left out, and counted in ``skipped`` if one is given. A ``Source`` has its own report, which stands.

    >>> [s.forms for s in stream(b"He PRP B-NP\\n\\nruns VBZ B-VP\\n\\n", "conll2000")]
    [['He'], ['runs']]
    """
    chosen = find_format(format, source.name if isinstance(source, Source) else source)
    report = choose_report(on_error, skipped)
    if chosen.read is None:
        _check_readable(chosen)
        raise OptionError(
            f"{chosen.name} is raw text without words; let a model make them (plait parse), or take it with stream_text"
        )
    if isinstance(source, Source):
        return chosen.read(source)
    return _closing(Source(source, report=report), chosen.read)


def _check_readable(format: Format) -> None:
    if format.read is None and format.read_text is None:
        known = ", ".join(f.name for f in FORMATS.values() if f.read or f.read_text)
        raise OptionError(f"{format.name} is a drawing, which is only written; expected one of {known}")


def _closing(source: Source, read: Callable[[Source], Iterator[Sentence]]) -> Iterator[Sentence]:
    with source:
        yield from read(source)


def stream_text(
    source: Input | Source,
    format: str | Format | None = None,
    *,
    on_error: Literal["stop", "skip"] = "stop",
    skipped: Skipped | None = None,
) -> Iterator[str]:
    """The units of a raw text: the lines of ``lines``, the paragraphs of ``text``; faults as in ``stream``.

    >>> list(stream_text(b"Hi you.\\nBye.\\n", "lines"))
    ['Hi you.', 'Bye.']
    """
    chosen = find_format(format, source.name if isinstance(source, Source) else source)
    _check_readable(chosen)
    if chosen.read_text is None:
        raise OptionError(f"{chosen.name} holds words, not raw text; take it with stream or read")
    if not isinstance(source, Source):
        source = Source(source, report=choose_report(on_error, skipped))
    with source:
        yield from chosen.read_text(source)


def read(
    source: Input,
    format: str | Format | None = None,
    *,
    on_error: Literal["stop", "skip"] = "stop",
    skipped: Skipped | None = None,
) -> Document:
    """All sentences of a file; parameters as in ``stream``.

    >>> read(b"He PRP B-NP\\n\\n", "conll2000")
    <Document of 1 sentences, 1 tokens>
    """
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    with _collector_paused():
        return Document(stream(source, format, on_error=on_error, skipped=skipped), name=name)


def write(sentences: Iterable[Sentence], target: Output, format: str | Format | None = None) -> None:
    """Write sentences as they come, to a path (compressed when it ends in .gz, .xz or .zst), ``"-"`` or an open file.

    A file appears whole or not at all.

    >>> import io
    >>> file = io.StringIO()
    >>> write([Sentence(["Hi", "you"])], file, "lines")
    >>> file.getvalue()
    'Hi you\\n'
    """
    write_pieces(find_format(format, target).write(sentences), target)


def writable(sentences: Iterable[Sentence], format: Format, report: Report) -> Iterator[Sentence]:
    """The sentences that the format can hold; the others are reported.

    >>> skipped = Skipped()
    >>> [s.forms for s in writable([Sentence(["a b"]), Sentence(["c"])], FORMATS["segmented"], skipped)]
    [['c']]
    """
    for sentence in sentences:
        try:
            for piece in format.write([sentence]):
                piece.encode()
        except DataError as error:
            report(error)
        except UnicodeEncodeError:
            report(DataError(f"the sentence {sentence.text[:40]!r} holds half a character"))
        else:
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
