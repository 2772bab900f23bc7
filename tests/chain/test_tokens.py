"""Tokens out of labels, and forms, notes and offsets out of tokens: the compiled loops against obvious ones."""

import random

import numpy as np
import pytest

from plait.chain._tokens import in_characters, read_labels, surface
from plait.chain.multiword import Splitter
from plait.chain.segments import FREE, SegmentLabels, Token
from plait.chain.sentences import SentenceBuilder
from plait.data.folding import Folding
from plait.data.schemes import SCHEMES
from plait.data.tags import TagColumns

NAMES = ["N", "V"]


def slow_tokens(marks, types, starts, ends, stops):
    found, first = [], 0
    for i, mark in enumerate(marks):
        following = marks[i + 1] if i + 1 < len(marks) else None
        if ends[mark] or following is None or starts[following]:
            found.append(Token(first, i + 1, NAMES[types[i]], bool(stops[mark])))
            first = i + 1
    return found


@pytest.mark.parametrize("seed", range(20))
def test_labels_are_read_as_a_plain_loop_reads_them(seed):
    chance = random.Random(seed)
    n = seed  # nothing at all as well
    marks = [chance.randrange(4) for _ in range(n)]
    types = [chance.randrange(2) for _ in range(n)]
    flags = [[chance.randrange(2) for _ in range(4)] for _ in range(3)]
    numbers = [np.array(x, dtype=np.int32) for x in (marks, types)]
    found = read_labels(Token, *numbers, *(np.array(x, dtype=np.uint8) for x in flags), NAMES)
    assert found == slow_tokens(marks, types, *flags)
    assert all(type(token) is Token and type(token.final) is bool for token in found)


def test_units_become_characters():
    tokens = [Token(0, 2, "N", False), Token(2, 3, "V", True)]
    found = in_characters(tokens, [0, 1, 5], [1, 4, 6])
    assert found == [Token(0, 4, "N", False), Token(5, 6, "V", True)]
    assert all(type(token) is Token for token in found)


@pytest.mark.parametrize("after", [-1, 12, 13])
def test_forms_notes_and_offsets(after):
    text = "..ab c\u3000 dé f中.."
    tokens = [Token(0, 2, "", False), Token(3, 7, "", False), Token(7, 8, "", False), Token(9, 10, "", True)]
    forms, notes, offsets = surface(text, 2, tokens, after, "No", "_")
    assert forms == ["ab", "c d", "é", "f"]
    assert notes == ["_", "No", "_", "No" if after == 12 else "_"]
    assert offsets == [(2, 4), (5, 9), (9, 10), (11, 12)]


def build(tokens, text, splitter, columns):
    return SentenceBuilder(splitter, columns, Folding()).build(text, 0, tokens, [0.5, 0.25, 1.0])[0]


def test_a_sentence_with_a_multiword_token_repeats_its_probability():
    text = "I don't go"
    tokens = [Token(0, 1, "P", False), Token(2, 7, "A\nB", False), Token(8, 10, "V", True)]
    splitter = Splitter.learn([("don't", ("do", "n't"))])
    sentence = build(tokens, text, splitter, TagColumns("upos"))
    assert sentence.forms == ["I", "do", "n't", "go"]
    assert sentence.upos == ["P", "A", "B", "V"]
    assert sentence.scores == [0.5, 0.25, 0.25, 1.0]
    assert sentence.offsets == [(0, 1), (2, 4), (4, 7), (8, 10)]
    assert [(r.start, r.end, r.form) for r in sentence.ranges] == [(2, 3, "don't")]
    assert sentence.comments == ["# text = I don't go"]


def test_without_types_the_splitter_decides():
    text = "I don't go"
    tokens = [Token(0, 1, "", False), Token(2, 7, "", False), Token(8, 10, "", True)]
    assert build(tokens, text, Splitter({}, [], {}), None).forms == ["I", "don't", "go"]
    usual = Splitter.learn([("don't", ("do", "n't"))])
    assert build(tokens, text, usual, None).forms == ["I", "do", "n't", "go"]
    ending = Splitter({}, ["n't"], {}, ["n't"])  # no form is known, and an ending is sure
    assert ending.splits
    assert build(tokens, text, ending, None).forms == ["I", "do", "n't", "go"]


@pytest.mark.parametrize("structure", ["hybrid", "cross-product", "linear"])
def test_a_mask_holds_every_rule_where_it_stands(structure):
    labels = SegmentLabels(structure, SCHEMES["bmes"], ["N", "V"], finals=True)
    begins = (labels.beginnings, "")
    rules = [FREE, begins, (frozenset({"M"}), "V"), FREE, begins]
    mask = labels.mask(rules)
    for i, rule in enumerate(rules):
        alone = labels.mask([rule])
        assert all(np.array_equal(mask[view][i], alone[view][0]) for view in ("s", "t"))
    assert not mask["s"][[0, 3]].any()
    assert not mask["t"][[0, 3]].any()
    assert np.isinf(np.concatenate([mask["s"][1], mask["t"][1]])).any()
    mask["s"][:] = mask["t"][:] = 7  # what is returned belongs to the caller
    assert not (labels.mask(rules)["s"] == 7).any()
