"""Drawings from the command line: by name or by suffix, never read, coloured on a terminal alone."""

import os
import subprocess
import sys

import pytest

import plait
from plait.cli.main import main


def test_convert_draws_trees_svg_and_pages(tiny_file, tmp_path, capsys):
    assert main(["convert", "--input", str(tiny_file), "--to", "tree"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# en-1\n ╭─ Dogs  NOUN   nsubj\n─┼─ bark  VERB   root\n")
    assert "\x1b" not in shown
    for name, start in (("x.svg", "<svg "), ("x.html", "<!DOCTYPE html>")):
        assert main(["convert", "--input", str(tiny_file), "--output", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_drawings_cannot_be_read(tmp_path, capsys):
    (tmp_path / "x.svg").write_text("<svg/>")
    assert main(["convert", "--input", str(tmp_path / "x.svg"), "--to", "conllu"]) == 2
    assert "an output format" in capsys.readouterr().err


def test_a_terminal_gets_colours_and_its_own_width(tiny_file):
    pty = pytest.importorskip("pty")
    main_end, other_end = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    try:
        command = [sys.executable, "-m", "plait", "convert", "--input", str(tiny_file), "--to", "tree"]
        with subprocess.Popen(command, stdout=other_end, stderr=subprocess.DEVNULL, env=environment) as process:
            os.close(other_end)
            shown = os.read(main_end, 200)
            process.terminate()
    finally:
        os.close(main_end)
    assert b"\x1b[1mDogs\x1b[0m" in shown


@pytest.mark.parametrize("option", ["--scores", "--nbest"])
def test_a_page_is_not_begun_before_its_first_sentence_is_analysed(tiny_file, tmp_path, capsys, option):
    plait.train("easyfirst-joint", train=tiny_file, epochs=1).save(tmp_path / "greedy.plait")
    more = [option, "2"] if option == "--nbest" else [option]
    assert main(["parse", "--model", str(tmp_path / "greedy.plait"), *more, "--to", "html", "Dogs bark ."]) == 2
    assert capsys.readouterr().out == ""
