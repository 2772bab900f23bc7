"""First impressions: short everyday sentences, annotated by hand without a look at any model's answer.

Statements, questions, imperatives, contractions, names, dates, prices, quotes, lists, headlines and chat; the Chinese
ones in simplified and traditional characters. Every sentence is analysed from its raw text, alone, as a newcomer does.
"""

from pathlib import Path

import pytest

import plait
from plait.data.document import Sentence
from plait.evaluation import conll18

# floors, in F1; raise them with the models, never lower them
FLOORS = {
    "en": {"Words": 99.5, "UPOS": 98.0, "UAS": 95.0, "LAS": 93.5},
    "zh": {"Words": 90.8, "UPOS": 86.5, "UAS": 76.0, "LAS": 70.2},
}


def analysed(model: plait.Model, gold: Sentence) -> list[Sentence]:
    return list(model(gold.comment("text"), keep="sentences"))


@pytest.mark.parametrize("name", FLOORS)
def test_everyday_sentences(name, record_property):
    model = plait.load(name)
    gold = plait.read(Path(__file__).with_name(f"everyday-{name}.conllu"))
    found = [sentence for one in gold for sentence in analysed(model, one)]
    scores = conll18(gold.sentences, found)
    measured = {measure: round(scores[measure].f1, 2) for measure in FLOORS[name]}
    record_property("scores", str(measured))
    assert all(measured[measure] >= floor for measure, floor in FLOORS[name].items()), measured
