"""The edges of the measures: columns that were copied, places where texts part, words without characters."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_whole_tables import FLAT, FORMS, GOLD, HEADS, LABELS, NOUN_DUCK, TAGS

from plait.data import Document, Sentence
from plait.errors import DataError, OptionError
from plait.evaluation import breakdown, compare, compare_runs, error_patterns, evaluate, pair
from plait.evaluation.breakdown import breakdowns, possible_breakdowns, value_f1
from plait.evaluation.charts import bar_chart, interval_chart
from plait.evaluation.conll18 import Measure, universal_features
from plait.evaluation.pairing import align
from plait.evaluation.significance import f1_of, mcnemar, paired_bootstrap, paired_permutation
from plait.evaluation.tables import Table
from plait.evaluation.words import Words, is_punctuation


def made(sentence: Sentence, *columns: str) -> Document:
    """A prediction of which only these columns are the model's own."""
    document = Document([sentence])
    document.predicted_columns = frozenset(columns)
    return document


def told(call: object) -> str:
    with pytest.raises((DataError, OptionError, ValueError)) as found:
        call()  # type: ignore[operator]
    return str(found.value)


def test_tags_that_were_copied_are_counted_and_their_words_attached() -> None:
    pairing = pair([GOLD], made(FLAT, "heads", "deprels"))
    assert breakdown(pairing, "tag") == Table(
        "By tag (UPOS)",
        ("tag", "gold", "UAS", "LAS"),
        (("PRON", 2, 50.0, 50.0), ("VERB", 2, 100.0, 100.0), ("PUNCT", 1, 0.0, 0.0)),
    )
    labels_copied = pair([GOLD], made(FLAT, "upos", "heads"))
    assert breakdown(labels_copied, "tag").columns[-2:] == ("F1", "UAS")
    assert breakdown(labels_copied, "sentence").columns == ("length", "sentences", "tokens", "UPOS", "UAS")
    trees_copied = pair([GOLD], made(FLAT, "upos"))
    assert breakdown(trees_copied, "tag").columns[-1] == "F1"
    assert breakdown(trees_copied, "sentence").columns == ("length", "sentences", "tokens", "UPOS")


def test_a_tag_that_only_the_prediction_has_is_not_counted_where_tags_were_copied() -> None:
    pairing = pair([GOLD], made(NOUN_DUCK, "heads", "deprels"))
    assert [row[0] for row in breakdown(pairing, "tag").rows] == ["PRON", "VERB", "PUNCT"]


COPIED = "was copied from the input of the model, not predicted"


def test_breakdowns_without_anything_to_say_are_refused() -> None:
    nothing = pair([GOLD], made(FLAT))
    assert told(lambda: breakdown(nothing, "tag")) == (
        f"the column upos {COPIED}; a breakdown by tag needs predicted tags or trees"
    )
    trees = f"{COPIED}; a breakdown by arc length or label needs predicted trees"
    assert told(lambda: breakdown(nothing, "length")) == f"the column head {trees}"
    assert told(lambda: breakdown(nothing, "label")) == f"the column deprel {trees}"
    assert told(lambda: breakdown(pair([GOLD], made(FLAT, "heads")), "label")) == f"the column deprel {trees}"
    assert told(lambda: breakdown(pair([GOLD], made(FLAT, "deprels")), "label")) == f"the column head {trees}"
    bare = pair([Sentence(FORMS)], [GOLD])
    assert told(lambda: breakdown(bare, "tag")) == (
        "gold has neither UPOS nor XPOS; a breakdown by tag needs gold tags"
    )
    assert told(lambda: breakdown(bare, "length")) == (
        "gold has no heads; a breakdown by arc length or label needs gold trees"
    )
    assert told(lambda: breakdown(nothing, "colour")) == (
        "no breakdown by 'colour'; expected one of length, sentence, tag, label"
    )


@pytest.mark.parametrize(
    ("columns", "possible"),
    [
        (("upos", "heads", "deprels"), ("length", "sentence", "tag", "label")),
        (("heads", "deprels"), ("length", "sentence", "tag", "label")),
        (("heads",), ("length", "sentence", "tag")),
        (("upos",), ("sentence", "tag")),
        ((), ()),
    ],
)
def test_which_breakdowns_have_something_to_say(columns: tuple[str, ...], possible: tuple[str, ...]) -> None:
    assert possible_breakdowns(pair([GOLD], made(FLAT, *columns))) == possible
    both = pair([GOLD], [FLAT]), pair([GOLD], made(FLAT, *columns))
    assert possible_breakdowns(*both) == possible


def test_words_alone_have_sentence_lengths() -> None:
    assert possible_breakdowns(pair([Sentence(["a"])], [Sentence(["a"])])) == ("sentence",)
    assert possible_breakdowns(pair([Sentence(["ab"])], [Sentence(["a", "b"])])) == ("sentence",)
    xpos = Sentence(["a"], xpos=["X"])
    assert possible_breakdowns(pair([xpos], [xpos])) == ("sentence", "tag")
    assert breakdown(pair([xpos], [xpos]), "tag").title == "By tag (XPOS)"
    assert breakdown(pair([Sentence(["ab"])], [Sentence(["a", "b"])]), "sentence") == Table(
        "By sentence length", ("length", "sentences", "tokens", "words"), (("1–10", 1, 1, 0.0),)
    )


def test_systems_side_by_side_have_the_columns_that_none_has_copied() -> None:
    one, two = breakdowns([pair([GOLD], [FLAT]), pair([GOLD], made(FLAT, "heads", "deprels"))], "tag")
    assert one.columns == two.columns == ("tag", "gold", "UAS", "LAS")
    assert one.rows[-1] == ("PUNCT", 1, 0.0, 0.0)  # which counts unless it is left out


def test_arcs_and_sentences_are_grouped_by_length() -> None:
    heads = [0] + [1] * 24
    long = Sentence(["w"] * 25, heads=heads, deprels=["x"] * 25)
    assert [(row[0], row[1]) for row in breakdown(pair([long], [long]), "length").rows] == [
        ("root", 1), ("1", 1), ("2", 1), ("3–4", 2), ("5–7", 3), ("8–10", 3), ("11–15", 5), ("16–20", 5), ("21+", 4),
    ]  # fmt: skip
    lengths = [1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 90]
    sentences = [Sentence(["w"] * n, upos=["X"] * n) for n in lengths]
    assert breakdown(pair(sentences, sentences), "sentence").rows == (
        ("1–10", 2, 11, 100.0), ("11–20", 2, 31, 100.0), ("21–30", 2, 51, 100.0), ("31–40", 2, 71, 100.0),
        ("41–50", 2, 91, 100.0), ("51+", 2, 141, 100.0),
    )  # fmt: skip


def test_values_without_a_prediction_or_without_gold_have_scores_of_zero() -> None:
    gold, found = Sentence(["a", "b"], upos=["X", "Y"]), Sentence(["a", "b"], upos=["Y", "_"])
    pairing = pair([gold], [found])
    assert breakdown(pairing, "tag").rows == (
        ("X", 1, 0, 0, None, 0.0, 0.0), ("Y", 1, 1, 0, 0.0, 0.0, 0.0),
    )  # fmt: skip
    assert value_f1(pairing) == {"X": 0.0, "Y": 0.0}
    assert error_patterns(pairing) == {("X", "Y"): 1, ("Y", "_"): 1}
    assert value_f1(pair([GOLD], [NOUN_DUCK]), "deprels")["nsubj"] == pytest.approx(200 / 3)


def test_comparisons_of_nothing_are_refused() -> None:
    one, two = made(FLAT, "upos"), made(FLAT, "heads", "deprels")
    for document in (one, two):  # words are given
        assert "seg_f1" in evaluate([GOLD], document).to_dict()
    empty = [Sentence([])]
    assert told(lambda: compare(empty, empty, empty)) == (
        "no measure applies to both systems; the other columns were copied from the input, not predicted"
    )
    assert told(lambda: compare_runs(empty, [empty], [empty])) == "no measure applies to all runs"
    assert told(lambda: compare([], [], [])) == "gold has no sentences; a comparison needs at least one"
    for a, b in (([], []), ([[GOLD]], [])):
        assert told(lambda a=a, b=b: compare_runs([GOLD], a, b)) == (  # type: ignore[misc]
            f"there are {len(a)} runs of A and 0 of B; expected as many of each, at least one"
        )


def test_the_tests_of_significance_say_what_they_need() -> None:
    a, b = np.ones((1, 2, 3), np.int64), np.ones((1, 3, 3), np.int64)
    for test in (paired_bootstrap, paired_permutation):
        assert told(lambda test=test: test(a, b)) == (  # type: ignore[misc]
            "counts of two systems must be over the same sentences, not (1, 2, 3) and (1, 3, 3)"
        )
        assert told(lambda test=test: test(a, a, seed=-1)) == "seed is -1; expected 0 or more"  # type: ignore[misc]
        assert told(lambda test=test: test(a, a, samples=0)) == (  # type: ignore[misc]
            "samples is 0; expected at least 1"
        )
        none = np.ones((1, 0, 3), np.int64)
        assert told(lambda test=test, none=none: test(none, none)) == (  # type: ignore[misc]
            "there are no sentences to resample"
        )
        assert len(test(a, a, samples=1, seed=0)) == 1


def test_the_significance_of_no_difference() -> None:
    nothing = mcnemar(np.zeros(3, np.bool_), np.zeros(3, np.bool_))
    assert (nothing.only_a, nothing.only_b, nothing.exact_p, nothing.chi2, nothing.chi2_p) == (0, 0, 1.0, 0.0, 1.0)
    assert f1_of(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 3.0]])).tolist() == [0.0, 50.0]


def word_by_word(text: str) -> list[Sentence]:
    return [Sentence([*text])]


@pytest.mark.parametrize(
    ("gold", "found", "shown"),
    [
        ("abX", "abY", ("'abX' in sentence 1, word 3", "'abY' in sentence 1, word 3")),
        (10 * "a" + "X", 10 * "a" + "Y",
         ("'aaaaaaaaaaX' in sentence 1, word 11", "'aaaaaaaaaaY' in sentence 1, word 11")),
        (11 * "a" + "X", 11 * "a" + "Y",
         ("'…aaaaaaaaaaX' in sentence 1, word 12", "'…aaaaaaaaaaY' in sentence 1, word 12")),
        ("X" + 14 * "a", "Y" + 15 * "a",
         (f"'X{14 * 'a'}' in sentence 1, word 1", f"'Y{14 * 'a'}…' in sentence 1, word 1")),
        ("0123456789abcdef", "0123456789abcdefg",
         ("nothing more after '…123456789abcdef', at its end (1 sentences)", "'…6789abcdefg' in sentence 1, word 17")),
        ("", "a", ("nothing more, at its end (1 sentences)", "'a' in sentence 1, word 1")),
    ],
)  # fmt: skip
def test_the_place_where_texts_part_is_shown(gold: str, found: str, shown: tuple[str, str]) -> None:
    message = told(lambda: pair(word_by_word(gold), word_by_word(found)))
    assert message == (
        f"gold and predicted have different texts: gold has {shown[0]}, predicted has {shown[1]}; "
        "expected the same characters, spaces aside; evaluate the analysis of the same text"
    )
    named = Document(word_by_word(gold), name="g.conllu"), Document(word_by_word(found), name="p.conllu")
    message = told(lambda: pair(*named))
    assert f"gold g.conllu has {shown[0]}, predicted p.conllu has {shown[1]};" in message


def test_words_without_characters_have_no_partner() -> None:
    pairing = pair([Sentence([" "], upos=["X"])], [Sentence([])])
    assert pairing.of_partner(np.zeros(0, np.int64), 7).tolist() == [7]
    assert pairing.of_partner(np.zeros(0, np.int64)).dtype == np.int64
    scores = evaluate([Sentence([" "], upos=["X"])], [Sentence([])])
    assert (scores.upos, scores.seg_recall) == (0.0, 0.0)


def test_punctuation_is_told_by_the_tag_or_by_all_characters() -> None:
    for tag, form, expected in (
        ("PUNCT", "a", True), ("X", ".", False), ("_", ".", True), ("_", "…)", True), ("_", ".a", False),
        ("_", "", False), ("PUNCT", "", True), ("_", "$", False),
    ):  # fmt: skip
        assert is_punctuation(tag, form) == expected


def test_without_punctuation_a_predicted_word_is_judged_by_its_partner() -> None:
    gold = [Sentence(["(", "ab", ".", "c"], upos=["PUNCT", "X", "PUNCT", "X"], heads=[2, 0, 2, 2])]
    found = [Sentence(["(", "a", "b", ".", "c"], upos=["X", "X", "PUNCT", "X", "PUNCT"], heads=[2, 0, 2, 2, 2])]
    tally = evaluate(gold, found, punct=False).tallies["uas"]
    assert tally.counts.tolist() == [[0, 2, 2]]  # of gold ab and c; of predicted a and c
    tally = evaluate(gold, found).tallies["uas"]
    assert tally.counts.tolist() == [[0, 4, 5]]


def test_heads_count_through_the_document() -> None:
    sentences = [Sentence(["a", "b"], heads=[0, 1]), Sentence(["c", "d", "e"], heads=[2, 0, 4]), Sentence(["f"])]
    words = Words(sentences)
    assert words.heads.tolist() == [-1, 0, 3, -1, -2, -2]
    assert words.arc_lengths.tolist() == [0, 1, 1, 0, 0, 0]
    assert words.first.tolist() == [0, 2, 5, 6]
    assert words.sentence.tolist() == [0, 0, 1, 1, 1, 2]
    assert words.has("heads")
    assert not Words(sentences[2:]).has("heads")
    assert Words([Sentence(["a", "b"], extra={"chunk": ["O", "_"]}), Sentence(["c"])]).column("chunk") == [
        "O",
        "_",
        "_",
    ]


def test_counts_give_precision_recall_and_their_mean() -> None:
    measure = Measure(3, 4, 12, 6)
    assert (measure.precision, measure.recall, measure.f1, measure.aligned_accuracy) == (25.0, 75.0, 37.5, 50.0)
    assert Measure(0, 0, 0).to_dict() == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert Measure(0, 0, 0, 0).to_dict()["aligned_accuracy"] == 0.0


def test_sentences_of_the_other_side_belong_where_they_begin() -> None:
    gold = [Sentence(["ab"]), Sentence(["cd"]), Sentence(["e"])]
    pairing = align(gold, [Sentence(["a", "bc"]), Sentence(["d", "e"])])
    assert pairing.home.tolist() == [0, 0, 1, 2]
    assert pairing.sentence_at([0, 1, 2, 3, 4]).tolist() == [0, 0, 1, 1, 2]
    assert pairing.partner.tolist() == [-3, -3, 3]
    assert pairing.reverse.tolist() == [-3, -3, -3, 2]
    assert pairing.of_partner(np.array([5, 6, 7, 8]), 9).tolist() == [9, 9, 8]
    assert not pairing.same_words


def test_bars_end_at_the_largest_value_or_at_one() -> None:
    assert 'style="width:50.0%"' in bar_chart("t", ["a", "b"], [[2.0, 4.0]], ["A"])
    assert 'style="width:50.0%"' in bar_chart("t", ["a"], [[0.5]], ["A"])
    assert 'style="width:0.5%"' in bar_chart("t", ["a"], [[0.5]], ["A"], top=100)


def test_bars_and_intervals_have_the_colour_of_their_system() -> None:
    bars = bar_chart("t", ["x"], [[50.0], [75.0]], ["A", "B"], top=100)
    assert (
        '<span class="group"><span class="bar"><i class="a" style="width:50.0%"></i><em>50.00</em></span>'
        '<span class="bar"><i class="b" style="width:75.0%"></i><em>75.00</em></span></span>'
    ) in bars
    rows = [(0.0, 0.0, 1.0), (0.5, -1.0, 0.0), (-0.5, -1.0, 0.0), (0.5, 0.1, 1.0), (-0.5, -1.0, -0.1)]
    chart = interval_chart("t", ["x"] * 5, rows, ("B", "A"))
    assert re.findall(r'<u class="(.*?)"', chart) == ["a", "a", "b", "a sure", "b sure"]


def test_what_was_copied_is_neither_merit_nor_fault() -> None:
    from plait.evaluation.report import _right

    wrong_tag = Sentence(FORMS, upos=["X", *TAGS[1:]], heads=HEADS, deprels=["x", *LABELS[1:]])
    everything = pair([GOLD], [wrong_tag])
    assert _right(everything).tolist() == [False, True, True, True, True]
    tag_alone = Sentence(FORMS, upos=["X", *TAGS[1:]], heads=HEADS, deprels=LABELS)
    assert _right(pair([GOLD], made(tag_alone, "heads", "deprels"))).all()
    assert not _right(pair([GOLD], made(tag_alone, "upos", "heads", "deprels"))).all()
    flat = Sentence(FORMS, upos=TAGS, heads=[2, 0, 2, 2, 2], deprels=LABELS)
    assert _right(pair([GOLD], made(flat, "upos"))).all()
    assert not _right(pair([GOLD], made(flat, "upos", "heads"))).all()


def test_a_word_that_is_left_out_does_not_hide_those_after_it() -> None:
    gold, found = [Sentence(["ab", "c"], upos=["X", "Y"])], [Sentence(["a", "b", "c"], upos=["X", "X", "Z"])]
    assert error_patterns(align(gold, found)) == {("Y", "Z"): 1}
    gold, found = [Sentence(["a", "b"], lemmas=["_", "b"])], [Sentence(["a", "b"], lemmas=["a", "c"])]
    assert sum(error_patterns(pair(gold, found), "lemmas").values()) == 1


def test_known_and_unknown_words_are_compared_word_by_word() -> None:
    found = compare([GOLD], [GOLD], [NOUN_DUCK], train={"saw", "duck"}, samples=9)
    measures = found.to_dict()["measures"]
    assert (measures["upos_known"]["only_a"], measures["upos_unknown"]["only_a"]) == (1, 0)
    assert (measures["upos_known"]["b"], measures["upos_unknown"]["b"]) == (50.0, 100.0)


def test_words_whose_tag_or_head_is_open_in_gold_do_not_count() -> None:
    gold = [Sentence(["a", "b", "."], upos=["X", "_", "PUNCT"], heads=[0, None, 1])]
    found = [Sentence(["a", "b", "."], upos=["X", "Y", "PUNCT"], heads=[0, 1, 1])]
    scores = evaluate(gold, found, train={"a", "b"}, punct=False)
    assert (scores.upos_known, scores.uas) == (100.0, 100.0)
    assert scores.tallies["uas"].counts.tolist() == [[1, 1, 1]]
    assert scores.tallies["upos_known"].counts.tolist() == [[1, 1, 1]]


def test_features_are_known_by_their_names_with_or_without_a_value() -> None:
    pairing = pair([Sentence(["a"], feats=["A"])], [Sentence(["a"], feats=["B"])])
    assert error_patterns(pairing, "feats") == {("A=", "no A"): 1, ("no B", "B="): 1}
    assert universal_features("Number=Sing|Own=1|Case") == "Case|Number=Sing"


def test_a_feature_that_is_given_too_often_has_a_lower_f1() -> None:
    gold = Sentence(["a", "b", "c"], feats=["N=S", "N=P", "N=D"])
    found = Sentence(["a", "b", "c"], feats=["N=S", "N=S", "N=S"])
    assert value_f1(pair([gold], [found]), "feats") == {"N=S": 50.0, "N=P": 0.0, "N=D": 0.0}


def test_all_tags_are_those_that_gold_has() -> None:
    gold = Sentence(["a", "b", "c"], upos=["X", "Y", "_"], xpos=["x", "y", "z"])
    found = Sentence(["a", "b", "c"], upos=["X", "Y", "Z"], xpos=["x", "x", "x"], feats=["A=1", "_", "_"])
    scores = evaluate([gold], [found])
    assert scores.alltags == 50.0  # of the words that gold tags
    assert scores.tallies["seg_upos"].counts.tolist() == [[2, 2, 2]]
    assert evaluate([Sentence(["a"], upos=["X"])], [Sentence(["a"], upos=["X"])]).alltags is None


SPLIT = ["a", "b", "c"]  # what gold has as ab, c


def test_own_features_and_subtypes_count_where_the_words_agree() -> None:
    gold = Sentence(["ab", "c"], feats=["Own=1|Case=Nom", "_"], heads=[0, 1], deprels=["root", "nsubj:pass"])
    same = Sentence(["ab", "c"], feats=["Own=2|Case=Nom", "_"], heads=[0, 1], deprels=["root", "nsubj"])
    scores = evaluate([gold], [same])
    assert (scores.feats, scores.las) == (50.0, 50.0)
    gold.forms, heads = ["a", "bc"], [0, 1, 1]
    other = Sentence(SPLIT, feats=["Own=2|Case=Nom", "_", "_"], heads=heads, deprels=["root", "x", "y"])
    assert evaluate([gold], [other]).tallies["feats"].counts.tolist() == [[1, 2, 3]]
    gold.forms = ["ab", "c"]
    subtypes = Sentence(SPLIT, heads=[3, 1, 0], deprels=["x", "x", "root:own"])
    root = Sentence(["ab", "c"], heads=[2, 0], deprels=["x", "root"])
    assert evaluate([root], [subtypes]).tallies["las"].counts.tolist() == [[1, 2, 3]]


def test_labels_without_punctuation_are_counted_on_both_sides() -> None:
    gold = Sentence(["ab", "."], upos=["X", "PUNCT"], heads=[0, 1], deprels=["root", "punct"])
    found = Sentence(["a", "b", "."], upos=["X", "X", "X"], heads=[0, 1, 1], deprels=["root", "x", "punct"])
    tallies = evaluate([gold], [found], punct=False).tallies
    assert tallies["las"].counts.tolist() == tallies["tlas"].counts.tolist() == [[0, 1, 2]]


def test_open_heads_count_where_the_words_differ_as_in_the_shared_task() -> None:
    gold = Sentence(["ab", "c"], heads=[0, None])
    assert evaluate([gold], [Sentence(SPLIT, heads=[0, 1, 1])]).tallies["uas"].counts.tolist() == [[0, 2, 3]]


def test_sentences_without_a_root_or_a_head_do_not_count() -> None:
    rooted, open_, single = Sentence(["a", "b"], heads=[0, 1]), Sentence(["c", "d"]), Sentence(["e"], heads=[0])
    tallies = evaluate([rooted, single, open_], [rooted, single, open_]).tallies
    for measure in ("root", "complete"):
        assert tallies[measure].counts.tolist() == [[1, 1, 1], [1, 1, 1], [0, 0, 0]]
        assert tallies[measure].counts.dtype == np.int64
        assert tallies[measure].right.tolist() == [True, True]


def chunked(*labels: str, forms: list[str] | None = None) -> list[Sentence]:
    return [Sentence(forms or [str(number) for number in range(len(labels))], extra={"chunk": list(labels)})]


def test_chunks_are_compared_label_by_label_and_by_their_extent() -> None:
    found = compare(chunked("B-N", "O", "B-N"), chunked("B-N", "_", "O"), chunked("O", "O", "B-N"), samples=9)
    row = found.to_dict()["measures"]["chunk_f1"]
    assert (row["only_a"], row["only_b"]) == (1, 1)
    assert evaluate(chunked("O", "O"), chunked("B-N", "O")).chunk_f1 is None
    gold, other = (chunked(*labels, forms=["a", " "]) for labels in (("B-N", "O"), ("B-N", "I-N")))
    assert evaluate(gold, other).chunk_f1 == 0.0  # another word, though one without characters


@pytest.mark.parametrize(
    ("upos", "xpos", "deprels"),
    [("NOUN VERB", "NN _", "nsubj root"), ("NOUN _", "NN VB", "nsubj root"), ("NOUN VERB", "NN VB", "nsubj _")],
)
def test_what_gold_leaves_open_is_not_scored(upos: str, xpos: str, deprels: str) -> None:
    """Nothing that gold says is contradicted, so everything is right."""
    found = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], xpos=["NN", "VB"], feats=["Number=Plur", "_"],
                     lemmas=["dog", "bark"], heads=[2, 0], deprels=["nsubj", "root"])  # fmt: skip
    gold = found.copy()
    gold.upos, gold.xpos, gold.deprels = upos.split(), xpos.split(), deprels.split()
    scores = evaluate([gold], [found]).to_dict()
    shares = {name: value for name, value in scores.items() if name not in ("tokens", "sentences")}
    assert {"alltags", "tlas", "clas", "mlas", "blex"} <= set(shares)
    assert set(shares.values()) == {100.0}
    for kind, values in (
        ("tag", [tag for tag in gold.upos if tag != "_"]),
        ("label", deprels.replace(" _", "").split()),
    ):
        rows = breakdown(pair([gold], [found]), kind).rows
        assert sorted(row[0] for row in rows) == sorted(values)
        assert all(row[4] == row[5] == 100.0 for row in rows)
    wrong = found.copy()
    wrong.upos, wrong.xpos, wrong.deprels = ["X", "X"], ["X", "X"], ["dep", "dep"]
    worse = evaluate([gold], [wrong])
    assert (worse.alltags, worse.tlas, worse.clas, worse.mlas) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("column", "value"), [("heads", -1), ("deprels", "_"), ("upos", "_")], ids=["head", "relation", "tag"]
)
def test_mlas_does_not_score_what_gold_leaves_open_of_a_function_word(column: str, value: object) -> None:
    found = Sentence(["The", "dogs", "bark"], upos=["DET", "NOUN", "VERB"], feats=["_", "Number=Plur", "_"],
                     heads=[2, 3, 0], deprels=["det", "nsubj", "root"])  # fmt: skip
    gold = found.copy()
    getattr(gold, column)[0] = value
    assert evaluate([gold], [found]).mlas == 100.0
    wrong = found.copy()
    wrong.heads, wrong.deprels[0] = [3, 3, 0], "case"
    scores = evaluate([gold], [wrong])
    assert scores.mlas == (100.0 if column != "upos" else 0.0)  # where its head and relation are known, they count
    assert scores.clas == 100.0
    wrong.heads[1] = 0
    assert evaluate([gold], [wrong]).mlas == (50.0 if column != "upos" else 0.0)


def test_sentences_of_punctuation_alone_are_counted_on_neither_side() -> None:
    def sentence(forms: list[str], upos: list[str]) -> Sentence:
        return Sentence(
            forms, upos=upos, heads=[0, *[1] * (len(forms) - 1)], deprels=["root", *["x"] * (len(forms) - 1)]
        )

    same = [sentence(["..."], ["PUNCT"]), sentence(["a", "b"], ["X", "X"])]
    gold, found = [*same, sentence(["cd"], ["X"])], [*same, sentence(["c", "d"], ["X", "X"])]
    assert evaluate(gold, found, punct=False).complete == 50.0  # one of two on either side
    assert evaluate(gold, found).complete == pytest.approx(200 / 3)
