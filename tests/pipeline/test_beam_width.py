"""Another beam width than the one of training: in models, pipelines, committees and on the command line."""

import pickle

import pytest

import plait
from plait.cli.main import main
from plait.errors import OptionError
from plait.pipeline.combining import vote

WORDS = ["the", "old", "man", "reads", "a", "book", "in", "the", "garden"]


@pytest.fixture(scope="module")
def models(tiny_file):
    sentences = plait.read(tiny_file).sentences[:20]
    return {
        system: plait.train(system, train=sentences, **{"beam": 8, "epochs": 1, "seed": 1} | options)
        for system, options in {
            "transition-joint": {"beam_tags": 0},
            "easyfirst-joint": {},
            "easyfirst-tagger": {},
        }.items()
    }


def analyses(model, count=64):
    return [(d[0].upos, d[0].heads, d[0].deprels, d[0].score) for d in model.nbest(WORDS, count)]


@pytest.mark.parametrize("system", ["transition-joint", "easyfirst-joint", "easyfirst-tagger"])
def test_the_beam_holds_as_many_analyses_as_it_is_wide(models, system):
    model = models[system]
    assert len(analyses(model)) <= 8 < len(analyses(model.with_beam(32)))
    assert len(analyses(model.with_beam(2))) == 2
    assert model.system.options.beam == 8  # the model itself stays as it is


@pytest.mark.parametrize("system", ["transition-joint", "easyfirst-joint", "easyfirst-tagger"])
def test_it_is_the_search_of_a_model_stored_with_that_width(models, system, tmp_path):
    """Its file says the width; pickling, which sends it to other processes, keeps it."""
    model = models[system].with_beam(32)
    model.save(tmp_path / "wide.plait")
    stored = plait.load(tmp_path / "wide.plait")
    assert stored.system.options.beam == stored.header["options"]["beam"] == 32
    assert analyses(stored) == analyses(model) == analyses(pickle.loads(pickle.dumps(model)))
    assert stored.with_beam(8).to_bytes() == models[system].to_bytes()


def test_the_widest_beam_finds_the_best_analysis(models):
    model = models["transition-joint"].with_beam(4096)
    best = analyses(model, 1)[0][-1]
    assert all(best >= analyses(model.with_beam(width), 1)[0][-1] for width in (1, 2, 4, 8, 16, 64))


def test_the_parser_of_a_pipeline_and_members_of_a_committee_get_it(models, tiny_file, tmp_path):
    sentences = plait.read(tiny_file).sentences[:20]
    options = {"parser": "transition-parser", "parser_options": "beam=2 epochs=1", "segmenter_options": "epochs=1"}
    pipeline = plait.train("pipeline", train=sentences, seed=1, **options).with_beam(16)
    assert pipeline.system.parser.options.beam == 16
    assert "beam=16" in pipeline.header["options"]["parser_options"]
    assert pipeline.system.parser is pipeline.system._on_words[-2]  # the one in use; lemmas come after it
    pipeline.save(tmp_path / "pipeline.plait")
    assert plait.load(tmp_path / "pipeline.plait").system.parser.options.beam == 16

    graph = plait.train("graph-joint", train=sentences, epochs=1, seed=1)
    committee = vote([models["transition-joint"], graph, models["easyfirst-joint"]])
    wider = committee.with_beam(3)
    assert [getattr(m.options, "beam", None) for m in wider.system.members] == [3, None, 3]
    assert wider.header["options"] == vote(
        [models["transition-joint"].with_beam(3), graph, models["easyfirst-joint"].with_beam(3)]
    ).header["options"]  # fmt: skip
    with pytest.raises(OptionError, match="committee does not search with a beam"):
        vote([graph, graph]).with_beam(3)


@pytest.mark.parametrize("width", [0, -1, 10**9, "wide"])
def test_impossible_widths_are_refused(models, width):
    with pytest.raises(OptionError, match="beam"):
        models["transition-joint"].with_beam(width)


def test_on_the_command_line(models, tiny_file, tmp_path, capsys):
    path = tmp_path / "m.plait"
    models["transition-joint"].save(path)
    text = " ".join(WORDS)
    assert main(["parse", "--model", str(path), "--beam", "32", "--nbest", "64", text]) == 0
    assert capsys.readouterr().out.count("# alternative = ") == len(analyses(models["transition-joint"].with_beam(32)))
    assert plait.load(path, beam=5).system.options.beam == 5

    assert main(["parse", "--model", str(path), "--beam", "0", text]) == 2
    assert main(["parse", "--model", str(path), "--beam", "1000000", text]) == 2
    assert "option beam is 1000000; expected 1 to 4096" in capsys.readouterr().err
    plait.train("perceptron-tagger", train=tiny_file, epochs=1).save(path)
    assert main(["parse", "--model", str(path), "--beam", "4", text]) == 2
    assert "perceptron-tagger does not search with a beam; remove --beam" in capsys.readouterr().err
