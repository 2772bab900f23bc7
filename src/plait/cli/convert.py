"""``plait convert``: from one file format to another."""

from __future__ import annotations

from typing import Literal

import click

from plait.cli.data import for_terminal, is_given, on_error_option, report_skipped, strict_option


@click.command(
    epilog="Formats: conllu, conllx, conll09, conll2000, segmented, json; output only: lines, text, tree, svg, html."
)
@click.option(
    "--from", "source_format", metavar="FORMAT", help="format of the input; default: inferred from its suffix"
)
@click.option("--to", "target_format", metavar="FORMAT", help="format of the output; default: inferred from its suffix")
@click.option("--input", "input", metavar="FILE", default="-", help="file to read; default: - (standard input)")
@click.option("--output", "-o", metavar="FILE", default="-", help="file to write; default: - (standard output)")
@on_error_option
@strict_option
@click.option("--separator", help="segmented: separator between word and tag; empty: words without tags")
@click.option(
    "--tag",
    type=click.Choice(["upos", "xpos"]),
    default="upos",
    show_default=True,
    help="segmented: column of the tags",
)
def command(
    source_format: str | None,
    target_format: str | None,
    input: str,
    output: str,
    on_error: Literal["stop", "skip"],
    strict: bool,
    separator: str | None,
    tag: Literal["upos", "xpos"],
) -> None:
    """Convert between file formats.

    Everything that the target format can represent is kept; see docs/formats.md.

    \b
      plait convert --input train.conllx --output train.conllu
      plait convert --from segmented --to conllu --input train.txt.xz --output train.conllu.zst
      plait convert --input train.conllu --to tree | less
      plait convert --input train.conllu --output trees.html
    """
    from plait.cli.progress import show_progress
    from plait.formats import Segmented, Skipped, find_format, find_input_format, segmented, stream, writable, write
    from plait.formats.source import Source

    own = segmented(Segmented(separator, tag))
    reads, writes = (
        own if found.name == own.name else found
        for found in (find_input_format(source_format, input), find_format(target_format, output))
    )
    if own not in (reads, writes):
        for name in ("separator", "tag"):
            if is_given(name):
                raise click.UsageError(f"--{name} requires the format segmented; found {reads.name} and {writes.name}")
    skipped = Skipped()
    with Source.open(input, on_error, skipped, strict=strict) as source:
        sentences = show_progress(stream(source, reads), source)
        if on_error == "skip":
            sentences = writable(sentences, writes, skipped)
        write(sentences, output, for_terminal(writes, output))
    report_skipped(source.name, skipped)
