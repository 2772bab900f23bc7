"""Reading data for a command: several files, one format, faults stopped at or counted."""

from __future__ import annotations

from collections.abc import Iterable

import click

from plait.data.document import Sentence


def read_all(files: Iterable[str], format: str | None, on_error: str) -> list[Sentence]:
    """The sentences of all files; what was left out is told on stderr."""
    from plait.formats import Skipped, read

    sentences: list[Sentence] = []
    for file in files:
        skipped = Skipped()
        sentences.extend(read(file, format, on_error="skip" if on_error == "skip" else "stop", skipped=skipped))
        tell_skipped(file, skipped)
    return sentences


def tell_skipped(file: str, skipped: object) -> None:
    """Report on stderr how many sentences a reader left out, and why."""
    text = str(skipped)
    if getattr(skipped, "count", 0):
        click.echo(f"{file}: {text}", err=True)
