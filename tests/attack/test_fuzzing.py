"""The coverage-guided fuzzer runs, and says what it found; a short run only, and only where atheris is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("atheris", reason="coverage-guided fuzzing needs atheris; pip install atheris")

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz"


@pytest.mark.parametrize(("target", "runs"), [("readers", 2000), ("models", 100)])
def test_a_short_run_finds_nothing(target, runs, tmp_path):
    command = [sys.executable, str(SCRIPT), target, f"-runs={runs}", "-seed=1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"Done {runs} runs" in done.stderr
