"""``plait convert`` and ``plait validate`` as a user runs them: output, messages, exit codes."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from plait.cli.main import main

GOOD = "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
BAD = GOOD.replace("\t1\tpunct", "\t7\tpunct")


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_convert_tells_formats_from_suffixes(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(GOOD)
    assert run("convert", "--input", tmp_path / "a.conllu", "--output", tmp_path / "b.conllx.gz") == 0
    assert run("convert", "--input", tmp_path / "b.conllx.gz", "-o", tmp_path / "c.conllu") == 0
    assert (tmp_path / "c.conllu").read_text() == GOOD.replace("SpaceAfter=No", "_")


def test_convert_reads_stdin_and_writes_stdout(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("你/r 好/a\n".encode())))
    assert run("convert", "--from", "segmented", "--to", "segmented", "--tag", "xpos", "--separator", "/") == 0
    assert capfdbinary.readouterr().out == "你/r 好/a\n".encode()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            "--from conllu --to conllx --input {dir}/bad.conllu",
            "error: {dir}/bad.conllu:5: HEAD is '7' expected what 0",
        ),
        ("--from conllu --to conlx --input {dir}/bad.conllu", "error: unknown format conllx"),
        ("--to conllx --input {dir}/none.conllu", "error: {dir}/none.conllu: No such file"),
        ("--to conllx --input {dir}", "error: {dir}: is a folder; name a file"),
        ("--to conllx --input {dir}/none", "error: {dir}/none: no such file check"),
        ("--from svg --to conllx --input {dir}/bad.conllu", "error: output format text, json"),
        ("--from conllu --to conllx --input {dir}", "error: {dir}: is a folder"),
        ("--to conllx", "error: standard input specify it"),
        ("--from text --to conllu --input {dir}/bad.conllu", "error: raw text model"),
        ("--from lines --to text --input {dir}/bad.conllu", "error: raw text"),
        ("--input {dir}/good.conllu --output {dir}/no/x.json", "error: {dir}/no/x.json: folder does not exist; create"),
        ("--input {dir}/good.conllu --to conllu --output {dir}", "error: {dir}: is a folder"),
        ("--from conllu --to conllx --input {dir}/random.gz", "error: {dir}/random.gz:1: truncated or damaged"),
        ("--from conllu --to conllx --input {dir}/bad.conllu --on-error maybe", "error: stop skip"),
    ],
)
def test_convert_fails_in_one_line(
    arguments: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.conllu").write_text(GOOD + BAD)
    (tmp_path / "good.conllu").write_text(GOOD)
    (tmp_path / "random.gz").write_bytes(b"\x1f\x8bnonsense")
    before = sorted(tmp_path.iterdir())
    assert run("convert", *arguments.format(dir=tmp_path).split()) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    expected = [word for word in words.format(dir=tmp_path).split() if word not in ("what",)]
    assert [word for word in expected if word.lower() not in error.lower()] == [], error
    assert sorted(tmp_path.iterdir()) == before


def test_convert_stops_without_touching_the_old_output(tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_text(GOOD + BAD)
    (tmp_path / "out.json").write_text("old")
    assert run("convert", "--input", tmp_path / "in.conllu", "--output", tmp_path / "out.json") == 2
    assert (tmp_path / "out.json").read_text() == "old"


def test_convert_skips_and_says_what_and_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spaced = GOOD.replace("Hi", "H i")
    (tmp_path / "in.conllu").write_text(GOOD + BAD + spaced + GOOD)
    out = tmp_path / "out.seg"
    assert run("convert", "--on-error", "skip", "--input", tmp_path / "in.conllu", "--output", out) == 0
    assert out.read_text() == "Hi_INTJ !_PUNCT\n" * 2
    error = capsys.readouterr().err
    assert "left out 2 sentences" in error
    assert "in.conllu:5" in error
    assert "whitespace" in error


def test_convert_may_write_the_file_it_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(GOOD * 3)
    assert run("convert", "--input", path, "--output", path) == 0
    assert path.read_text() == GOOD * 3


@pytest.mark.skipif(sys.platform == "win32", reason="needs bash and head")
def test_convert_ends_quietly_when_its_reader_has_seen_enough(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(GOOD * 20_000)
    command = f"'{sys.executable}' -m plait convert --input '{path}' --to json | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


def test_validate_accepts_a_clean_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.conllu").write_text(GOOD)
    assert run("validate", tmp_path / "a.conllu") == 0
    assert capsys.readouterr().out == f"{tmp_path}/a.conllu: 1 sentence, 2 words, no faults\n"


ROW = "{id}\t{form}\t_\tX\t_\t{feats}\t{head}\t{label}\t{deps}\t_\n"


def row(id: object, head: object = "_", form: str = "w", feats: str = "_", deps: str = "_") -> str:
    return ROW.format(id=id, form=form, feats=feats, head=head, label="_" if head == "_" else "dep", deps=deps)


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        (GOOD + "\n" + GOOD, [(4, "extra blank line")]),
        ("\n" + GOOD, [(1, "extra blank line")]),
        (GOOD + "\n\n", [(4, "extra blank line")]),
        ("# sent_id = a\n" + GOOD + "# sent_id = a\n" + GOOD, [(5, "the name is taken, by line 1")]),
        ("# text = Hi !\n" + GOOD, [(1, "forms and SpaceAfter spell '!'")]),
        ("# text = Hi!\n" + GOOD, []),
        ("# text = Hi!\n# text = Hi!\n" + GOOD, [(2, "a second text")]),
        (row(1, 0, feats="B=1|A=2") + row(2, 1, feats="x") + "\n", [(1, "not in order"), (2, "'x' is not a feature")]),
        (row(1, 0, feats="A=1|A=2") + "\n", [(1, "given twice")]),
        (row(1, 0, deps="2:x|1.1:y|0:root") + row("1.1", deps="1:x") + row(2, 1) + "\n", [(1, "not in order")]),
        (row(1, 0, deps="1.1:x") + "\n", [(1, "there is no word or empty node 1.1")]),
        (row(1, 0, deps="x") + "\n", [(1, "'x' is not a dependency")]),
        (row(1, 0, deps="1:x") + "\n", [(1, "depends on itself")]),
        (
            row("1-2", 1) + row(1, 0) + row(2, 1) + "\n",
            [(1, f"no {column} of its own") for column in ("UPOS", "HEAD", "DEPREL")],
        ),
        (row(1, 0, form=" w") + "\n", [(1, "begins or ends with a space")]),
        (BAD + GOOD + BAD, [(2, "the sentence has 2 words"), (8, "the sentence has 2 words")]),
        (GOOD + "1\t\udcff\n\n" + GOOD + "\n" + BAD, [(4, "0xFF"), (9, "extra blank"), (11, "2 words")]),
        (GOOD[:-1], [(2, "without a blank line")]),
        ("", [(1, "the file is empty")]),
    ],
)
def test_validate_finds_every_fault_at_its_line(
    content: str, faults: list[tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(content.encode(errors="surrogateescape"))
    assert run("validate", path) == (1 if faults else 0)
    *lines, _ = capsys.readouterr().out.splitlines()
    assert len(lines) == len(faults), lines
    for line, (number, words) in zip(lines, faults, strict=True):
        assert line.startswith(f"{path}:{number}: ")
        assert words in line


def test_validate_level_two_asks_for_universal_dependencies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(GOOD.replace("INTJ", "UH").replace("root", "dep"))
    assert run("validate", path) == 0
    assert run("validate", "--level", "2", path) == 1
    out = capsys.readouterr().out
    assert all(words in out for words in ("not a universal tag", "no sent_id", "no text", "root where HEAD is 0"))


def test_validate_goes_on_after_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.conllu").write_text(GOOD)
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8bnonsense")
    assert run("validate", tmp_path / "none", tmp_path, tmp_path / "b.gz", tmp_path / "a.conllu") == 2
    captured = capsys.readouterr()
    assert captured.err.count("error: ") == 3
    assert "no faults" in captured.out
