"""Every ``plait`` command in the README and the documentation is one: command, arguments and options are understood."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.exceptions import NoArgsIsHelpError

from plait.cli.main import cli, main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", *sorted(ROOT.glob("docs/*.md"))]
LEFT_OPEN = re.compile(r"\.\.\.|…")  # in the place of further arguments


def shell_lines(text: str) -> list[str]:
    """The lines of sh blocks and of indented blocks, those that a backslash cuts put together."""
    lines, fence = [], ""
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            fence = "" if fence else line
        elif fence == "```sh" or (not fence and line.startswith("    ")):
            lines.append(line.strip())
    return lines


def commands(text: str) -> list[tuple[list[str], bool]]:
    """The arguments of every plait command, also behind && and in a pipe, and whether it is meant to be whole."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines = [(line, True) for line in shell_lines(text)]
    lines += [(line, False) for line in re.findall(r"`(plait [^`]*)`", prose)]  # named in passing
    found = []
    for line, whole in lines:
        if "plait " not in line:
            continue
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:
            continue  # an apostrophe: prose, not a command
        for part in " ".join("\0" if set(w) <= set("|&;<>") else w.replace(" ", "\1") for w in words).split("\0"):
            arguments = [word.replace("\1", " ") for word in part.split()]
            if arguments[:1] == ["plait"] and len(arguments) > 1:
                found.append((arguments[1:], whole))
    return found


FOUND = [
    pytest.param(arguments, whole, id=f"{page.stem}-{' '.join(arguments)[:60]}")
    for page in PAGES
    for arguments, whole in commands(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("arguments", "whole"), FOUND)
def test_a_command_is_understood(arguments, whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    meant = {"SYSTEM": "pipeline", "N": "1"}
    kept = [meant.get(word, word) for word in arguments if not LEFT_OPEN.fullmatch(word)]
    for word in kept:  # files that a command wants to see
        if re.fullmatch(r"[\w./-]+\.\w+|[A-Z]+", word):
            (tmp_path / word).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / word).touch()
        elif re.fullmatch(r"\w+/", word):
            (tmp_path / word).mkdir()
    try:
        understand(kept)
    except (click.MissingParameter, NoArgsIsHelpError):
        assert not whole or any(map(LEFT_OPEN.fullmatch, arguments))


def understand(arguments: list[str]) -> None:
    """Let click read the arguments, without doing what they say."""
    command: click.Command | None = cli
    context = cli.make_context("plait", list(arguments))
    while isinstance(command, click.Group):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        if {"-h", "--help"} & {*rest}:
            return
        context = command.make_context(name, rest, parent=context)


def test_commands_are_found():
    named = {param.values[0][0] for param in FOUND}
    assert {"parse", "train", "evaluate", "annotate", "combine", "convert", "validate", "serve", "bench"} <= named
    assert len(FOUND) > 60


def test_every_python_block_is_run_by_some_test():
    """Sessions run in test_examples.py; programs in integrations/test_recipes.py, which names its pages."""
    recipes = (ROOT / "tests" / "integrations" / "test_recipes.py").read_text(encoding="utf-8")
    pages = re.search(r"^PAGES = \((.*)\)", recipes, re.M)[1]
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            assert ">>> " in block or f'"{page.stem}"' in pages, f"{page.name}: {block[:60]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_that_need_no_files_of_the_reader_run(page, tmp_path, monkeypatch, capfd):
    """With the shipped models, the examples, and what earlier commands of the page have made."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    ran = 0
    for arguments, whole in commands(page.read_text(encoding="utf-8")):
        if not whole or arguments[0] == "serve" or any(map(LEFT_OPEN.fullmatch, arguments)):
            continue
        made = {word for flag, word in pairwise(arguments) if flag in ("-o", "--output", "--report", "--plot")}
        files = [word for word in arguments if re.fullmatch(r"[\w./*-]+\.[a-z]\w+|\w+/", word) and word not in made]
        if all(Path(file).exists() for file in files) and needs_no_input(arguments):
            assert main(arguments) == 0, (arguments, capfd.readouterr().err)
            ran += 1
    least = {"README.md": 1, "docs/tutorial.md": 3, "docs/drawing.md": 3, "docs/models.md": 1}
    assert ran >= least.get(page.relative_to(ROOT).as_posix(), 0)


def needs_no_input(arguments: list[str]) -> bool:
    """Whether nothing is to come from standard input."""
    return "-" not in arguments and (arguments[0] != "parse" or any(" " in w or w == "--input" for w in arguments))
