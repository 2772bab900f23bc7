"""Imports between packages point one way: the order that CONTRIBUTING.md lists, lazy imports and cimports included."""

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "plait"
BY_NAME = {"system/registry.py", "data/late_binding.py"}  # these name modules of later packages as text

_COMPILED = re.compile(r"^\s*(?:from|import|cimport)\s+plait\.(\w+)", re.M)
_NAMED = re.compile(r"[\"']plait\.(\w+)[\w.]*[\"':]")


def packages() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Packages")[1]
    listed = re.search(r"\n\n((?:    .*\n)+)", text)
    assert listed
    return [line.split()[0] for line in listed[1].splitlines()]


def modules() -> Iterator[tuple[str, str, str]]:
    """(package, path, text) of all source files; plait itself and its entry point may import everything."""
    for path in sorted(PACKAGE.rglob("*")):
        relative = path.relative_to(PACKAGE)
        package = relative.parts[0] if len(relative.parts) > 1 else relative.stem
        if path.suffix in (".py", ".pyi", ".pyx", ".pxd") and package not in ("__init__", "__main__"):
            yield package, relative.as_posix(), path.read_text(encoding="utf-8")


def imported(path: str, text: str) -> set[str]:
    """The packages that a module imports, wherever in it."""
    if not path.endswith(".py"):
        return set(_COMPILED.findall(text))
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"plait.{alias.name}" for alias in node.names] if node.module == "plait" else [node.module or ""]
            assert node.level == 0, f"{path}: a relative import; write it out"
        found.update(name.split(".")[1] for name in names if name.startswith("plait."))
    return found


def test_every_package_is_listed_and_every_listed_package_exists():
    assert sorted(packages()) == sorted({package for package, _, _ in modules()})


def test_imports_point_to_packages_listed_before():
    order = packages()
    against = {
        (package, other): path
        for package, path, text in modules()
        for other in imported(path, text)
        if other in order and other != package and order.index(other) > order.index(package)
    }
    assert against == {}


def test_no_family_imports_another():
    families = ("chain", "morphology", "easyfirst", "transition", "graph")
    found = {
        (package, other) for package, path, text in modules() if package in families for other in imported(path, text)
    }
    assert {(a, b) for a, b in found if b in families and a != b} == set()


def test_later_packages_are_named_as_text_in_two_places_only():
    order = packages()
    naming = {
        path
        for package, path, text in modules()
        for other in _NAMED.findall(text)
        if path.endswith(".py") and other in order and order.index(other) > order.index(package)
    }
    assert naming == BY_NAME


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from plait.data.tags import JOINT", {"data"}),
        ("def f():\n    import plait.draw.svg", {"draw"}),
        ("from plait import evaluate, errors", {"evaluate", "errors"}),
        ("import json", set()),
    ],
)
def test_imports_are_found_wherever_they_stand(text, expected):
    assert imported("x.py", text) == expected


def users() -> list[str]:
    """Python files outside of the package and its tests, which hardly any test runs."""
    found = [path for folder in ("benchmarks", "scripts", "examples") for path in (ROOT / folder).rglob("*")]
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted(found)
        if path.suffix == ".py" or (path.suffix == "" and path.is_file() and b"python" in path.read_bytes()[:40])
    ]


@pytest.mark.parametrize("path", users())
def test_benchmarks_scripts_and_examples_import_what_there_is(path):
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "plait":
            if node.module == "plait.integrations.spacy":
                pytest.importorskip("spacy")
            module = importlib.import_module(str(node.module))
            missing = [alias.name for alias in node.names if not hasattr(module, alias.name)]
            missing = [name for name in missing if importlib.util.find_spec(f"{node.module}.{name}") is None]
            assert missing == []
