"""The README's commands print what the README says, here and on a newcomer's machine; links lead somewhere."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]

# a block of commands, and right after it what they print: indented, or in a block of text
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n(?:It prints\n\n)?(?:```text\n(.*?)^```\n|((?:    .*\n)+)))?", re.M | re.S)
FIRST = re.compile(r"^.*The first prints\n\n((?:    .*\n)+)", re.M)
LASTING = re.compile(r"\bpytest\b|plait serve")  # the tests themselves, and what never ends


class Commands(NamedTuple):
    """A block of commands as it stands, and what it prints; None where nothing is said."""

    text: str
    shown: str | None


def readme_commands() -> list[Commands]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = [Commands(match[1], match[2] or match[3]) for match in BLOCK.finditer(text)]
    if later := FIRST.search(text):
        found[0] = found[0]._replace(shown=later[1])
    return [
        Commands(block.text, block.shown and re.sub("^    ", "", block.shown, flags=re.M).rstrip("\n"))
        for block in found
        if not LASTING.search(block.text)
    ]


def run(command: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, shell=True, cwd=place, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_the_commands_print_what_is_shown(tmp_path):
    """With the package under test; the installation itself is left to the newcomer."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    blocks = readme_commands()
    assert blocks
    assert blocks[0].shown
    for block in blocks:
        command = re.sub(r"^pip install [^&\n]*(&& )?", "", block.text, flags=re.M)
        command = re.sub(r"(^|&& |\| )plait ", lambda m: f"{m[1]}{sys.executable} -m plait ", command, flags=re.M)
        done = run(command, tmp_path)
        assert done.returncode == 0, done.stderr
        if block.shown is not None:
            assert done.stdout.rstrip("\n") == block.shown


@pytest.mark.skipif(
    "PLAIT_NEWCOMER" not in os.environ, reason="builds the package anew; set PLAIT_NEWCOMER=1 to run it"
)
def test_a_newcomer_finds_what_the_readme_promises(tmp_path):
    """A copy of the checkout, a fresh environment, and the README's blocks literally, one after the other."""
    checkout = tmp_path / "plait"
    built = shutil.ignore_patterns(
        ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", "*.so", "*.pyd", "*.c", ".*_cache"
    )
    shutil.copytree(ROOT, checkout, ignore=built)
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    fresh = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(tmp_path / "venv"),
        "PYTHONPATH": "",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    if (probe := run("pip download --no-deps -d probe cython", tmp_path, **fresh)).returncode != 0:
        pytest.skip(f"no packages can be fetched here: {probe.stderr.strip().splitlines()[-1]}")
    for block in readme_commands():
        done = run(block.text.replace("pip install plait ", "pip install . "), checkout, **fresh)  # not yet released
        assert done.returncode == 0, done.stderr
        if block.shown is not None:
            assert done.stdout.rstrip("\n").endswith(f"\n{block.shown}")  # after what pip has to say
    session = "import doctest; done = doctest.testfile('README.md', False, encoding='utf-8'); assert done.attempted"
    done = run(f'python -c "{session}"', checkout, **fresh)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
