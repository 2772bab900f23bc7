"""``plait validate``: all faults of CoNLL-U files, one a line."""

from __future__ import annotations

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--level",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="1: well-formed CoNLL-U and valid trees; 2: also universal tags, complete trees, sent_id and text",
)
def command(files: tuple[str, ...], level: int) -> int:
    """Check files for well-formed CoNLL-U and valid trees.

    Prints each error as FILE:LINE: message. The exit code is 0 if all files are valid, 1 if there are errors, 2 if a
    file cannot be read.

    \b
    Examples:
      plait validate train.conllu dev.conllu
      plait validate --level 2 train.conllu | head
    """
    from plait.cli.os_errors import describe_os_error
    from plait.cli.progress import show_progress
    from plait.errors import FormatError
    from plait.formats.source import Source
    from plait.formats.validation import Validation

    code = 0
    for file in files:
        faults = 0
        try:
            with Source(file) as source:
                check = Validation(source, level=level)
                for fault in show_progress(check, source):
                    faults += 1
                    click.echo(str(fault))
        except FormatError as error:
            click.echo(f"error: {error}", err=True)
            code = 2
        except BrokenPipeError:
            raise
        except OSError as error:
            click.echo(f"error: {describe_os_error(error)}", err=True)
            code = 2
        else:
            code = max(code, 1 if faults else 0)
            counts = f"{_counted(check.sentences, 'sentence')}, {_counted(check.words, 'word')}"
            click.echo(f"{source.name}: {counts}, {_counted(faults, 'fault')}")
    return code


def _counted(number: int, what: str) -> str:
    """``2,000 words``, ``1 word``, ``no words``."""
    return f"{f'{number:,}' if number else 'no'} {what}{'' if number == 1 else 's'}"
