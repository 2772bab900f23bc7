"""The door: quick to open, and every fault is one line and an exit code."""

import os
import subprocess
import sys

import pytest

from plait.cli.main import main

HEAVY = (
    "numpy",
    "scipy",
    "safetensors",
    "tqdm",
    "backports.zstd",
    "compression.zstd",
    "matplotlib",
    "concurrent.futures",
    "plait.core",
    "plait.pipeline",
)


def run(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "plait", *arguments], capture_output=True, text=True, check=False, **more
    )


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from plait.cli.main import main; main(['--help']);"
        f"heavy = [m for m in {HEAVY!r} if m in sys.modules]; assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_model_that_tags_a_file_draws_nothing_and_opens_no_socket(tiny_file):
    code = (
        f"import sys, plait; plait.load('en')(plait.read({str(tiny_file)!r})); "
        "assert not [m for m in sys.modules if m == 'socket' or m.startswith('plait.draw')]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_shows_every_command_with_its_purpose(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in ("parse", "train", "evaluate", "info", "convert", "validate"):
        assert f"\n  {name} " in shown


@pytest.mark.parametrize("command", ["parse", "train", "evaluate", "info", "convert", "validate"])
def test_every_command_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    assert "Usage: plait" in capsys.readouterr().out


def test_the_version_is_printed(capsys):
    import plait

    assert main(["--version"]) == 0
    assert plait.__version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prase"], ["unknown command 'prase'", "did you mean 'parse'"]),
        (["xyz"], ["unknown command", "available: "]),
        (["--frobnicate"], ["--frobnicate"]),
        (["train", "easyfrist-tagger"], ["unknown system", "available: "]),
        (["train", "perceptron-tagger"], ["--train"]),
        (["train", "perceptron-tagger", "--epohcs", "3"], ["--epohcs", "--epochs"]),
        (["info", "no-such-file.plait"], ["no-such-file.plait", "no such model"]),
        (["parse", "--model", "no-such-file.plait", "text"], ["no-such-file.plait", "no such model"]),
        (["parse", "слово"], ["no shipped model", "--model"]),
    ],
)
def test_faults_of_usage_are_one_line_and_exit_code_2(arguments, words, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err


def test_no_command_shows_the_help_and_fails(capsys):
    assert main([]) == 2
    assert "Usage: plait" in capsys.readouterr().err


def test_python_dash_m_is_the_same_door():
    done = run("--version")
    assert done.returncode == 0
    assert "plait" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_closed_streams_are_no_crash():
    for redirect in (">&-", "<&-", "2>&-"):
        done = subprocess.run(f"{sys.executable} -m plait --version {redirect}", shell=True, check=False)
        assert done.returncode == 0


def test_a_fault_of_our_own_is_one_line_too(monkeypatch, capsys):
    def broken(**_):
        raise RuntimeError("oh")

    monkeypatch.setattr("plait.cli.main.cli.main", broken)
    assert main(["--version"]) == 2
    assert "internal error (RuntimeError: oh)" in capsys.readouterr().err
    monkeypatch.setenv("PLAIT_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        main(["--version"])
