"""``plait train SYSTEM``: one subcommand per system, its flags made from the system's own options."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from plait.cli.data import ON_ERROR, STRICT, is_given, read_all
from plait.cli.outputs import check_output, report_model
from plait.cli.progress import track
from plait.cli.rescue import resumable, save_or_rescue
from plait.learn.records import Record
from plait.options import OptionSpec, describe
from plait.system import SYSTEMS, find_system


class TrainGroup(click.Group):
    """Knows the systems by name and builds the command of one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All systems, the pipeline for raw text first."""
        return list(SYSTEMS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """The command of one system; an unknown name is an error that names the nearest."""
        return train_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line for each system; its options are in its own help."""
        with formatter.section("Systems"):
            formatter.write_dl([(name, SYSTEMS[name].help) for name in self.list_commands(ctx)])


class TrainCommand(click.Command):
    """Lets ``--train`` and ``--dev`` take several files at once: ``--train a.conllu b.conllu``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the flag before each of its files, as click expects."""
        spread: list[str] = []
        flag = None
        for arg in args:
            if arg.startswith("-") and arg != "-":
                if spread and spread[-1] == flag:
                    raise click.UsageError(f"{flag} needs at least one file before {arg}")
                name, equals, value = arg.partition("=")
                flag = name if name in ("--train", "--dev") else None
                spread += [name, value] if flag and equals else [arg]
            elif flag is not None and spread[-1] != flag:
                spread += [flag, arg]
            else:
                spread.append(arg)
        return super().parse_args(ctx, spread)


def train_command(name: str) -> click.Command:
    """The click command that trains this system."""
    system = find_system(name)
    described = describe(system.Options)
    common = [
        click.Option(["--train", "train_files"], multiple=True, required=True, metavar="FILE...", help="training data"),
        click.Option(["--dev", "dev_files"], multiple=True, metavar="FILE...",
                     help="development set, to select the best epoch"),
        click.Option(["--output", "-o"], required=True, metavar="MODEL", help="model file to write"),
        click.Option(["--from", "format"], metavar="FORMAT",
                     help="format of the data; default: inferred from the file names"),
        click.Option(["--on-error"], **ON_ERROR),
        click.Option(["--strict"], **STRICT),
        click.Option(["--seed"], type=click.IntRange(0), default=1, show_default=True, help="random seed"),
        click.Option(["--threads"], type=click.IntRange(1), default=1, show_default=True,
                     help="number of threads, where the system supports it"),
        click.Option(["--checkpoint"], metavar="FILE", help="save the state of the training here after each epoch"),
        click.Option(["--resume"], is_flag=True, help="continue from the checkpoint, if there is one"),
        click.Option(["--licence"], default="", help="licence of the data, stored in the model"),
        click.Option(["--attribution"], default="", help="attribution of the data, stored in the model"),
    ]  # fmt: skip
    flags = {d.name: _flag(d) for d in described}
    flags |= {d.formerly: _flag(d._replace(name=d.formerly), hidden=True) for d in described if d.formerly}
    params: list[click.Parameter] = [*common, *flags.values()]
    return TrainCommand(
        name,
        params=params,
        callback=lambda **values: _train(name, list(flags), **values),
        help=f"{(system.__doc__ or '').splitlines()[0]}\n\n"
        f"Example: plait train {name} --train train.conllu --dev dev.conllu --output my.plait",
    )


def _flag(described: OptionSpec, *, hidden: bool = False) -> click.Option:
    """A flag for one option of a system; bounds and choices are checked where the options are made."""
    name = described.name.replace("_", "-")
    flag = f"--{name}/--no-{name}" if described.type is bool else f"--{name}"
    choices = f"[{'|'.join(map(str, described.choices))}]" if described.choices else None
    return click.Option(
        [flag, described.name], type=described.type, default=described.default,
        show_default=described.default != "", metavar=choices, help=described.help, hidden=hidden,
    )  # fmt: skip


def _train(
    name: str,
    option_names: list[str],
    *,
    train_files: tuple[str, ...],
    dev_files: tuple[str, ...],
    output: str,
    format: str | None,
    on_error: str,
    strict: bool,
    checkpoint: str | None,
    **values: Any,
) -> None:
    from plait.pipeline import train

    for flag, path in (("--output", output), ("--checkpoint", checkpoint)):
        if path is not None:
            check_output(flag, path, (*train_files, *dev_files))
    if checkpoint is not None and Path(checkpoint).absolute() == Path(output).absolute():
        raise click.UsageError("--checkpoint and --output must be different files")
    if values["resume"] and checkpoint is None:
        raise click.UsageError("--resume requires --checkpoint FILE")
    options = {key: values.pop(key) for key in option_names if is_given(key)}
    values = {key: value for key, value in values.items() if key not in option_names}
    for flag, files in (("--train", train_files), ("--dev", dev_files)):
        for file in files:
            _check_annotated(flag, file, format)
    train_sentences = read_all(train_files, format, on_error, strict)
    dev_sentences = read_all(dev_files, format, on_error, strict) if dev_files else None
    with resumable(checkpoint):
        model = train(
            name,
            train=train_sentences,
            sources=(*train_files, *dev_files),
            dev=dev_sentences,
            checkpoint=checkpoint,
            on_epoch=_print_epoch,
            track=track,
            **values,
            **options,
        )
        save_or_rescue(model, output, checkpoint)
    report_model(output, model.system.training.get("dev", {}))


def _print_epoch(record: Record) -> None:
    click.echo(record.line(), err=True)


def _check_annotated(flag: str, file: str, format: str | None) -> None:
    """An error for raw text, which has no annotation to learn from."""
    from plait.formats import FORMATS, find_input_format

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reported when the file is read
        chosen = find_input_format(format, file)
    if chosen.read is None:
        known = ", ".join(name for name, known in FORMATS.items() if known.read)
        reason = f"--from {chosen.name}" if format is not None else "by its name and first lines"
        raise click.UsageError(
            f"{flag} {file}: raw text ({reason}) has no annotation to learn from; "
            f"if it has another format, specify that with --from: one of {known}"
        )


@click.group("train", cls=TrainGroup)
def command() -> None:
    """Train a system on a treebank and save the model.

    \b
    A model for raw text:
      plait train pipeline --train train.conllu --dev dev.conllu --output my.plait
      plait parse --model my.plait "She reads a book."
    \b
    A parser for tokenised text, and the options of a system:
      plait train transition-joint --train train.conllu --dev dev.conllu --output my.plait
      plait train transition-joint --help
    """
