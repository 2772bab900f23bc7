"""``plait parse --nbest``: several analyses of every sentence."""

import pytest

import plait
from plait.cli.main import main


@pytest.fixture(scope="module")
def folder(tiny_file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    small = {"train": str(tiny_file), "epochs": 2}
    plait.train("transition-joint", beam=4, folds=2, tagger_epochs=1, **small).save(folder / "parser.plait")
    plait.train("crf-segmenter", structure="linear", optimizer="adagrad", **small).save(folder / "segmenter.plait")
    plait.train("perceptron-tagger", **small).save(folder / "tagger.plait")
    return folder


def test_every_sentence_has_its_analyses_best_first(folder, tiny_file, tmp_path, capsys):
    given = tmp_path / "in.conllu"
    given.write_text(
        "# sent_id = a\n1\tDogs" + "\t_" * 8 + "\n2\tbark" + "\t_" * 8 + "\n\n1\tCats" + "\t_" * 8 + "\n\n"
    )
    model = folder / "parser.plait"
    assert main(["parse", "--model", str(model), "--nbest", "3", "--input", str(given)]) == 0
    found = plait.read(capsys.readouterr().out.encode(), "conllu").sentences
    first = [s for s in found if s.forms == ["Dogs", "bark"]]
    assert [s.comment("alternative") for s in first] == ["1", "2", "3"]
    assert [s.sent_id for s in first] == ["a", "a-alternative-2", "a-alternative-3"]
    assert [s.heads for s in first] == [d[0].heads for d in plait.load(model).nbest(["Dogs", "bark"], 3)]
    scores = [float(s.comment("score")) for s in first]
    assert scores == sorted(scores, reverse=True)
    assert found[len(first) :] != []
    assert {tuple(s.forms) for s in found[len(first) :]} == {("Cats",)}


def test_raw_text_is_cut_into_words_once_unless_the_model_does_no_more(folder, capsys):
    assert main(["parse", "--model", str(folder / "parser.plait"), "--nbest", "2", "Dogs bark ."]) == 0
    assert capsys.readouterr().out.count("# alternative = ") == 2
    assert main(["parse", "--model", str(folder / "segmenter.plait"), "--nbest", "2", "Dogs bark."]) == 0
    found = plait.read(capsys.readouterr().out.encode(), "conllu").sentences
    assert {s.comment("alternative") for s in found} == {"1", "2"}


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        ("tagger.plait", ["--nbest", "2"], "does not support n-best analyses"),
        ("parser.plait", ["--nbest", "0"], "0 is not in the range"),
        ("parser.plait", ["--nbest", "2", "--scores"], "cannot be combined"),
    ],
)
def test_unsupported_combinations_are_reported(folder, model, options, words, capsys):
    assert main(["parse", "--model", str(folder / model), *options, "Dogs bark ."]) == 2
    assert words in capsys.readouterr().err
