"""``plait combine``: trained models put together into one file for raw text."""

from __future__ import annotations

from pathlib import Path

import click

from plait.cli.targets import check_target


@click.command("combine", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("segmenter", metavar="SEGMENTER")
@click.argument("parser", metavar="PARSER")
@click.argument("tagger", metavar="[TAGGER]", required=False)
@click.option("--output", "-o", required=True, metavar="MODEL", help="where the combined model is written")
def command(segmenter: str, parser: str, tagger: str | None, output: str) -> None:
    """Put models together into one file that goes from raw text to trees.

    SEGMENTER is a crf-segmenter, PARSER any parser, joint system or tagger, and TAGGER a tagger for a column that
    PARSER does not predict. Of a pipeline model the part is taken that is wanted.

    \b
    Example: plait combine words.plait trees.plait xpos.plait --output whole.plait
    """
    from plait.pipeline import load
    from plait.pipeline.combining import combine

    check_target("--output", output)
    models = [load(name) for name in (segmenter, parser, *([tagger] if tagger else []))]
    combine(*models).save(output)
    click.echo(f"{output}: {Path(output).stat().st_size / 1e6:.1f} MB", err=True)
