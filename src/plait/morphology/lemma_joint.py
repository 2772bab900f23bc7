"""Tags and lemmas decided together: every word's lemma is a node attached to its tag in the chain.

    score(tags, lemmas) = score of the tags + weight · Σ over the words of log p(lemma | form, tag)

A lemma depends on nothing but its own word's tag, so the graph is a tree, and the best lemma of each tag can be found
first: its score is added to that of the tag, and the tagger searches as usual. The result is exact over the tags that
the tagger keeps after pruning. With weight 1 this is the most probable pair of sequences under
p(tags | words) · Π p(lemma | form, tag), whose two factors are trained separately because they share no weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plait.arrays import Float32Array
from plait.data.absent import given_lemmas
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.given import GivenAnnotation
from plait.errors import OptionError
from plait.morphology.lemmatizer import Lemmatizer
from plait.system.base import System
from plait.system.request import PLAIN, Request

THRESHOLD = 0.01  # less probable tags of a crf-tagger are pruned

MIN_PROBABILITY = 1e-6  # lower bound for lemmas: an impossible lemma does not rule out the tag

LemmaScore = Callable[[int, int], float]  # (word, tag) -> weight times the log probability of its best lemma


class JointLemmas:
    """A tagger and a lemmatizer that decide together: crf-tagger, or any tagger with a lattice (morph-tagger)."""

    def __init__(self, tagger: System, lemmatizer: Lemmatizer, weight: float = 1.0) -> None:
        if not can_be_joint(tagger):
            raise OptionError(
                f"{tagger.name} cannot predict tags jointly with lemmas; expected morph-tagger or crf-tagger"
            )
        self.tagger: Any = tagger  # with ``crf``, as a crf-tagger, or with ``models``, as a morph-tagger
        self.lemmatizer = lemmatizer
        self.weight = weight

    def annotate_with(self, sentence: Sentence, request: Request = PLAIN) -> None:
        """Replace tags and lemmas of a sentence; given annotation stays if the request says so.

        Scores are the tagger's: probabilities of tags, whatever their lemmas.
        """
        if len(sentence) == 0:
            return
        given = GivenAnnotation(sentence, self.tagger.predicts) if request.constrain else None
        if hasattr(self.tagger, "crf"):
            self._tag_chain(sentence, request)
        else:
            self._tag_lattice(sentence, request)
        if given is not None:
            given.restore(sentence)
        self.lemmatizer.annotate_with(sentence, replace(request, scores=False, allowed=None))

    def lemma_scores(
        self, sentence: Sentence, columns: Sequence[str], values: Sequence[Sequence[str]], *, keep: bool = False
    ) -> LemmaScore:
        """A function: the score that the best or given lemma adds to a tag; ``values`` are the columns of each tag."""
        tag = {column: getattr(sentence, column) for column in self.lemmatizer.tag_columns}
        kept = given_lemmas(sentence.lemmas if keep else [UNSPECIFIED] * len(sentence), sentence.forms)

        def found(word: int, number: int) -> float:
            here = {column: column_values[word] for column, column_values in tag.items()}
            here |= {c: v for c, v in zip(columns, values[number], strict=True) if c in here}
            form, lemma = sentence.forms[word], kept[word] if keep else None
            lemmatizer = self.lemmatizer
            p = lemmatizer.best_lemma(form, here)[1] if lemma is None else lemmatizer.probability(form, here, lemma)
            return self.weight * math.log(max(p, MIN_PROBABILITY))

        return found

    def _tag_chain(self, sentence: Sentence, request: Request) -> None:
        tagger = self.tagger
        atoms = tagger.atoms(sentence.forms)
        mask = tagger.mask(sentence, request) if request.constrain or request.allowed is not None else None
        p = tagger.crf.probabilities(atoms, mask)[1]["t"]
        values = [tag.split("\t") if len(tagger.predicts) > 1 else [tag] for tag in tagger.tags]
        lemma_score = self.lemma_scores(sentence, tagger.predicts, values, keep=request.constrain)
        t: Float32Array = np.full(p.shape, -np.inf, dtype=np.float32)
        for i, row in enumerate(p):
            likely = np.flatnonzero(row >= min(THRESHOLD, float(row.max()))).tolist()
            t[i, likely] = [lemma_score(i, number) for number in likely] if len(likely) > 1 else 0.0
        _, tags, score = tagger.crf.best(atoms, {"s": np.zeros((len(p), 1), dtype=np.float32), "t": t})
        tagger.columns.write(sentence, [tagger.tags[number] for number in tags.tolist()])
        sentence.score = score
        if request.scores:
            sentence.scores = p[np.arange(len(tags)), tags].tolist()

    def _tag_lattice(self, sentence: Sentence, request: Request) -> None:
        from plait.morphology.nbest import ranked_paths

        model = self.tagger.models[0]
        allowed = self.tagger.allowed(sentence, model, request)
        lattice = model.decoder.lattice(sentence.forms, allowed)
        lemma_score = self.lemma_scores(sentence, model.columns.columns, model.values, keep=request.constrain)
        first, tag = lattice["first"].tolist(), lattice["tag"].tolist()
        score = lattice["score"].astype(np.float64)
        for i in range(len(sentence)):
            states = range(first[i], first[i + 1])
            if len({tag[s] for s in states}) > 1:
                score[first[i] : first[i + 1]] += [lemma_score(i, tag[s]) for s in states]
        tags, total = next(ranked_paths({**lattice, "score": score}))
        for k, column in enumerate(model.columns.columns):
            setattr(sentence, column, [model.values[number][k] for number in tags])
        sentence.score = total
        if request.scores:
            probabilities = model.probabilities(sentence.forms, allowed)
            sentence.scores = [of_word.get(number, 0.0) for of_word, number in zip(probabilities, tags, strict=True)]


def can_be_joint(tagger: System | None) -> bool:
    """Whether a tagger has one search over whole tags, to which the scores of lemmas can be added."""
    return hasattr(tagger, "crf") or len(getattr(tagger, "models", ())) == 1
