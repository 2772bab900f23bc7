"""What goes wrong around the files, in one line that says what to do."""

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import plait
from plait.cli.main import main
from plait.errors import FormatWarning

GOOD = "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
posix = pytest.mark.skipif(os.name == "nt", reason="shells and signals are of another kind on Windows")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good.conllu").write_text(GOOD)
    Path("news").write_text("Dogs bark.\n")
    Path("folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("parse --input none", "none: no such file or folder; check the spelling"),
        ("parse --input none.txt", "none.txt: no such file or folder; check the spelling"),
        ("parse --input folder", "folder: is a folder; give a file name"),
        ("parse --input no/x", "no/x: the folder {dir}/no does not exist; create it, or check the path"),
        ("parse --input good.conllu/x", "good.conllu/x: "),
        (
            "parse --input news",
            "the format of 'news' cannot be determined from its name or its first lines; specify it",
        ),
        ("bench en none", "none: no such file or folder"),
        ("cluster none -o c", "none: no such file or folder"),
        ("cluster good.conllu -o no/c", "--output no/c: the folder {dir}/no does not exist; create it first"),
        ("cluster good.conllu -o good.conllu", "--output good.conllu: is one of the input files; choose another name"),
        ("combine en en -o folder", "--output folder: is a folder; give a file name"),
        ("evaluate none good.conllu", "none: no such file or folder"),
        ("evaluate good.conllu folder", "folder: is a folder"),
        ("evaluate good.conllu good.conllu --report no/x", "--report no/x: the folder {dir}/no does not exist"),
        ("evaluate good.conllu good.conllu --report good.conllu", "--report good.conllu: is one of the input files"),
        ("validate none", "none: no such file or folder"),
        ("convert --input good.conllu --output no/x.json", "no/x.json: the folder {dir}/no does not exist; create it"),
    ],
)
def test_paths_that_lead_nowhere(files, arguments, message, capsys):
    before = sorted(files.iterdir())
    assert main(arguments.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: " + message.format(dir=files))
    assert error.count("\n") == 1
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("parse --dictionary-mode merge Hi", "--dictionary-mode requires --dictionary"),
        ("evaluate good.conllu good.conllu --seed 3", "--seed requires --against"),
        ("convert --input good.conllu --to json --tag upos", "--tag requires the format segmented"),
        ("convert --input good.conllu --to json --separator /", "--separator requires the format segmented"),
    ],
)
def test_options_without_effect_are_refused(files, arguments, message, capsys):
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err.startswith("error: " + message)


@needs_full
@pytest.mark.parametrize(
    "command",
    ["convert --input good.conllu --to conllu", "evaluate good.conllu good.conllu", "models", "validate good.conllu"],
)
def test_a_full_standard_output_is_named(files, command):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "plait", *command.split()], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert (
        done.stderr
        == b"error: standard output: no space left on the device; free some space, or choose another location\n"
    )


@needs_full
def test_a_full_device_is_named(files, capsys):
    assert main(["convert", "--input", "good.conllu", "--to", "json", "--output", "/dev/full"]) == 2
    assert capsys.readouterr().err.startswith("error: /dev/full: no space left on the device; ")


@posix
def test_arguments_and_streams_of_a_locale_without_utf_8():
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for options in ([], ["--trace"], ["--to", "tree"]):
        done = subprocess.run(
            [sys.executable, "-m", "plait", "parse", *options, "--model", "en", "Dögs bark."],
            env=environment, capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert "Dögs".encode() in done.stdout
    done = subprocess.run(
        [sys.executable, "-m", "plait", "parse", "--model", "dög.plait", "x"],
        env=environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert b"no such model" in done.stderr


@posix
@pytest.mark.parametrize("options", [["--trace"], ["--to", "tree"], []])
def test_a_terminal_without_utf_8_shows_what_it_can(options):
    main_end, their_end = os.openpty()
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    arguments = ["parse", "--model", "en", *options, "Dögs bark."]
    done = subprocess.run(
        [sys.executable, "-m", "plait", *arguments],
        env=environment,
        stdout=their_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(their_end)
    shown = os.read(main_end, 10_000)
    os.close(main_end)
    assert (done.returncode, done.stderr) == (0, b"")
    assert shown.isascii()
    assert b"D?gs" in shown


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_pipe_gets_utf_8_whatever_the_locale(files, encoding):
    Path("zh.conllu").write_text(GOOD.replace("INTJ", "叹词"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for command in ("evaluate zh.conllu zh.conllu --by tag", "validate --level 2 zh.conllu"):
        done = subprocess.run(
            [sys.executable, "-m", "plait", *command.split()], env=environment, capture_output=True, check=False
        )
        assert done.returncode in (0, 1)
        assert done.stderr == b""
        assert "叹词".encode() in done.stdout


@posix
@pytest.mark.parametrize("options", [[], ["--trace"], ["--to", "json"]])
def test_an_argument_that_is_not_utf_8_is_refused(options):
    done = subprocess.run(
        [sys.executable, "-m", "plait", "parse", *options, b"Dogs \xff bark."], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: TEXT 'Dogs \\udcff bark.' is not UTF-8; ")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are not UTF-8")
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_names_of_files_that_are_not_utf_8_are_shown(files, tiny_file, encoding):
    plait.train("perceptron-tagger", train=tiny_file, epochs=1).save(os.fsdecode(b"caf\xe9.plait"))
    Path(os.fsdecode(b"caf\xe9.conllu")).write_text(GOOD, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for command in (b"info X.plait", b"validate X.conllu", b"evaluate X.conllu X.conllu --against X.conllu"):
        arguments = command.replace(b"X", b"caf\xe9").split()
        done = subprocess.run(
            [sys.executable, "-m", "plait", *arguments], env=environment, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"caf\\udce9." in done.stdout


@posix
def test_parse_without_any_input_says_so():
    done = subprocess.run(f"{sys.executable} -m plait parse <&-", shell=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"nothing to analyse" in done.stderr


def test_a_file_name_given_as_text_is_reported(files, capsys):
    assert main(["parse", "--model", "en", "good.conllu"]) == 0
    assert capsys.readouterr().err.startswith('notice: "good.conllu" is analysed as text, ')
    assert main(["parse", "--model", "en", "语" * 300 + "."]) == 0  # longer than a file's name may be
    assert capsys.readouterr().err == ""


def test_help_leads_to_a_system_that_takes_raw_text(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "plait train pipeline " in shown
    assert "plait train easyfirst-joint" not in shown


def test_warnings_are_notices_and_the_caller_keeps_its_own_filters(files, capsys):
    Path("columns.txt").write_text("He PRP B-NP\n\n")
    assert main(["convert", "--input", "columns.txt", "--to", "lines"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "He\n"
    assert captured.err.startswith("notice: columns.txt: contains conll2000, not plain text")
    with pytest.raises(FormatWarning):
        warnings.warn("again an error, as in all these tests", FormatWarning, stacklevel=1)


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_leaves_nothing_behind_and_its_own_exit_code(files, name):
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", "convert", "--from", "conllu", "--output", "out.json"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while len(list(files.glob(".out.json.*"))) < 1:
        assert process.poll() is None
    process.send_signal(getattr(signal, name))
    _, error = process.communicate()
    assert process.returncode == 128 + getattr(signal, name)
    assert error.strip() == b""  # click ends the line at which ^C stands
    assert not list(files.glob("*out.json*")) + list(files.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["convert", "a.conllu", "b.json"],
            "Got unexpected extra arguments (a.conllu b.json). See plait convert --help",
        ),
        (["train", "pipeline", "--epochs", "3"], "No such option '--epochs'. See plait train pipeline --help"),
        (["parse", "--nbest", "0", "x"], "0 is not in the range x>=1."),
    ],
)
def test_unknown_options_and_arguments_lead_to_the_help(arguments, words, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.endswith(words + "\n")


def test_a_folder_is_no_model(tmp_path, capsys):
    for command in (["parse", "--model", str(tmp_path), "x"], ["info", str(tmp_path)]):
        assert main(command) == 2
        assert capsys.readouterr().err == f"error: {tmp_path}: is a folder; expected a model file\n"


def test_info_of_a_pipeline_names_no_best_epoch(capsys):
    assert main(["info", "en"]) == 0
    shown = capsys.readouterr().out
    assert "best epoch" not in shown
    assert "None" not in shown


def test_constrain_and_keep_exclude_each_other(tiny_file, capsys):
    assert main(["parse", "--model", "en", "--constrain", "--keep", "upos", "--input", str(tiny_file)]) == 2
    assert "give either --constrain or --keep" in capsys.readouterr().err


def test_clusters_go_to_standard_output(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "news.txt").write_text("a b c\na b d\n" * 5)
    assert main(["cluster", "news.txt", "--clusters", "2", "--min-count", "1", "--output", "-"]) == 0
    assert len(capsysbinary.readouterr().out.splitlines()) == 4
    assert not (tmp_path / "-").exists()


def test_an_error_in_an_argument_names_the_argument(capsys):
    assert main(["parse", "--model", "en", "--from", "conllu", "She reads."]) == 2
    assert "error: TEXT:1: sentence" in capsys.readouterr().err
