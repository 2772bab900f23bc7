"""``plait evaluate``: score a predicted file against gold, or two of them against each other."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plait.cli.data import is_given, strict_option
from plait.cli.outputs import check_output

if TYPE_CHECKING:
    from plait.data.document import Document
    from plait.evaluation.pairing import Pairing
    from plait.evaluation.tables import Table

FILE = click.Path(allow_dash=True)  # faults are reported when it is read


@click.command("evaluate")
@click.argument("gold", type=FILE)
@click.argument("predicted", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead of tables")
@click.option("--no-punct", is_flag=True, help="exclude punctuation from the attachment scores")
@click.option("--against", type=FILE, help="second predicted file: compare both, with p-values and error patterns")
@click.option(
    "--train", type=FILE, multiple=True, help="training file, for scores of known and unknown words; repeatable"
)
@click.option("--from", "format", help="format of all files; default: inferred from their names")
@strict_option
@click.option(
    "--by",
    type=click.Choice(["length", "sentence", "tag", "label"]),
    multiple=True,
    help="break scores down by arc length, sentence length, tag or label; repeatable",
)
@click.option("--report", type=click.Path(), help="write all tables and charts to an HTML page")
@click.option("--plot", type=click.Path(file_okay=False), help="directory for plots of breakdowns and errors")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="random seed of the bootstrap and permutation tests",
)
def command(
    gold: str,
    predicted: str,
    as_json: bool,
    no_punct: bool,
    against: str | None,
    train: tuple[str, ...],
    format: str | None,
    strict: bool,
    by: tuple[str, ...],
    report: str | None,
    plot: str | None,
    seed: int,
) -> None:
    """Score PREDICTED against the gold standard GOLD, in per cent.

    Files with the same words are compared word by word. Files with the same text but different words, such as the
    analysis of raw text, are aligned by character, and the CoNLL 2018 shared task scores are added.

    \b
    Examples:
      plait evaluate gold.conllu predicted.conllu
      plait evaluate gold.conllu predicted.conllu --by label --train train.conllu
      plait evaluate gold.conllu a.conllu --against b.conllu --report comparison.html
    """
    import json

    from plait.evaluation.breakdown import breakdowns
    from plait.evaluation.comparison import compare
    from plait.evaluation.pairing import pair
    from plait.evaluation.scores import score, training_vocabulary
    from plait.evaluation.tables import compared
    from plait.formats import read as read_format

    punct = not no_punct
    if against is None and is_given("seed"):
        raise click.UsageError("--seed requires --against; without a comparison nothing is drawn at random")
    if report is not None:
        check_output("--report", report, tuple(file for file in (gold, predicted, against, *train) if file))

    def read(file: str) -> Document:
        return read_format(file, format, strict=strict)

    gold_document, predicted_document = read(gold), read(predicted)
    vocabulary = training_vocabulary([read(file) for file in train]) if train else None
    record: dict[str, Any]
    if against is None:
        pairings: tuple[Pairing, ...] = (pair(gold_document, predicted_document),)
        scores = score(pairings[0], punct=punct, vocabulary=vocabulary)
        found = None
        record, text = scores.to_dict(), scores.to_text()
    else:
        found = compare(
            gold_document,
            predicted_document,
            read(against),
            punct=punct,
            train=vocabulary,
            seed=seed,
        )
        pairings = found.pairings
        record = found.a.to_dict() | {"against": found.b.to_dict(), "comparison": found.to_dict(top=50)}
        text = found.to_text((predicted, against))
    by = tuple(dict.fromkeys(by))
    tables = {name: breakdowns(pairings, name, punct=punct) for name in by}
    if tables:
        record["by"] = {name: both[0].to_dict() for name, both in tables.items()}
        if against is not None:
            record["against"]["by"] = {name: both[1].to_dict() for name, both in tables.items()}
    if report is not None:
        from plait.evaluation.report import report_page
        from plait.files import open_atomic

        page = report_page(
            pairings,
            (scores,) if found is None else (found.a, found.b),
            _short((predicted, against) if against else (predicted,)),
            gold=_short((gold,))[0],
            comparison=found,
            punct=punct,
            by=by,
            command=_as_typed(click.get_current_context()),
        )
        with open_atomic(report) as file:
            file.write(page)
    if plot is not None:
        _draw(Path(plot), pairings, tables, (predicted, against) if against else (predicted,), punct)
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    click.echo(text, nl=False)
    for both in tables.values():
        click.echo("\n" + compared(both, ("A", "B")).to_text(), nl=False)


def _as_typed(context: click.Context) -> str:
    """The command line, so that readers of a report can reproduce it."""
    words = ["plait", context.command.name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        if not is_given(name):
            continue
        value = context.params[name]
        values = value if isinstance(value, tuple) else (value,)
        if isinstance(parameter, click.Argument):
            words += map(str, values)
        elif isinstance(parameter, click.Option):
            words += [
                word
                for v in values
                for word in ([parameter.opts[0]] if parameter.is_flag else [parameter.opts[0], str(v)])
            ]
    return shlex.join(words)


def _short(files: tuple[str, ...]) -> list[str]:
    """The names of the files, without their folders where they still differ."""
    names = [Path(file).name for file in files]
    return names if len({*names}) == len(names) else list(files)


def _draw(
    folder: Path, pairings: tuple[Pairing, ...], tables: dict[str, list[Table]], files: tuple[str, ...], punct: bool
) -> None:
    """Pictures of the breakdowns that were asked for, or of all that gold allows, and of the error patterns."""
    from plait.evaluation.breakdown import breakdowns, error_patterns, possible_breakdowns
    from plait.evaluation.comparison import pattern_columns
    from plait.evaluation.plots import FORMATS, plot_breakdown, plot_patterns
    from plait.evaluation.tables import main_column

    names = _short(files)
    folder.mkdir(parents=True, exist_ok=True)
    for name in tables or possible_breakdowns(*pairings):
        both = tables.get(name) or breakdowns(pairings, name, punct=punct)
        for format in FORMATS:
            plot_breakdown(folder / f"{name}.{format}", both, names, main_column(both[0]))
    for column in pattern_columns(*pairings):
        patterns = [error_patterns(pairing, column) for pairing in pairings]
        if any(patterns):
            for format in FORMATS:
                plot_patterns(folder / f"errors-{column}.{format}", patterns, names)
