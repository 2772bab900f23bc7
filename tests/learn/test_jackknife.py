import pytest

from plait.learn.jackknife import jackknife


def remember(seen):
    return lambda held_out: [(example, example in seen) for example in held_out]


@pytest.mark.parametrize(("size", "folds"), [(10, 3), (7, 7), (5, 10), (2, 2)])
def test_every_example_is_predicted_once_in_order_by_a_model_that_has_not_seen_it(size, folds):
    assert jackknife(list(range(size)), folds, remember) == [(i, False) for i in range(size)]


def test_one_fold_or_one_example_cannot_be_jackknifed():
    with pytest.raises(ValueError, match="at least 2 folds"):
        jackknife([1, 2, 3], 1, remember)
    with pytest.raises(ValueError, match="at least 2 folds"):
        jackknife([1], 10, remember)


def test_lost_predictions_are_noticed():
    with pytest.raises(ValueError, match="predictions for"):
        jackknife([1, 2, 3], 3, lambda seen: lambda held_out: [])


def test_nothing_gives_nothing():
    assert jackknife([], 10, remember) == []
