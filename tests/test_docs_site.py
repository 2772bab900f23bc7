"""The documentation as a site: links of the repository become links between pages, and none leads nowhere."""

import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import plait

ROOT = Path(__file__).parents[1]
needs_mkdocs = pytest.mark.skipif(
    not (find_spec("mkdocs") and find_spec("mkdocstrings")),
    reason="mkdocs and mkdocstrings are not installed; pip install plait[docs]",
)


@needs_mkdocs
def test_the_site_is_built_without_a_warning(tmp_path):
    done = subprocess.run(  # not --quiet: warnings that are not shown do not count for --strict
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    home = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="formats.html"' in home
    assert (tmp_path / "site" / "images" / "hearing.svg").is_file()


@needs_mkdocs
@pytest.mark.parametrize(
    ("markdown", "file", "expected"),
    [
        ("[a](docs/crf.md#x)", "README.md", "[a](crf.md#x)"),
        ("[a](../README.md)", "docs/crf.md", "[a](index.md)"),
        ("[a](../../docs/crf.md)", "benchmarks/crf/README.md", "[a](../../crf.md)"),
        ("[a](https://x.org/README.md) [b](#here)", "README.md", "[a](https://x.org/README.md) [b](#here)"),
        ("[a](setup.py)", "README.md", "a"),
        ("[a](nowhere.md)", "README.md", "[a](nowhere.md)"),
        ("```\n[a](docs/crf.md)\n```\n", "README.md", "```\n[a](docs/crf.md)\n```\n"),
        ("![a](docs/images/hearing.svg)", "README.md", "![a](images/hearing.svg)"),
    ],
)
def test_links_are_turned(markdown, file, expected):
    spec = spec_from_file_location("docs_pages", ROOT / "scripts" / "docs_pages.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.rewritten(markdown, file) == expected


def test_the_picture_is_what_its_command_makes():
    drawn = plait.read(ROOT / "examples" / "tiny.conllu")[15].to_svg()
    assert (ROOT / "docs" / "images" / "hearing.svg").read_text(encoding="utf-8") == drawn
