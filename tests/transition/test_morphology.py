"""--morphology: a tagger of FEATS beside the parser, whose case, verb form and agreement the templates see."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from plait.core._hashing import text_hash
from plait.data.document import Sentence
from plait.errors import DataError, ModelError, OptionError
from plait.pipeline import Model, train
from plait.transition.morphology import MORPHOLOGY_COLUMNS, feats_atoms

QUICK = {"epochs": 10, "folds": 4, "beam": 4, "morphology": True}
CASES = {"Nom": "nsubj", "Acc": "obj"}
NOUNS = ("kato", "hundo", "birdo", "viro", "arbo", "domo", "floro", "libro")


def case_sentence(noun: str, case: str, first: bool, *, ending: bool = True) -> Sentence:
    """The ending may tell the case, the case tells the relation; the order tells nothing."""
    word = noun + ("n" if ending and case == "Acc" else "")
    words = [word, "vidas"] if first else ["vidas", word]
    sentence = Sentence(words)
    at = words.index(word)
    sentence.upos = ["NOUN" if i == at else "VERB" for i in range(2)]
    sentence.feats = [f"Case={case}|Number=Sing" if i == at else "VerbForm=Fin" for i in range(2)]
    sentence.set_tree(
        [0 if i != at else 2 - at for i in range(2)], [CASES[case] if i == at else "root" for i in range(2)]
    )
    return sentence


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return [case_sentence(n, c, first) for c in CASES for first in (True, False) for n in NOUNS]


@pytest.fixture(scope="module")
def models(treebank: list[Sentence]) -> dict[str, Model]:
    names = ("transition-parser", "transition-joint")
    return {name: train(name, train=treebank, dev=treebank, **QUICK) for name in names}


@pytest.mark.parametrize("name", ["transition-parser", "transition-joint"])
def test_feats_are_written_and_saved_with_the_model(
    models: dict[str, Model], treebank: list[Sentence], name: str
) -> None:
    model = models[name]
    assert model.system.predicts == ("upos", "feats", "heads", "deprels")
    again = Model.from_bytes(model.to_bytes())
    for sentence in treebank:
        found = model(sentence.forms)[0]
        assert (found.feats, found.heads, found.deprels) == (sentence.feats, sentence.heads, sentence.deprels)
        assert again(sentence.forms)[0] == found
    assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("name", ["transition-parser", "transition-joint"])
@pytest.mark.parametrize("case", CASES)
def test_the_relation_of_an_unknown_word_follows_the_case_it_is_given(
    models: dict[str, Model], name: str, case: str
) -> None:
    given = Sentence(["xyz", "vidas"], upos=["NOUN", "VERB"], feats=[f"Case={case}|Number=Sing", "_"])
    found = models[name](given, keep=["upos", "feats"])[0]
    assert found.feats[0] == given.feats[0]
    assert found.deprels == [CASES[case], "root"]


def test_with_gold_tags_the_features_of_the_input_are_used() -> None:
    hidden = [case_sentence(n, c, first, ending=False) for c in CASES for first in (True, False) for n in NOUNS]
    model = train("transition-parser", train=hidden, gold_tags=True, **QUICK)
    for case, label in CASES.items():
        given = Sentence(["kato", "vidas"], upos=["NOUN", "VERB"], feats=[f"Case={case}|Number=Sing", "VerbForm=Fin"])
        assert model(given)[0].deprels == [label, "root"]


def test_with_gold_tags_the_features_of_the_input_stay_as_they_are(treebank: list[Sentence]) -> None:
    model = train("transition-parser", train=treebank, gold_tags=True, **QUICK)
    given = Sentence(["kato", "vidas"], upos=["NOUN", "VERB"], feats=["Case=Voc", "_"])
    assert model(given)[0].feats == ["Case=Voc", "_"]
    assert model(["kato", "vidas"])[0].feats == ["Case=Nom|Number=Sing", "VerbForm=Fin"]


def test_features_that_only_one_sentence_has_are_no_obstacle(treebank: list[Sentence]) -> None:
    sparse = [s.copy() for s in treebank]
    for sentence in sparse[1:]:
        sentence.feats = ["_", "_"]
    model = train("transition-joint", train=sparse, dev=sparse[1:], **QUICK)
    assert model(sparse[3].forms)[0].feats == ["_", "_"]


def test_a_feature_that_training_has_not_seen_is_kept(models: dict[str, Model]) -> None:
    given = Sentence(["kato", "vidas"], upos=["NOUN", "_"], feats=["Case=Voc", "_"])
    found = models["transition-joint"](given, keep=["feats"])[0]
    assert found.feats == ["Case=Voc", "VerbForm=Fin"]
    assert 0 in found.heads


def test_a_damaged_tagger_of_feats_is_refused(models: dict[str, Model]) -> None:
    system = models["transition-joint"].system
    header, arrays = system.parts()
    inner = header["morphology"]
    other = inner | {"options": inner["options"] | {"tag": "deprel"}}
    for changed in ({}, {"morphology": {"options": {}}}, {"morphology": other}):
        damaged = {k: v for k, v in header.items() if k != "morphology"} | changed
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, damaged, arrays)
    both = dataclasses.replace(system.options, tag="feats")
    tagger = header["tagger"] | {"options": header["tagger"]["options"] | {"tag": "feats"}}
    with pytest.raises(ModelError, match="damaged"):
        type(system).from_parts(both, header | {"tagger": tagger}, arrays)


def test_data_without_feats_is_refused_at_once(treebank: list[Sentence], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.transition.training.systems.fit_tagger", lambda *_: pytest.fail("the work has begun"))
    bare = [s.copy() for s in treebank]
    for sentence in bare:
        sentence.feats = ["_", "_"]
    with pytest.raises(DataError, match="remove --morphology"):
        train("transition-joint", train=bare, **QUICK)


def test_tags_that_have_features_already_are_refused(treebank: list[Sentence]) -> None:
    with pytest.raises(OptionError, match="remove one of them"):
        train("transition-joint", train=treebank, tag="upos+feats", **QUICK)


def test_templates_of_morphology_ask_for_it(treebank: list[Sentence], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("set mine\n s0.case b0.t\n")
    with pytest.raises(OptionError, match="--morphology"):
        train("transition-parser", train=treebank, templates=str(tmp_path / "t.txt"))


def test_parts_of_features_are_told_apart() -> None:
    tags = [
        "Case=Erg|Number[abs]=Sing|Person=3",
        "Number[abs]=Sing|Person=3",
        "Mood=Ind|Tense=Past",
        "Foreign=Yes",
        "_",
    ]
    atoms = feats_atoms(tags)
    assert atoms.shape == (5, len(MORPHOLOGY_COLUMNS))
    assert (atoms != 0).tolist() == [
        [True, True, False, True],
        [True, False, False, True],
        [True, False, True, False],
        [True, False, False, False],
        [False] * 4,
    ]
    assert atoms[0, 3] == atoms[1, 3]
    assert atoms[0, 0] == np.uint64(text_hash(tags[0]))
