"""The page for contributors names files, functions and classes that exist."""

import re
from pathlib import Path

import pytest

from plait.system import SYSTEMS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "life-of-a-sentence.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not part of this installation")
def test_every_file_that_the_page_names_exists():
    text = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)[^`]*`", text)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / "src" / "plait" / name).exists() and not (ROOT / name).exists()] == []


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not part of this installation")
def test_every_file_of_a_family_that_the_page_names_exists():
    rows = re.findall(r"^ +\| `(\w+)/` \|[^|]*\|([^|]*)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert [family for family, _ in rows] == ["transition", "easyfirst", "graph"]
    files = [
        ROOT / "src" / "plait" / family / name for family, told in rows for name in re.findall(r"`([\w.]+)`", told)
    ]
    assert len(files) > 6
    assert [file for file in files if not file.exists()] == []


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not part of this installation")
def test_every_name_on_the_page_is_defined():
    text = PAGE.read_text(encoding="utf-8")
    names = {*re.findall(r"`([a-zA-Z_]\w+)`", text), *re.findall(r"`--([a-z-]+)`", text)}
    assert {"Request", "TrainingTask", "Violation", "fit_online", "from_parts", "set_tree", "slack"} <= names
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "plait").rglob("*.py"))
    defined = {*re.findall(r"(?:def|class) (\w+)", source), *re.findall(r"\b(\w+): [\w\[\]| .]+ = ", source), *SYSTEMS}
    assert names - defined == set()
