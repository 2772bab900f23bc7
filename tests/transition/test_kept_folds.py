"""The benchmark keeps jackknifed tags between its runs: only for runs whose taggers are made in the same way."""

import importlib.util
import sys
from pathlib import Path

import pytest

from plait.chain.options import CrfTaggerOptions, PerceptronTaggerOptions
from plait.chain.training.crf_tagger import fit_crf_tagger
from plait.chain.training.perceptron_tagger import fit_perceptron_tagger
from plait.data.document import Sentence
from plait.learn.task import TrainingTask

FOLDER = Path(__file__).parents[2] / "benchmarks" / "transition"
TRAIN = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"]), Sentence(["old", "dogs"], upos=["ADJ", "NOUN"])]


@pytest.fixture(scope="module")
def recipe():
    if not FOLDER.is_dir():
        pytest.skip("the benchmarks are not part of this installation")
    sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location("transition_accuracy", FOLDER / "accuracy.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(FOLDER))
    return module.recipe


def crf(train=TRAIN, seed=1, **options):
    chosen = CrfTaggerOptions(**({"optimizer": "adagrad", "epochs": 2, "templates": "general"} | options))
    return fit_crf_tagger(TrainingTask(train, seed=seed), chosen)


def test_only_the_same_recipe_has_the_same_name(recipe, tmp_path):
    clusters = tmp_path / "c.txt"
    clusters.write_text("00\tdogs\t2\n01\tbark\t1\n")
    names = [
        recipe(crf(), 5),
        recipe(crf(), 10),
        recipe(crf(epochs=3), 5),
        recipe(crf(templates="qian2010-tag"), 5),
        recipe(crf(clusters=str(clusters)), 5),
        recipe(crf(train=[*TRAIN, Sentence(["bark"], upos=["NOUN"])]), 5),
        recipe(fit_perceptron_tagger(TrainingTask(TRAIN), PerceptronTaggerOptions(epochs=1)), 5),
    ]
    assert len(set(names)) == len(names)
    assert recipe(crf(), 5) == names[0]
    clusters.write_text("11\tdogs\t2\n01\tbark\t1\n")  # the same path, other clusters
    assert recipe(crf(clusters=str(clusters)), 5) not in names
