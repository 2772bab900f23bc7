"""``plait models``: what comes with plait."""

from __future__ import annotations

import json

import click

SHOWN = {
    "words": "words", "sentences": "sentences", "upos": "UPOS", "xpos": "XPOS", "ufeats": "UFeats",
    "lemmas": "lemmas", "uas": "UAS", "las": "LAS",
}  # fmt: skip


@click.command("models")
@click.option("--json", "as_json", is_flag=True, help="print one JSON array")
def command(as_json: bool) -> None:
    """List the shipped models: what they predict, how well, their size and licence.

    Scores are F1 in per cent on the test set of the treebank, from raw text (CoNLL 2018 measures).

    \b
    Example: plait parse --model en "She reads a book."
    """
    from plait.pipeline.shipped import describe_shipped

    found = describe_shipped()
    if as_json:
        click.echo(json.dumps([model.to_dict() for model in found], ensure_ascii=False, indent=2))
        return
    for model in found:
        scores = ", ".join(f"{shown} {model.scores[key]:.2f}" for key, shown in SHOWN.items() if key in model.scores)
        click.echo(f"{model.name}  {model.bytes / 1e6:.1f} MB, {model.system}: {', '.join(model.predicts)}")
        for line in (scores, model.licence, model.attribution):
            if line:
                click.echo(f"    {line}")
