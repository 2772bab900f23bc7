"""The CRF systems on the command line."""

from __future__ import annotations

import json

import pytest

from plait.cli.main import main

TEXT = "我_PRON 爱_VERB 北京_PROPN 天安门_PROPN 。_PUNCT\n他_PRON 在_ADP 北京_PROPN 工作_VERB 。_PUNCT\n"
CHUNKS = "He PRP B-NP\nreckons VBZ B-VP\nit PRP B-NP\n. . O\n\nDogs NNS B-NP\nbark VBP B-VP\n. . O\n\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crf")
    (folder / "train.txt").write_text(TEXT * 2, encoding="utf-8")
    arguments = ["train", "crf-segmenter", "--train", str(folder / "train.txt"), "--from", "segmented"]
    arguments += ["--output", str(folder / "zh.plait"), "--no-sentences", "--sigma", "10", "--structure", "hybrid"]
    assert main(arguments) == 0
    return folder / "zh.plait"


def test_raw_text_becomes_words_and_tags(model, capsys):
    assert main(["parse", "--model", str(model), "我爱北京天安门。", "--to", "segmented"]) == 0
    assert capsys.readouterr().out == TEXT.split("\n")[0] + "\n"


def test_a_dictionary_binds_and_scores_are_written(model, capsys, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("爱北京\tVERB\n", encoding="utf-8")
    arguments = ["parse", "--model", str(model), "我爱北京。", "--to", "json", "--scores", "--dictionary", str(words)]
    assert main(arguments) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["forms"] == ["我", "爱北京", "。"]
    assert record["upos"][1] == "VERB"
    assert len(record["scores"]) == 3


def test_info_shows_the_iterations(model, capsys):
    assert main(["info", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "objective" in shown
    assert "c0=北" in shown
    assert main(["info", str(model), "--label", "PUNCT"]) == 0
    assert "c0=。" in capsys.readouterr().out


def test_chunker_reads_and_writes_conll2000(tmp_path, capsys):
    data = tmp_path / "train.txt"
    data.write_text(CHUNKS * 2, encoding="utf-8")
    output = tmp_path / "chunks.plait"
    arguments = ["train", "crf-chunker", "--train", str(data), "--from", "conll2000", "--output", str(output)]
    assert main([*arguments, "--sigma", "10"]) == 0
    assert "iteration" in capsys.readouterr().err
    parse = ["parse", "--model", str(output), "--input", str(data), "--from", "conll2000", "--to", "conll2000"]
    assert main(parse) == 0
    assert capsys.readouterr().out == CHUNKS * 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--structure", "hybird"], "hybrid"),
        (["--sigma", "0"], "sigma"),
        (["--templates", "no-such"], "qian2010-joint"),
        (["--tag", "xpos"], "linear"),
    ],
)
def test_wrong_options_are_explained(tmp_path, capsys, arguments, words):
    (tmp_path / "train.txt").write_text(TEXT, encoding="utf-8")
    start = ["train", "crf-segmenter", "--train", str(tmp_path / "train.txt"), "--from", "segmented", "-o"]
    assert main([*start, str(tmp_path / "m.plait"), *arguments]) == 2
    assert words in capsys.readouterr().err
