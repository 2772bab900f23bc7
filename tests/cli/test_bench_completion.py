"""Speed of a model on a file, completion in a shell, bars for those who look, and pipes that close early."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import plait
from plait.cli.main import COMMANDS, main


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "tagger.plait"
    treebank = Path(__file__).parents[2] / "examples" / "tiny.conllu"
    plait.train("perceptron-tagger", train=treebank, epochs=2).save(path)
    return str(path)


def test_bench_tells_speed_memory_and_the_curve_over_the_length(tagger, tiny_file, capsys):
    assert main(["bench", tagger, str(tiny_file), "--runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert all(part in shown for part in ("words/s", "sentences/s", "peak memory", "ms each", "1–10"))
    assert main(["bench", tagger, str(tiny_file), "--runs", "2", "--threads", "2", "--limit", "5", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["sentences"], record["threads"], len(record["runs"])) == (5, 2, 2)
    assert record["words_per_second"] > 0
    assert sum(row["units"] for row in record["by_length"]) == 5


def test_bench_takes_raw_text(tagger, tmp_path, capsys):
    (tmp_path / "x.txt").write_text("Dogs bark .\n\nCats sleep .\n")
    assert main(["bench", tagger, str(tmp_path / "x.txt"), "--runs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"] == 6


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "the file is empty"), (b"not conllu\n\n", "columns"), (None, "no such file")]
)
def test_bench_on_nothing_is_one_line(tagger, tmp_path, capsys, content, words):
    file = tmp_path / "x.conllu"
    if content is not None:
        file.write_bytes(content)
    assert main(["bench", tagger, str(file)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert words in error


def complete(*words):
    environment = os.environ | {
        "_PLAIT_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["plait", *words]), "COMP_CWORD": str(len(words)),
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "plait"], capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("pa",), ["plain,parse"]),
        (("parse", "--to", "sv"), ["plain,svg"]),
        (("parse", "--from", "sv"), []),
        (("convert", "--from", "conllu"), ["plain,conllu"]),
        (("parse", "--inp"), ["plain,--input"]),
        (("parse", "--input", "x"), ["file,x"]),
        (("train", "perceptron"), ["plain,perceptron-tagger"]),
        (("train", "perceptron-tagger", "--train", "x"), ["file,x"]),
        (("completion", "z"), ["plain,zsh"]),
    ],
)
def test_the_shell_completes_commands_options_formats_and_files(words, expected):
    assert complete(*words) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_every_shell_is_printed(shell, capsys):
    assert main(["completion", shell]) == 0
    assert "_PLAIT_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_help_of_every_command_has_an_example(name, capsys):
    assert main([name, "--help"]) == 0
    usage, _, rest = capsys.readouterr().out.partition("\n")
    assert usage.startswith(f"Usage: plait {name}")
    assert "plait " in rest.partition("Options:")[0]


def test_a_reader_that_has_seen_enough_is_no_failure(tagger, tmp_path):
    (tmp_path / "x.txt").write_text("Dogs bark .\n\n" * 20_000)
    for command in (
        ["parse", "--model", tagger, "--from", "text", "--input", str(tmp_path / "x.txt"), "--to", "tree"],
        ["parse", "--model", tagger, "--from", "text", "--input", str(tmp_path / "x.txt"), "--to", "html"],
    ):
        with subprocess.Popen(
            [sys.executable, "-m", "plait", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            process.stdout.read(100)
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == 0


def progress(arguments, tmp_path):
    """What a terminal on stderr gets to see while stdout goes to a file."""
    pty = pytest.importorskip("pty")
    termios = pytest.importorskip("termios")
    main_end, other_end = pty.openpty()
    termios.tcsetwinsize(other_end, (24, 100))
    environment = os.environ | {"TERM": "xterm"}
    with (tmp_path / "out").open("wb") as out:
        code = f"import plait.cli.progress as p; p.DELAY = 0.0; from plait.cli.main import main; main({arguments!r})"
        with subprocess.Popen([sys.executable, "-c", code], stdout=out, stderr=other_end, env=environment) as process:
            os.close(other_end)
            seen = b""
            try:
                while piece := os.read(main_end, 4096):
                    seen += piece
            except OSError:  # the other end is closed
                pass
            process.wait()
    os.close(main_end)
    return seen.decode()


def test_long_work_on_a_terminal_shows_rate_and_time_left(tagger, tmp_path):
    (tmp_path / "x.txt").write_text("Dogs bark .\n\n" * 3000)
    arguments = ["parse", "--model", tagger, "--from", "text", "--input", str(tmp_path / "x.txt")]
    assert "B/s" in progress(arguments, tmp_path)


def test_without_a_terminal_there_are_no_bars(tagger, tmp_path):
    (tmp_path / "x.txt").write_text("Dogs bark .\n\n" * 3000)
    done = subprocess.run(
        [sys.executable, "-m", "plait", "parse", "--model", tagger, "--from", "text", "--input", "x.txt"],
        capture_output=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert done.stderr == b""
