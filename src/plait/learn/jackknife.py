"""k-fold jackknifing: predictions on the training set by models that have not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

E = TypeVar("E")
P = TypeVar("P")

Train = Callable[[list[E]], Callable[[list[E]], list[P]]]


def jackknife(
    examples: Sequence[E],
    folds: int,
    train: Train[E, P],
    track: Callable[[Iterable[int], str], Iterable[int]] = lambda folds, _: folds,
) -> list[P]:
    """Predict every example with a model trained on the other folds; the order is kept.

    ``train`` takes examples and returns a function that predicts others. Example i is in fold i mod ``folds``, so
    that each fold looks like the whole. With more folds than examples every example is its own fold.

    >>> jackknife([1, 2, 3, 4], 2, lambda seen: lambda held_out: [(x, seen) for x in held_out])
    [(1, [2, 4]), (2, [1, 3]), (3, [2, 4]), (4, [1, 3])]
    """
    folds = min(folds, len(examples))
    if len(examples) > 0 and folds < 2:
        raise ValueError(f"jackknifing needs at least 2 folds of at least one example each, not {folds}")
    predictions: dict[int, Iterator[P]] = {}
    for fold in track(range(folds), "jackknife"):
        seen = [example for i, example in enumerate(examples) if i % folds != fold]
        held_out = [example for i, example in enumerate(examples) if i % folds == fold]
        predicted = train(seen)(held_out)
        if len(predicted) != len(held_out):
            raise ValueError(f"{len(predicted)} predictions for {len(held_out)} examples")
        predictions[fold] = iter(predicted)
    return [next(predictions[i % folds]) for i in range(len(examples))]
