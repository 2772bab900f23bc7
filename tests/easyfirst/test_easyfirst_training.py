"""Easy-first training as the online loop sees it: retries end, rates hold, options without effect are refused."""

import dataclasses

import numpy as np
import pytest

from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.easyfirst.features import Features
from plait.easyfirst.lexicon import TagLexicon
from plait.easyfirst.options import EasyFirstJointOptions, EasyFirstParserOptions, EasyFirstTaggerOptions
from plait.easyfirst.system import TAGS, make_decoder
from plait.easyfirst.training import model as training
from plait.easyfirst.training.model import EasyFirstInTraining, Example
from plait.easyfirst.training.systems import easy_first_tagger_options as inner_options
from plait.errors import OptionError
from plait.features.templates import load_templates
from plait.learn.learners import apply_update, perceptron_steps
from plait.pipeline import train

FORMS = ["a", "b", "c", "d"]
GOLD = [0, 1, 2, 1]


def tagger_in_training(**options) -> tuple[EasyFirstInTraining, Example]:
    features = Features(load_templates("OP", "easyfirst-tagging"))
    lexicon = TagLexicon.build(["X", "Y", "Z"], [(FORMS, GOLD)], 20)
    model = EasyFirstInTraining(
        lambda tables: make_decoder(features, tables, lexicon, None, EasyFirstTaggerOptions()),
        {TAGS: Weights(3)},
        EasyFirstTaggerOptions(**options),
    )
    atoms = features.reader(lexicon.affixes).atoms(FORMS)
    return model, Example(atoms, tags=np.array(GOLD, dtype=np.uint16))


@pytest.mark.parametrize(("most", "wrong"), [(1, 3), (3, 9), (50, 150)])
def test_a_step_is_tried_again_so_often_and_then_left(monkeypatch, most, wrong):
    """No update is applied, so that no retry helps: all words but the one of the first tag are wrong for ever."""
    if most == 50:
        assert most == training.RETRIES
    monkeypatch.setattr(training, "RETRIES", most)
    model, example = tagger_in_training()
    assert len(list(model.violations(example))) == wrong


def test_retries_that_help_end_before():
    model, example = tagger_in_training()
    passes = []
    while model.violation(example) is not None and len(passes) < 10:
        passes.append(0)
        for violation in model.violations(example):
            apply_update(perceptron_steps, model.tables, violation)
            passes[-1] += 1
    assert model.violation(example) is None
    assert 0 < max(passes) < 50


@pytest.mark.parametrize(("after_error", "count"), [("stop", 1), ("continue", 1)])
def test_without_retries_there_is_one_update(after_error, count):
    model, example = tagger_in_training(after_error=after_error)
    assert len(list(model.violations(example))) == count


def test_the_rate_of_a_group_scales_its_step():
    plain, example = tagger_in_training()
    slow, _ = tagger_in_training()
    slow.rates = {TAGS: 0.25}
    for model in (plain, slow):
        violation = model.violation(example)
        apply_update(perceptron_steps, model.tables, violation)
    keys = np.array(sorted({key for key, _, _ in violation.delta[TAGS].items()}), dtype=np.uint64)
    whole, quarter = (model.tables[TAGS].scores(keys) for model in (plain, slow))
    assert np.abs(whole).sum() > 0
    assert (0.25 * whole == quarter).all()


@pytest.mark.parametrize(
    ("options", "greedy"),
    [
        ({}, 12), ({"beam": 8}, 4), ({"beam": 8, "epochs": 6}, 2), ({"beam": 8, "warmup": 0}, 0),
        ({"beam": 8, "warmup": 3}, 3), ({"beam": 2, "epochs": 1}, 0), ({"warmup": 0}, 12), ({"warmup": -1}, 12),
    ],
)  # fmt: skip
def test_a_third_of_the_epochs_of_a_beam_is_greedy_by_default(options, greedy):
    made = EasyFirstTaggerOptions(**options)
    assert made.greedy_epochs() == greedy
    model, _ = tagger_in_training(**options)
    beams = []
    for epoch in range(1, made.epochs + 1):
        model.begin_epoch(epoch)
        beams.append(model.beam)
    assert beams == [1] * greedy + [made.beam] * (made.epochs - greedy)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"warmup": 3}, "without a beam"),
        ({"beam": 4, "warmup": 12}, "none for beam training"),
        ({"beam": 4, "warmup": 0, "after_error": "stop"}, "greedy epochs"),
        ({"beam": 2, "epochs": 2, "after_error": "stop"}, "greedy epochs"),
    ],
)
@pytest.mark.parametrize("system", ["easyfirst-tagger", "easyfirst-parser", "easyfirst-joint"])
def test_options_that_would_do_nothing_are_refused(system, options, words):
    data = [Sentence(["a", "b"], upos=["X", "Y"], heads=[2, 0], deprels=["dep", "root"])]
    with pytest.raises(OptionError, match=words):
        train(system, train=data, **options)


def test_the_three_systems_agree_in_what_they_share():
    kinds = (EasyFirstTaggerOptions, EasyFirstParserOptions, EasyFirstJointOptions)
    assert {(kind().epochs, kind().tag_dictionary, kind().warmup) for kind in kinds} == {(12, 20, -1)}


@pytest.mark.parametrize(
    ("options", "step"),
    [({}, 0.2), ({"beam": 8}, 1.0), ({"tag_step": 0.5}, 0.5), ({"tag_step": 0.5, "beam": 8}, 0.5)],
)
def test_the_step_of_tags_follows_the_beam_by_default(options, step, monkeypatch):
    seen = []
    real = EasyFirstInTraining.__init__

    def spy(self, *arguments, **more):
        real(self, *arguments, **more)
        seen.append(self.rates)

    monkeypatch.setattr(EasyFirstInTraining, "__init__", spy)
    data = [Sentence(["a", "b"], upos=["X", "Y"], heads=[2, 0], deprels=["dep", "root"])]
    train("easyfirst-joint", train=data, epochs=3, **options)
    assert seen == [{TAGS: step}]


def test_the_tagger_inside_is_stored_as_the_parser_is():
    options = EasyFirstParserOptions(prune=False, bits=32, slack=0.5, after_error="stop")
    inner = inner_options(options)
    for name in ("prune", "bits", "slack", "after_error", "tag_dictionary"):
        assert getattr(inner, name) == getattr(options, name), name
    assert dataclasses.asdict(inner)["epochs"] == options.tagger_epochs
