"""Error patterns of features and lemmas: counted by feature and by edit script, not by whole values."""

from __future__ import annotations

from collections import Counter

from plait.data.document import Sentence
from plait.evaluation import compare, error_patterns, pair
from plait.evaluation.breakdown import value_f1
from plait.evaluation.report import report_page
from plait.evaluation.scores import score

GOLD = Sentence(
    ["Cities", "parties", "saw", "x"],
    lemmas=["city", "party", "see", "_"],
    feats=["Case=Nom|Number=Plur", "Number=Plur", "Tense=Past", "_"],
    upos=["NOUN", "NOUN", "VERB", "X"],
)
FOUND = Sentence(
    ["Cities", "parties", "saw", "x"],
    lemmas=["citie", "partie", "see", "y"],
    feats=["Case=Acc|Number=Plur", "_", "Tense=Past", "Abbr=Yes"],
    upos=["NOUN", "NOUN", "VERB", "X"],
)


def test_features_are_compared_one_by_one():
    assert error_patterns(pair([GOLD], [FOUND]), "feats") == Counter(
        {("Case=Nom", "Case=Acc"): 1, ("Number=Plur", "no Number"): 1, ("no Abbr", "Abbr=Yes"): 1}
    )


def test_lemmas_are_compared_by_how_they_are_made():
    assert error_patterns(pair([GOLD], [FOUND]), "lemmas") == Counter(
        {("lower:~-ies+y", "lower:~-s"): 1, ("keep:~-ies+y", "keep:~-s"): 1}
    )


def test_the_f1_of_a_feature_and_of_a_script():
    found = value_f1(pair([GOLD], [FOUND]), "feats")
    assert found["Number=Plur"] == 200 * 1 / (2 + 1)
    assert found["Case=Nom"] == 0.0
    assert found["Tense=Past"] == 100.0
    assert value_f1(pair([GOLD], [FOUND]), "lemmas")["keep:~-aw+ee"] == 100.0


def test_a_missing_prediction_is_a_pattern_of_its_own():
    bare = Sentence(GOLD.forms, lemmas=["_", "party", "see", "_"])
    assert error_patterns(pair([GOLD], [bare]), "lemmas") == Counter({("lower:~-ies+y", "_"): 1})


def test_comparison_and_report_show_them():
    compared = compare([GOLD], [FOUND], [GOLD])
    assert {"feats", "lemmas"} <= set(compared.patterns)
    text = compared.to_text()
    assert "Errors in lemmas" in text
    assert "keep:~-ies+y → keep:~-s" in text
    pairing = pair([GOLD], [FOUND])
    page = report_page([pairing], [score(pairing)], ["A"])
    assert "Errors in FEATS" in page
    assert "Errors in lemmas" in page
