"""The README's main command prints what the README says, and every link in the documentation leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


def test_the_main_command_prints_what_is_shown(tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command = re.search(r"^pip install \. && (.*)$", text, re.M)[1]
    shown = re.search(r"The first prints\n\n((?:    .*\n)+)", text)[1]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    door = f"{sys.executable} -m plait "
    done = subprocess.run(
        re.sub(r"(^|&& )plait ", lambda m: m[1] + door, command),
        shell=True, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip("\n") == re.sub("^    ", "", shown, flags=re.M).rstrip("\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
