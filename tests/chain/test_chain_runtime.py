"""Using a chain model imports nothing that trains one: neither ``plait.learn`` nor a training module."""

import subprocess
import sys

import pytest
from chain_data import STRUCTURES, chunked, sentences

import plait

# a model that is asked for everything it can do; in the end the modules that training alone should need
ASK = """
import sys
import plait
from plait.data.document import Sentence
from plait.system.request import Request

model = plait.load(sys.argv[1])
kind, system = sys.argv[2], model.system
sentence = Sentence(["我", "爱", "工作"])
if kind == "crf-segmenter":
    assert system.segment("我爱工作。他在上海", Request(scores=True))
    assert system.alternatives_of("我爱工作", 3)
if kind == "crf-chunker":
    sentence.xpos = ["PRP", "VBZ", "NN"]
if kind != "perceptron-tagger":
    assert system.alternatives(sentence.copy(), 3)
    system.annotate_with(sentence, Request(scores=True))
system.annotate(sentence)
model.save(sys.argv[1] + ".again")
names = [name for name in sys.modules if name.startswith("plait.")]
print(*(name for name in names if "learn" in name or "training" in name or "fitting" in name))
"""
CASES = [
    ("perceptron-tagger", {}),
    ("crf-tagger", {}),
    *(("crf-chunker", {"structure": structure}) for structure in STRUCTURES),
    *(("crf-segmenter", {"structure": structure}) for structure in STRUCTURES),
]


def modules_of_training(code: str, *arguments: str) -> list[str]:
    """What of training a fresh interpreter has imported after this."""
    run = [sys.executable, "-c", code, *arguments]
    return subprocess.run(run, capture_output=True, text=True, check=True, encoding="utf-8").stdout.split()


@pytest.mark.parametrize(("system", "options"), CASES, ids=lambda value: str(value))
def test_using_a_model_imports_nothing_that_trains_one(system, options, tmp_path):
    path = tmp_path / "model.plait"
    train = chunked() if system == "crf-chunker" else sentences()
    plait.train(system, train=train, epochs=1, **options).save(path)
    assert modules_of_training(ASK, str(path), system) == []


@pytest.mark.parametrize(("name", "text"), [("en", "Dogs bark."), ("zh", "我爱工作。")])
def test_using_a_shipped_model_imports_nothing_that_trains_one(name, text):
    code = """
import sys
import plait
assert len(plait.load(sys.argv[1])(sys.argv[2])[0])
names = [name for name in sys.modules if name.startswith("plait.")]
print(*(name for name in names if "learn" in name or "training" in name or "fitting" in name))
"""
    assert modules_of_training(code, name, text) == []


def test_the_question_finds_what_training_imports():
    code = "import plait, sys; plait.train; print(*(n for n in sys.modules if 'plait.learn' in n))"
    assert "plait.learn.task" in modules_of_training(code)
