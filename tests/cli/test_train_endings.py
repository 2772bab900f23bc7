"""How a training may end: no room for the model or the checkpoint, an interrupt, data without annotation."""

import errno
import os
import re
import tempfile
from pathlib import Path

import pytest

import plait
from plait.cli import rescue
from plait.cli.main import main
from plait.learn import checkpoint
from plait.system import SYSTEMS

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")


@pytest.fixture
def command(tiny_file):
    return ["train", "perceptron-tagger", "--train", str(tiny_file), "--epochs", "2"]


@needs_full
def test_a_model_that_finds_no_room_is_saved_elsewhere(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main([*command, "--output", str(FULL)]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: /dev/full: no space left on the device")
    saved = re.search(r"saved as (\S+) instead", error)[1]
    assert Path(saved).parent == tmp_path
    expected = tmp_path / "expected.plait"
    assert main([*command, "--output", str(expected)]) == 0
    assert Path(saved).read_bytes() == expected.read_bytes()


@needs_full
def test_a_folder_without_room_is_passed_over(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main([*command, "--output", str(FULL)]) == 2
    saved = re.search(r"saved as (\S+) instead", capsys.readouterr().err)[1]
    assert Path(saved).parent == tmp_path / "here"
    plait.load(saved)


@needs_full
def test_where_there_is_no_room_at_all_the_checkpoint_is_named(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(rescue, "_saved_elsewhere", lambda model, output: iter(()))
    state = tmp_path / "state"
    assert main([*command, "--output", str(FULL), "--checkpoint", str(state)]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert "/dev/full: no space left" in error
    assert f"is in {state}" in error
    assert "--resume" in error
    assert main([*command, "--output", str(FULL)]) == 2
    assert "--resume" not in capsys.readouterr().err


def test_a_checkpoint_that_finds_no_room_does_not_end_the_training(command, tmp_path, monkeypatch, capsys):
    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "state")

    monkeypatch.setattr(checkpoint, "open_atomic", full)
    output, state = tmp_path / "m.plait", tmp_path / "state"
    assert main([*command, "--output", str(output), "--checkpoint", str(state)]) == 0
    assert output.exists()
    notices = [line for line in capsys.readouterr().err.splitlines() if line.startswith("notice:")]
    assert len(notices) == 2
    assert all(str(state) in notice and "training continues" in notice for notice in notices)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["nothing was saved", "--checkpoint FILE"]),
        (["--checkpoint", "state"], ["saved in state", "with --resume"]),
    ],
)
def test_an_interrupt_says_how_to_go_on(command, tmp_path, monkeypatch, capsys, arguments, words):
    def interrupt(record):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plait.cli.train._print_epoch", interrupt)
    assert main([*command, "--output", "m.plait", *arguments]) == 130
    error = capsys.readouterr().err
    assert all(word in error for word in words)
    assert not Path("m.plait").exists()


def test_an_interrupt_while_the_model_is_stored_says_so_too(command, tmp_path, monkeypatch, capsys):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.cli.train.save_or_rescue", interrupt)
    state = tmp_path / "state"
    assert main([*command, "--output", str(tmp_path / "m"), "--checkpoint", str(state)]) == 130
    assert f"saved in {state}; run the same command with --resume" in capsys.readouterr().err


def test_an_interrupt_in_the_first_epoch_says_that_there_is_nothing_to_resume(command, tmp_path, monkeypatch, capsys):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.cli.train.track", interrupt)
    assert main([*command, "--output", str(tmp_path / "m"), "--checkpoint", str(tmp_path / "state")]) == 130
    error = capsys.readouterr().err
    assert "no epoch was complete" in error
    assert "--resume" not in error


def test_the_checkpoints_of_a_pipelines_parts_are_found(tiny_file, tmp_path, monkeypatch, capsys):
    def interrupt(record):
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.cli.train._print_epoch", interrupt)
    state = tmp_path / "state"
    arguments = ["--train", str(tiny_file), "--output", str(tmp_path / "m"), "--checkpoint", str(state)]
    assert main(["train", "pipeline", *arguments]) == 130
    assert f"saved in {state}; run the same command with --resume" in capsys.readouterr().err


def test_raw_text_is_refused_with_the_option_that_names_a_format(tmp_path, capsys):
    raw = tmp_path / "news.txt"
    raw.write_text("Dogs bark at night.\nSo do we.\n")
    for more in ([], ["--from", "lines"]):
        assert main(["train", "pipeline", "--train", str(raw), "-o", str(tmp_path / "m"), *more]) == 2
        error = capsys.readouterr().err
        assert f"--train {raw}: raw text" in error
        assert "--from" in error


def test_columns_under_the_name_of_a_text_are_read_as_what_they_are(tmp_path, capsys):
    columns = tmp_path / "chunks.txt"
    columns.write_text("He PRP B-NP\nruns VBZ B-VP\n\n" * 3)
    arguments = ["--train", str(columns), "-o", str(tmp_path / "m"), "--epochs", "2"]
    assert main(["train", "crf-chunker", *arguments]) == 0
    assert capsys.readouterr().err.count("conll2000") == 1


def test_the_help_leads_to_the_system_that_takes_raw_text(capsys):
    assert main(["train", "--help"]) == 0
    text = capsys.readouterr().out
    listed = [line.split()[0] for line in text.split("Systems:")[1].splitlines() if line.strip()]
    assert listed[0] == "pipeline"
    assert sorted(listed) == sorted(SYSTEMS)
    assert text.index("plait train pipeline") < text.index("plait train transition-joint")


def test_options_without_effect_are_reported_only_if_given_on_the_command_line(tiny_file, tmp_path, capsys):
    common = ["train", "easyfirst-tagger", "--train", str(tiny_file), "-o", str(tmp_path / "m"), "--epochs", "1"]
    assert main([*common, "--warmup", "3"]) == 2
    assert "option warmup has no effect" in capsys.readouterr().err
    assert main([*common, "--beam", "2"]) == 0  # --after-error keeps its default, which is not reported


def test_checkpoints_of_parts_are_found(tmp_path):
    names = ["c", "c.member2", "c.guide", "c.guide3", "c.parser.guide1", "c.segmenter", "c.parser.run2"]
    for name in [*names, "c.txt", "cc", "c.guided", "c.member", "other.parser"]:
        (tmp_path / name).touch()
    (tmp_path / "c.tagger").mkdir()
    assert [file.name for file in rescue.checkpoints(str(tmp_path / "c"))] == sorted(names)
    assert rescue.checkpoints(str(tmp_path / "nowhere" / "c")) == []
