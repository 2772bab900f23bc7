"""Tags and lemmas decided together: every word's lemma hangs on its tag, as a virtual node of the chain.

    score(tags, lemmas) = score of the tags + weight · Σ over the words of log p(lemma | form, tag)

A lemma depends on nothing but its own word's tag, so the graph is a tree, and the best lemma of each tag can be found
first: what it is worth is added to the tag at that word, and the search over tags is the one the tagger has. The result
is exact over the tags that the tagger leaves after pruning. With weight 1 this is the most probable pair of sequences
under p(tags | words) · Π p(lemma | form, tag), whose two factors are trained apart because they share no weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.data.absent import given_lemmas
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.given import GivenAnnotation
from plait.errors import OptionError
from plait.morphology.lemmatizer import Lemmatizer
from plait.system.base import System
from plait.system.request import PLAIN, Request

THRESHOLD = 0.01  # tags of a crf-tagger that are less probable are not looked at again

LEAST = 1e-6  # probability that a lemma is taken to have at least: an impossible one says nothing about the tag

Worth = Callable[[int, int], float]  # (word, tag) -> weight times the log probability of its best lemma


class JointLemmas:
    """A tagger and a lemmatizer that decide together: crf-tagger, or any tagger with a lattice (morph-tagger)."""

    def __init__(self, tagger: System, lemmatizer: Lemmatizer, weight: float = 1.0) -> None:
        if not can_be_joint(tagger):
            raise OptionError(f"{tagger.name} cannot decide together with lemmas; expected morph-tagger or crf-tagger")
        self.tagger: Any = tagger  # with ``crf``, as a crf-tagger, or with ``models``, as a morph-tagger
        self.lemmatizer = lemmatizer
        self.weight = weight

    def annotate_with(self, sentence: Sentence, request: Request = PLAIN) -> None:
        """Replace tags and lemmas of a sentence; what is given stays where the request says so.

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

    def worth(
        self, sentence: Sentence, columns: Sequence[str], values: Sequence[Sequence[str]], *, keep: bool = False
    ) -> Worth:
        """What the best lemma, or the one that is given, adds to a tag: values of these columns, by number."""
        tag = {column: getattr(sentence, column) for column in self.lemmatizer.tag_columns}
        kept = given_lemmas(sentence.lemmas if keep else [UNSPECIFIED] * len(sentence), sentence.forms)

        def found(word: int, number: int) -> float:
            here = {column: column_values[word] for column, column_values in tag.items()}
            here |= {c: v for c, v in zip(columns, values[number], strict=True) if c in here}
            form, lemma = sentence.forms[word], kept[word] if keep else None
            p = self.lemmatizer.decide(form, here)[1] if lemma is None else self.lemmatizer.chance(form, here, lemma)
            return self.weight * math.log(max(p, LEAST))

        return found

    def _tag_chain(self, sentence: Sentence, request: Request) -> None:
        tagger = self.tagger
        atoms = tagger.atoms(sentence.forms)
        mask = tagger.mask(sentence, request) if request.constrain or request.allowed is not None else None
        p = tagger.crf.probabilities(atoms, mask)[1]["t"]
        values = [tag.split("\t") if len(tagger.predicts) > 1 else [tag] for tag in tagger.tags]
        worth = self.worth(sentence, tagger.predicts, values, keep=request.constrain)
        t: npt.NDArray[np.float32] = np.full(p.shape, -np.inf, dtype=np.float32)
        for i, row in enumerate(p):
            likely = np.flatnonzero(row >= min(THRESHOLD, float(row.max()))).tolist()
            t[i, likely] = [worth(i, number) for number in likely] if len(likely) > 1 else 0.0
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
        worth = self.worth(sentence, model.columns.columns, model.values, keep=request.constrain)
        first, tag = lattice["first"].tolist(), lattice["tag"].tolist()
        score = lattice["score"].astype(np.float64)
        for i in range(len(sentence)):
            states = range(first[i], first[i + 1])
            if len({tag[s] for s in states}) > 1:
                score[first[i] : first[i + 1]] += [worth(i, tag[s]) for s in states]
        tags, total = next(ranked_paths({**lattice, "score": score}))
        for k, column in enumerate(model.columns.columns):
            setattr(sentence, column, [model.values[number][k] for number in tags])
        sentence.score = total
        if request.scores:
            chances = model.probabilities(sentence.forms, allowed)
            sentence.scores = [chance[number] for chance, number in zip(chances, tags, strict=True)]


def can_be_joint(tagger: System | None) -> bool:
    """Whether a tagger has one search over whole tags, to which the worth of lemmas can be added."""
    return hasattr(tagger, "crf") or len(getattr(tagger, "models", ())) == 1
