"""Every example in a docstring and in the documentation runs, and gives what it says."""

import doctest
import pkgutil
import re
import warnings
from importlib import import_module
from importlib.util import find_spec
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
    text, missing = _without_missing_packages(page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0)
    with warnings.catch_warnings():
        if "<!-- needs:" in text:
            warnings.simplefilter("ignore")  # those of other packages
        assert doctest.DocTestRunner().run(test).failed == 0
    if missing:
        pytest.skip(f"the examples ran but for those that need {', '.join(missing)}, which is not installed")


def _without_missing_packages(text):
    """The page without the examples under ``<!-- needs: package ... -->`` whose packages are not there."""
    missing = []

    def kept(match):
        absent = [name for name in match[1].split() if find_spec(name) is None]
        missing.extend(name for name in absent if name not in missing)
        return "" if absent else match[0]

    return re.sub(r"<!-- needs: (.*?) -->\n```python\n.*?```\n", kept, text, flags=re.S), missing


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder(exclude_empty=True)
    always = [name for name in MODULES if not name.startswith("plait.integrations.")]
    with_examples = {name for name in always for test in finder.find(import_module(name)) if test.examples}
    assert {"plait.data.document", "plait.core._delta", "plait.formats", "plait.learn.jackknife"} <= with_examples
