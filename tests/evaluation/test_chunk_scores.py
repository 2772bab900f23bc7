"""Chunks against a slow twin of conlleval's rules, on every label sequence that random can think of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data import Sentence
from plait.evaluation import evaluate
from plait.evaluation.chunks import chunks

LABELS = ["O", *(f"{prefix}-{type_}" for prefix in "BIES" for type_ in ("NP", "VP"))]

# conlleval's rules, pair by pair: (prefix before, prefix now) that end the earlier chunk and that start a new one
ENDS = {"BB", "BS", "BO", "IB", "IS", "IO", *("E" + now for now in "BIESO"), *("S" + now for now in "BIESO")}
STARTS = {*(before + now for before in "BIESO" for now in "BS"), "EE", "EI", "SE", "SI", "OE", "OI"}


def parts(label: str) -> tuple[str, str]:
    prefix, _, type_ = label.partition("-")
    return prefix, type_


def conlleval(gold: list[str], predicted: list[str]) -> tuple[int, int, int]:
    """Right, gold and predicted chunks in one pass over both columns, as the script goes."""
    right = in_gold = in_predicted = 0
    in_right = False
    before_gold = before_predicted = ("O", "")
    for g, p in zip([*gold, "O"], [*predicted, "O"], strict=True):
        now_gold, now_predicted = parts(g), parts(p)
        end_gold, end_predicted = ends(before_gold, now_gold), ends(before_predicted, now_predicted)
        start_gold, start_predicted = starts(before_gold, now_gold), starts(before_predicted, now_predicted)
        if in_right:
            if end_gold and end_predicted and before_gold[1] == before_predicted[1]:
                in_right = False
                right += 1
            elif end_gold != end_predicted or now_gold[1] != now_predicted[1]:
                in_right = False
        if start_gold and start_predicted and now_gold[1] == now_predicted[1]:
            in_right = True
        in_gold += start_gold
        in_predicted += start_predicted
        before_gold, before_predicted = now_gold, now_predicted
    return right, in_gold, in_predicted


def ends(before: tuple[str, str], now: tuple[str, str]) -> bool:
    return before[0] + now[0] in ENDS or (before[0] != "O" and before[1] != now[1])


def starts(before: tuple[str, str], now: tuple[str, str]) -> bool:
    return before[0] + now[0] in STARTS or (now[0] != "O" and before[1] != now[1])


sequences = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=12)


@given(sequences)
def test_chunks_are_counted_as_conlleval_counts_them(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = map(list, zip(*pairs, strict=True))
    right, in_gold, in_predicted = conlleval(gold, predicted)
    wanted, offered = set(chunks(gold)), set(chunks(predicted))
    assert (len(wanted & offered), len(wanted), len(offered)) == (right, in_gold, in_predicted)


@given(st.lists(sequences, min_size=1, max_size=4))
def test_scores_add_up_over_sentences(document: list[list[tuple[str, str]]]) -> None:
    gold, predicted, counts = [], [], []
    for pairs in document:
        a, b = map(list, zip(*pairs, strict=True))
        gold.append(Sentence(["w"] * len(a), extra={"chunk": a}))
        predicted.append(Sentence(["w"] * len(a), extra={"chunk": b}))
        counts.append(conlleval(a, b))
    right, in_gold, in_predicted = map(sum, zip(*counts, strict=True))
    scores = evaluate(gold, predicted)
    if in_gold:
        assert scores.chunk_precision == (100 * (right / in_predicted) if in_predicted else 0)
        assert scores.chunk_recall == 100 * (right / in_gold)
        assert scores.chunk_f1 == 100 * (2 * right / (in_gold + in_predicted))


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ("O O", []),
        ("B-NP I-NP B-NP", [(0, 2, "NP"), (2, 3, "NP")]),
        ("I-NP I-NP O I-VP", [(0, 2, "NP"), (3, 4, "VP")]),
        ("B-NP I-VP", [(0, 1, "NP"), (1, 2, "VP")]),
        ("I-NP E-NP I-NP E-NP", [(0, 2, "NP"), (2, 4, "NP")]),
        ("S-NP B-VP E-VP S-NP", [(0, 1, "NP"), (1, 3, "VP"), (3, 4, "NP")]),
        ("B-NP _ I-NP", [(0, 1, "NP"), (2, 3, "NP")]),
        ("B-A-B I-A-B", [(0, 2, "A-B")]),
        ("", []),
    ],
)
def test_chunks_of_all_schemes_and_of_broken_ones(labels: str, found: list[tuple[int, int, str]]) -> None:
    assert list(chunks(labels.split())) == found


def test_chunks_over_different_words_are_compared_by_their_characters() -> None:
    gold = [Sentence(["ice", "cream", "melts"], extra={"chunk": ["B-NP", "I-NP", "B-VP"]})]
    predicted = [Sentence(["icecream", "melts"], extra={"chunk": ["B-NP", "B-VP"]})]
    assert evaluate(gold, predicted).chunk_f1 == 100


def test_a_prediction_without_chunks_finds_none() -> None:
    gold = [Sentence(["ice"], extra={"chunk": ["B-NP"]})]
    scores = evaluate(gold, [Sentence(["ice"])])
    assert (scores.chunk_precision, scores.chunk_recall, scores.chunk_f1) == (0, 0, 0)
