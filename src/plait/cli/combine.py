"""``plait combine``: trained models put together into one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from plait.cli.outputs import check_output, report_model
from plait.committee.options import WEIGHTS

if TYPE_CHECKING:
    from plait.pipeline import Model

MIN_MODELS, MAX_MODELS = 2, 4  # segmenter, parser, perhaps a tagger and a lemmatizer


@click.command("combine")
@click.argument("models", nargs=-1, required=True, metavar="MODEL MODEL [MODEL...]")
@click.option("--output", "-o", required=True, metavar="MODEL", help="model file to write")
@click.option("--vote", is_flag=True, help="let the models vote instead of running one after the other")
@click.option("--dev", multiple=True, metavar="FILE", help="with --vote: development set, to weight the models")
@click.option(
    "--weights", type=click.Choice(WEIGHTS),
    help="with --vote: weight of a vote; default: accuracy with --dev, otherwise equal",
)  # fmt: skip
@click.option("--projective", is_flag=True, help="with --vote: elect the best projective tree")
@click.option("--train", multiple=True, metavar="FILE", help="training data, to learn which XPOS occur with which UPOS")
@click.option("--from", "format", metavar="FORMAT", help="format of the data; default: inferred from the file names")
def command(
    models: tuple[str, ...],
    output: str,
    vote: bool,
    dev: tuple[str, ...],
    weights: str | None,
    projective: bool,
    train: tuple[str, ...],
    format: str | None,
) -> None:
    """Combine trained models into one model file.

    Without --vote the models are SEGMENTER PARSER [TAGGER] [LEMMATIZER], and the result takes raw text: SEGMENTER is a
    crf-segmenter, PARSER any parser, joint system or tagger, and TAGGER a tagger for a column that PARSER does not
    predict. From a pipeline model the matching part is used. With --train the tagger chooses XPOS among the tags that
    occur in these files with the UPOS predicted by PARSER.

    With --vote all models analyse the same words and vote on tags, heads and labels; the heads always form a tree.
    Pipelines vote with their parsers, and the result takes raw text if one of the models does.

    \b
    Examples: plait combine words.plait trees.plait xpos.plait --train train.conllu --output whole.plait
              plait combine --vote a.plait b.plait c.plait --dev dev.conllu --output voting.plait
    """
    from plait.cli.data import read_all
    from plait.pipeline import combining, load

    check_output("--output", output)
    if vote and train:
        raise click.UsageError("--train has no effect with --vote; leave it out")
    if not vote and (dev or weights or projective):
        raise click.UsageError("--dev, --weights and --projective need --vote")
    if not vote and not MIN_MODELS <= len(models) <= MAX_MODELS:
        raise click.UsageError(f"{len(models)} models; expected SEGMENTER PARSER [TAGGER] [LEMMATIZER], or --vote")
    loaded = [load(name) for name in models]
    if vote:
        held_out = read_all(dev, format, "stop") if dev else []
        combining.vote(loaded, dev=held_out, weights=weights or "", projective=projective).save(output)
    else:
        sentences = read_all(train, format, "stop") if train else None
        lemmatizer = loaded.pop() if len(loaded) > MIN_MODELS and _is_lemmatizer(loaded[-1], len(loaded)) else None
        if len(loaded) == MAX_MODELS:
            raise click.UsageError(f"the last of {MAX_MODELS} models has no lemmatizer; expected one")
        tagger = loaded[MIN_MODELS] if len(loaded) > MIN_MODELS else None
        combining.combine(loaded[0], loaded[1], tagger, lemmatizer, train=sentences).save(output)
    report_model(output)


def _is_lemmatizer(model: Model, count: int) -> bool:
    """Whether the last of some models is there for its lemmas: a lemmatizer, or as the fourth a pipeline with one."""
    return model.system.name == "lemmatizer" or (
        count == MAX_MODELS and getattr(model.system, "lemmatizer", None) is not None
    )
