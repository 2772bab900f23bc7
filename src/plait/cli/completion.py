"""``plait completion``: the shell completion script for commands, options, formats and file names."""

from __future__ import annotations

from collections.abc import Callable

import click
from click.shell_completion import CompletionItem, get_completion_class

VARIABLE = "_PLAIT_COMPLETE"  # set by the script when the shell asks; click answers then instead of running

FILES = ("FILE", "MODEL", "PATH", "DIR")


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    To install it permanently:
      bash:  echo 'eval "$(plait completion bash)"' >> ~/.bashrc
      zsh:   echo 'eval "$(plait completion zsh)"' >> ~/.zshrc
      fish:  plait completion fish > ~/.config/fish/completions/plait.fish
    """
    found = get_completion_class(shell)
    assert found is not None
    completer = found(click.Command("plait"), {}, "plait", VARIABLE)
    click.echo(completer.source_template % completer.source_vars())  # source() would ask for the bash installed here


def completed(command: click.Command) -> click.Command:
    """The command, with values to complete: formats where a FORMAT is asked for, files where a FILE is."""
    for param in command.params:
        metavar = param.metavar or ""
        if isinstance(param.type, click.Choice | click.Path):
            continue
        if "FORMAT" in metavar:
            param.shell_complete = _readable if "--from" in param.opts else _formats  # type: ignore[method-assign]
        elif any(name in metavar for name in FILES):
            param.shell_complete = _file  # type: ignore[method-assign]
    if isinstance(command, click.Group):
        command.get_command = _completing(command.get_command)  # type: ignore[method-assign, assignment]
    return command


Getter = Callable[[click.Context, str], click.Command | None]


def _completing(get_command: Getter) -> Getter:
    def get(ctx: click.Context, name: str) -> click.Command | None:
        found = get_command(ctx, name)
        return None if found is None else completed(found)

    return get


def _formats(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    from plait.formats import FORMATS

    return [CompletionItem(f.name, help=f.help) for f in FORMATS.values() if f.name.startswith(incomplete)]


def _readable(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    from plait.formats import READABLE

    return [item for item in _formats(ctx, incomplete) if item.value in READABLE]


def _file(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]
