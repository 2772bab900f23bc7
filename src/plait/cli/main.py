"""The ``plait`` command: finds the subcommand, and turns every error into one line and an exit code.

Commands are imported when they are run, so that ``plait --help`` loads nothing but click.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

import click

import plait
from plait.cli.os_errors import describe_os_error
from plait.errors import PlaitError, unknown_name

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# name, which is that of its module in this package, and one line of help
COMMANDS = {
    "parse": "Analyse text or annotated files with a model.",
    "train": "Train a system on a treebank and save the model.",
    "evaluate": "Score predictions against a gold standard; compare two systems.",
    "annotate": "Annotate folders of Parquet, JSON lines or text in parallel.",
    "info": "Show what is inside a model file.",
    "convert": "Convert between file formats.",
    "validate": "Check files for well-formed CoNLL-U and valid trees.",
    "serve": "Serve models over HTTP: a REST API and a web page.",
    "models": "List the shipped models.",
    "combine": "Combine trained models into a pipeline or a voting committee.",
    "distill": "Train a small model on a treebank and a larger model's analyses.",
    "cluster": "Compute word clusters from text, to use as features.",
    "bench": "Measure the speed of a model.",
    "completion": "Print the completion script for a shell.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which a new user needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module and take its ``command``."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"plait.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        if "_PLAIT_COMPLETE" in os.environ:  # the shell asks what could be typed here
            from plait.cli.completion import completed

            return completed(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without importing them."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(n, help=text) for n, text in COMMANDS.items() if n.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table and without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but for an unknown name the closest known one is suggested."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(unknown_name("command", args[0], COMMANDS))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """As click does, but a closed pipe (head, less) is not an error."""
        _show_notices()
        try:
            result: object = super().invoke(ctx)
            sys.stdout.flush()
        except OSError as error:  # click itself would end with exit code 1
            if not isinstance(error, BrokenPipeError) and not (os.name == "nt" and error.errno == errno.EINVAL):
                raise  # Windows knows no broken pipes, only invalid arguments
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # silences the flush at exit too
            return 0
        return result


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(plait.__version__, prog_name="plait")
def cli() -> None:
    """Turn text into words, part-of-speech tags and dependency trees, on a laptop, offline.

    \b
    Use a shipped model (listed by plait models):
      plait parse "She reads a book."
      plait parse --model zh --input news.txt --output news.conllu
    \b
    Train on your own treebank and use the model:
      plait train pipeline --train train.conllu --dev dev.conllu --output my.plait
      plait parse --model my.plait --input news.txt --output news.conllu
    \b
    Evaluate it on annotated text:
      plait parse --model my.plait --input test.conllu --output parsed.conllu
      plait evaluate test.conllu parsed.conllu
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 done, 1 a negative result, 2 bad input or usage, 128 + n after signal n."""
    with warnings.catch_warnings():
        for category in (UserWarning, FutureWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = _show_warning
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    try:
        _prepare_process()
        result = cli.main(args=None if arguments is None else list(arguments), prog_name="plait", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        return _fail(error.format_message() + _where_to_look(error))
    except (click.Abort, KeyboardInterrupt) as error:  # click makes an Abort of an interrupt
        stopped = error if isinstance(error, Stopped) else error.__cause__
        return 128 + (stopped.number if isinstance(stopped, Stopped) else signal.SIGINT)
    except PlaitError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(describe_os_error(error))
    except MemoryError:
        return _fail("out of memory; use a machine with more memory, or less input")
    except Exception as error:
        if os.environ.get("PLAIT_TRACEBACK"):
            raise
        kind = type(error).__name__
        return _fail(f"internal error ({kind}: {error}); please report it, with the output of PLAIT_TRACEBACK=1")


def _where_to_look(error: click.ClickException) -> str:
    """The message with a reference to --help for unknown options and arguments."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    unknown = isinstance(error, click.NoSuchOption) or error.message.startswith("Got unexpected extra argument")
    stop = "" if error.format_message().endswith((".", "?")) else "."
    return f"{stop} See {context.command_path} --help" if context is not None and unknown else ""


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end; it cleans up as after an interrupt at the keyboard."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _prepare_process() -> None:
    """Replace closed streams by empty ones, make stdout accept any character, clean up on termination signals."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 (open as long as the process)
    if isinstance(sys.stdout, TextIOWrapper):
        if sys.stdout.encoding.lower() not in ("utf-8", "utf8") and sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:  # as sentences are written, whatever the locale; names of files need not be UTF-8
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if threading.current_thread() is not threading.main_thread():
        return
    # Windows has no SIGHUP but a SIGBREAK (Ctrl+Break, and closed windows); nohup ignores SIGHUP, and that stays
    for signal_name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, signal_name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, frame: object) -> None:
    raise Stopped(number)


def _show_warning(message: Warning | str, *place: object, **output: object) -> None:
    """Print a warning as one line, without its location in the code."""
    _say(f"notice: {message}")


def _show_notices() -> None:
    """Print the warnings that the library logs, one line each."""
    import logging  # not for --help, which is to come at once

    from plait.logs import logger

    class Printer(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            _say(f"notice: {record.getMessage()}")

    if not any(handler.name == "plait.cli" for handler in logger.handlers):
        printer = Printer(logging.WARNING)
        printer.name = "plait.cli"
        logger.addHandler(printer)


def _fail(message: str) -> int:
    _say("error: " + message)
    return 2


def _say(message: str) -> None:
    """One line on stderr, whatever the message contains and the terminal can show."""
    line = " ".join(message.split("\n"))
    click.echo(line.encode(sys.stderr.encoding or "utf-8", "backslashreplace"), err=True)
