"""Data for commands: reading several files, error handling, and output for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import click

from plait.data.document import Sentence

if TYPE_CHECKING:
    from plait.formats import Format, Skipped

STRICT: dict[str, Any] = {
    "is_flag": True, "help": "reject input that is otherwise accepted with a notice (CR LF, ...)",
}  # fmt: skip
ON_ERROR: dict[str, Any] = {
    "type": click.Choice(["stop", "skip"]), "default": "stop", "show_default": True,
    "help": "stop at a sentence that cannot be read, or skip it",
}  # fmt: skip
strict_option = click.option("--strict", **STRICT)
on_error_option = click.option("--on-error", **ON_ERROR)


def is_given(name: str) -> bool:
    """Whether the user has given this option of the command that runs, be it its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def read_all(files: Iterable[str], format: str | None, on_error: str, strict: bool = False) -> list[Sentence]:
    """The sentences of all files; those left out are reported on stderr."""
    from plait.formats import Skipped, read

    sentences: list[Sentence] = []
    for file in files:
        skipped = Skipped()
        skip: Literal["skip", "stop"] = "skip" if on_error == "skip" else "stop"
        sentences.extend(read(file, format, on_error=skip, skipped=skipped, strict=strict))
        report_skipped(file, skipped)
    return sentences


def report_skipped(file: str, skipped: Skipped) -> None:
    """Report on stderr how many sentences a reader left out, and why."""
    if skipped:
        click.echo(f"{file}: {skipped}", err=True)


def for_terminal(format: Format, output: str) -> Format:
    """The format for an output; trees on a terminal use its width and colours."""
    if format.name != "tree" or output != "-":
        return format
    from plait.draw.text import terminal_style
    from plait.formats.drawings import tree_writer

    return format._replace(write=tree_writer(terminal_style(sys.stdout)))
