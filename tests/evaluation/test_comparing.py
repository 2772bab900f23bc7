"""Comparisons of two systems, quick ones: what is told of each, in which order, and how far."""

from __future__ import annotations

import pytest
from test_whole_tables import FLAT, GOLD, NOUN_DUCK

from plait.data import Document, Sentence
from plait.evaluation import compare, compare_runs
from plait.evaluation import comparison as comparison_module
from plait.evaluation.comparison import Comparison


def tagged(*tags: str) -> list[Sentence]:
    return [Sentence([str(number) for number in range(len(tags))], upos=list(tags))]


def compared(gold: list[Sentence], a: list[Sentence], b: list[Sentence], **options: object) -> Comparison:
    return compare(gold, a, b, samples=9, **options)  # type: ignore[arg-type]


def test_patterns_come_by_their_number_in_both_systems_and_by_name() -> None:
    found = compared(tagged(*"NNNVVXX"), tagged(*"VVNNNXY"), tagged(*"VNXNVYX"))
    assert [tuple(row)[:4] for row in found.patterns["upos"]] == [
        ("N", "V", 2, 1), ("V", "N", 2, 1), ("X", "Y", 1, 1), ("N", "X", 0, 1),
    ]  # fmt: skip
    assert found.patterns["upos"][0].name == "N → V"
    found = compared(tagged(*"NVV"), tagged(*"XVV"), tagged(*"NNN"))
    assert [row.name for row in found.patterns["upos"]] == ["V → N", "N → X"]


def test_patterns_have_the_change_and_the_f1_of_the_gold_value() -> None:
    found = compared(tagged(*"NNNVV"), tagged(*"VVVVV"), tagged(*"VNNNN"))
    assert found.pattern_table("upos").rows == (
        ("N → V", 3, 1, "+2", "+200 %", 0.0, 100 * 2 * 2 / 7),
        ("V → N", 0, 2, "-2", "-100 %", 100 * 2 * 2 / 7, 0.0),
    )
    never = compared(tagged(*"NN"), tagged(*"VV"), tagged(*"NN"))
    assert never.pattern_table("upos").rows == (("N → V", 2, 0, "+2", "", 0.0, 100.0),)
    half = compared(tagged(*"NNNN"), tagged(*"VVNN"), tagged(*"VVVV"))
    assert half.pattern_table("upos").rows[0][4] == "-50 %"


def test_fifteen_patterns_are_printed_unless_told_otherwise() -> None:
    tags = [f"T{number:02}" for number in range(20)]
    found = compared(tagged(*tags), tagged(*["X"] * 20), tagged(*tags))
    assert len(found.pattern_table("upos").rows) == 15
    assert len(found.pattern_table("upos", 3).rows) == 3
    assert found.to_text().count(" → X") == 15
    assert found.to_text(top=17).count(" → X") == 17
    assert len(found.to_dict()["errors"]["upos"]) == 20
    assert len(found.to_dict(4)["errors"]["upos"]) == 4


def made(*columns: str) -> Document:
    document = Document([FLAT])
    document.predicted_columns = frozenset(columns)
    return document


def test_what_each_system_has_copied_is_told() -> None:
    found = compare([GOLD], made("upos", "heads"), made("upos", "deprels"), samples=9)
    assert found.to_text().split("\n\n")[0] == (
        "A  has copied from its input, and is not scored on: deprel\n"
        "B  has copied from its input, and is not scored on: head"
    )
    assert found.to_text(("one", "B")).split("\n")[:2] == [
        "A  one", "A  has copied from its input, and is not scored on: deprel",
    ]  # fmt: skip
    assert list(found.patterns) == ["upos"]


def test_columns_without_errors_have_no_table() -> None:
    text = compared([GOLD], [GOLD], [GOLD]).to_text()
    assert "Errors in" not in text
    assert text.startswith("1 sentences, 5 tokens\nmeasure")


def test_punctuation_and_training_words_count_as_for_one_system() -> None:
    found = compared([GOLD], [FLAT], [GOLD], punct=False)
    assert found.to_dict()["measures"]["uas"]["a"] == 75.0
    assert compared([GOLD], [FLAT], [GOLD]).to_dict()["measures"]["uas"]["a"] == 60.0
    known = compared([GOLD], [NOUN_DUCK], [GOLD], train={"saw", "duck"})
    assert (known.a.upos_known, known.b.upos_known, known.a.upos_unknown) == (50.0, 100.0, 100.0)
    assert "upos_known" not in compared([GOLD], [FLAT], [GOLD]).to_dict()["measures"]


@pytest.mark.parametrize("of", ["compare", "compare_runs"])
def test_seed_and_samples_reach_both_tests(of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.evaluation import runs

    module = comparison_module if of == "compare" else runs
    asked = []
    for name in ("paired_bootstrap", "paired_permutation"):
        plain = getattr(module, name)

        def watched(a: object, b: object, plain: object = plain, **options: int) -> object:
            asked.append(options)
            return plain(a, b, seed=0, samples=9)  # type: ignore[operator]

        monkeypatch.setattr(module, name, watched)
    if of == "compare":
        compare([GOLD], [FLAT], [GOLD], seed=3, samples=7)
        compare([GOLD], [FLAT], [GOLD])
    else:
        compare_runs([GOLD], [[FLAT]], [[GOLD]], seed=3, samples=7)
        compare_runs([GOLD], [[FLAT]], [[GOLD]])
    assert asked == [{"samples": 7, "seed": 3}] * 2 + [{"samples": 10_000, "seed": 0}] * 2


def test_runs_are_summed_and_the_first_belong_to_a() -> None:
    found = compare_runs([GOLD], [[FLAT], [GOLD]], [[GOLD], [GOLD]], samples=9)
    assert (found["uas"].a, found["uas"].b, found["uas"].difference) == (80.0, 100.0, -20.0)
    assert found["uas"].measure == "uas"
    assert (found["uas"].low, found["uas"].high) == (-20.0, -20.0)
    quiet = compare_runs([GOLD], [[FLAT]], [[GOLD]], punct=False, samples=9)
    assert quiet["uas"].a == 75.0


def test_words_that_agree_need_no_rows_about_words() -> None:
    names = [row[0] for row in compared([GOLD], [FLAT], [GOLD]).table().rows]
    assert "words, F1" not in names
    joined = [Sentence(["I", "saw", "herduck", "."])]
    names = [row[0] for row in compared([GOLD], joined, [GOLD]).table().rows]
    assert {"words, F1", "words + tags, F1"} <= set(names)


def test_values_that_one_system_has_no_words_for_have_an_f1_of_zero() -> None:
    gold = [Sentence(["ab"], feats=["A=X"])]
    whole, parts = [Sentence(["ab"], feats=["A=Y"])], [Sentence(["a", "b"], feats=["A=X", "_"])]
    for first, second in ((whole, parts), (parts, whole)):
        (row,) = compared(gold, first, second).patterns["feats"]
        assert (row.name, row.f1_a, row.f1_b) == ("A=X → A=Y", 0.0, 0.0)


def test_p_values_have_four_digits() -> None:
    shown = comparison_module._shown_p
    assert [shown(p) for p in (1.0, 0.04567, 0.0001, 0.00009)] == ["1.0000", "0.0457", "0.0001", "<0.0001"]
