"""Data for commands: reading several files, error handling, and output for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import click

from plait.data.document import UNSPECIFIED, Sentence

if TYPE_CHECKING:
    from plait.formats import Format, Skipped

strict_option = click.option(
    "--strict", is_flag=True, help="reject input that is otherwise accepted with a notice (CR LF, ...)"
)
on_error_option = click.option(
    "--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
    help="stop at a sentence that cannot be read, or skip it",
)  # fmt: skip


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


def with_score_notes(sentence: Sentence) -> Sentence:
    """The sentence with the scores of its tokens in MISC; a score that stood there before is replaced.

    >>> s = Sentence(["a", "b"], misc=["SpaceAfter=No", "Score=0.1"])
    >>> s.scores = [0.5, 1.0]
    >>> with_score_notes(s).misc
    ['SpaceAfter=No|Score=0.5000', 'Score=1.0000']
    """
    if sentence.scores is not None:
        for i, score in enumerate(sentence.scores):
            kept = [
                note for note in sentence.misc[i].split("|") if note != UNSPECIFIED and not note.startswith("Score=")
            ]
            sentence.misc[i] = "|".join([*kept, f"Score={score:.4f}"])
    return sentence
