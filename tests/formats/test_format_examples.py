"""The examples in docstrings and on the documentation page run as they stand."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

MODULES = [
    *("plait.formats", "plait.formats._columns", "plait.formats.atomic", "plait.formats.columns"),
    *("plait.formats.conll09", "plait.formats.conllu", "plait.formats.conllx", "plait.formats.extra"),
    *("plait.formats.json_lines", "plait.formats.numerals", "plait.formats.report", "plait.formats.segmented"),
    *("plait.formats.source", "plait.formats.text", "plait.formats.validation"),
    *("plait.data.projectivity", "plait.data.schemes"),
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_examples_of_the_formats_page_run() -> None:
    page = Path(__file__).parents[2] / "docs" / "formats.md"
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0
