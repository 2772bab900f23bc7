"""The tagger inside a parser: jackknifed, stored in the parser's file, opened by name."""

import dataclasses

import numpy as np
import pytest

import plait
from plait.data.document import Sentence
from plait.errors import ModelError
from plait.learn.task import TrainingTask
from plait.options import make_options
from plait.transition.options import TransitionJointOptions
from plait.trees.inner_tagger import TAGGERS, open_tagger, tagger_parts
from plait.trees.morphology import KEEP
from plait.trees.training.inner_tagger import (
    fit_tagger,
    jackknifed_candidates,
    jackknifed_numbers,
    jackknifed_probabilities,
    tagger_options,
)

DATA = [
    Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]),
    Sentence(["cats", "see", "dogs"], upos=["NOUN", "VERB", "NOUN"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"]),
    Sentence(["we", "bark"], upos=["PRON", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]),
    Sentence(["cats", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]),
]
TASK = TrainingTask(DATA)
PARSER = TransitionJointOptions(tagger_epochs=3)


@pytest.fixture(scope="module", params=TAGGERS.values())
def tagger(request):
    return fit_tagger(request.param, TASK, tagger_options(request.param, PARSER))


def test_a_tagger_offers_what_parsers_ask_for(tagger):
    forms = DATA[1].forms
    p = tagger.tag_probabilities(forms)
    assert p.shape == (3, len(tagger.tags))
    assert p.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert tagger.columns.columns == ("upos",)
    assert tagger.tag_numbers(forms).dtype == np.uint16
    assert [tagger.tags[t] for t in tagger.tag_numbers(forms)] == DATA[1].upos
    assert tagger.tag_numbers([]).tolist() == []
    assert tagger.resources.clusters is None


def test_a_fold_is_tagged_by_a_tagger_that_has_not_seen_it(tagger):
    numbers = jackknifed_numbers(TASK, DATA, tagger, 2)
    assert [len(row) for row in numbers] == [2, 3, 2, 2]
    pron = tagger.tags.index("PRON")
    assert all(pron not in row for row in (numbers[0], numbers[2]))  # of the fold with PRON, which the other has not
    other = fit_tagger(tagger.name, dataclasses.replace(TASK, train=DATA[1::2]), tagger.options)
    assert [tagger.tags[t] for t in numbers[0]] == [other.tags[t] for t in other.tag_numbers(DATA[0].forms)]


def test_probabilities_of_folds_stand_under_the_tags_of_the_whole(tagger):
    found = jackknifed_probabilities(TASK, DATA, tagger, 2)
    ranked = jackknifed_candidates(TASK, DATA, tagger, 2)
    pron = tagger.tags.index("PRON")
    for p, tags in zip(found, ranked, strict=True):
        assert p.shape[1] == len(tagger.tags)
        assert p.sum(axis=1) == pytest.approx(np.ones(len(p)), abs=1e-5)
        assert p.argmax(axis=1).tolist() == tags.tags[:, 0].tolist()
    assert all((found[i][:, pron] == 0).all() for i in (0, 2))


def test_only_probabilities_are_calibrated():
    perceptron = fit_tagger("perceptron-tagger", TASK, tagger_options("perceptron-tagger", PARSER))
    jackknifed_numbers(TASK, DATA, perceptron, 2)
    assert perceptron.temperature == 1.0
    jackknifed_candidates(TASK, DATA, perceptron, 2)
    assert perceptron.temperature != 1.0


@pytest.mark.parametrize("jackknifed", [jackknifed_numbers, jackknifed_probabilities, jackknifed_candidates])
def test_a_fold_without_tags_has_none_to_give(tagger, jackknifed):
    data = [s.copy() for s in DATA]
    for i, sentence in enumerate(data):
        sentence.xpos = ["N"] * len(sentence) if i % 2 else ["_"] * len(sentence)
    task, options = TrainingTask(data), dataclasses.replace(tagger.options, tag="xpos")
    whole = fit_tagger(tagger.name, task, options)
    found = jackknifed(task, data, whole, 2)
    best = {
        jackknifed_numbers: lambda x: x,
        jackknifed_probabilities: lambda x: x.argmax(axis=1),
        jackknifed_candidates: lambda x: x.tags[:, 0],
    }[jackknifed]
    assert {whole.tags[t] for t in best(found[1])} == {"_"}
    assert {whole.tags[t] for t in best(found[0])} == {"N"}


def test_a_tagger_comes_back_from_the_file_of_its_parser(tagger):
    header, arrays = tagger_parts("tagger", tagger)
    named = tagger.name not in ("crf-tagger", "perceptron-tagger")  # their files never named them
    assert header["tagger"].get("system") == (tagger.name if named else None)
    again = open_tagger("tagger", header, arrays)
    assert type(again) is type(tagger)
    for sentence in DATA:
        assert np.abs(again.tag_probabilities(sentence.forms) - tagger.tag_probabilities(sentence.forms)).max() < 1e-6


def test_a_parser_may_have_a_further_tagger():
    further = fit_tagger("easyfirst-tagger", TASK, tagger_options("easyfirst-tagger", PARSER))
    header, arrays = tagger_parts("tagger", further)
    with pytest.raises(ValueError, match="'easyfirst-tagger' cannot be the internal tagger"):
        open_tagger("tagger", header, arrays)  # it has no probabilities
    assert open_tagger("tagger", header, arrays, "easyfirst-tagger").tag_numbers(DATA[0].forms).tolist() == [0, 2]


@pytest.mark.parametrize("kind", TAGGERS)
def test_every_tagger_serves_a_parser(kind, tmp_path):
    options = {"epochs": 5, "beam": 2, "folds": 2, "tag": "upos+feats", "tagger": kind, "word_dropout": 0.0}
    data = [s.copy() for s in DATA]
    for sentence in data:  # a tagger that puts features in order would not know such tags again
        sentence.feats = ["pl|nom" if tag == "NOUN" else "_" for tag in sentence.upos]
    plait.train("transition-joint", train=data * 3, **options).save(tmp_path / "m.plait")
    model = plait.load(tmp_path / "m.plait")
    assert model.system.tagger.name == TAGGERS[kind]
    assert "NOUN\tpl|nom" in model.system.tagger.tags
    found = model(plait.Document([s.bare() for s in data]))
    assert [s.heads for s in found] == [s.heads for s in data]


@pytest.mark.parametrize("kind", ["easyfirst", *TAGGERS])
def test_every_tagger_serves_an_easy_first_parser(kind, tmp_path):
    data = [s.copy() for s in DATA]
    plait.train("easyfirst-parser", train=data * 3, tagger=kind, epochs=5, folds=2).save(tmp_path / "m.plait")
    model = plait.load(tmp_path / "m.plait")
    assert model.system.tagger.name == {"easyfirst": "easyfirst-tagger", **TAGGERS}[kind]
    found = model(plait.Document([s.bare() for s in data]))
    assert [s.heads for s in found] == [s.heads for s in data]
    assert [s.upos for s in found] == [s.upos for s in data]
    header, _ = model.system.parts()
    assert header["tagger"].get("system") == ("morph-tagger" if kind == "morph" else None)  # older files name no others
    given = data[0].bare()
    given.upos[0] = "X"  # a tag that was never seen
    model.system.annotate_with(given, KEEP)
    assert given.upos[0] == "X"


def test_an_easy_first_parser_whose_file_does_not_name_its_tagger():
    """When the files were made, there was no other than the easy-first tagger."""
    made = plait.train("easyfirst-parser", train=DATA * 3, tagger="easyfirst", epochs=5, tag_dictionary=5).system
    header, arrays = made.parts()
    values = {name: value for name, value in dataclasses.asdict(made.options).items() if not name.startswith("tagger")}
    again = type(made).from_parts(make_options(made.Options, values, made.name), header, arrays)
    assert again.options.tagger == "easyfirst"
    assert again.options.tag_dictionary == 5
    found = [s.bare() for s in DATA]
    again.annotate_each(found)
    assert [s.heads for s in found] == [s.heads for s in DATA]


@pytest.mark.parametrize("system", ["pipeline", "graph-parser", "", 3, None, ["crf-tagger"]])
def test_a_file_that_names_another_system_as_its_tagger_is_refused(system):
    model = plait.train("transition-parser", train=DATA, epochs=1, beam=2, folds=2, tagger_epochs=1)
    header, arrays = model.system.parts()
    header["tagger"]["system"] = system
    with pytest.raises(ModelError, match="damaged"):
        type(model.system).from_parts(model.system.options, header, arrays)


def test_the_options_of_the_parser_reach_its_tagger():
    parser = TransitionJointOptions(
        tagger_epochs=4, tag="xpos", tagger_templates="collins", bits=32, prune=False, slack=0.3
    )
    crf, perceptron = (tagger_options(name, parser) for name in ("crf-tagger", "perceptron-tagger"))
    for options in (crf, perceptron):
        assert (options.epochs, options.tag, options.templates, options.bits) == (4, "xpos", "collins", 32)
    assert (perceptron.prune, perceptron.slack) == (False, 0.3)
    assert crf.optimizer == "adagrad"
    assert tagger_options("crf-tagger", parser, epochs=9, bits=8).epochs == 9
