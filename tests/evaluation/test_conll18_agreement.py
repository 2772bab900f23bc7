"""Our CoNLL 2018 table against the official scorer, packaged in udtools: equal to the last digit."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from evaluation_treebank import TREEBANK, damage, parse, spell
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.data import Range, Sentence
from plait.errors import DataError
from plait.evaluation import conll18

udeval = pytest.importorskip("udtools.udeval", reason="the official scorer is in udtools, which is not installed")

MEASURES = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip

Table = dict[str, tuple[float, float, float, float | None]]


def official(gold: list[Sentence], predicted: list[Sentence]) -> Table:
    gold_ud, predicted_ud = (udeval.load_conllu(io.StringIO(spell(s)), "memory", {}) for s in (gold, predicted))
    table = udeval.evaluate(gold_ud, predicted_ud)
    return {
        name: (
            100 * table[name].precision,
            100 * table[name].recall,
            100 * table[name].f1,
            None if table[name].aligned_accuracy is None else 100 * table[name].aligned_accuracy,
        )
        for name in MEASURES
    }


def ours(gold: list[Sentence], predicted: list[Sentence]) -> Table:
    return {name: (m.precision, m.recall, m.f1, m.aligned_accuracy) for name, m in conll18(gold, predicted).items()}


@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.8]))
@settings(max_examples=150, deadline=None)
def test_random_damage_is_scored_as_the_official_scorer_does(seed: int, rate: float) -> None:
    random = Random(seed)
    gold = damage(parse(TREEBANK), random, 0.2)
    predicted = damage(gold, random, rate)
    assert ours(gold, predicted) == official(gold, predicted)


def segmentation(text: str, cuts: list[int], multiword: list[list[str]]) -> list[Sentence]:
    """The text cut into tokens of the given lengths; a token with several words is a multiword token of these."""
    forms: list[str] = []
    ranges = []
    at = 0
    for cut, words in zip(cuts, multiword, strict=True):
        piece = text[at : at + cut]
        at += cut
        if piece and len(words) > 1:
            ranges.append(Range(len(forms) + 1, len(forms) + len(words), piece))
            forms += words
        elif piece:
            forms.append(piece)
    if at < len(text):
        forms.append(text[at:])
    n = len(forms)
    return [Sentence(forms, heads=[0] + [1] * (n - 1), deprels=["root"] + ["dep"] * (n - 1), ranges=ranges)]


cuts = st.lists(st.integers(1, 4), min_size=8, max_size=8)
words = st.lists(st.lists(st.sampled_from(["a", "b", "A", "ab", "ba"]), max_size=3), min_size=8, max_size=8)


@given(text=st.text("ab", min_size=1, max_size=14), cuts_a=cuts, cuts_b=cuts, words_a=words, words_b=words)
@settings(max_examples=300, deadline=None)
def test_overlapping_multiword_tokens_are_aligned_as_the_official_scorer_does(
    text: str, cuts_a: list[int], cuts_b: list[int], words_a: list[list[str]], words_b: list[list[str]]
) -> None:
    gold, predicted = segmentation(text, cuts_a, words_a), segmentation(text, cuts_b, words_b)
    assert ours(gold, predicted) == official(gold, predicted)


@pytest.mark.parametrize(
    ("text", "gold", "predicted"),
    [
        # a plain word that sticks out of the multiword stretch comes along, and pairs by its form
        ("babb", [["ba"], ["bb"]], [("b", ["ba", "ba"]), ["abb"]]),
        # only one plain word that begins before the multiword token is left out
        ("abccd", [["a"], ["b"], ["c"], ["cd"]], [["abc"], ("cd", ["c", "d"])]),
        # chained multiword tokens make one stretch
        (
            "abcdef",
            [("abc", ["a", "BX", "c"]), ("def", ["d", "EX", "f"])],
            [("ab", ["a", "b"]), ("cd", ["c", "d"]), ("ef", ["e", "f"])],
        ),
        # two equally long common subsequences
        ("abab", [("abab", ["a", "b"])], [("abab", ["b", "a"])]),
    ],
)
def test_awkward_multiword_stretches(text: str, gold: list, predicted: list) -> None:
    def sentence(tokens: list) -> list[Sentence]:
        cuts = [len(t[0]) for t in tokens]
        return segmentation(text, cuts, [t[1] if isinstance(t, tuple) else [t[0]] for t in tokens])

    assert ours(sentence(gold), sentence(predicted)) == official(sentence(gold), sentence(predicted))


@pytest.mark.parametrize("word", ["de", "x", "AB"])
def test_a_multiword_token_of_one_word_is_aligned_by_form(word: str) -> None:
    plain = [Sentence(["ab", "c"], heads=[0, 1], deprels=["root", "dep"])]
    one = [Sentence([word, "c"], heads=[0, 1], deprels=["root", "dep"], ranges=[Range(1, 1, "ab")])]
    assert ours(plain, one) == official(plain, one)
    assert ours(one, plain) == official(one, plain)


def test_forms_with_spaces_are_compared_without_them() -> None:
    gold = parse("1\tNew York\tNY\tPROPN\t_\t_\t0\troot\t_\t_\n\n")
    predicted = parse("1\tNew\tNY\tPROPN\t_\t_\t0\troot\t_\t_\n2\tYork\tNY\tPROPN\t_\t_\t1\tflat\t_\t_\n\n")
    assert ours(gold, predicted) == official(gold, predicted)
    assert ours(gold, gold) == official(gold, gold)


def test_subtypes_and_language_specific_features_do_not_count() -> None:
    gold = parse(TREEBANK)
    predicted = [s.copy() for s in gold]
    predicted[0][6].deprel = "nmod"
    predicted[1][7].feats = predicted[1][7].feats.replace("|Typo=Yes", "")
    assert all(m.f1 == 100 for m in conll18(gold, predicted).values())


def test_any_lemma_is_right_where_gold_has_none() -> None:
    gold = parse(TREEBANK)
    predicted = [s.copy() for s in gold]
    predicted[2][0].lemma = "went"
    assert conll18(gold, predicted)["Lemmas"].f1 == 100
    assert conll18(predicted, gold)["Lemmas"].f1 < 100


@given(text=st.text("ab", min_size=1, max_size=14), cuts_a=cuts, cuts_b=cuts)
@settings(deadline=None)
def test_alignment_is_symmetric_on_plain_words(text: str, cuts_a: list[int], cuts_b: list[int]) -> None:
    gold, predicted = (segmentation(text, c, [["x"]] * 8) for c in (cuts_a, cuts_b))
    there, back = conll18(gold, predicted), conll18(predicted, gold)
    for name in ("Tokens", "Words", "UAS"):
        assert (there[name].precision, there[name].recall) == (back[name].recall, back[name].precision)


@pytest.mark.parametrize(
    ("gold", "predicted", "told"),
    [
        (["Hi", "there"], ["Hi", "then"], ["'Hithere' in sentence 1, word 2", "'Hithen' in sentence 1, word 2"]),
        (["Hi", "there"], ["Hi"], ["'Hithere' in sentence 1, word 2", "nothing more after '…Hi'"]),
        ([], ["Hi"], ["gold has nothing more", "'Hi' in sentence 1, word 1"]),
    ],
)
def test_different_texts_are_refused_with_the_first_place(
    gold: list[str], predicted: list[str], told: list[str]
) -> None:
    with pytest.raises(DataError) as error:
        conll18([Sentence(gold)] if gold else [], [Sentence(predicted)])
    assert all(part in str(error.value) for part in told)


@pytest.mark.parametrize("name", ["en_ewt/dev.conllu", "zh_ud2/cfl.conllu"])
def test_real_treebanks_are_scored_as_the_official_scorer_does(
    name: str, data_files: Callable[[str], list[Path]]
) -> None:
    (path,) = data_files(f"ud/{name}")
    gold = parse(path.read_text(encoding="utf-8"))
    for rate in (0.02, 0.3):
        predicted = damage(gold, Random(7), rate)
        assert ours(gold, predicted) == official(gold, predicted)
