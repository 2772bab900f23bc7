"""FEATS in any shape: learnt, and reported with file and line."""

import pytest

import plait
from plait.cli.main import main

GOOD = "1\tder\t_\tDET\t_\tCase=Nom\t0\troot\t_\t_\n\n"


def treebank(tmp_path, *feats):
    path = tmp_path / "train.conllu"
    rows = "".join(f"1\tw{k}\t_\tNOUN\t_\t{value}\t0\troot\t_\t_\n\n" for k, value in enumerate(feats))
    path.write_text(GOOD + rows, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("feats", "words"),
    [
        ("nom", '"nom" is not Name=Value'),
        ("Case=Nom|", '"" is not Name=Value'),
        ("Case=", '"Case=" is not Name=Value'),
        ("Case=Nom|Case=Acc", "Case is given twice"),
    ],
)
def test_the_place_of_a_fault_is_told(tmp_path, caplog, feats, words):
    path = treebank(tmp_path, "Case=Acc", feats)
    model = plait.train("morph-tagger", train=path, epochs=2)
    assert f"{path}:5: FEATS is" in caplog.text
    assert words in caplog.text
    assert len(model(["w1"])[0].feats) == 1


def test_sound_and_unsorted_feats_are_no_fault(tmp_path, caplog):
    plait.train("morph-tagger", train=treebank(tmp_path, "Number=Sing|Case=Nom", "_"), epochs=1)
    assert not caplog.text


def test_many_faults_are_counted(tmp_path, caplog):
    plait.train("morph-tagger", train=[treebank(tmp_path, *"abcdef")], epochs=1)
    assert caplog.text.count("FEATS is") == 3
    assert "6 words have such FEATS, 6 different ones" in caplog.text


def test_a_parser_with_folds_tells_a_fault_once(caplog):
    words = {"upos": ["X", "Y"], "heads": [2, 0], "deprels": ["a", "root"]}
    data = [plait.Sentence(["a", "b"], feats=["odd", "Case=Nom"], **words) for _ in range(6)]
    plait.train("transition-joint", train=data, morphology="on", beam=2, epochs=1, folds=3)
    assert caplog.text.count("FEATS is") == 1


def test_faults_of_data_without_a_file_are_told_too(caplog):
    plait.train("morph-tagger", train=[plait.Sentence(["a"], upos=["X"], feats=["b"])], epochs=1)
    assert 'FEATS is "b" in the training data' in caplog.text


def test_the_command_trains_and_tags(tmp_path, capsys):
    path = treebank(tmp_path, "Case=Acc", "x")
    model = tmp_path / "m.plait"
    assert main(["train", "morph-tagger", "--train", str(path), "-o", str(model), "--epochs", "3"]) == 0
    assert f"{path}:5: FEATS" in capsys.readouterr().err
    assert main(["parse", "--model", str(model), "der w0", "--from", "lines"]) == 0
    assert "Case=Nom" in capsys.readouterr().out
