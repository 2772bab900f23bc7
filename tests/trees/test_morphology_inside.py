"""Morphology inside a parser: FEATS and lemmas of the training data are those of systems that have not seen it."""

import numpy as np
import pytest

from plait.data.document import Sentence
from plait.easyfirst.options import EasyFirstJointOptions
from plait.errors import DataError, OptionError
from plait.learn.task import TrainingTask
from plait.trees.morphology import NO_MORPHOLOGY, Morphology, MorphologyColumns, SeenMorphology, open_morphology
from plait.trees.training.morphology import (
    decided,
    feats_bits,
    fit_inner_lemmatizer,
    fit_morphology,
    has_lemmas,
    jackknifed_lemmas,
    seen_in,
)

# no form tells the lemma or the case of another one
PAIRS = {"aba": "xo", "ece": "yu", "idi": "za", "ofo": "we", "ugu": "vi", "apa": "qe"}


def sentences() -> list[Sentence]:
    return [
        Sentence([form, "."], lemmas=[lemma, "."], upos=["NOUN", "PUNCT"], feats=[f"Case={lemma.title()}", "_"])
        for form, lemma in PAIRS.items()
    ]


def options(**told: str) -> EasyFirstJointOptions:
    return EasyFirstJointOptions(**{"morphology": "on", **told})


def test_feats_and_lemmas_of_the_training_data_are_as_on_new_text() -> None:
    train = sentences()
    morphology, analysed = fit_morphology(TrainingTask(train), train, options())
    for gold, found in zip(train, analysed, strict=True):
        assert found.forms == gold.forms
        assert found.feats[0] != gold.feats[0]  # a tag that the other folds do not show
        assert found.lemmas[0] != gold.lemmas[0]
        assert found.lemmas[1] == "."
        again = morphology.analysed(gold.bare())
        assert (again.feats, again.lemmas) == (gold.feats, gold.lemmas)  # all of the data knows them
    assert train == sentences()


def test_with_gold_tags_the_training_data_stays_as_it_is() -> None:
    train = sentences()
    _, analysed = fit_morphology(TrainingTask(train), train, options(), gold=True)
    assert [(s.feats, s.lemmas) for s in analysed] == [(s.feats, s.lemmas) for s in train]


def test_where_morphology_is_off_nothing_is_trained() -> None:
    train = sentences()
    morphology, analysed = fit_morphology(TrainingTask(train), train, options(morphology="off"))
    assert morphology == Morphology()
    assert morphology.predicts == ()
    assert analysed is train


def test_lemmas_follow_the_tags_that_were_found() -> None:
    train = [
        Sentence([form], lemmas=[lemma], upos=[upos])
        for upos, lemma in (("NOUN", "left"), ("VERB", "leave"))
        for form in ["left"] * 4
    ]
    lemmatizer = fit_inner_lemmatizer(TrainingTask(train), options(), "upos")
    tagged = [Sentence(["left"], upos=["VERB"], lemmas=["gold"]) for _ in train]
    found = jackknifed_lemmas(TrainingTask(train), train, tagged, lemmatizer, 2)
    assert [s.lemmas for s in found] == [["leave"]] * len(train)


def test_what_is_given_stays_where_it_is_to_be_kept() -> None:
    train = sentences()
    morphology, _ = fit_morphology(TrainingTask(train), train, options(), gold=True)
    given = Sentence(["aba", "ece"], feats=["Case=Voc", "_"], lemmas=["_", "own"])
    kept, found = morphology.analysed(given, keep=True), morphology.analysed(given)
    assert (kept.feats[0], kept.lemmas[1]) == ("Case=Voc", "own")
    assert (found.feats, found.lemmas) == (["Case=Xo", "Case=Yu"], ["xo", "yu"])
    assert given.lemmas == ["_", "own"]
    header, arrays = morphology.parts()
    assert open_morphology(header, arrays).analysed(given) == found
    assert morphology.seen.lemmas
    assert set(morphology.seen.feats or ()) == {"_", *(f"Case={lemma.title()}" for lemma in PAIRS.values())}


def test_the_treebank_decides() -> None:
    train = sentences()
    assert feats_bits(train) == pytest.approx(np.log2(6) / 2)
    assert decided(options(morphology="auto"), train).morphology == "off"
    rich = [Sentence(["a"], upos=["NOUN"], feats=[f"Case={i}"]) for i in range(4)]
    assert feats_bits(rich) == 2.0
    assert decided(options(morphology="auto"), rich).morphology == "on"
    assert decided(options(morphology="auto", tag="feats"), rich).morphology == "off"
    with pytest.raises(OptionError, match="both predict FEATS"):
        decided(options(tag="upos+feats"), rich)
    with pytest.raises(DataError, match="no FEATS"):
        decided(options(), [Sentence(["a"], upos=["NOUN"])])


def test_lemmas_that_are_the_forms_say_nothing() -> None:
    assert has_lemmas(sentences())
    assert not has_lemmas([Sentence(["Hund", "am"], lemmas=["hund", "am"])])  # but for their casing
    assert not has_lemmas([Sentence(["Hund"])])
    assert not has_lemmas([Sentence(["a"] * 99 + ["b"], lemmas=["a"] * 99 + ["c"])])
    assert seen_in(sentences(), options(morphology="off")) == NO_MORPHOLOGY
    assert seen_in(sentences(), options()).lemmas


def test_columns_stand_before_slots() -> None:
    columns = MorphologyColumns({"w", "lemma", "feat:Case"}, SeenMorphology(("Case=Nom",), True), agreement=True)
    atoms = columns.atoms(Sentence(["a", "b"], lemmas=["l", "_"], feats=["_", "Case=Nom"]))
    assert (atoms != 0).tolist() == [[False, True, False], [True, False, True]]
