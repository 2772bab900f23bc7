"""A treebank of a few words with rich tags, and the slow twin of the tagger."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from plait import Sentence
from plait.morphology._decoder import class_key, part_key, skip_key, tag_key

ROWS = [
    "der/DET/ART/Case=Nom|Gender=Masc Hund/NOUN/NN/Case=Nom|Gender=Masc bellt/VERB/VVFIN/Number=Sing ./PUNCT/$./_",
    "den/DET/ART/Case=Acc|Gender=Masc Hund/NOUN/NN/Case=Acc|Gender=Masc sieht/VERB/VVFIN/Number=Sing "
    "sie/PRON/PPER/Case=Nom",
    "die/DET/ART/Case=Nom|Gender=Fem Katze/NOUN/NN/Case=Nom|Gender=Fem schläft/VERB/VVFIN/Number=Sing ./PUNCT/$./_",
    "die/DET/ART/Case=Acc|Gender=Fem Katze/NOUN/NN/Case=Acc|Gender=Fem hört/VERB/VVFIN/Number=Sing "
    "er/PRON/PPER/Case=Nom",
    "Hunde/NOUN/NN/Case=Nom|Gender=Masc bellen/VERB/VVFIN/Number=Plur laut/ADV/ADJD/_ !/PUNCT/$./_",
]


def treebank() -> list[Sentence]:
    found = []
    for row in ROWS:
        words = [word.split("/") for word in row.split()]
        forms, upos, xpos, feats = map(list, zip(*words, strict=True))
        found.append(Sentence(forms, upos=upos, xpos=xpos, feats=feats))
    return found


class Twin:
    """Scores of whole taggings, feature by feature, from the tables of a model."""

    def __init__(self, model) -> None:
        self.model = model
        self.parts = model.decoder.tag_parts

    def labels(self, tag: int) -> list[int]:
        return self.parts.labels[self.parts.starts[tag] : self.parts.starts[tag + 1]].tolist()

    def emissions(self, forms) -> np.ndarray:
        """[words][tags]: the score of each tag without its neighbours."""
        features, tables = self.model.features, self.model.tables
        atoms = features.form_atoms(forms)
        before, after = features.boundary()
        width, pad = features.context_width, features.pad
        rows = np.concatenate([[before] * pad, atoms, [after] * pad])
        near = np.ascontiguousarray(rows[:, features.context_columns])
        self.fill_nearest(near[pad : pad + len(forms)], features)
        near = near.reshape(-1)
        out = np.zeros((len(forms), len(self.model.tags)))
        for i in range(len(forms)):
            own = features.form.keys(np.ascontiguousarray(atoms[i]), 0)
            around = features.context.keys(near, (pad + i) * width)
            of_form, parts = tables["form"].scores(own).astype(float), self.parts.parts
            of_parts = of_form[:parts] + tables["context"].scores(around)
            whole = tables["whole"].scores(own) if "whole" in tables else of_form[parts:]
            for t in range(len(self.model.tags)):
                out[i, t] = whole[t] + sum(of_parts[p] for p in self.labels(t))
        return out

    @staticmethod
    def fill_nearest(rows, features) -> None:
        """Verbs and prepositions that reach over other words, position by position."""
        verb, prep, stop, lverb, rverb, lprep = features.nearest_columns.tolist()
        for i in range(len(rows)):
            left = rows[:i][::-1]
            ends = [k for k, row in enumerate(left) if row[stop]]
            clause = left[: ends[0]] if ends else left
            verbs = [k for k, row in enumerate(clause) if row[verb]]
            rows[i, lverb] = clause[verbs[0]][verb] if verbs else 2
            preps = [row[prep] for row in (clause[: verbs[0]] if verbs else clause) if row[prep]]
            rows[i, lprep] = preps[0] if preps else 2
            right = rows[i + 1 :]
            ends = [k for k, row in enumerate(right) if row[stop]]
            verbs = [row[verb] for row in (right[: ends[0]] if ends else right) if row[verb]]
            rows[i, rverb] = verbs[0] if verbs else 2

    def pair(self, a: int, b: int) -> float:
        row = sum(self.model.tables["pairs"].scores(keys(part_key(p))).astype(float) for p in self.labels(a))
        whole = self.model.tables["tag_pairs"].scores(keys(tag_key(a)))[b]
        return float(whole + sum(row[p] for p in self.labels(b)))

    def triple(self, a: int, b: int, c: int) -> float:
        coarse = self.parts.coarse
        row = sum(self.model.tables["skips"].scores(keys(skip_key(p))).astype(float) for p in self.labels(a))
        skip = sum(row[p] for p in self.labels(c))
        return skip + float(self.model.tables["triples"].scores(keys(class_key(coarse[a], coarse[b])))[coarse[c]])

    def taggings(self, forms, order: int) -> dict[tuple[int, ...], float]:
        """The score of every sequence of tags."""
        emission = self.emissions(forms)
        tags = range(len(self.model.tags))
        pairs = {(a, b): self.pair(a, b) for a in tags for b in tags} if order else {}
        triples = {abc: self.triple(*abc) for abc in product(tags, repeat=3)} if order == 2 else {}
        found = {}
        for way in product(tags, repeat=len(forms)):
            score = sum(emission[i, t] for i, t in enumerate(way))
            if order:
                score += sum(pairs[pair] for pair in pairwise(way))
            if order == 2:
                score += sum(triples[abc] for abc in zip(way, way[1:], way[2:], strict=False))
            found[way] = score
        return found


def keys(key: int) -> np.ndarray:
    return np.array([key], dtype=np.uint64)
