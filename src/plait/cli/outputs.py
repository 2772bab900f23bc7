"""Checks that an output file can be written, before the work is done; and the message about a saved model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType

import click


def check_output(flag: str, path: str, inputs: tuple[str, ...] = ()) -> None:
    """A usage error when no file can be written at this path, or when it is one of the inputs."""
    target = Path(path)
    folder = target.absolute().parent
    if not folder.is_dir():
        raise click.UsageError(f"{flag} {path}: the folder {folder} does not exist; create it first")
    if target.is_dir():
        raise click.UsageError(f"{flag} {path}: is a folder; give a file name")
    if any(Path(file).exists() and target.exists() and target.samefile(file) for file in inputs):
        raise click.UsageError(f"{flag} {path}: is one of the input files; choose another name")
    if target.exists() and not target.is_file():  # a device or a pipe needs no temporary file
        return
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise click.UsageError(f"{flag} {path}: cannot be written ({error.strerror}); choose another file") from error


def report_model(path: str, scores: Mapping[str, float] = MappingProxyType({})) -> None:
    """Report on stderr the size of a new model, and its scores on the development set.

    Scores of sentences are those of raw text, which do not count the subtypes of labels, unlike those of the epochs.
    """
    shown = "".join(f", dev {key} {value:.2f}" for key, value in scores.items())
    if "sentences" in scores:
        shown = f"; from raw text, measured as in CoNLL 2018{shown}"
    click.echo(f"{path}: {Path(path).stat().st_size / 1e6:.1f} MB{shown}", err=True)
