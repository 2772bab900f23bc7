"""Rescue of a failed training: a model that cannot be written to its file, a checkpoint after an interrupt."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plait.cli.os_errors import describe_os_error
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.pipeline import Model

# what the checkpoints of parts are called, behind the name of the whole
PARTS = ("segmenter", "parser", "tagger", "typer", "lemmatizer", r"guide\d*", r"member\d+", r"run\d+")


def save_or_rescue(model: Model, output: str, checkpoint: str | None) -> None:
    """Write the model; if that fails, save it elsewhere and say where, so that the training is not lost."""
    try:
        model.save(output)
    except OSError as error:
        reason = describe_os_error(error)
        saved = next(_saved_elsewhere(model, Path(output)), None)
        if saved is not None:
            raise PlaitError(f"{reason}; the trained model was saved as {saved} instead") from error
        if checkpoint is not None and checkpoints(checkpoint):
            raise PlaitError(
                f"{reason}; the state of the training is in {checkpoint}: free some space, "
                "then run the same command with --resume"
            ) from error
        raise


def _saved_elsewhere(model: Model, output: Path) -> Iterator[Path]:
    """The paths under which the model could be saved."""
    for folder in dict.fromkeys((Path(tempfile.gettempdir()), Path.cwd(), Path("~").expanduser())):
        try:
            descriptor, name = tempfile.mkstemp(prefix=f"{output.stem[:50]}-", suffix=".plait", dir=folder)
        except OSError:
            continue
        os.close(descriptor)
        try:
            model.save(name)
        except OSError:
            Path(name).unlink(missing_ok=True)
            continue
        yield Path(name)


def checkpoints(checkpoint: str) -> list[Path]:
    """The checkpoint, or those of the parts of a system that has several, as far as they were written."""
    path = Path(checkpoint)
    name = re.compile(rf"{re.escape(path.name)}(\.({'|'.join(PARTS)}))*")
    found = path.parent.iterdir() if path.parent.is_dir() else ()
    return sorted(file for file in found if name.fullmatch(file.name) and file.is_file())


@contextmanager
def resumable(checkpoint: str | None) -> Iterator[None]:
    """A context that explains, when training is interrupted, how to resume it."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is None:
            hint = "nothing was saved; use --checkpoint FILE to be able to resume"
        elif checkpoints(checkpoint):
            hint = f"its state was saved in {checkpoint}; run the same command with --resume to continue"
        else:
            hint = f"nothing was saved in {checkpoint}, since no epoch was complete"
        click.echo(f"training interrupted: {hint}", err=True)
        raise
