"""Every example in a docstring and in the documentation runs, and gives what it says."""

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import plait

ROOT = Path(__file__).parents[1]
MODULES = [m.name for m in pkgutil.walk_packages(plait.__path__, "plait.") if m.name != "plait.__main__"]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if not name.startswith("plait.integrations.") or str(error.name).startswith("plait"):
            raise
        pytest.skip(f"{name} needs {error.name}, which is not installed")
    assert doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_the_documentation_run(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder(exclude_empty=True)
    always = [name for name in MODULES if not name.startswith("plait.integrations.")]
    with_examples = {name for name in always for test in finder.find(import_module(name)) if test.examples}
    assert {"plait.data.document", "plait.core._delta", "plait.formats", "plait.learn.jackknife"} <= with_examples
