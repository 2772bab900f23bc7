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
@click.option("--train", multiple=True, metavar="FILE", help="training data that says which XPOS go with which UPOS")
@click.option("--from", "format", metavar="FORMAT", help="format of the training data; by default from its name")
def command(
    segmenter: str, parser: str, tagger: str | None, output: str, train: tuple[str, ...], format: str | None
) -> None:
    """Put models together into one file that goes from raw text to trees.

    SEGMENTER is a crf-segmenter, PARSER any parser, joint system or tagger, and TAGGER a tagger for a column that
    PARSER does not predict. Of a pipeline model the part is taken that is wanted.

    With --train the tagger chooses XPOS among the tags that occur in these files with the UPOS that PARSER chose.

    \b
    Example: plait combine words.plait trees.plait xpos.plait --train train.conllu --output whole.plait
    """
    from plait.cli.data import read_all
    from plait.pipeline import load
    from plait.pipeline.combining import combine

    check_target("--output", output)
    models = [load(name) for name in (segmenter, parser, *([tagger] if tagger else []))]
    sentences = read_all(train, format, "stop") if train else None
    combine(*models, train=sentences).save(output)
    click.echo(f"{output}: {Path(output).stat().st_size / 1e6:.1f} MB", err=True)
