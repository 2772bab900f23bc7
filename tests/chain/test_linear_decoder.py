"""From forms to tags in one call: the same tags and scores as the general search finds."""

from itertools import pairwise, product

import numpy as np
import pytest

from plait.chain._chart import Chart
from plait.chain._linear import LinearDecoder
from plait.chain._search import best
from plait.chain._word_scores import WordScores
from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.errors import DataError
from plait.features._words import WORD_COLUMNS, WordRows
from plait.features.label_templates import LabelTemplates
from plait.features.templates import Template
from plait.pipeline import train

FORMS = [f"form{k}" for k in range(9)]


def scores_of_words(labels: int, random: np.random.Generator) -> WordScores:
    """Random scores of words and of pairs of words."""
    features = LabelTemplates([Template(("w0", "t0")), Template(("w-1", "w0", "t0"))], WORD_COLUMNS)
    rows = WordRows(features.columns, features.pad, 0, None)
    weights = Weights(labels)
    for _, keys in features.keys(rows.atoms([*FORMS, *reversed(FORMS)])):
        for key in keys.reshape(-1).tolist():
            for label in range(labels):
                weights.update(key, label, float(random.normal()))
    return WordScores(weights, *features.by_word("t"), rows)


def random_chart(labels: int, random: np.random.Generator, share: float = 0.7) -> Chart:
    begin, end = (random.random((1, labels)) < share for _ in range(2))
    chart = Chart(begin, end, np.ones((1, 1), bool), random.random((1, labels, labels)) < share)
    shapes = ((1, labels), (1, 1, labels), (1, labels, labels))
    chart.set_scores(*(random.normal(size=shape) for shape in shapes))
    return chart


@pytest.mark.parametrize("labels", [1, 2, 7, 8, 9, 15, 16, 17, 24, 33, 50])  # eight or sixteen are taken together
def test_tags_and_score_are_those_of_the_general_search(labels: int) -> None:
    random = np.random.default_rng(labels)
    words = scores_of_words(labels, random)
    names = [f"T{k}" for k in range(labels)]
    for n in (1, 2, 3, 9, 30):
        chart = random_chart(labels, random)
        forms = [FORMS[k] for k in random.integers(0, len(FORMS), n)]
        tags, score = LinearDecoder(words, chart, names).best(forms)
        numbers, same = LinearDecoder(words, chart, names).best_numbers(forms)
        _, expected, expected_score = best(chart, {"s": np.zeros((n, 1), np.float32), "t": words.scores(forms)})
        assert score == same == expected_score
        if np.isfinite(score):
            assert tags == [names[k] for k in expected.tolist()]
            assert numbers.tolist() == expected.tolist()


@pytest.mark.parametrize("labels", [2, 9])
def test_no_sequence_of_tags_scores_more(labels: int) -> None:
    random = np.random.default_rng(labels)
    words = scores_of_words(labels, random)
    for _ in range(5):
        begin, end = (random.random((1, labels)) < 0.8 for _ in range(2))
        triple = random.random((1, labels, labels)) < 0.8
        chart = Chart(begin, end, np.ones((1, 1), bool), triple)
        start, sts, tst = (random.normal(size=shape) for shape in ((1, labels), (1, 1, labels), (1, labels, labels)))
        chart.set_scores(start, sts, tst)
        forms = [FORMS[k] for k in random.integers(0, len(FORMS), 3)]
        word = words.scores(forms)
        highest = -np.inf
        for tags in product(range(labels), repeat=3):
            allowed = begin[0, tags[0]] and end[0, tags[-1]] and all(triple[0, a, b] for a, b in pairwise(tags))
            if allowed:
                steps = sum(sts[0, 0, a] + tst[0, a, b] for a, b in pairwise(tags))
                highest = max(highest, start[0, tags[0]] + steps + sum(word[i, t] for i, t in enumerate(tags)))
        found = LinearDecoder(words, chart, "ABCDEFGHI"[:labels]).best(forms)[1]
        assert found == pytest.approx(highest, abs=1e-4)


def test_of_equal_tags_the_first_is_chosen() -> None:
    for labels in (3, 12, 20):
        chart = Chart(*(np.ones(shape, bool) for shape in ((1, labels), (1, labels), (1, 1), (1, labels, labels))))
        features = LabelTemplates([Template(("w0", "t0"))], WORD_COLUMNS)
        words = WordScores(Weights(labels), *features.by_word("t"), WordRows(features.columns, features.pad, 0, None))
        assert LinearDecoder(words, chart, "abcdefghijklmnopqrst"[:labels]).best(["x"] * 4) == (["a"] * 4, 0.0)


def test_other_numbers_of_labels_are_refused() -> None:
    words = scores_of_words(3, np.random.default_rng(1))
    chart = random_chart(4, np.random.default_rng(1))
    with pytest.raises(ValueError, match="1 x 4 labels, 3 scores and 4 names"):
        LinearDecoder(words, chart, "abcd")


def test_the_tagger_uses_it_and_agrees_with_its_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    data = [
        Sentence(["the", "dog", "sees"], upos=["DET", "NOUN", "VERB"]),
        Sentence(["a", "old", "dog"], upos=["DET", "ADJ", "NOUN"]),
    ]
    model = train("crf-tagger", train=data, epochs=5, optimizer="adagrad")
    for forms in (["the", "old", "dog"], ["dog"], ["Unseen", "words", "sees", "a"]):
        plain, scored = model(forms)[0], model(forms, scores=True)[0]
        assert plain.upos == scored.upos
        assert plain.score == scored.score
    monkeypatch.setattr(model.system, "_decoder", Forbidding())
    with pytest.raises(DataError, match="no analysis"):
        model(["the"])


class Forbidding:
    def best(self, forms: list[str]) -> tuple[list[str], float]:
        return [""] * len(forms), -np.inf


def test_a_tagger_of_pairs_of_tags_has_another_way(tmp_path) -> None:
    """Templates that look at the tag before are beyond it."""
    table = tmp_path / "own.txt"
    table.write_text("set own\n    w0 t0 | w0 t-1 t0 | t-1 t0\n")
    data = [Sentence(["the", "dog"], upos=["DET", "NOUN"]), Sentence(["dog", "the"], upos=["VERB", "DET"])]
    model = train("crf-tagger", train=data, epochs=20, optimizer="adagrad", templates=str(table))
    assert model.system._decoder is None
    assert model(["the", "dog"])[0].upos == ["DET", "NOUN"]
