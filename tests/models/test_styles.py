"""Sentences in other styles: words keep tags and trees, whatever is done to their letters."""

import sys
from pathlib import Path

import pytest

from plait.data._tree import find_fault
from plait.data.document import Range, Sentence

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import styles


def dogs() -> Sentence:
    return Sentence(
        ["The", "dogs", "don't", "often", "bark", "."],
        lemmas=["the", "dog", "do", "often", "bark", "."], upos=["DET", "NOUN", "AUX", "ADV", "VERB", "PUNCT"],
        xpos=["DT", "NNS", "VBP", "RB", "VB", "."], feats=["_", "Number=Plur", "_", "_", "_", "_"],
        heads=[2, 5, 5, 5, 0, 5], deprels=["det", "nsubj", "aux", "advmod", "root", "punct"],
        misc=["_", "_", "_", "_", "SpaceAfter=No", "_"], comments=["# text = The dogs don't often bark."],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("style", "words"),
    [
        (styles.lower_case, "the dogs don't often bark ."),
        (styles.upper_case, "THE DOGS DON'T OFTEN BARK ."),
        (styles.title_case, "The Dogs Don't Often Bark ."),
        (styles.unpunctuated, "The dogs don't often bark"),
        (styles.typographic, "The dogs don’t often bark ."),
        (styles.full_width, "Ｔｈｅ ｄｏｇｓ ｄｏｎ＇ｔ ｏｆｔｅｎ ｂａｒｋ ．"),
        (styles.short_clause, "Dogs don't bark ."),
    ],
)
def test_styles(style, words):
    given = dogs()
    found = style(given)
    assert " ".join(found.forms) == words
    assert given.forms == dogs().forms  # untouched
    assert found.comment("text") is None
    assert find_fault(found.heads)[0] == 0
    tags = dict(zip(given.lemmas, given.upos, strict=True))
    assert [tags[lemma] for lemma in found.lemmas] == found.upos
    heads = {m: given.lemmas[h - 1] if h else "" for m, h in zip(given.lemmas, given.heads, strict=True)}
    assert [found.lemmas[h - 1] if h else "" for h in found.heads] == [heads[lemma] for lemma in found.lemmas]


def test_multiword_tokens_are_rewritten_too():
    sentence = Sentence(["do", "n't"], ranges=[Range(1, 2, "don't")])
    assert styles.upper_case(sentence).ranges[0].form == "DON'T"
    assert styles.typographic(sentence).ranges[0].form == "don’t"


def test_what_changes_nothing_is_no_variant():
    plain = Sentence(["a"], upos=["X"], heads=[0], deprels=["root"])
    for style in (styles.lower_case, styles.unpunctuated, styles.typographic, styles.half_width, styles.short_clause):
        assert style(plain) is None
    assert styles.in_style([plain], styles.lower_case) == [plain]


def test_quotes_open_and_close():
    found = styles.typographic(Sentence(['"', "no", '"', "--", "..."]))
    assert found.forms == ["“", "no", "”", "—", "…"]


def test_initials():
    names = Sentence(
        ["Joanne", "Kathleen", "Rowling", "met", "Ann"], upos=["PROPN", "PROPN", "PROPN", "VERB", "PROPN"],
        heads=[4, 1, 1, 0, 4], deprels=["nsubj", "flat", "flat", "root", "obj"],
    )  # fmt: skip
    assert styles.initials(names).forms == ["J.", "K.", "Rowling", "met", "Ann"]
    assert styles.initials(dogs()) is None


def test_half_width():
    assert styles.half_width(Sentence(["好", "，", "吗", "？", "。"])).forms == ["好", ",", "吗", "?", "."]


def test_augmentation_is_seeded_and_keeps_the_sentences():
    given = [dogs() for _ in range(50)]
    shares = {styles.lower_case: 0.3, styles.upper_case: 0.2}
    one, again, other = (styles.augmented(given, shares, seed) for seed in (1, 1, 2))
    assert [s.forms for s in one] == [s.forms for s in again] != [s.forms for s in other]
    assert [s for s in one if s in given] == given
    assert 10 < len(one) - len(given) < 40
