"""Two systems side by side: differences, error patterns, breakdowns, pictures."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from evaluation_treebank import TREEBANK, damage, parse

from plait.data import Sentence
from plait.errors import DataError, OptionError
from plait.evaluation import breakdown, compare, error_patterns, evaluate, pair
from plait.evaluation.plots import plot_breakdown, plot_patterns
from plait.evaluation.tables import Table

GOLD = Sentence(
    ["I", "saw", "her", "duck", "."],
    upos=["PRON", "VERB", "PRON", "VERB", "PUNCT"],
    heads=[2, 0, 4, 2, 2],
    deprels=["nsubj", "root", "nsubj", "ccomp", "punct"],
)


def with_(**columns: object) -> Sentence:
    sentence = GOLD.copy()
    for name, values in columns.items():
        setattr(sentence, name, values)
    return sentence


NOUN_DUCK = with_(upos=["PRON", "VERB", "PRON", "NOUN", "PUNCT"], deprels=["nsubj", "root", "nmod", "obj", "punct"])
FLAT = with_(heads=[2, 0, 2, 2, 3])


def test_differences_are_a_minus_b() -> None:
    found = compare([GOLD] * 3, [NOUN_DUCK] * 3, [GOLD] * 3, samples=99)
    rows = {row.measure: row for row in found.differences}
    assert (rows["upos"].a, rows["upos"].b, rows["upos"].difference) == (80, 100, -20)
    assert (rows["upos"].mcnemar.only_a, rows["upos"].mcnemar.only_b) == (0, 3)
    assert rows["uas"].difference == 0
    assert rows["uas"].permutation_p == rows["uas"].bootstrap.p == 1
    assert "seg_precision" not in rows


def test_error_patterns_count_gold_and_predicted_pairs() -> None:
    assert error_patterns(pair([GOLD], [NOUN_DUCK])) == Counter({("VERB", "NOUN"): 1})
    found = compare([GOLD] * 2, [NOUN_DUCK] * 2, [GOLD, NOUN_DUCK], samples=9)
    (row,) = found.patterns["upos"]
    assert (row.name, row.a, row.b) == ("VERB → NOUN", 2, 1)
    assert (row.f1_a, row.f1_b) == (pytest.approx(200 / 3), pytest.approx(600 / 7))
    assert {pattern.name for pattern in found.patterns["deprels"]} == {"ccomp → obj", "nsubj → nmod"}
    text = found.to_text(("joint.conllu", "pipeline.conllu"))
    assert "joint.conllu" in text
    assert "+100 %" in text
    record = json.loads(json.dumps(found.to_dict()))
    assert record["errors"]["upos"][0]["change"] == 1
    assert set(record["measures"]["las"]) >= {"a", "b", "difference", "bootstrap_p", "permutation_p", "mcnemar_p"}


def test_systems_with_words_of_their_own_are_both_aligned() -> None:
    gold = parse(TREEBANK)
    damaged = damage(gold, Random(5), 0.3)
    found = compare(gold, gold, damaged, samples=50)
    assert found.a.conll18 is not None
    assert found.b.conll18 is not None
    assert found.a.las == 100
    assert found.b.las == evaluate(gold, damaged).las


def test_an_empty_gold_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="no sentences"):
        compare([], [], [])


def rows(table: Table) -> dict[object, tuple[object, ...]]:
    return {row[0]: row[1:] for row in table.rows}


def test_arc_lengths_have_recall_over_gold_and_precision_over_predicted_arcs() -> None:
    table = breakdown(pair([GOLD], [FLAT]), "length")
    # gold arcs: 1 1 2 3 and a root; FLAT has her←saw (1 instead of 1, wrong) and .←her (2 instead of 3, wrong)
    assert rows(table)["1"] == (2, 2, 1, 50, 50, 50)
    assert rows(table)["2"] == (1, 2, 1, 50, 100, pytest.approx(200 / 3))
    assert rows(table)["3–4"] == (1, 0, 0, None, 0, 0)
    assert rows(table)["root"] == (1, 1, 1, 100, 100, 100)


def test_a_right_arc_may_be_longer_over_other_words() -> None:
    gold = Sentence(["a", "bc", "d"], heads=[0, 1, 1], deprels=["root", "x", "x"])
    predicted = Sentence(["a", "b", "c", "d"], heads=[0, 1, 1, 1], deprels=["root", "x", "x", "x"])
    found = rows(breakdown(pair([gold], [predicted]), "length"))
    assert found["2"] == (1, 1, 1, 0, 100, 0)
    assert found["3–4"] == (0, 1, 0, 100, None, 0)


def test_sentence_lengths() -> None:
    table = breakdown(pair([GOLD, Sentence(["Hi"])], [FLAT, Sentence(["Hi"])]), "sentence")
    assert table.columns == ("length", "sentences", "tokens", "UPOS", "UAS", "LAS")
    assert rows(table)["1–10"] == (2, 6, 100, 60, 60)


def test_tags_have_precision_recall_and_attachment() -> None:
    found = rows(breakdown(pair([GOLD], [NOUN_DUCK]), "tag"))
    assert found["VERB"] == (2, 1, 1, 100, 50, pytest.approx(200 / 3), 100, 50)
    assert found["NOUN"] == (0, 1, 0, 0, None, 0, None, None)


def test_labels_are_right_with_their_head() -> None:
    found = rows(breakdown(pair([GOLD], [FLAT]), "label"))
    assert found["nsubj"] == (2, 2, 1, 50, 50, 50)
    assert found["punct"] == (1, 1, 0, 0, 0, 0)
    assert "punct" not in rows(breakdown(pair([GOLD], [FLAT]), "label", punct=False))


def test_breakdowns_of_aligned_words_add_up_to_the_scores() -> None:
    gold = parse(TREEBANK)
    pairing = pair(gold, damage(gold, Random(11), 0.3))
    for by in ("length", "label", "tag", "sentence"):
        table = breakdown(pairing, by)
        assert table.to_text().count("\n") == len(table.rows) + 2
    arcs = breakdown(pairing, "length").rows
    uas = evaluate(gold, pairing.predicted.sentences).conll18
    assert uas is not None
    assert sum(row[3] for row in arcs) == uas["UAS"].correct  # type: ignore[misc]
    assert sum(row[1] for row in arcs) == uas["UAS"].gold  # type: ignore[misc]


@pytest.mark.parametrize(
    ("by", "error", "told"),
    [("colour", OptionError, "length, sentence"), ("length", DataError, "no heads"), ("tag", DataError, "UPOS")],
)
def test_impossible_breakdowns_are_refused(by: str, error: type[Exception], told: str) -> None:
    bare = [Sentence(["Hi"])]
    with pytest.raises(error, match=told):
        breakdown(pair(bare, bare), by)


def test_wide_characters_keep_columns_aligned() -> None:
    lines = Table("", ("词", "n"), (("中国", 1), ("a", 10))).to_text().splitlines()
    assert lines == ["词     n", "中国   1", "a     10"]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_written_and_the_same_every_time(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    pairings = [pair([GOLD], [NOUN_DUCK]), pair([GOLD], [FLAT])]
    for name in ("one", "two"):
        tables = [breakdown(p, "label") for p in pairings]
        plot_breakdown(tmp_path / f"{name}.{suffix}", tables, ["A", "B"], "F1")
        plot_patterns(tmp_path / f"{name}-errors.{suffix}", [error_patterns(p) for p in pairings], ["A", "B"])
    for kind in ("", "-errors"):
        first, second = ((tmp_path / f"{name}{kind}.{suffix}").read_bytes() for name in ("one", "two"))
        assert first == second
        assert first.startswith(b"\x89PNG" if suffix == "png" else b"<?xml")
    with pytest.raises(OptionError, match=r"png or svg"):
        plot_patterns(tmp_path / "x.bmp", [Counter({("A", "B"): 1})], ["A"])


def test_pictures_without_matplotlib_say_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match=r"pip install plait\[plot\]"):
        plot_patterns(tmp_path / "x.png", [Counter({("A", "B"): 1})], ["A"])
