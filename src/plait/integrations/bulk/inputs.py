"""The input of a job: a file, or the files of one kind in a folder and the folders inside it."""

from __future__ import annotations

from pathlib import Path

from plait.errors import DataError, OptionError, unknown_name
from plait.formats.compression import SUFFIXES
from plait.integrations.bulk.lines import JsonLines, Lines, Text
from plait.integrations.bulk.parquet import Parquet
from plait.integrations.bulk.partitions import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (Parquet(), JsonLines(), Text(), Lines())}


def find_inputs(path: Path, kind: str | None, output: Path) -> tuple[Kind, list[str]]:
    """The kind of the input and its files, relative to the folder and sorted.

    In a folder, files that begin with a dot or underscore and files of no known kind are passed over, and so is the
    output where it lies inside.
    """
    if kind is not None and kind not in KINDS:
        raise OptionError(unknown_name("input type", kind, KINDS))
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    if path.is_file():
        found = kind_of(path) if kind is None else KINDS[kind]
        if found is None:
            raise DataError(f"{path}: unknown suffix; specify the type with --from, one of {', '.join(KINDS)}")
        return found, [path.name]
    shown = [file for file in sorted(path.rglob("*")) if not any(p[0] in "._" for p in file.relative_to(path).parts)]
    outside = [file for file in shown if file.is_file() and output.resolve() not in file.resolve().parents]
    files = [file.relative_to(path).as_posix() for file in outside]
    if kind is not None:
        chosen = KINDS[kind]
        fitting = [name for name in files if _suffix(name) in chosen.suffixes]
    else:
        kinds = {name: found for name in files if (found := kind_of(name)) is not None}
        if len({*kinds.values()}) > 1:
            there = sorted({found.name for found in kinds.values()})
            raise DataError(f"{path}: contains {' and '.join(there)} files; choose one type with --from")
        chosen = next(iter(kinds.values()), KINDS["text"])
        fitting = list(kinds)
    if not fitting:
        wanted = chosen.suffixes if kind is not None else [s for k in KINDS.values() for s in k.suffixes]
        raise DataError(f"{path}: contains no input files; expected files ending in {', '.join(dict.fromkeys(wanted))}")
    return chosen, fitting


def kind_of(path: str | Path) -> Kind | None:
    """The kind that a file's name tells.

    >>> kind_of("a/b.jsonl.gz").name
    'jsonl'
    """
    suffix = _suffix(path)
    return next((kind for kind in KINDS.values() if suffix in kind.suffixes), None)


def stem_of(name: str) -> str:
    """A file's name without the suffix of its kind and packing.

    >>> stem_of("a/b.c.jsonl.gz")
    'a/b.c'
    """
    path = Path(name)
    if path.suffix.lower() in SUFFIXES:
        path = path.with_suffix("")
    return path.with_suffix("").as_posix() if path.suffix else path.as_posix()


def _suffix(path: str | Path) -> str:
    path = Path(path)
    return (Path(path.stem) if path.suffix.lower() in SUFFIXES else path).suffix.lower()
