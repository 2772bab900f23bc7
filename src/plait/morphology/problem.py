"""The training data of the tagger as numbers: tags, features, candidates, and the layout of the weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from plait.arrays import BoolArray, Float32Array, Int32Array, Int64Array, UInt16Array, UInt64Array
from plait.core.tables import Arrays
from plait.data.tags import TagColumns
from plait.errors import DataError
from plait.features._lexicon import TagDictionary, build_dictionary
from plait.morphology._decoder import class_key, part_key, skip_key, tag_key, too_many, uses_tag_pairs
from plait.morphology._learner import Learner
from plait.morphology._rows import seen_rows
from plait.morphology.corpus import corpus_keys, number_features
from plait.morphology.features import MorphFeatures
from plait.morphology.options import MorphOptions
from plait.morphology.tags import PartNames, tag_parts, unseen_tags

Tagged = tuple[Sequence[str], Sequence[str]]  # forms, tags


class MorphProblem:
    """A treebank for one structured tag, and the learner of its weights."""

    def __init__(
        self,
        columns: TagColumns,
        train: Sequence[Tagged],
        features: MorphFeatures,
        options: MorphOptions,
        same_words: MorphProblem | None = None,
    ) -> None:
        """``same_words``: another problem with the same words and features, which are not computed again."""
        counts = Counter(tag for _, tags in train for tag in tags)
        new = unseen_tags(columns, counts, options.unseen)
        self.tags = sorted([*counts, *new])
        self.names = PartNames(columns, self.tags)
        self.part_names, self.parts = tag_parts(self.names, self.tags)
        if too_many(len(self.tags), len(self.part_names)):
            raise DataError(
                f'"{columns.spec}" has {len(self.tags)} different tags of {len(self.part_names)} parts, too many for a '
                "morph-tagger; correct the data, or choose other columns with --tag"
            )
        self.features = features
        self.order = options.order
        self.dictionary_cutoff = options.tag_dictionary
        number = {tag: i for i, tag in enumerate(self.tags)}
        self.numbered = [(forms, [number[tag] for tag in tags]) for forms, tags in train]
        self.forms = [form for forms, _ in train for form in forms]
        self.form_counts = Counter(self.forms)
        self.dictionary, self.open_tags = self._candidates([number[tag] for tag in new], options.tag_dictionary)
        if same_words is None:
            self.keys = corpus_keys(features, [forms for forms, _ in train])
            self.numbers, self.feature_keys = number_features(self.keys, options.cutoff)
        else:
            self.keys, self.numbers, self.feature_keys = same_words.keys, same_words.numbers, same_words.feature_keys
        self.gold = np.array([tag for _, tags in self.numbered for tag in tags], dtype=np.uint16)
        self.learner = self._learner(self.numbers, options.order == 2)

    def _candidates(self, new: list[int], cutoff: int) -> tuple[TagDictionary, UInt16Array]:
        """The dictionary of frequent words, and the candidates of all others: tags of rare words and unseen tags."""
        if cutoff == 0:
            dictionary = build_dictionary([], len(self.tags), 0)
            return dictionary, np.arange(len(self.tags), dtype=np.uint16)
        dictionary = build_dictionary(self.numbered, len(self.tags), cutoff)
        rare = {
            tag
            for forms, tags in self.numbered
            for form, tag in zip(forms, tags, strict=True)
            if self.form_counts[form] <= cutoff
        }
        # without rare words, unknown words may have any tag
        return dictionary, np.array(sorted(rare.union(new)) or range(len(self.tags)), dtype=np.uint16)

    def _learner(self, numbers: Int32Array, triples: bool) -> Learner:
        form = len(self.features.form_templates)
        whole = np.arange(numbers.shape[1]) < form  # templates of the form have weights of whole tags
        self.starts, self.labels = seen_rows(
            numbers, len(self.feature_keys), self.gold, self.parts, whole.astype(np.uint8)
        )
        of_form = np.zeros(len(self.feature_keys), dtype=bool)
        of_form[numbers[:, whole][numbers[:, whole] >= 0]] = True
        self.is_form_feature = of_form
        times = np.bincount(numbers[numbers >= 0], minlength=len(self.feature_keys)).astype(np.float32)
        self.frequency = np.repeat(times**0.25, np.diff(self.starts))
        sentence_at = np.cumsum([0, *(len(tags) for _, tags in self.numbered)]).astype(np.int64)
        lists: dict[tuple[int, ...], int] = {tuple(self.open_tags.tolist()): 0}
        of_word: dict[str, int] = {}
        for form_text in self.form_counts:
            frequent = 0 < self.dictionary_cutoff < self.form_counts[form_text]
            known = tuple(self.dictionary.tags_of(form_text)) if frequent else ()
            of_word[form_text] = lists.setdefault(known, len(lists)) if frequent else 0
        self.tag_pair_codes = self._tag_pair_codes(sentence_at)
        table = None
        if self.tag_pair_codes is not None:
            table = np.full((len(self.tags), len(self.tags)), -1, dtype=np.int32)
            table.reshape(-1)[self.tag_pair_codes] = np.arange(len(self.tag_pair_codes))
        return Learner(
            self.parts,
            self.starts,
            self.labels,
            numbers,
            np.array(self.features.lexical, dtype=np.uint8),
            sentence_at,
            self.gold,
            np.array([of_word[form_text] for form_text in self.forms], dtype=np.int32),
            np.cumsum([0, *map(len, lists)]).astype(np.int64),
            np.array([tag for tags in lists for tag in tags], dtype=np.uint16),
            table,
            0 if self.tag_pair_codes is None else len(self.tag_pair_codes),
            triples,
        )

    def _tag_pair_codes(self, sentence_at: Int64Array) -> Int64Array | None:
        """The pairs of neighbouring gold tags, as a * T + b; None if pairs of whole tags have no weights."""
        if not uses_tag_pairs(len(self.tags)):
            return None
        inside = np.ones(len(self.gold), dtype=bool)
        inside[sentence_at[:-1]] = False  # no word before it
        after = np.flatnonzero(inside)
        codes: Int64Array = np.unique(self.gold[after - 1].astype(np.int64) * len(self.tags) + self.gold[after])
        return codes

    def weights_to_drop(self, values: Float32Array, share: float) -> BoolArray:
        """The given share of weights to drop: small ones of rare features.

        A weight is multiplied by the fourth root of the frequency of its feature. On en_ewt, in 3 MB of 6, that costs
        half of what choosing by size alone costs.
        """
        size = np.abs(values)
        size[: len(self.frequency)] *= self.frequency
        dropped: BoolArray = size < np.quantile(size[size > 0], share) if size.any() else size > 0
        return dropped

    def arrays(self, values: Float32Array) -> dict[str, Arrays]:
        """Weights as the learner has them → rows by key for each group of features."""
        tags, parts, classes = len(self.tags), self.parts.parts, self.parts.classes
        learner = self.learner
        feature = np.repeat(np.arange(len(self.feature_keys)), np.diff(self.starts))
        emission = values[: learner.pairs_at]
        form = self.is_form_feature[feature]
        found = {
            "form": (feature, self.labels, emission, form),  # of parts, then of whole tags
            "context": (feature, self.labels, emission, ~form),
        }
        groups = {
            name: _rows(self.feature_keys, rows[keep], labels[keep], weights[keep])
            for name, (rows, labels, weights, keep) in found.items()
        }
        row, label = np.divmod(np.arange(parts * parts), parts)
        pairs = values[learner.pairs_at : learner.tag_pairs_at]
        groups["pairs"] = _rows(_keys(part_key(k) for k in range(parts)), row, label, pairs)
        codes = np.zeros(0, dtype=np.int64) if self.tag_pair_codes is None else self.tag_pair_codes
        row, label = np.divmod(codes, tags)
        groups["tag_pairs"] = _rows(
            _keys(tag_key(k) for k in range(tags)), row, label, values[learner.tag_pairs_at : learner.triples_at]
        )
        if self.order == 2:
            row, label = np.divmod(np.arange(classes**3), classes)
            keys = _keys(class_key(a, b) for a in range(classes) for b in range(classes))
            groups["triples"] = _rows(keys, row, label, values[learner.triples_at : learner.skips_at])
            row, label = np.divmod(np.arange(parts * parts), parts)
            groups["skips"] = _rows(_keys(skip_key(k) for k in range(parts)), row, label, values[learner.skips_at :])
        return groups


def _keys(keys: object) -> UInt64Array:
    return np.fromiter(keys, dtype=np.uint64)  # type: ignore[call-overload, no-any-return]


def _rows(keys: UInt64Array, row: Int64Array, label: Int64Array, value: Float32Array) -> Arrays:
    """(row, label, weight) without zeros, by ascending key."""
    kept = value != 0
    row, label, value = row[kept], label[kept], value[kept]
    rank = np.empty(len(keys), dtype=np.int64)
    order = np.argsort(keys)
    rank[order] = np.arange(len(keys))
    at = np.lexsort((label, rank[row]))
    counts = np.bincount(rank[row], minlength=len(keys))
    return {
        "keys": keys[order][counts > 0],
        "starts": np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.int64),
        "labels": label[at].astype(np.uint16),
        "values": value[at].astype(np.float32),
    }
