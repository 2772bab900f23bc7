"""The commands of docs/serving.md, run as they stand against a server with the shipped models."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="plait serve needs starlette; pip install 'plait[web]'")

from plait.models import shipped
from plait.web.catalogue import Catalogue

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.S)
COMMANDS = [(line, shown) for block, shown in BLOCKS for line in block.splitlines()]


@pytest.fixture(scope="module")
def server(start):
    return start(Catalogue.load(shipped()))


@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples need curl")
@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=range(len(COMMANDS)))
def test_commands_print_what_is_shown(server, command, shown):
    assert command.startswith("curl -s ")
    local = command.replace("http://localhost:8000/", server.address)
    done = subprocess.run(local, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout
    if shown:
        assert done.stdout.rstrip("\n") == shown.rstrip("\n")
    assert done.stdout.startswith('{"error":') == ("Dogs\\n" in command)


def test_every_field_and_option_is_told():
    from plait.cli.serve import command
    from plait.web.openapi import FAULTS
    from plait.web.requests import PARSE_FIELDS

    assert [name for name in PARSE_FIELDS if f"`{name}`" not in PAGE] == []
    assert [option.opts[0] for option in command.params if option.opts[0] not in PAGE] == []
    assert [status for status in FAULTS if f"| {status} |" not in PAGE] == []
