"""How often strings were words in training: counted against plain Python, jackknifed, stored."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from plait import Sentence
from plait.features.templates import Template
from plait.learn.task import TrainingTask
from plait.transition.candidate_words import CandidateWords
from plait.transition.features import TransitionFeatures
from plait.transition.options import TransitionWeaveOptions
from plait.transition.seen_words import LONGEST, MOST_BOUND, MOST_SEEN, NEW, SeenWords, bound_class, seen_class
from plait.transition.training.readings import words_of_training

Text = tuple[str, list[str]]


def texts(seed: int, count: int) -> list[Text]:
    draw = random.Random(seed)
    words = ["".join(draw.choices("abc", k=draw.randint(1, 7))) for _ in range(12)]
    sentences = [draw.choices(words, k=draw.randint(1, 6)) for _ in range(count)]
    return [("".join(forms), forms) for forms in sentences]


def counted(string: str, seen: list[Text]) -> tuple[int, int]:
    """How often a string is a word, and how often it stands in the text, overlaps included."""
    as_word = sum(forms.count(string) for _, forms in seen)
    places = sum(text[k:].startswith(string) for text, _ in seen for k in range(len(text)))
    return as_word, places


@pytest.mark.parametrize("seed", range(5))
def test_classes_are_those_of_plain_counting(seed: int) -> None:
    seen = texts(seed, 30)
    strings = {text[a:b] for text, _ in seen for a in range(len(text)) for b in range(a + 1, len(text) + 1)}
    asked = [*sorted(strings)[:400], *{form for _, forms in seen for form in forms}, "never"]
    for string, found in zip(asked, SeenWords.of(seen).atoms(asked).tolist(), strict=True):
        as_word, places = counted(string, seen)
        if len(string) > LONGEST:  # such strings are not looked for in the text
            places = as_word
        assert found == [seen_class(as_word), bound_class(as_word, places)]


def test_classes_grow_with_the_counts() -> None:
    assert [seen_class(count) for count in (0, 1, 2, 3, 4, 63, 64, 10**6)] == [1, 2, 3, 3, 4, 7, 8, MOST_SEEN]
    assert [bound_class(0, strings) for strings in (0, 2, 3, 7, 8, 10**6)] == [NEW, NEW, 2, 2, 3, 3]
    shares = [bound_class(count, 100) for count in (1, 10, 30, 50, 70, 90, 99, 100)]
    assert shares == [4, 5, 6, 7, 8, 9, 9, MOST_BOUND]


def test_nothing_seen() -> None:
    assert SeenWords.of([]).atoms(["a", ""]).tolist() == [[NEW, NEW], [NEW, NEW]]
    assert SeenWords.of([("ab", ["ab"])]).atoms([]).shape == (0, 2)


def looking_at(*atoms: str) -> TransitionFeatures:
    return TransitionFeatures([Template(("s0.w",))], words=[Template(atoms)])


def test_a_sentence_does_not_see_its_own_words_nor_those_of_its_copies() -> None:
    train = [Sentence([form], comments=[f"# sent_id = {form}"]) for form in "abcda"]
    segmenter: Any = SimpleNamespace(passage_of=lambda sentence: SimpleNamespace(text="".join(sentence.forms)))
    options = TransitionWeaveOptions(folds=2)
    every, of_sentences = words_of_training(TrainingTask(train), train, segmenter, looking_at("b0.seen"), options)
    assert every is not None
    assert every.atoms([*"abcd"])[:, 0].tolist() == [3, 2, 2, 2]
    for sentence, others in zip(train, of_sentences, strict=True):
        assert others is not None
        assert others.atoms(sentence.forms).tolist() == [[NEW, NEW]]
    assert of_sentences[1].atoms(["a"])[0, 0] == 3  # type: ignore[union-attr]
    alone, (own,) = words_of_training(TrainingTask(train), train[:1], segmenter, looking_at("b0.bound"), options)
    assert alone is own is not None
    nobody = words_of_training(TrainingTask(train), train, segmenter, looking_at("b0.prob"), options)
    assert nobody == (None, [None] * 5)


def test_columns_are_in_the_order_of_the_templates() -> None:
    words = CandidateWords.given(["ab", "c"])
    seen = SeenWords.of([("abc", ["ab", "c"])])
    assert words.atoms(("own", "seen", "bound"), seen).tolist() == [[2, 2, 10], [2, 2, 10]]
    assert words.atoms(("bound", "prob"), seen)[:, 0].tolist() == [10, 10]
    features = looking_at("b0.bound")
    row = features.atoms(["ab", "c"], np.zeros(2, dtype=np.uint16), candidates=words, seen_words=seen)
    assert row[:, 1].tolist() == [10, 10]


def test_damage_is_refused() -> None:
    arrays = SeenWords.of([("abc", ["ab", "c"])]).arrays()
    keys, classes = arrays["keys"], arrays["classes"]
    for forged in (
        {"keys": keys[::-1].copy(), "classes": classes},
        {"keys": keys[1:], "classes": classes},
        {"keys": keys.astype(np.int64), "classes": classes},
        {"keys": keys, "classes": classes.astype(np.float64)},
        {"keys": keys, "classes": classes[:, :1]},
    ):
        with pytest.raises(ValueError, match="seen words"):
            SeenWords.from_arrays(**forged)
