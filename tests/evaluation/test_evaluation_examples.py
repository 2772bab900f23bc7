"""The examples in docstrings and in the documentation run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["chunks", "conll18", "scores", "significance"])
def test_docstring_examples(name: str) -> None:
    results = doctest.testmod(import_module(f"plait.evaluation.{name}"))
    assert results.attempted > 0
    assert results.failed == 0


def test_documentation_examples() -> None:
    page = Path(__file__).parents[2] / "docs" / "evaluation.md"
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0
