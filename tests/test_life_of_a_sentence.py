"""The page for contributors names files that exist."""

import re
from pathlib import Path

import pytest

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
