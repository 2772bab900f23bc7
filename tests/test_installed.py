"""What every installation must do, from a wheel as from a checkout: import, parse with both models, run the command.

Every wheel is tested with this file (see tool.cibuildwheel in pyproject.toml).
"""

import importlib
import os
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import plait

PACKAGE = Path(plait.__file__).parent
SOURCES = {path.with_suffix("") for path in PACKAGE.rglob("*.pyx")}  # in a checkout, where old modules may lie about
COMPILED = sorted(
    path
    for path in PACKAGE.rglob("*")
    if path.suffix in (".so", ".pyd") and (not SOURCES or path.with_name(path.name.partition(".")[0]) in SOURCES)
)

# what is expected of the models is in tests/models; here, that another processor or compiler does not change it
PARSED = {
    "en": (
        "The old dog didn't see it.",
        ["The", "old", "dog", "did", "n't", "see", "it", "."],
        [3, 3, 6, 6, 6, 0, 6, 6],
    ),
    "zh": ("我们明天去北京。", ["我们", "明天", "去", "北京", "。"], [3, 3, 0, 3, 3]),
}


@pytest.mark.parametrize("name", PARSED)
def test_a_shipped_model_parses(name):
    text, forms, heads = PARSED[name]
    (sentence,) = plait.load(name)(text)
    assert (sentence.forms, sentence.heads) == (forms, heads)


def test_the_command_parses_as_utf_8_in_every_locale():
    text, forms, _ = PARSED["zh"]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "plait", "parse", text], capture_output=True, encoding="utf-8", env=plain, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert [row[1] for row in rows] == forms


def test_every_compiled_module_is_there_and_can_be_imported():
    assert {path.parent.name for path in COMPILED} >= {"core", "features", "chain", "transition", "graph", "easyfirst"}
    for path in COMPILED:
        name = path.relative_to(PACKAGE.parent).with_name(path.name.partition(".")[0])
        importlib.import_module(".".join(name.parts))


@pytest.mark.skipif("PLAIT_DEBUG" in os.environ, reason="modules with debugging information are larger")
def test_compiled_modules_are_small():
    """That is, Cython's support code for memoryviews is in one of them and not in all."""
    assert sum(path.stat().st_size for path in COMPILED) <= 6_000_000


def test_metadata_are_those_of_this_version():
    assert version("plait") == plait.__version__
    (command,) = entry_points(group="console_scripts", name="plait")
    assert command.load() is importlib.import_module("plait.cli.process").run
