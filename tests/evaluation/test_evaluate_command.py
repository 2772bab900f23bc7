"""``plait evaluate`` on files."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from evaluation_treebank import TREEBANK, damage, parse, spell

from plait.cli.main import main
from plait.evaluation import evaluate


@pytest.fixture
def files(tmp_path: Path) -> Path:
    gold = parse(TREEBANK)
    (tmp_path / "gold.conllu").write_text(TREEBANK, encoding="utf-8")
    other_tags = TREEBANK.replace("\tNOUN\t", "\tVERB\t")
    (tmp_path / "tags.conllu").write_text(other_tags, encoding="utf-8")
    (tmp_path / "labels.conllu").write_text(TREEBANK.replace("\tobj\t", "\tobl\t"), encoding="utf-8")
    (tmp_path / "raw.conllu").write_text(spell(damage(gold, Random(2), 0.3)), encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["evaluate", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_text_is_a_table_of_what_applies(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, files / "gold.conllu", files / "labels.conllu")
    assert (code, err) == (0, "")
    assert "UPOS            100.00\n" in out
    assert "chunks" not in out


def test_json_is_what_python_gives(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tags", "raw"):
        arguments = ["--json", "--no-punct", "--train", files / "labels.conllu"]
        code, out, _ = run(capsys, files / "gold.conllu", files / f"{name}.conllu", *arguments)
        expected = evaluate(
            files / "gold.conllu", files / f"{name}.conllu", punct=False, train=files / "labels.conllu"
        ).to_dict()
        assert code == 0
        assert json.loads(out) == expected
        assert ("conll18" in expected) == (name == "raw")


def test_against_prints_both_systems_tests_and_error_patterns(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [files / "gold.conllu", files / "labels.conllu", "--against", files / "tags.conllu", "--by", "tag"]
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert all(part in out for part in ("labels.conllu", "p McNemar", "NOUN → VERB", "obj → obl", "F1 A", "By tag"))
    code, out, _ = run(capsys, *arguments, "--json", "--seed", 3)
    record = json.loads(out)
    assert record["upos"] == 100
    assert record["against"]["las"] == 100
    assert record["comparison"]["measures"]["upos"]["difference"] == 100 - record["against"]["upos"]
    assert record["by"]["tag"][0]["f1"] == 100
    assert record["against"]["by"]["tag"]


def test_pictures_of_everything_gold_allows(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    code, _, err = run(capsys, files / "gold.conllu", files / "tags.conllu", "--plot", files / "new" / "plots")
    assert (code, err) == (0, "")
    names = {"length", "sentence", "tag", "label", "errors-upos"}
    assert {path.name for path in (files / "new" / "plots").iterdir()} == {
        f"{name}.{suffix}" for name in names for suffix in ("png", "svg")
    }


def test_chunk_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold").write_text("He PRP B-NP\nruns VBZ B-VP\n\nGo VB B-VP\n\n", encoding="utf-8")
    (tmp_path / "predicted").write_text("He PRP B-NP\nruns VBZ I-NP\n\nGo VB B-VP\n\n", encoding="utf-8")
    code, out, _ = run(capsys, tmp_path / "gold", tmp_path / "predicted", "--from", "conll2000", "--json")
    record = json.loads(out)
    assert code == 0
    assert (record["chunk_precision"], record["chunk_f1"]) == (50, 40)
    assert record["chunk_recall"] == pytest.approx(100 / 3)
    arguments = [tmp_path / "gold", tmp_path / "predicted", "--from", "conll2000"]
    code, out, _ = run(capsys, *arguments, "--against", tmp_path / "gold")
    assert code == 0
    assert "chunks, F1" in out


def test_segmented_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold.seg").write_text("中国_NR 对_P 外_NN 开放_VV\n", encoding="utf-8")
    (tmp_path / "predicted.seg").write_text("中国_NR 对外_AD 开放_VV\n", encoding="utf-8")
    (tmp_path / "train.seg").write_text("中国_NR 外_NN\n", encoding="utf-8")
    code, out, _ = run(
        capsys, tmp_path / "gold.seg", tmp_path / "predicted.seg", "--json", "--train", tmp_path / "train.seg"
    )
    record = json.loads(out)
    assert code == 0
    assert record["seg_f1"] == record["seg_upos_f1"] == pytest.approx(400 / 7)
    assert record["oov_recall"] == 50
    assert "uas" not in record


@pytest.mark.parametrize(
    ("predicted", "options", "told"),
    [
        ("other.conllu", [], ["gold.conllu has", "cats.", "other.conllu has", "dogs.", "sentence 1"]),
        ("empty.conllu", [], ["empty.conllu"]),
        ("absent.conllu", [], ["absent.conllu"]),
        ("tags.conllu", ["--by", "colour"], ["colour", "length"]),
        ("tags.conllu", ["--from", "conlu"], ["conlu", "did you mean 'conllu'"]),
        ("tags.conllu", ["--against", "absent"], ["absent"]),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    files: Path, capsys: pytest.CaptureFixture[str], predicted: str, options: list[str], told: list[str]
) -> None:
    (files / "other.conllu").write_text(TREEBANK.replace("cats", "dogs"), encoding="utf-8")
    (files / "empty.conllu").write_text("", encoding="utf-8")
    code, out, err = run(capsys, files / "gold.conllu", files / predicted, *options)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert all(part in err for part in told)
