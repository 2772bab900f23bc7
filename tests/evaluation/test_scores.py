"""Every measure on sentences small enough to count by hand."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest
from evaluation_treebank import TREEBANK, damage, parse
from hypothesis import given, settings
from hypothesis import strategies as st

import plait
from plait.data import Document, Sentence
from plait.errors import DataError
from plait.evaluation import conll18, evaluate
from plait.evaluation.scores import SCORES

FORMS = ["The", "cat", "sat", "."]


def gold_sentence(**columns: object) -> Sentence:
    values = {
        "lemmas": ["the", "cat", "sit", "."],
        "upos": ["DET", "NOUN", "VERB", "PUNCT"],
        "xpos": ["DT", "NN", "VBD", "."],
        "feats": ["Definite=Def|PronType=Art", "Number=Sing", "_", "_"],
        "heads": [2, 3, 0, 3],
        "deprels": ["det", "nsubj", "root", "punct"],
    }
    return Sentence(FORMS, **(values | columns))


def test_identical_documents_score_100_and_give_every_key_that_applies() -> None:
    record = evaluate([gold_sentence()], [gold_sentence()], train={"The", "sat", "."}).to_dict()
    assert list(record) == [
        "tokens", "sentences", "upos", "xpos", "feats", "alltags", "lemmas", "upos_known", "upos_unknown", "uas", "las",
        "tlas", "clas", "mlas", "blex", "complete", "root", "seg_precision", "seg_recall", "seg_f1", "seg_upos_f1",
        "oov_recall",
    ]  # fmt: skip
    assert (record.pop("tokens"), record.pop("sentences")) == (4, 1)
    assert set(record.values()) == {100.0}


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_any_document_scores_100_against_itself(seed: int) -> None:
    sentences = damage(parse(TREEBANK), Random(seed), 0.4)
    record = evaluate(sentences, [s.copy() for s in sentences]).to_dict()
    assert {record[name] for name in SCORES if name in record} == {100.0}


def test_tagging_accuracy_of_known_and_unknown_words() -> None:
    predicted = gold_sentence(upos=["DET", "VERB", "VERB", "NOUN"])
    scores = evaluate([gold_sentence()], [predicted], train={"The", "sat", "."})
    assert scores.upos == 50
    assert scores.upos_known == pytest.approx(200 / 3)
    assert scores.upos_unknown == 0
    assert scores.oov_recall == 100


@pytest.mark.parametrize(
    "train",
    [{"The", "cat"}, frozenset({"The", "cat"}), Sentence(["The", "cat"]), Document([Sentence(["The", "cat"])])],
    ids=["set", "frozenset", "sentences", "document"],
)
def test_training_words_come_as_forms_sentences_or_documents(train: object) -> None:
    given_as = [train] if isinstance(train, Sentence) else train
    scores = evaluate([gold_sentence()], [gold_sentence(upos=["X", "X", "VERB", "PUNCT"])], train=given_as)
    assert (scores.upos_known, scores.upos_unknown) == (0, 100)
    if isinstance(train, Document):
        assert evaluate([gold_sentence()], [gold_sentence()], train=[train, train]).upos_known == 100


def test_attachment_scores_with_and_without_punctuation() -> None:
    predicted = gold_sentence(heads=[2, 3, 0, 2], deprels=["det", "obj", "root", "punct"], upos=["X", "X", "VERB", "X"])
    with_punct = evaluate([gold_sentence()], [predicted])
    assert (with_punct.uas, with_punct.las, with_punct.tlas, with_punct.complete) == (75, 50, 25, 0)
    without = evaluate([gold_sentence()], [predicted], punct=False)
    assert (without.uas, without.complete, without.root) == (100, 100, 100)
    assert (without.las, without.tlas) == (pytest.approx(200 / 3), pytest.approx(100 / 3))
    assert without.upos == with_punct.upos == 25


def test_punctuation_without_upos_is_recognised_by_its_characters() -> None:
    gold, predicted = gold_sentence(upos=None), gold_sentence(upos=None, heads=[2, 3, 0, 1])
    assert evaluate([gold], [predicted]).uas == 75
    assert evaluate([gold], [predicted], punct=False).uas == 100


def test_clas_is_the_f1_of_content_words_without_subtypes() -> None:
    predicted = gold_sentence(deprels=["det", "nsubj:pass", "root", "nmod"])
    # content words: nsubj and root in gold; nsubj, root and nmod predicted; two of them right
    assert evaluate([gold_sentence()], [predicted]).clas == pytest.approx(100 * 2 * 2 / 5)


def test_all_tags_and_lemmas_word_by_word() -> None:
    predicted = gold_sentence(upos=["DET", "NOUN", "NOUN", "PUNCT"], xpos=["DT", "NN", "VBD", "x"])
    scores = evaluate([gold_sentence()], [predicted])
    assert (scores.upos, scores.xpos, scores.alltags) == (75, 75, 50)
    assert evaluate([gold_sentence(xpos=None)], [predicted]).alltags == 75  # gold has no XPOS to compare
    assert evaluate([gold_sentence(xpos=None, feats=None)], [predicted]).alltags is None  # it would be UPOS again
    assert evaluate([gold_sentence()], [gold_sentence(lemmas=["the", "dog", "sit", "_"])]).lemmas == 50
    open_lemma = gold_sentence(lemmas=["the", "cat", "_", "."])
    assert evaluate([open_lemma], [gold_sentence(lemmas=["the", "dog", "sit", "."])]).lemmas == pytest.approx(200 / 3)


def test_mlas_and_blex_word_by_word() -> None:
    # content words: cat and sat; the function word of cat is The
    scores = evaluate([gold_sentence()], [gold_sentence(feats=["Definite=Ind|PronType=Art", "Number=Sing", "_", "_"])])
    assert (scores.clas, scores.mlas, scores.blex) == (100, 50, 100)
    scores = evaluate([gold_sentence()], [gold_sentence(lemmas=["x", "cat", "sat", "x"])])
    assert (scores.clas, scores.mlas, scores.blex) == (100, 100, 50)
    scores = evaluate([gold_sentence(feats=None, lemmas=None)], [gold_sentence()])
    assert (scores.clas, scores.mlas, scores.blex) == (100, None, None)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_scores_of_content_words_are_those_of_conll_2018_also_over_the_same_words(seed: int) -> None:
    random, gold = Random(seed), parse(TREEBANK)
    predicted = [sentence.copy() for sentence in gold]
    for sentence in predicted:
        for column in ("lemmas", "upos", "feats", "deprels", "heads"):
            values = getattr(sentence, column)
            for i in range(len(sentence)):
                if random.random() < 0.2:
                    values[i] = random.choice(values)
    scores, table = evaluate(gold, predicted), conll18(gold, predicted)
    found = {name: getattr(scores, name.lower()) for name in ("CLAS", "MLAS", "BLEX")}
    assert found == {name: table[name].f1 for name in found}


def test_labels_are_compared_with_their_subtypes_where_words_agree() -> None:
    assert evaluate([gold_sentence()], [gold_sentence(deprels=["det", "nsubj:pass", "root", "punct"])]).las == 75


def test_unknown_and_impossible_heads_of_predictions_are_wrong() -> None:
    scores = evaluate([gold_sentence()], [gold_sentence(heads=[-1, 3, 0, 9])])
    assert (scores.uas, scores.las, scores.complete, scores.root) == (50, 50, 0, 100)
    nothing = evaluate([gold_sentence()], [gold_sentence(heads=[-1] * 4)])
    assert (nothing.uas, nothing.root) == (0, 0)


def test_a_second_root_makes_the_root_wrong() -> None:
    assert evaluate([gold_sentence()], [gold_sentence(heads=[2, 0, 0, 3])]).root == 0


def test_what_gold_leaves_open_is_not_scored() -> None:
    gold = gold_sentence(upos=["_", "NOUN", "VERB", "_"], heads=[-1, 3, 0, 3], deprels=["_", "nsubj", "root", "_"])
    scores = evaluate([gold], [gold_sentence(heads=[1, 3, 0, 1], upos=["X", "NOUN", "ADJ", "X"])])
    assert (scores.upos, scores.uas, scores.las) == (50, pytest.approx(200 / 3), 100)


def test_a_gold_head_outside_of_the_sentence_is_unknown() -> None:
    gold = gold_sentence(heads=[2, 3, 0, 9])
    assert evaluate([gold], [gold_sentence(heads=[2, 2, 0, 3])]).uas == pytest.approx(200 / 3)


def test_content_relations_are_not_scored_where_gold_leaves_the_head_open() -> None:
    gold = gold_sentence(heads=[-1, 3, 0, 3])
    assert evaluate([gold], [gold_sentence(deprels=["amod", "nsubj", "root", "punct"])]).clas == 100


def test_gold_without_tags_and_trees_has_only_word_scores() -> None:
    bare = Sentence(FORMS)
    assert set(evaluate([bare], [gold_sentence()]).to_dict()) == {
        "tokens", "sentences", "seg_precision", "seg_recall", "seg_f1",
    }  # fmt: skip


def test_tlas_and_known_words_take_xpos_where_gold_has_no_upos() -> None:
    gold = gold_sentence(upos=None)
    scores = evaluate([gold], [gold_sentence(upos=None, xpos=["DT", "NN", "NN", "."])], train={"sat"})
    assert (scores.xpos, scores.tlas, scores.upos_known, scores.upos) == (75, 75, 0, None)


def test_features_are_compared_in_any_order() -> None:
    predicted = gold_sentence(feats=["PronType=Art|Definite=Def", "Number=Plur", "_", "_"])
    assert evaluate([gold_sentence()], [predicted]).feats == 75


def test_segmentation_counts_words_of_the_same_extent() -> None:
    gold = [Sentence(["中国", "对", "外", "开放"], upos=["NR", "P", "NN", "VV"])]
    predicted = [Sentence(["中国", "对外", "开放"], upos=["NR", "AD", "NN"])]
    scores = evaluate(gold, predicted, train={"中国", "对", "外"})
    assert (scores.seg_precision, scores.seg_recall) == (pytest.approx(200 / 3), 50)
    assert scores.seg_f1 == pytest.approx(100 * 2 * 2 / 7)
    assert scores.seg_upos_f1 == scores.upos == pytest.approx(100 * 2 * 1 / 7)
    assert scores.oov_recall == 100
    assert evaluate(gold, predicted, train={"中国", "开放"}).oov_recall == 0


def test_different_words_give_the_values_of_the_conll_2018_table() -> None:
    random = Random(3)
    gold = parse(TREEBANK)
    scores = evaluate(gold, damage(gold, random, 0.3))
    assert scores.conll18 is not None
    table = {name: row.f1 for name, row in scores.conll18.items()}
    assert scores.seg_f1 == table["Words"]
    assert (scores.upos, scores.xpos, scores.feats) == (table["UPOS"], table["XPOS"], table["UFeats"])
    assert (scores.uas, scores.las, scores.clas) == (table["UAS"], table["LAS"], table["CLAS"])
    assert (scores.alltags, scores.lemmas) == (table["AllTags"], table["Lemmas"])
    assert (scores.mlas, scores.blex) == (table["MLAS"], table["BLEX"])
    assert scores.to_dict()["conll18"]["MLAS"]["f1"] == table["MLAS"]
    assert "CoNLL 2018" in str(scores)


def test_other_sentence_boundaries_are_aligned_too() -> None:
    gold = [gold_sentence(), gold_sentence()]
    both = Sentence(
        FORMS * 2,
        upos=gold[0].upos * 2,
        heads=[2, 3, 0, 3, 6, 7, 3, 7],
        deprels=[*gold[0].deprels, "det", "nsubj", "conj", "punct"],
    )
    scores = evaluate(gold, [both])
    assert (scores.seg_f1, scores.upos, scores.uas) == (100, 100, 87.5)
    assert scores.root == pytest.approx(100 * 2 * 1 / 3)
    assert scores.complete == 0


def test_without_punctuation_aligned_words_are_left_out_on_both_sides() -> None:
    gold = [gold_sentence()]
    predicted = [
        Sentence(["Thecat", "sat", "."], upos=["NOUN", "VERB", "PUNCT"], heads=[2, 0, 1], deprels=["x", "root", "x"])
    ]
    # gold: The cat sat; predicted: Thecat sat; right: sat
    assert evaluate(gold, predicted, punct=False).uas == pytest.approx(100 * 2 * 1 / 5)


@pytest.mark.parametrize(
    ("gold", "predicted"), [([], []), ([], [Sentence([])]), ([Sentence([])], [Sentence([])])], ids=str
)
def test_empty_documents_have_no_scores(gold: list[Sentence], predicted: list[Sentence]) -> None:
    scores = evaluate(gold, predicted)
    record = scores.to_dict()
    record.pop("conll18", None)
    assert record == {"tokens": 0, "sentences": len(gold)}
    assert "tokens" in scores.to_text()


def test_one_word() -> None:
    one = Sentence(["Hi"], upos=["INTJ"], heads=[0], deprels=["root"])
    assert evaluate([one], [one]).las == 100
    assert evaluate([one], [Sentence(["Hi"])]).las == 0


def test_a_single_sentence_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(DataError, match="found a Token"):
        evaluate(gold_sentence(), [gold_sentence()])


def test_other_words_are_refused_with_the_first_place() -> None:
    gold = [gold_sentence(), gold_sentence(comments=["# sent_id = s2"])]
    predicted = [gold_sentence(), Sentence(["The", "dog", "sat", "."])]
    with pytest.raises(DataError, match=r'in sentence 2 "s2", word 2, predicted has .*dogsat.* in sentence 2, word 2'):
        evaluate(gold, predicted)


def test_the_function_stays_callable_after_its_package_is_imported() -> None:
    code = """
import plait
s = plait.Sentence(["Hi"], heads=[0])
assert plait.evaluate([s], [s]).uas == 100
import plait.evaluation, plait.cli.evaluate
assert plait.evaluate([s], [s]).uas == 100
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert plait.evaluate is evaluate
