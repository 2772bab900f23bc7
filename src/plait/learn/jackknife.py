"""k-fold jackknifing: predictions on the training set by models that have not seen it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from plait.data.document import Sentence

E = TypeVar("E")
P = TypeVar("P")

Train = Callable[[list[E]], Callable[[list[E]], list[P]]]


def jackknife(
    examples: Sequence[E],
    sentences: Sequence[Sentence],
    folds: int,
    train: Train[E, P],
    track: Callable[[Iterable[int], str], Iterable[int]] = lambda folds, _: folds,
) -> list[P]:
    """Predict every example with a model trained on the other folds; the order is kept.

    ``train`` takes examples and returns a function that predicts others. ``sentences`` are those of the examples:
    copies of one sentence are in the same fold (see :func:`folds_of`). With more folds than examples every example is
    its own fold.

    >>> of = [Sentence([word]) for word in "abcd"]
    >>> jackknife([1, 2, 3, 4], of, 2, lambda seen: lambda held_out: [(x, seen) for x in held_out])
    [(1, [2, 4]), (2, [1, 3]), (3, [2, 4]), (4, [1, 3])]
    """
    if not examples:
        return []
    folds = min(folds, len(examples))
    if folds < 2:
        raise ValueError(f"jackknifing needs at least 2 folds of at least one example each, not {folds}")
    fold_of = folds_of(sentences, folds)
    predictions: dict[int, Iterator[P]] = {}
    for fold in track(range(folds), "jackknife"):
        seen = [example for example, own in zip(examples, fold_of, strict=True) if own != fold]
        held_out = [example for example, own in zip(examples, fold_of, strict=True) if own == fold]
        predicted = train(seen)(held_out)
        if len(predicted) != len(held_out):
            raise ValueError(f"{len(predicted)} predictions for {len(held_out)} examples")
        predictions[fold] = iter(predicted)
    return [next(predictions[fold]) for fold in fold_of]


def folds_of(sentences: Sequence[Sentence], folds: int) -> list[int]:
    """The fold of each sentence: sentence i is in fold i mod ``folds``, so that each fold looks like the whole.

    Sentences with one ``sent_id`` are copies and stay together: in another script or style of writing they have
    nearly the same words and the same tree, so that a model trained on one has seen the other. Ids that are too common
    for folds of like size tell nothing; sentences without an id are no copies.

    >>> [a, b] = [Sentence(["a"], comments=[f"# sent_id = {i}"]) for i in "ab"]
    >>> folds_of([a, b, Sentence(["c"]), a, b], 2)
    [0, 1, 0, 0, 1]
    """
    ids = [sentence.sent_id or i for i, sentence in enumerate(sentences)]
    turns: dict[int | str, int] = {}
    for own in ids:
        turns.setdefault(own, len(turns))
    in_fold = Counter(turns[own] % folds for own in ids)
    if len(turns) < folds or max(in_fold.values()) > 2 * len(ids) / folds:
        return [i % folds for i in range(len(ids))]
    return [turns[own] % folds for own in ids]
