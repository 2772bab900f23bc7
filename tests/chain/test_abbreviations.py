"""Sentence ends near abbreviations and addresses: atoms, the list, varied training passages, a small model."""

from __future__ import annotations

import pytest

import plait
from plait.chain.rawtext import passages
from plait.chain.training.variation import Variation
from plait.data.document import Sentence
from plait.errors import FormatError, OptionError
from plait.features._units import find_units, unit_atoms
from plait.features.abbreviations import Abbreviations

ENGLISH = Abbreviations.load("en")


def atoms_of(text, column):
    units = find_units(text)
    found = unit_atoms(text, *units, (column,), 0, ENGLISH.numbers)[:, 0].tolist()
    return {text[a:b]: value for a, b, value in zip(units[0], units[1], found, strict=True)}


def kind(word):
    text = f"x {word} y"
    place = text.index(".", 2 + len(word) - 1)
    starts, ends, gaps = find_units(text)
    found = unit_atoms(text, starts, ends, gaps, ("abbr",), 0, ENGLISH.numbers)[:, 0].tolist()
    return found[starts.index(place)]


def test_periods_know_what_they_seem_to_end():
    assert kind("Mt.") == kind("prof.") == kind("pp.") == kind("(Dr.") == kind("e.g.") > 0
    assert kind("Inc.") == kind("etc.") not in (0, kind("Mt."))
    assert kind("J.") not in (0, kind("j."))
    assert kind("U.K.") == kind("a.b.") == kind("Ph.D.") > 0
    assert kind("Xqz.") > 0  # no vowel
    assert kind("house.") == kind("...") == kind("3.") == kind("a..b.") == kind("Long.word.") == 0
    assert atoms_of("see Mt. X", "abbr")["Mt"] == atoms_of("see Mt. X", "abbr")["."] > 0
    assert atoms_of("see Mt . X", "abbr")["."] == 0


def test_units_know_whether_they_are_part_of_an_address():
    text = "see https://a.org/b, www.b.org or me@c.org and a@ b.c @d"
    web = atoms_of(text, "web")
    assert web["https"] == web["www"] == 1
    assert web["me"] == 2
    assert web["see"] == web["d"] == web["and"] == 0


@pytest.mark.parametrize(
    ("text", "words"), [("a b c", "no kind"), ("x: a\ny: b a", ":2: 'a' already has the kind x"), ("a b: c", "no kind")]
)
def test_bad_lists_are_explained(text, words):
    with pytest.raises(FormatError, match=words):
        Abbreviations.parse(text, "mine.txt")


def test_lists_of_ones_own_and_missing_ones(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# own\nname: Hr. Fr.\n\nname: Dr\n", "utf-8")
    found = Abbreviations.load(str(path))
    assert found.header() == {"name": ["dr", "fr", "hr"]}
    assert Abbreviations.from_header(found.header()).numbers == found.numbers
    with pytest.raises(OptionError, match="readable file"):
        Abbreviations.load("klingon")


def sentence(text, upos=None):
    forms, misc = [], []
    for word in text.split():
        if word[-1] in ".!" and len(word) > 1 and word[:-1].lower().replace(".", "") not in ENGLISH_WORDS:
            forms += [word[:-1], word[-1]]
            misc += ["SpaceAfter=No", "_"]
        else:
            forms.append(word)
            misc.append("_")
    return Sentence(forms, upos=upos, misc=misc)


ENGLISH_WORDS = {word.replace(".", "") for word in ENGLISH.numbers}
TRAIN = [
    "Mr. Smith came home.", "I saw Dr. Brown there.", "They met Mr. Green.", "Go home!", "We saw the dog. ",
    "She went to Boston.", "Mr. Hill and Dr. White sang.", "It rained.", "He left early.", "Bob knew Mr. Lake.",
    "See http://a.org/x for more.", "Look at www.b.org and read.", "He likes http://c.org/y very much.", "The end.",
]  # fmt: skip


def test_varied_copies_keep_tokens_and_labels():
    (passage,) = passages([sentence("I saw Mr. Green at http://a.org/x today.")], None, running=True, spaces=True)
    (other,) = passages([sentence("See www.b.org/yy too.")], None, running=True, spaces=True)
    copies = list(Variation(ENGLISH, [passage, other], 1).copies([passage, other], 20))
    assert len(copies) == 40
    words = [[p.text[a:b] for a, b in p.spans] for p in copies[:20]]
    assert all(p.final == passage.final and p.types == passage.types for p in copies[:20])
    titles = {row[2] for row in words}
    assert len(titles) > 5
    assert all(ENGLISH.numbers[t.rstrip(".").lower()] == ENGLISH.numbers["mr"] and t[0].isupper() for t in titles)
    assert {row[5] for row in words} == {"http://a.org/x", "www.b.org/yy"}
    assert all(row[:2] == ["I", "saw"] and row[-2:] == ["today", "."] for row in words)
    again = list(Variation(ENGLISH, [passage, other], 1).copies([passage, other], 20))
    assert [p.text for p in again] == [p.text for p in copies]
    assert not list(Variation(ENGLISH, [], 1).copies(passages([sentence("It is.")], None, running=True, spaces=True)))


@pytest.fixture(scope="module")
def trained():
    train = [sentence(text) for text in TRAIN * 2]
    train[0].comments = ["# newpar"]
    return plait.train("crf-segmenter", train=train, structure="linear", abbreviations="en", sigma=3.0)


@pytest.mark.parametrize(
    "text",
    ["I saw Prof. Green there. | He left early.", "They met Gen. Lake. | It rained.", "Bob knew Mt. Hill. | The end.",
     "See https://www.d.org/zz?q=1 for more. | Go home!"],
)  # fmt: skip
def test_a_small_model_knows_abbreviations_and_addresses_it_never_saw(trained, text):
    parts = text.split(" | ")
    for model in (trained, plait.Model.from_bytes(trained.to_bytes())):
        assert [s.text for s in model(" ".join(parts))] == parts
