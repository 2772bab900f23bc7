"""Pipelines of treebanks with much morphology: the parser finds FEATS and lemmas, no other part is trained for them."""

import logging

import pytest

from plait.data.document import Sentence
from plait.pipeline import Model, train

CASES = {"Nom": "nsubj", "Acc": "obj", "Dat": "iobj", "Gen": "nmod", "Loc": "obl"}
ENDINGS = {"Nom": "", "Acc": "n", "Dat": "k", "Gen": "s", "Loc": "l"}
NOUNS = ("kato", "hundo", "birdo", "viro", "arbo", "domo", "floro", "libro")


def case_sentence(noun: str, case: str) -> Sentence:
    sentence = Sentence(
        [noun + ENDINGS[case], "vidas"],
        lemmas=[noun, "vidi"],
        upos=["NOUN", "VERB"],
        feats=[f"Case={case}|Number=Sing", "VerbForm=Fin"],
    )
    sentence.set_tree([2, 0], [CASES[case], "root"])
    return sentence


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return [case_sentence(noun, case) for noun in NOUNS for case in CASES]


@pytest.mark.parametrize("parser", ["easyfirst-joint", "transition-joint"])
def test_a_parser_with_morphology_needs_no_further_parts(treebank: list[Sentence], parser: str) -> None:
    options = "epochs=6 folds=3 morphology=on prune=false" + (
        " beam=4 tag_candidates=1" if parser == "transition-joint" else ""
    )
    model = train("pipeline", train=treebank, dev=treebank, parser=parser, parser_options=options)
    pipeline = model.system
    assert pipeline.tagger is None
    assert pipeline.lemmatizer is None
    assert {"upos", "feats", "lemmas", "heads", "deprels"} <= set(pipeline.predicts)
    again = Model.from_bytes(model.to_bytes())
    for sentence in treebank:
        (found,) = again(" ".join(sentence.forms))
        for column in ("forms", "lemmas", "upos", "feats", "heads", "deprels"):
            assert getattr(found, column) == getattr(sentence, column)
    given = Sentence(["katon", "vidas"], lemmas=["gato", "_"], feats=["Case=Voc", "_"])
    kept = again(given, keep=True)[0]
    assert (kept.lemmas, kept.feats) == (["gato", "vidi"], ["Case=Voc", "VerbForm=Fin"])


def test_the_treebank_decides(treebank: list[Sentence], caplog: pytest.LogCaptureFixture) -> None:
    rich = [sentence for sentence in treebank for _ in range(2)]
    for number, sentence in enumerate(rich):  # so many features that they say more than the part of speech
        sentence = rich[number] = sentence.copy()
        sentence.feats = [f"{sentence.feats[0]}|Person={number % 3}", f"Tense=T{number % 6}|VerbForm=Fin"]
    with caplog.at_level(logging.INFO, logger="plait"):
        model = train("pipeline", train=rich, parser_options="epochs=1")
    assert model.system.parser.options.morphology == "on"
    assert any("morphology on: FEATS carry" in record.getMessage() for record in caplog.records)
    poor = [sentence.copy() for sentence in treebank]
    for sentence in poor:
        sentence.feats = ["Number=Sing", "VerbForm=Fin"]
    model = train("pipeline", train=poor, parser_options="epochs=1")
    assert model.system.parser.options.morphology == "off"
    assert {"feats", "lemmas"} <= set(model.system.predicts)  # by parts of their own
