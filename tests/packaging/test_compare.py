"""benchmarks/compare.py: ratios, what is slower, and a worker that measures the checkout it is in."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compare():
    spec = spec_from_file_location("compare", ROOT / "benchmarks" / "compare.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_best_of_each_measure_counts(compare):
    assert compare.best([{"a": 3.0, "b": 1.0}, {"a": 2.0}, {"a": 2.5, "c": 4.0}]) == {"a": 2.0, "b": 1.0, "c": 4.0}


def test_ratios_above_the_limit_are_named(compare):
    old, new = {"load": 1.0, "parse": 2.0, "gone": 1.0}, {"load": 1.04, "parse": 2.2, "added": 1.0}
    shown, slower = compare.table(old, new, 1.05)
    assert slower == ["parse"]
    lines = {line.split()[0]: line for line in shown.splitlines()[1:]}
    assert lines["load"].endswith("1.04")
    assert lines["parse"].endswith("1.10 !")
    assert lines["gone"].endswith("only in the old")
    assert lines["added"].endswith("only in the new")


def test_an_unknown_commit_is_reported():
    command = [sys.executable, str(ROOT / "benchmarks" / "compare.py"), "no-such-commit", "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no commit no-such-commit" in done.stderr


def test_the_worker_refuses_a_package_from_elsewhere(tmp_path):
    worker = ROOT / "benchmarks" / "compare_worker.py"
    done = subprocess.run(
        [sys.executable, str(worker), "models", "a", "b"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "is not of the checkout" in done.stderr
