"""The registry of formats: by name, by the suffix of a path and, for input, by what a file holds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from plait.data.document import Sentence
from plait.errors import FormatWarning, OptionError, unknown_name
from plait.formats.columns import read_conll2000, write_conll2000
from plait.formats.compression import SUFFIXES
from plait.formats.conll09 import read_conll09, write_conll09
from plait.formats.conllu import read_conllu, write_conllu
from plait.formats.conllx import read_conllx, write_conllx
from plait.formats.drawings import tree_writer, write_html, write_svg
from plait.formats.json_lines import read_json, write_json
from plait.formats.segmented import Segmented
from plait.formats.sniffing import sniff_path
from plait.formats.source import Source
from plait.formats.text import read_lines, read_text, write_lines, write_text


class Format(NamedTuple):
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
    """The segmented format with a custom separator or tag column."""
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

READABLE = tuple(format.name for format in FORMATS.values() if format.read or format.read_text)


def find_format(format: str | Format | None, path: object = None) -> Format:
    """The format of this name or, without a name, of the path's suffix; OptionError when there is none.

    >>> find_format(None, "train.conllu.xz").name
    'conllu'
    """
    found = _named(format, tuple(FORMATS)) if format is not None else _by_suffix(path)
    if found is not None:
        return found
    raise OptionError(
        f"the format of {_shown(path)} cannot be determined from a suffix; specify it, one of {', '.join(FORMATS)} "
        "(--to; format= in Python)"
    )


def find_input_format(format: str | Format | None, source: object) -> Format:
    """The format in which to read: the one named, otherwise by the suffix, otherwise by the content.

    ``.txt`` is used for everything: such a file with columns or tagged words in it is read as what it contains, and a
    ``FormatWarning`` says so. A file that is not there or is a folder is an ``OSError``. Pipes are not looked into.
    """
    if format is not None:
        return _readable(_named(format, READABLE))
    named = _by_suffix(source)
    if named is not None and named.name != "text":
        return _readable(named)
    path = None if source == "-" or not isinstance(source, (str, os.PathLike)) else os.fspath(source)
    told = None
    if path is not None and (Path(path).is_file() or not Path(path).exists() or Path(path).is_dir()):
        told = sniff(path)
    if told is not None and named is not None:
        warnings.warn(
            f"{path}: contains {told.name}, not plain text, and is read as such; use --from text to read it as text",
            FormatWarning,
            stacklevel=3,
        )
    found = told or named
    if found is None:
        tried = "from its name" if path is None or not Path(path).is_file() else "from its name or its first lines"
        raise OptionError(
            f"the format of {_shown(source)} cannot be determined {tried}; specify it, one of {', '.join(READABLE)} "
            "(--from; format= in Python)"
        )
    return found


def sniff(path: str | os.PathLike[str]) -> Format | None:
    """The format that the first lines of a file tell, None when it may be plain text; OSError when it cannot be read.

    The column formats, JSON and words with tags are recognised; words without tags cannot be distinguished from text.
    """
    name = sniff_path(os.fspath(path))
    return None if name is None else FORMATS[name]


def _named(format: str | Format, known: Iterable[str]) -> Format:
    if isinstance(format, Format):
        return format
    if format not in FORMATS:
        raise OptionError(unknown_name("format", format, known))
    return FORMATS[format]


def _by_suffix(path: object) -> Format | None:
    name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    suffixes = Path(name).suffixes if isinstance(name, (str, os.PathLike)) else []
    while suffixes and suffixes[-1].lower() in SUFFIXES:
        suffixes.pop()
    if not suffixes:
        return None
    return next((known for known in FORMATS.values() if suffixes[-1].lower() in known.suffixes), None)


def _readable(format: Format) -> Format:
    if format.read is None and format.read_text is None:
        raise OptionError(f"{format.name} is an output format; expected one of {', '.join(READABLE)}")
    return format


def _shown(path: object) -> str:
    name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    if not isinstance(name, (str, os.PathLike)):
        return "the data"
    return "standard input or output" if name == "-" else repr(os.fspath(name))
