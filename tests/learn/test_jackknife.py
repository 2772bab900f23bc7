import pytest

from plait.data.document import Sentence
from plait.learn.jackknife import folds_of, jackknife


def remember(seen):
    return lambda held_out: [(example, example in seen) for example in held_out]


def sentences(*ids):
    return [Sentence(["word"], comments=[f"# sent_id = {name}"] if name else []) for name in ids]


@pytest.mark.parametrize(("size", "folds"), [(10, 3), (7, 7), (5, 10), (2, 2)])
def test_every_example_is_predicted_once_in_order_by_a_model_that_has_not_seen_it(size, folds):
    assert jackknife(list(range(size)), sentences(*[""] * size), folds, remember) == [(i, False) for i in range(size)]


def test_copies_of_a_sentence_are_never_in_the_training_data_of_its_model():
    ids = ["a", "b", "c", "d", "a", "c", "b", "a"]
    assert jackknife(ids, sentences(*ids), 2, remember) == [(name, False) for name in ids]


@pytest.mark.parametrize(
    ("ids", "folds", "expected"),
    [
        (["a", "b", "c", "d", "e"], 2, [0, 1, 0, 1, 0]),
        (["", "", "", "", ""], 2, [0, 1, 0, 1, 0]),
        (["a", "b", "c", "a", "b", "c"], 2, [0, 1, 0, 0, 1, 0]),
        (["a", "a", "b", "", "", "b"], 3, [0, 0, 1, 2, 0, 1]),
        (["a", "a", "b", "a"], 3, [0, 1, 2, 0]),  # two ids cannot fill three folds
        (["a", "a", "a", "a", "b", "c", "d"], 4, [0, 1, 2, 3, 0, 1, 2]),  # four of seven are more than twice a quarter
        # two common ids in one fold, six of nine sentences, though three of nine each
        (["a", "a", "a", "b", "c", "d", "e", "e", "e"], 4, [0, 1, 2, 3, 0, 1, 2, 3, 0]),
        (["a", "a", "a", "b", "c", "d"], 4, [0, 0, 0, 1, 2, 3]),  # three of six are just twice a quarter
    ],
)
def test_folds_are_filled_in_turn_by_sentences_with_their_copies(ids, folds, expected):
    assert folds_of(sentences(*ids), folds) == expected


def test_one_fold_or_one_example_cannot_be_jackknifed():
    with pytest.raises(ValueError, match="at least 2 folds"):
        jackknife([1, 2, 3], sentences(*"abc"), 1, remember)
    with pytest.raises(ValueError, match="at least 2 folds"):
        jackknife([1], sentences("a"), 10, remember)


def test_lost_predictions_are_noticed():
    with pytest.raises(ValueError, match="predictions for"):
        jackknife([1, 2, 3], sentences(*"abc"), 3, lambda seen: lambda held_out: [])


def test_nothing_gives_nothing():
    assert jackknife([], [], 10, remember) == []


def test_progress_is_shown_fold_by_fold():
    seen = []

    def track(items, label):
        seen.append((list(items), label))
        return seen[-1][0]

    jackknife([1, 2, 3, 4], sentences(*"abcd"), 2, remember, track)
    assert seen == [([0, 1], "jackknife")]
