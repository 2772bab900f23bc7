"""Two systems over several training runs."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from evaluation_treebank import TREEBANK, damage, parse

from plait.data import Sentence
from plait.errors import DataError
from plait.evaluation import compare, compare_runs

GOLD = [Sentence(["a", "b"], upos=["X", "Y"]), Sentence(["c"], upos=["X"]), Sentence(["d", "e"], upos=["X", "Y"])]


def tagged(*tags: str) -> list[Sentence]:
    return [Sentence(list(s.forms), upos=list(t)) for s, t in zip(GOLD, tags, strict=True)]


def test_one_run_is_an_ordinary_comparison() -> None:
    gold = parse(TREEBANK) * 5
    random = Random(3)
    a, b = (damage(gold, random) for _ in "ab")
    runs = compare_runs(gold, [a], [b], samples=500)
    for row in compare(gold, a, b, samples=500).differences:
        found = runs[row.measure]
        assert (found.a, found.b) == pytest.approx((row.a, row.b))
        assert found.permutation_p == pytest.approx(row.permutation_p)
        assert (found.low, found.high) == pytest.approx((row.bootstrap.low, row.bootstrap.high))


def test_means_over_runs_and_p_by_enumeration() -> None:
    a = [tagged("XY", "X", "XY"), tagged("XY", "X", "XX")]
    b = [tagged("YY", "X", "XX"), tagged("XX", "Y", "XY")]
    found = compare_runs(GOLD, a, b, samples=40_000)["upos"]
    assert (found.a, found.b) == (90, 60)
    assert found.difference == 30
    # right answers of both runs by sentence: A 4, 2, 3 and B 2, 1, 3; a coin swaps both runs of a sentence
    gains = (4 - 2, 2 - 1, 3 - 3)
    extreme = [abs(sum(s * g for s, g in zip(signs, gains, strict=True))) >= 3 for signs in product((1, -1), repeat=3)]
    assert found.permutation_p == pytest.approx(sum(extreme) / 8, abs=0.01)


def test_runs_that_agree_are_no_more_evidence_than_one() -> None:
    a, b = tagged("XY", "X", "XY"), tagged("XX", "Y", "XX")
    once, often = (compare_runs(GOLD, [a] * n, [b] * n, samples=2_000)["upos"] for n in (1, 5))
    assert often.permutation_p == once.permutation_p


def test_runs_with_words_of_their_own_are_aligned() -> None:
    gold = same = parse("1\tab\t_\tX\t_\t_\t_\t_\t_\tSpaceAfter=No\n2\tc\t_\tY\t_\t_\t_\t_\t_\t_\n\n")
    other = parse(
        "1\ta\t_\tX\t_\t_\t_\t_\t_\tSpaceAfter=No\n2\tb\t_\tX\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "3\tc\t_\tY\t_\t_\t_\t_\t_\t_\n\n"
    )
    found = compare_runs(gold, [same, same], [same, other], samples=9)
    assert found["seg_f1"].a == 100
    assert found["seg_f1"].b == pytest.approx(100 * 2 * 3 / 9)


@pytest.mark.parametrize(("a", "b"), [([], []), ([GOLD], []), ([GOLD], [GOLD, GOLD])])
def test_unequal_numbers_of_runs_are_refused(a: list[list[Sentence]], b: list[list[Sentence]]) -> None:
    with pytest.raises(DataError, match="as many of each"):
        compare_runs(GOLD, a, b)


def test_an_empty_gold_document_is_refused() -> None:
    with pytest.raises(DataError, match="no sentences"):
        compare_runs([], [[]], [[]])
