"""FEATS in any order: models learn from them, and keep them, as if they were in the order of the guidelines."""

from __future__ import annotations

import pytest

import plait
from case_treebank import case_treebank
from plait import Sentence
from plait.data.feats import in_order
from plait.data.tags import TagColumns

QUICK = {"epochs": 3}
PARSER = {"morphology": "on", "beam": 4, "epochs": 2, "folds": 2, "tagger_epochs": 2}
SYSTEMS = {
    "lemmatizer": QUICK,
    "crf-tagger": {"tag": "upos+feats"},
    "transition-joint": PARSER,
    "easyfirst-joint": {"morphology": "on", "epochs": 2, "folds": 2},
    "pipeline": {
        "parser_options": "epochs=2 beam=2",
        "segmenter_options": "structure=linear optimizer=adagrad epochs=2",
    },
}


def backwards(feats: str) -> str:
    return "|".join(reversed(feats.split("|")))


def reordered() -> list[Sentence]:
    """Every other sentence has its features in another order."""
    data = case_treebank()
    for sentence in data[::2]:
        sentence.feats = [backwards(feats) for feats in sentence.feats]
    return data


def parts(model: plait.Model) -> tuple[object, dict[str, bytes]]:
    header, arrays = model.system.parts()
    return header, {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_learns_the_same(system: str) -> None:
    data = reordered()
    model = plait.train(system, train=data, **SYSTEMS[system])
    assert data == reordered()  # the data itself is left alone
    assert parts(model) == parts(plait.train(system, train=case_treebank(), **SYSTEMS[system]))


def test_no_tidying_keeps_both_orders_as_tags() -> None:
    tags = plait.train("morph-tagger", train=reordered(), tidy=False, **QUICK).system.tags
    assert {"VERB\tNumber=Sing|VerbForm=Fin", "VERB\tVerbForm=Fin|Number=Sing"} <= set(tags)


def test_unsound_feats_are_left_to_be_reported() -> None:
    data = [Sentence(["a", "b", "c"], feats=["B=1|A=1", "sg|nom", "B=1|A=1|A=1"])]
    assert in_order(data)[0].feats == ["A=1|B=1", "sg|nom", "B=1|A=1|A=1"]


@pytest.mark.parametrize("tags", [["A=1|B=2", "A=1"], ["B=2|A=1", "A=1"]])
@pytest.mark.parametrize("given", ["A=1|B=2", "B=2|A=1"])
def test_given_feats_agree_with_tags_in_any_order(tags: list[str], given: str) -> None:
    sentence = Sentence(["a"], feats=[given])
    assert TagColumns("feats").agreeing(sentence, tags) == [[0]]
    assert TagColumns("upos+feats").agreeing(sentence, [f"X\t{tag}" for tag in tags]) == [[0]]


@pytest.mark.parametrize("system", ["transition-joint", "crf-tagger"])
def test_given_feats_in_another_order_lead_the_search(system: str) -> None:
    nlp = plait.train(system, train=case_treebank() * 3, **SYSTEMS[system])
    for feats in ("Case=Acc|Number=Sing", "VerbForm=Fin|Number=Sing", "Number=Sing|VerbForm=Fin"):
        given = Sentence(["kato", "vidas"], feats=[feats, "_"])
        found, usual = nlp(given, keep="feats")[0], nlp(in_order([given])[0], keep="feats")[0]
        assert found.feats[0] == feats
        assert (found.upos, found.heads, found.deprels) == (usual.upos, usual.heads, usual.deprels)
    assert nlp(Sentence(["kato"], feats=["VerbForm=Fin|Number=Sing"]), keep="feats")[0].upos == ["VERB"]


def test_the_lemmatizer_knows_tags_in_any_order() -> None:
    words = [("saw", "saw", "Case=Nom|Number=Sing"), ("saw", "see", "Number=Sing|Tense=Past")]
    data = [Sentence([form], lemmas=[lemma], feats=[feats]) for form, lemma, feats in words]
    nlp = plait.train("lemmatizer", train=data * 3, **QUICK)
    again = plait.Model.from_bytes(nlp.to_bytes())
    for model in (nlp, again):
        for _, lemma, feats in words:
            for each in (feats, backwards(feats)):
                sentence = Sentence(["saw"], feats=[each])
                assert model(sentence, scores=True)[0].lemmas == [lemma]
                assert model.system.best_lemma("saw", {"upos": "_", "xpos": "_", "feats": each})[0] == lemma
                assert model.system.probability("saw", {"upos": "_", "xpos": "_", "feats": each}, lemma) == 1.0


def test_a_lemmatizer_of_an_older_version_looks_tags_up_as_they_are() -> None:
    data = [Sentence(["saw"], lemmas=[lemma], feats=[feats]) for lemma, feats in (("saw", "A=1|B=1"), ("see", "A=1"))]
    system = plait.train("lemmatizer", train=data * 3, **QUICK).system
    header, arrays = system.parts()
    del header["tidy"]
    older = type(system).from_parts(system.options, header, arrays)
    assert not older.model.tidy
    assert "tidy" not in older.parts()[0]
    words = {order: Sentence(["saw"], feats=[order]) for order in ("A=1|B=1", "B=1|A=1")}
    for sentence in words.values():
        older.annotate(sentence)
    assert words["A=1|B=1"].lemmas == ["saw"]
