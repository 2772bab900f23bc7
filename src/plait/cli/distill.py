"""``plait distill``: a small fast model that learns from a treebank and from a larger model's analyses of raw text."""

from __future__ import annotations

import click

from plait.cli.outputs import check_output, report_model
from plait.cli.progress import track


@click.command("distill")
@click.argument("teacher", metavar="TEACHER")
@click.option("--text", multiple=True, required=True, metavar="FILE", help="text for the teacher to analyse")
@click.option("--train", multiple=True, required=True, metavar="FILE", help="treebank to train the student on")
@click.option("--dev", multiple=True, metavar="FILE", help="development set of the student")
@click.option("--system", default="easyfirst-joint", show_default=True, metavar="SYSTEM", help="system of the student")
@click.option("--options", default="", metavar="OPTIONS", help='options of the student, such as "beam=8 epochs=12"')
@click.option("--output", "-o", required=True, metavar="MODEL", help="model file to write")
@click.option("--work", metavar="FILE", help="file for the teacher's analyses  [default: MODEL.conllu]")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.9, show_default=True,
              help="minimum mean token score of a sentence")  # fmt: skip
@click.option("--ratio", type=click.FloatRange(0, min_open=True), default=2.0, show_default=True,
              help="maximum number of words from the teacher per word of the treebank")  # fmt: skip
@click.option("--from", "format", metavar="FORMAT", help="format of the text; default: inferred from the file names")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="random seed")
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="number of threads for the teacher"
)
def command(
    teacher: str,
    text: tuple[str, ...],
    train: tuple[str, ...],
    dev: tuple[str, ...],
    system: str,
    options: str,
    output: str,
    work: str | None,
    threshold: float,
    ratio: float,
    format: str | None,
    seed: int,
    threads: int,
) -> None:
    """Train a student on a treebank and on TEACHER's confident analyses of raw text.

    TEACHER is a model with scores: a graph-based parser, a CRF, a committee, or a pipeline with one of these for raw
    text. Its analyses are saved in --work as they are made; to continue after an interruption, run the command again.

    \b
    Example: plait distill voting.plait --text news.txt --train train.conllu --dev dev.conllu --output small.plait
    """
    from plait.cli.data import read_all
    from plait.options import parse_options
    from plait.pipeline import load
    from plait.pipeline.distilling import Collected, Selection, distill, read_units
    from plait.system import find_system

    kept = work or f"{output}.conllu"
    check_output("--output", output, (*text, *train, *dev))
    check_output("--work", kept, (*text, *train, *dev))
    values = parse_options(find_system(system).Options, options, system)
    nlp = load(teacher)

    def tell(collected: Collected) -> None:
        click.echo(f"{kept}: {collected.line()}", err=True)

    student = distill(
        nlp,
        track(read_units(text, format, raw=nlp.system.segments), "analyse", "texts"),
        train=read_all(train, None, "stop"),
        dev=read_all(dev, None, "stop") if dev else (),
        system=system,
        work=kept,
        selection=Selection(threshold),
        ratio=ratio,
        seed=seed,
        threads=threads,
        on_collected=tell,
        on_epoch=lambda record: click.echo(record.line(), err=True),
        track=track,
        **values,
    )
    student.save(output)
    report_model(output, student.system.training.get("dev", {}))
