"""Very long sentences: parsed piece by piece, into one valid tree, in bearable time."""

from __future__ import annotations

import time

import numpy as np
import pytest

from plait.data.document import Sentence
from plait.data.trees import tree_fault
from plait.graph import decoding
from plait.graph.pieces import LONGEST, best_in_pieces, pieces
from plait.pipeline import Model, train

DATA = [
    Sentence(["the", "dog", "barks", "."], upos=["DET", "NOUN", "VERB", "PUNCT"], heads=[2, 3, 0, 3],
             deprels=["det", "nsubj", "root", "punct"]),
    Sentence(["she", "sees", "the", "cat", ","], upos=["PRON", "VERB", "DET", "NOUN", "PUNCT"], heads=[2, 0, 4, 2, 2],
             deprels=["nsubj", "root", "det", "obj", "punct"]),
]  # fmt: skip
WORDS = [form for sentence in DATA for form in sentence.forms]


@pytest.fixture(scope="module")
def model() -> Model:
    return train("graph-parser", train=DATA, order=1, tagger_epochs=3, arc_epochs=3)


def is_projective(heads: list[int]) -> bool:
    """Whether no two arcs cross, by a stack: arcs open and close like brackets."""
    arcs = sorted((min(h, m), -max(h, m)) for m, h in enumerate(heads, 1))
    ends: list[int] = []
    for start, end in arcs:
        while ends and ends[-1] <= start:
            ends.pop()
        if ends and -end > ends[-1]:
            return False
        ends.append(-end)
    return True


def test_pieces_cover_the_sentence_and_end_at_punctuation() -> None:
    forms = (WORDS * 100)[:777]
    found = pieces(forms, 50)
    assert [i for part in found for i in part] == list(range(1, 778))
    assert all(25 <= len(part) <= 50 for part in found[:-1])
    assert all(forms[part[-1] - 1] == "." for part in found[:-1])
    assert [len(part) for part in pieces(["a", ",", *["b"] * 8], 3)] == [2, 3, 3, 2]
    assert [len(part) for part in pieces(["b"] * 10, 4)] == [4, 4, 2]
    assert pieces([], 4) == []


def test_a_piece_that_is_the_whole_sentence_gives_the_tree_of_the_chart(model: Model) -> None:
    crf = model.system.crf
    encoded = crf.features.encode(WORDS, np.zeros(len(WORDS), dtype=np.int64), None, None)
    tree, score, p = crf.probabilities(encoded)
    found, its_score, its_p = best_in_pieces(crf, encoded, [range(1, len(WORDS) + 1)], sums=True)
    assert found.heads.tolist() == tree.heads.tolist()
    assert found.labels.tolist() == tree.labels.tolist()
    assert its_score == pytest.approx(score)
    root = tree.heads.tolist().index(0, 1)
    rest = [m for m in range(1, len(WORDS) + 1) if m != root]  # its root is the only one: its arc is certain
    assert its_p[:, rest] == pytest.approx(p[:, rest])
    assert its_p[0, root] == pytest.approx(1)


def test_each_piece_is_analysed_best_and_so_are_the_roots(model: Model) -> None:
    crf = model.system.crf
    forms = (WORDS * 3)[:20]
    parts = pieces(forms, 6)
    encoded = crf.features.encode(forms, np.arange(20) % 3, None, None)
    score, label, _ = crf.arcs(encoded)
    tree, value, _ = best_in_pieces(crf, encoded, parts)
    heads = tree.heads.tolist()
    roots = []
    for part in parts:
        places = [0, *part]
        expected, _ = crf.find(score[np.ix_(places, places)])
        (root,) = [m for m in part if heads[m] not in part]
        roots.append(root)
        assert [0 if m == root else heads[m] for m in part] == [places[h] for h in expected]
    expected, _ = crf.find(score[np.ix_([0, *roots], [0, *roots])])
    assert [heads[root] for root in roots] == [[0, *roots][h] for h in expected]
    assert value == pytest.approx(sum(score[h, m] for m, h in enumerate(heads[1:], 1)))
    assert tree.labels[1:].tolist() == [label[h, m] for m, h in enumerate(heads[1:], 1)]


def test_a_sentence_of_two_thousand_words_takes_seconds_and_has_a_tree(model: Model) -> None:
    sentence = Sentence((WORDS * 250)[:2000])
    start = time.process_time()
    model.system.annotate(sentence)
    assert time.process_time() - start < 6  # as a whole: more than twenty
    assert tree_fault(sentence.heads) is None
    assert is_projective(sentence.heads)
    scored = model(sentence, scores=True)[0]
    assert scored.heads == sentence.heads
    assert all(0 <= s <= 1 + 1e-9 for s in scored.scores)


def test_given_heads_are_kept_in_long_sentences_too(model: Model) -> None:
    sentence = Sentence((WORDS * 100)[: LONGEST + 1])
    sentence.heads[0] = LONGEST
    found = model(sentence, constrain=True)[0]
    assert found.heads[0] == LONGEST
    assert tree_fault(found.heads) is None


def test_shorter_sentences_are_not_cut(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("cut into pieces")

    monkeypatch.setattr(decoding, "best_in_pieces", refused)
    model.system.annotate(Sentence((WORDS * 100)[:LONGEST]))
    with pytest.raises(AssertionError, match="pieces"):
        model.system.annotate(Sentence((WORDS * 100)[: LONGEST + 1]))
