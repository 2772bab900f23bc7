"""Whole tables of a comparison small enough to be counted by hand: every title, name of a column, and number."""

from __future__ import annotations

from collections import Counter

import pytest

from plait.data import Sentence
from plait.errors import DataError
from plait.evaluation import breakdown, compare, conll18, evaluate, pair
from plait.evaluation.breakdown import frequent_patterns, possible_breakdowns
from plait.evaluation.charts import bar_chart, interval_chart
from plait.evaluation.tables import Table, column_values, compared, side_by_side

TAGS, HEADS = ["PRON", "VERB", "PRON", "VERB", "PUNCT"], [2, 0, 4, 2, 2]
LABELS = ["nsubj", "root", "nsubj", "ccomp", "punct"]
FORMS = ["I", "saw", "her", "duck", "."]
GOLD = Sentence(FORMS, upos=TAGS, heads=HEADS, deprels=LABELS)
NOUN_DUCK = Sentence(
    FORMS, upos=["PRON", "VERB", "PRON", "NOUN", "PUNCT"], heads=HEADS,
    deprels=["nsubj", "root", "nmod", "obj", "punct"],
)  # fmt: skip
FLAT = Sentence(FORMS, upos=TAGS, heads=[2, 0, 2, 2, 3], deprels=LABELS)
JOINED = Sentence(
    ["I", "saw", "herduck", "."], upos=["PRON", "VERB", "NOUN", "PUNCT"], heads=[2, 0, 2, 2],
    deprels=["nsubj", "root", "obj", "punct"],
)  # fmt: skip


def test_a_comparison_in_full() -> None:
    found = compare([GOLD] * 2, [NOUN_DUCK] * 2, [GOLD, NOUN_DUCK], samples=99)
    assert (
        found.to_text(("joint.conllu", "pipeline.conllu"))
        == """\
A  joint.conllu
B  pipeline.conllu

2 sentences, 10 tokens
measure              A       B   A − B   95 % interval  p bootstrap  p permutation  p McNemar
UPOS             80.00   90.00  -10.00  -20.00 … +0.00       0.5600         1.0000     1.0000
UAS             100.00  100.00   +0.00   +0.00 … +0.00       1.0000         1.0000     1.0000
LAS              60.00   80.00  -20.00  -40.00 … +0.00       0.5600         1.0000     0.5000
TLAS             60.00   80.00  -20.00  -40.00 … +0.00       0.5600         1.0000     0.5000
CLAS             50.00   75.00  -25.00  -50.00 … +0.00       0.5600         1.0000     0.5000
complete match  100.00  100.00   +0.00   +0.00 … +0.00       1.0000         1.0000     1.0000
root            100.00  100.00   +0.00   +0.00 … +0.00       1.0000         1.0000     1.0000

Errors in UPOS, gold → predicted, with the F1 of the gold value
pattern      A  B  A − B  change   F1 A   F1 B
VERB → NOUN  2  1     +1  +100 %  66.67  85.71

Errors in labels, gold → predicted, with the F1 of the gold value
pattern       A  B  A − B  change   F1 A   F1 B
ccomp → obj   2  1     +1  +100 %   0.00  66.67
nsubj → nmod  2  1     +1  +100 %  66.67  85.71
"""
    )
    assert found.to_text(("A", "B")).startswith("2 sentences")
    record = found.to_dict(top=1)
    assert record["measures"]["las"] == {
        "a": 60.0, "b": 80.0, "difference": -20.0, "interval": [-40.0, 0.0], "bootstrap_p": 0.56,
        "permutation_p": 1.0, "mcnemar_p": 0.5, "mcnemar_chi2": 0.5, "mcnemar_chi2_p": pytest.approx(0.4795001),
        "only_a": 0, "only_b": 2,
    }  # fmt: skip
    assert record["errors"]["deprels"] == [
        {"gold": "ccomp", "predicted": "obj", "a": 2, "b": 1, "f1_a": 0.0, "f1_b": pytest.approx(200 / 3), "change": 1}
    ]


def test_p_values_below_what_four_digits_show() -> None:
    found = compare([GOLD] * 30, [GOLD] * 30, [NOUN_DUCK] * 30, samples=20_000)
    rows = {row[0]: row for row in found.table().rows}
    assert rows["UPOS"][5:] == ("<0.0001", "<0.0001", "<0.0001")
    assert rows["UAS"][5:] == ("1.0000", "1.0000", "1.0000")


LENGTHS = """\
Attachment by arc length
length  gold  predicted  right  precision  recall      F1
root       2          2      2     100.00  100.00  100.00
1          4          4      3      75.00   75.00   75.00
2          2          3      2      66.67  100.00   80.00
3–4        2          1      1     100.00   50.00   66.67
"""
SENTENCES = """\
By sentence length
length  sentences  tokens   UPOS    UAS    LAS
1–10            2      10  90.00  80.00  60.00
"""
BY_TAG = """\
By tag (UPOS)
tag    gold  predicted  right  precision  recall      F1     UAS    LAS
PRON      4          4      4     100.00  100.00  100.00   75.00  50.00
VERB      4          3      3     100.00   75.00   85.71  100.00  75.00
PUNCT     2          2      2     100.00  100.00  100.00   50.00  50.00
NOUN      0          1      0       0.00            0.00
"""
BY_LABEL = """\
By label, with the head
label  gold  predicted  right  precision  recall      F1
nsubj     4          3      2      66.67   50.00   57.14
ccomp     2          1      1     100.00   50.00   66.67
punct     2          2      1      50.00   50.00   50.00
root      2          2      2     100.00  100.00  100.00
nmod      0          1      0       0.00            0.00
obj       0          1      0       0.00            0.00
"""


@pytest.mark.parametrize(
    ("by", "text"), [("length", LENGTHS), ("sentence", SENTENCES), ("tag", BY_TAG), ("label", BY_LABEL)]
)
def test_breakdowns_in_full(by: str, text: str) -> None:
    pairing = pair([GOLD, GOLD], [NOUN_DUCK, FLAT])
    assert breakdown(pairing, by).to_text() == text
    assert by in possible_breakdowns(pairing)


def test_without_punctuation_its_attachment_does_not_count() -> None:
    pairing = pair([GOLD, GOLD], [NOUN_DUCK, FLAT])
    rows = {row["tag"]: row for row in breakdown(pairing, "tag", punct=False).to_dict()}
    assert (rows["PUNCT"]["uas"], rows["PUNCT"]["f1"], rows["PRON"]["uas"]) == (None, 100.0, 75.0)
    assert breakdown(pairing, "sentence", punct=False).to_dict() == [
        {"length": "1–10", "sentences": 2, "tokens": 10, "upos": 90.0, "uas": 87.5, "las": 62.5}
    ]


def test_words_that_differ_in_full() -> None:
    assert (
        evaluate([GOLD], [JOINED]).to_text()
        == """\
measure                %
sentences              1
tokens                 5
UPOS               66.67
UAS                66.67
LAS                66.67
TLAS               66.67
CLAS               57.14
complete match      0.00
root              100.00
words, precision   75.00
words, recall      60.00
words, F1          66.67
words + tags, F1   66.67

CoNLL 2018
metric     precision  recall      F1  aligned accuracy
Tokens         75.00   60.00   66.67
Sentences     100.00  100.00  100.00
Words          75.00   60.00   66.67
UPOS           75.00   60.00   66.67            100.00
XPOS           75.00   60.00   66.67            100.00
UFeats         75.00   60.00   66.67            100.00
AllTags        75.00   60.00   66.67            100.00
Lemmas         75.00   60.00   66.67            100.00
UAS            75.00   60.00   66.67            100.00
LAS            75.00   60.00   66.67            100.00
CLAS           66.67   50.00   57.14            100.00
MLAS           66.67   50.00   57.14            100.00
BLEX           66.67   50.00   57.14            100.00
"""
    )
    assert breakdown(pair([GOLD], [JOINED]), "sentence").to_dict() == [
        {"length": "1–10", "sentences": 1, "tokens": 5, "words": 60.0, "upos": 60.0, "uas": 60.0, "las": 60.0}
    ]
    rows = {name: row.to_dict() for name, row in conll18([GOLD], [JOINED]).items()}
    assert rows["Words"] == {"precision": 75.0, "recall": 60.0, "f1": pytest.approx(200 / 3)}
    assert rows["UPOS"] == {"precision": 75.0, "recall": 60.0, "f1": pytest.approx(200 / 3), "aligned_accuracy": 100.0}


def test_texts_that_differ_are_shown_around_the_first_difference() -> None:
    gold = Sentence(["abcdefghijklmnop", "qrstuvwxyzabcdefghijkl"])
    other = Sentence(["abcdefghijklmnop", "qrsXuvwxyzabcdefghijkl"])
    told = (
        "gold and predicted have different texts: gold has '…jklmnopqrstuvwxyzabcdefgh…' in sentence 1, word 2, "
        "predicted has '…jklmnopqrsXuvwxyzabcdefgh…' in sentence 1, word 2; expected the same characters, spaces "
        "aside; evaluate the analysis of the same text"
    )
    with pytest.raises(DataError) as error:
        pair([gold], [other])
    assert str(error.value) == told
    with pytest.raises(DataError, match=r"gold has nothing more after '…abc', at its end \(1 sentences\), predicted"):
        pair([Sentence(["abc"])], [Sentence(["abc"]), Sentence(["d"])])
    named = Sentence(["d"])
    named.set_comment("sent_id", "second")
    with pytest.raises(DataError, match=r"predicted has 'abcd' in sentence 2 \"second\", word 1;"):
        pair([Sentence(["abc"])], [Sentence(["abc"]), named])


def test_charts_in_full() -> None:
    chart = interval_chart(
        "t", ["UAS", "LAS", "x"], [(1.0, 0.5, 1.5), (-0.5, -1.0, 0.2), (-2.0, -3.0, -1.0)], ("B", "A")
    )
    for part in (
        '<div class="chart" role="group" aria-label="t">',
        '<div class="ends"><span>B −3.00</span><span>+3.00 A</span></div>',
        '<i class="a" style="left:58.3%;width:16.7%"></i><u class="a sure" style="left:66.7%"></u><em>+1.00</em>',
        '<i class="b" style="left:33.3%;width:20.0%"></i><u class="b" style="left:41.7%"></u><em>-0.50</em>',
        '<i class="b" style="left:0.0%;width:33.3%"></i><u class="b sure" style="left:16.7%"></u><em>-2.00</em>',
    ):
        assert part in chart
    assert "−0.10</span><span>+0.10" in interval_chart("t", ["x"], [(0.0, 0.0, 0.0)], ("B", "A"))
    bars = bar_chart("n", ["a", "b"], [[3, 1200]], ["A"])
    assert "<em>1,200</em>" in bars
    assert "width:0.2%" in bars
    assert "legend" not in bars
    assert '<span class="b">B</span>' in bar_chart("n", ["a"], [[3], [4]], ["A", "B"])


def test_tables_side_by_side_have_every_row_and_the_scores_alone() -> None:
    columns = ("tag", "gold", "predicted", "right", "precision", "recall", "F1", "UAS")
    for several, header in ((columns, ("F1 A", "F1 B", "UAS A", "UAS B")), (("tag", "UAS"), ("UAS A", "UAS B"))):
        alone = Table("", several, ())
        assert compared([alone], ("A",)) is alone
        assert compared([alone, alone], ("A", "B")).columns[1:] == header
    a = Table("By tag", ("tag", "F1", "UAS"), (("X", 1.0, 2.0), ("Y", 3.0, None)))
    b = Table("By tag", ("tag", "F1", "UAS"), (("Z", 5.0, 6.0), ("X", 7.0, 8.0)))
    both = side_by_side([a, b], ("A", "B"), ("F1", "UAS"))
    assert both == Table(
        "By tag", ("tag", "F1 A", "F1 B", "UAS A", "UAS B"),
        (("X", 1.0, 7.0, 2.0, 8.0), ("Y", 3.0, None, None, None), ("Z", None, 5.0, None, 6.0)),
    )  # fmt: skip
    assert column_values([a, b], "UAS", 2) == (["X", "Y"], [[2.0, 0.0], [8.0, 0.0]])


def test_the_patterns_of_all_systems_together_are_ordered() -> None:
    a, b = Counter({("x", "y"): 2, ("p", "q"): 3}), Counter({("x", "y"): 2, ("a", "b"): 3})
    assert frequent_patterns([a, b], 2) == [("x", "y"), ("a", "b")]
