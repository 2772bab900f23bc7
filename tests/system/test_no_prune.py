"""``--no-prune`` and ``--bits 32`` reach every tagger inside another model, and every part of a pipeline."""

import pytest

import plait
from plait import Sentence
from plait.easyfirst.options import EasyFirstJointOptions, EasyFirstParserOptions
from plait.easyfirst.training.systems import easy_first_tagger_options as easyfirst_tagger
from plait.easyfirst.training.systems import guide_options
from plait.graph.options import GraphParserOptions
from plait.graph.training.first_order import tagger_inside as graph_tagger
from plait.learn.task import TrainingTask
from plait.morphology.options import MorphOptions
from plait.pipeline.fitting import fit_pipeline
from plait.pipeline.system import PipelineOptions
from plait.transition.options import TransitionJointOptions
from plait.transition.training.systems import tagger_inside

UPOS, FEATS, DEPRELS = ["NOUN", "VERB"], ["Number=Plur", "_"], ["nsubj", "root"]
DATA = [Sentence(["dogs", "bark"], upos=UPOS, feats=FEATS, heads=[2, 0], deprels=DEPRELS)] * 3


@pytest.mark.parametrize("prune", [True, False])
def test_the_taggers_of_easy_first_models_prune_as_the_model_does(prune):
    parser = easyfirst_tagger(EasyFirstParserOptions(prune=prune, slack=0.3, bits=32))
    guide = guide_options(EasyFirstJointOptions(prune=prune, slack=0.3, bits=32))
    for inner in (parser, guide):
        assert (inner.prune, inner.slack, inner.bits) == (prune, 0.3, 32)


@pytest.mark.parametrize("prune", [True, False])
def test_the_taggers_of_transition_models_prune_as_the_model_does(prune):
    def transition_tagger(options):
        return tagger_inside(options)[1]

    perceptron = transition_tagger(TransitionJointOptions(tagger="perceptron", prune=prune, slack=0.3, bits=32))
    assert (perceptron.prune, perceptron.slack, perceptron.bits) == (prune, 0.3, 32)
    morph = transition_tagger(TransitionJointOptions(prune=prune, slack=0.3, bits=32))
    assert (type(morph).__name__, morph.prune, morph.slack, morph.bits) == ("MorphOptions", prune, 0.3, 32)
    crf = transition_tagger(TransitionJointOptions(tagger="crf", tagger_lasso=0.1, prune=prune))
    assert (crf.prune_below, crf.bits) == ((0.05, 8) if prune else (0.0, 16))
    assert transition_tagger(TransitionJointOptions(tagger="crf", bits=32)).bits == 32
    assert transition_tagger(TransitionJointOptions(tagger="crf", bits=8)).bits == 16


@pytest.mark.parametrize("prune", [True, False])
def test_the_tagger_of_morphology_prunes_as_the_model_does(prune):
    options = {"morphology": "on", "epochs": 1, "tagger_epochs": 1, "folds": 2, "prune": prune}
    data = [sentence.copy() for sentence in DATA]
    for sentence in data:
        sentence.lemmas = ["dog", "bark"]
    model = plait.train("transition-joint", train=data, **options)
    assert model.system.tagger.options.prune == model.system.morphology.lemmatizer.options.prune == prune


def test_the_tagger_of_graph_models_has_all_bits_that_are_asked_for():
    def of(**options):
        return graph_tagger(GraphParserOptions(**options))[1]

    assert [of(tagger="crf", bits=bits).bits for bits in (0, 8, 32)] == [16, 16, 32]
    assert of(bits=32, tagger_megabytes=2.5).megabytes == 2.5
    assert of(bits=32).bits == 32
    assert of().bits == MorphOptions().bits


@pytest.mark.parametrize("prune", [True, False])
def test_the_parts_of_a_pipeline_drop_nothing_when_it_may_not(prune):
    options = PipelineOptions(
        segmenter_options="structure=linear optimizer=adagrad epochs=1 prune_below=0.01",
        parser_options="epochs=1",
        tagger="perceptron-tagger",
        tagger_options="tag=feats epochs=1",
        prune=prune,
    )
    parts = fit_pipeline(TrainingTask(DATA), options)
    assert parts.parser.options.prune == prune
    assert parts.tagger.options.prune == prune
    assert parts.segmenter.options.prune_below == (0.01 if prune else 0.0)


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("name", ["transition-parser", "graph-parser"])
def test_a_guide_prunes_as_the_model_does(name, prune):
    options = {"folds": 2, "guide_folds": 2, "tagger_epochs": 1, "epochs": 1, "morphology": "off"}
    model = plait.train(name, train=DATA, guide="easyfirst-parser epochs=1 folds=2", prune=prune, **options)
    assert model.system.guide.system.options.prune == prune


@pytest.mark.parametrize("prune", [True, False])
def test_the_segmenter_of_a_woven_model_drops_nothing_when_the_model_may_not(prune):
    segmenter = "structure=linear optimizer=adagrad epochs=1 prune_below=0.01"
    options = {"folds": 2, "tagger_epochs": 1, "epochs": 1, "morphology": "off", "segmenter_options": segmenter}
    model = plait.train("transition-weave", train=DATA, prune=prune, **options)
    assert model.system.segmenter.options.prune_below == (0.01 if prune else 0.0)
