"""Training data as numbers: the features of every word, in one matrix for the whole treebank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.arrays import Int32Array, UInt64Array
from plait.morphology._nearest import fill_nearest_words
from plait.morphology.features import MorphFeatures


def corpus_keys(features: MorphFeatures, sentences: Sequence[Sequence[str]]) -> UInt64Array:
    """[words][templates], those of the form first: the keys of all words of some sentences."""
    forms = sorted({form for sentence in sentences for form in sentence})
    number = {form: k for k, form in enumerate(forms)}
    atoms = features.form_atoms(forms)
    before, after = features.boundary()
    width, pad = features.context_width, features.pad
    form_keys = features.form.table(atoms.reshape(-1), 0, atoms.shape[1], len(forms))
    near = np.ascontiguousarray(np.concatenate([atoms, before[None], after[None]])[:, features.context_columns])
    left, right = [len(forms)] * pad, [len(forms) + 1] * pad
    of_form, of_context = [], []
    for sentence in sentences:
        numbers = [number[form] for form in sentence]
        matrix = near[np.array(left + numbers + right, dtype=np.int64)]
        if features.nearest_columns[0] >= 0:
            fill_nearest_words(matrix, pad, features.nearest_columns)
        of_form.append(form_keys[numbers])
        of_context.append(features.context.table(matrix.reshape(-1), pad * width, width, len(numbers)))
    return np.ascontiguousarray(np.hstack([np.concatenate(of_form), np.concatenate(of_context)]))


def number_features(keys: UInt64Array, cutoff: int) -> tuple[Int32Array, UInt64Array]:
    """(numbers of features [words][templates], −1 where none fires or it is rarer than the cut-off; key of each)."""
    numbers = np.full(keys.shape, -1, dtype=np.int32)
    found: list[UInt64Array] = []
    count = 0
    for k in range(keys.shape[1]):
        values, inverse, times = np.unique(keys[:, k], return_inverse=True, return_counts=True)
        kept = (values != 0) & (times >= cutoff)
        new = np.where(kept, count + np.cumsum(kept) - 1, -1).astype(np.int32)
        numbers[:, k] = new[inverse]
        found.append(values[kept])
        count += int(kept.sum())
    return numbers, np.concatenate(found) if found else np.zeros(0, dtype=np.uint64)
