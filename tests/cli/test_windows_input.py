"""The commands on files from Windows: they work, with a notice, and --strict refuses."""

from pathlib import Path

import pytest

from plait.cli.main import main

GOOD = "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def windows(tmp_path: Path) -> str:
    path = tmp_path / "a.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + (GOOD * 100).replace("\n", "\r\n").encode())
    return str(path)


@pytest.fixture
def clean(tmp_path: Path) -> str:
    path = tmp_path / "clean.conllu"
    path.write_text(GOOD * 100)
    return str(path)


def notices(windows: str) -> str:
    return (
        f"notice: {windows}:1: the file begins with a byte order mark; left out\n"
        f"notice: {windows}:1: the lines end in CR LF (Windows); read as LF\n"
    )


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_convert_accepts_with_a_notice_or_refuses(windows, tmp_path, on_error, capsys):
    out = tmp_path / "out.conllu"
    arguments = ["convert", "--input", windows, "--output", str(out), "--on-error", on_error]
    assert main([*arguments, "--strict"]) == 2
    assert f"error: {windows}:1: the file begins with a byte order mark; expected" in capsys.readouterr().err
    assert not out.exists()
    assert main(arguments) == 0
    assert capsys.readouterr().err == notices(windows)
    assert out.read_bytes() == (GOOD * 100).encode()


def test_evaluate_accepts_with_a_notice_or_refuses(windows, clean, capsys):
    assert main(["evaluate", clean, windows, "--json"]) == 0
    assert capsys.readouterr().err == notices(windows)
    assert main(["evaluate", clean, windows, "--strict"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_parse_accepts_with_a_notice_or_refuses(windows, tmp_path, capsys):
    arguments = ["parse", "--model", "en", "--input", windows, "--output", str(tmp_path / "out.conllu")]
    assert main(arguments) == 0
    assert capsys.readouterr().err == notices(windows)
    assert main([*arguments, "--strict"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_validate_reports_a_fault_of_each_kind(windows, capsys):
    assert main(["validate", windows]) == 1
    shown = capsys.readouterr().out
    assert shown.count("byte order mark") == shown.count("CR LF") == 1
    assert "100 sentences" in shown
    assert shown.endswith("2 faults\n")


def test_extra_blank_lines_are_reported(tmp_path, capsys):
    path = tmp_path / "a.conllu"
    path.write_text(GOOD + "\n\n" + GOOD + "\n")
    assert main(["convert", "--input", str(path), "--to", "conllu"]) == 0
    assert capsys.readouterr().err == f"notice: {path}:3: extra blank line; such lines are dropped\n"


def test_train_accepts_with_a_notice_or_refuses(windows, tmp_path, capsys):
    arguments = ["train", "perceptron-tagger", "--train", windows, "--output", str(tmp_path / "m.plait")]
    assert main([*arguments, "--strict"]) == 2
    assert f"error: {windows}:1: the file begins with a byte order mark" in capsys.readouterr().err
    assert main(arguments) == 0
    assert capsys.readouterr().err.startswith(notices(windows))
