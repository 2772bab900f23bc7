"""The examples of the pages on spaCy and scale-out run as they stand, with the shipped models."""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n(?:prints\n\n)?```text\n(.*?)```\n)?", re.S)
PAGES = ("scale-out", "spacy")
EXAMPLES = [
    pytest.param(*match.groups(), id=f"{page}-{number}")
    for page in PAGES
    for number, match in enumerate(BLOCK.finditer((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")), 1)
]


def imported(code: str) -> set[str]:
    """The packages that an example names."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
    return {name.split(".")[0] for name in found}


@pytest.mark.parametrize(("code", "shown"), EXAMPLES)
def test_an_example_prints_what_is_shown(code, shown, tmp_path):
    needed = imported(code)
    missing = sorted(name for name in needed if find_spec(name) is None)
    if missing:
        pytest.skip(f"the example needs {', '.join(missing)}, not installed here")
    if "pyspark" in needed and shutil.which("java") is None:
        pytest.skip("the example needs Java, not installed here")
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    quiet = {"HF_HOME": str(tmp_path), "HF_DATASETS_OFFLINE": "1", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, **quiet, "PYTHONIOENCODING": "utf-8"}, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert shown is not None
    assert done.stdout == shown


def test_every_example_is_found():
    assert len(EXAMPLES) == 10
