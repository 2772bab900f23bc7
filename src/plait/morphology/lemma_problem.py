"""Words, candidates and features of a lemmatizer in training, numbered once; weights become tables for use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.arrays import AnyArray, Float64Array, Int32Array, Int64Array, UInt64Array
from plait.core.tables import Arrays, kept_weights
from plait.learn.task import Track, no_track
from plait.morphology._casing import in_casing
from plait.morphology._lemma_keys import KeyNumbers
from plait.morphology._lemma_objective import LemmaObjective
from plait.morphology.edit_scripts import EditScript, Step
from plait.morphology.lemma_candidates import Scripts
from plait.morphology.lemma_features import LemmaTemplates, Tag, form_atoms, lemma_atoms, tag_atoms
from plait.morphology.lemma_lexicon import ListedLemma
from plait.morphology.lemma_words import NO_TAG, Word, usual_lemma

LEXICON = None  # stands for the lexicon among the words that have a lemma


class LeaveOneOutLemmas:
    """``KnownLemmas`` as it would be if the current word were not in the training data.

    In training every lemma is known, from the very word to be learnt. So it counts as known only if another form has
    it, and as a lemma of this form only if the form has it with another tag; words without a tag never know theirs.

    >>> tag = ("NOUN", "_", "_")
    >>> counts = {("dogs", tag): Counter(dog=1), ("Dogs", tag): Counter(dog=1), ("dog", tag): Counter(dog=2)}
    >>> other = LeaveOneOutLemmas(counts)
    >>> other.levels("dogs", ["dog", "dogs"], tag), other.levels("dog", ["dog"], tag)
    (([3, 1], [2, 3]), ([3], [1]))
    """

    def __init__(self, counts: Mapping[Word, Counter[str]], listed: Iterable[ListedLemma] = ()) -> None:
        self._forms: dict[str, set[Any]] = {}
        self._with_upos: dict[tuple[str, str], set[Any]] = {}
        self._pairs: dict[tuple[str, str], set[Any]] = {}
        for form, upos, lemma in listed:  # never the current word, so always known
            self._forms.setdefault(lemma, set()).add(LEXICON)
            self._with_upos.setdefault((lemma, upos), set()).add(LEXICON)
            self._pairs.setdefault((form.lower(), lemma.lower()), set()).add(LEXICON)
        for word, lemmas in counts.items():
            lower = word[0].lower()
            for lemma in lemmas:
                self._forms.setdefault(lemma, set()).add(lower)
                self._with_upos.setdefault((lemma, word[1][0]), set()).add(lower)
                self._pairs.setdefault((lower, lemma.lower()), set()).add(word)

    def levels(self, form: str, lemmas: Sequence[str], tag: Tag) -> tuple[list[int], list[int]]:
        """As ``KnownLemmas.levels``."""
        lower, word = form.lower(), (form, tag)
        known = [
            1
            if not _others(self._forms.get(lemma), lower)
            else 3 if _others(self._with_upos.get((lemma, tag[0])), lower) else 2
            for lemma in lemmas
        ]  # fmt: skip
        if tag == NO_TAG:
            return known, [1] * len(known)
        seen = [_others(self._pairs.get((lower, lemma.lower())), word) for lemma in lemmas]
        return known, [2 if yes else 3 for yes in seen] if any(seen) else [1] * len(seen)


def _others(seen: set[Any] | None, this: Any) -> bool:
    return seen is not None and len(seen) > (this in seen)


def learn_scripts(counts: Mapping[Word, Counter[str]], cutoff: int) -> Scripts:
    """The edit scripts seen with at least ``cutoff`` forms; their edits are also tried on lowered forms."""
    pairs = {(form, lemma) for (form, _), lemmas in counts.items() for lemma in lemmas}
    seen: Counter[EditScript] = Counter()
    last: dict[tuple[tuple[Step, ...], ...], set[str]] = {}
    for form, lemma in sorted(pairs):
        script = EditScript.between(form, lemma)
        seen[script] += 1
        if not script.ending and (script.before or script.after):
            last.setdefault((script.before, script.after), set()).add(in_casing(script.casing, form)[-1])
    often = {script for script, times in seen.items() if times >= cutoff and script.absolute is None}
    lowered = {
        EditScript("lower", script.before, script.after)
        for script in often
        if any(other.casing == "lower" for other in often)
    }
    scripts = sorted({EditScript("keep"), *often, *lowered}, key=str)
    return Scripts(scripts, ["".join(sorted(last.get((s.before, s.after), ()))) for s in scripts])


@dataclass
class LemmaProblem:
    """The objective, and which keys its weights belong to."""

    objective: LemmaObjective
    row_keys: UInt64Array  # [rows], ascending
    row_starts: Int64Array
    labels: Int32Array
    lemma_keys: UInt64Array  # [features], ascending

    def arrays(self, w: Float64Array) -> dict[str, Arrays]:
        """Weights as plain rows, one table for edits and casings, one for lemmas."""
        count = len(self.lemma_keys)
        tables: dict[str, tuple[AnyArray, ...]] = {
            "edits": (self.row_keys, self.row_starts, self.labels, w[: len(self.labels)]),
            "lemmas": (self.lemma_keys, np.arange(count + 1), np.zeros(count), w[len(self.labels) :]),
        }
        found = {}
        for name, (keys, starts, labels, values) in tables.items():
            rows = {"keys": keys, "starts": starts, "labels": labels.astype(np.uint16), "values": values.astype("f4")}
            found[name] = kept_weights(rows, rows["values"] != 0)
        return found


class TrainingForms:
    """Words with their candidates and keys, form by form: recomputed in each pass, to save memory."""

    def __init__(
        self,
        words: Sequence[tuple[Word, Counter[str], float]],
        scripts: Scripts,
        form_templates: LemmaTemplates,
        lemma_templates: LemmaTemplates,
        other: LeaveOneOutLemmas,
    ) -> None:
        self.scripts = scripts
        self.form_templates = form_templates
        self.lemma_templates = lemma_templates
        self.other = other
        self._tags: dict[Tag, UInt64Array] = {}
        by_form: dict[str, list[tuple[Tag, int, float]]] = {}
        for (form, tag), lemmas, weight in words:
            script = scripts.number.get(EditScript.between(form, usual_lemma(lemmas)), -1)
            if script >= 0:  # otherwise it can only be an exception
                by_form.setdefault(form, []).append((tag, script, weight))
                if tag not in self._tags:
                    self._tags[tag] = tag_atoms(tag)
        found = ((form, scripts.candidates(form), tagged) for form, tagged in by_form.items())
        self.forms = [(form, candidates, tagged) for form, candidates, tagged in found if len(candidates) > 1]

    def row_keys(self) -> UInt64Array:
        """The keys of forms that at least two forms have: those of a single form do not generalize."""
        return _shared(
            np.unique(np.stack([self._form_keys(spelled, tag) for tag, _, _ in tagged]))
            for form, _, tagged in self.forms
            for spelled in [form_atoms(form, self.form_templates)]
        )

    def lemma_keys(self) -> UInt64Array:
        """Likewise the keys of gold lemmas."""
        return _shared(map(np.unique, self._gold_keys()))

    def _gold_keys(self) -> Iterator[UInt64Array]:
        """[tags][templates]: the keys of the gold lemmas of each form."""
        for form, candidates, tagged in self.forms:
            made = dict(candidates)
            lemmas = [*dict.fromkeys(made[script] for _, script, _ in tagged)]
            spelled = lemma_atoms(lemmas, form, self.lemma_templates)
            keys = [self._lemma_keys(spelled, lemmas, form, tag) for tag, _, _ in tagged]
            yield np.stack([k[lemmas.index(made[s])] for k, (_, s, _) in zip(keys, tagged, strict=True)])

    def _form_keys(self, spelled: UInt64Array, tag: Tag) -> UInt64Array:
        spelled[self.form_templates.tag :] = self._tags[tag]
        keys: UInt64Array = self.form_templates.keys(spelled[None])[0]
        return keys

    def _lemma_keys(self, spelled: UInt64Array, made: Sequence[str], form: str, tag: Tag) -> UInt64Array:
        spelled[:, self.lemma_templates.tag :] = self._tags[tag]
        spelled[:, self.lemma_templates.own : self.lemma_templates.own + 2] = np.array(
            self.other.levels(form, made, tag)
        ).T
        return self.lemma_templates.keys(spelled)

    def __iter__(self) -> Iterator[tuple[Int64Array, int, float, UInt64Array, UInt64Array]]:
        """(scripts of the candidates, index of the gold one, weight, keys of the form, keys of each lemma)."""
        for form, candidates, tagged in self.forms:
            numbers = np.array([number for number, _ in candidates])
            made = [lemma for _, lemma in candidates]
            spelled, lemmas = form_atoms(form, self.form_templates), lemma_atoms(made, form, self.lemma_templates)
            for tag, script, weight in tagged:
                gold = int(np.searchsorted(numbers, script))
                yield (
                    numbers, gold, weight, self._form_keys(spelled, tag), self._lemma_keys(lemmas, made, form, tag)
                )  # fmt: skip


def _shared(keys: Iterable[UInt64Array]) -> UInt64Array:
    """Keys that occur in more than one of these arrays, ascending and without 0."""
    parts = [*keys]
    found, counts = np.unique(np.concatenate(parts), return_counts=True) if parts else (np.zeros(0, np.uint64), 0)
    kept: UInt64Array = found[(counts > 1) & (found != 0)]
    return kept


def build_problem(
    words: Sequence[tuple[Word, Counter[str], float]],
    scripts: Scripts,
    form_templates: LemmaTemplates,
    lemma_templates: LemmaTemplates,
    other: LeaveOneOutLemmas,
    track: Track = no_track,
) -> LemmaProblem | None:
    """Number all features of words that have several candidates, the gold lemma among them; None if there are none."""
    layout = TrainingForms(words, scripts, form_templates, lemma_templates, other)
    if not layout.forms:
        return None
    rows, features = KeyNumbers(layout.row_keys()), KeyNumbers(layout.lemma_keys())
    row_counts: list[int] = []
    feature_counts: list[Int64Array] = []
    row_numbers: list[Int32Array] = []
    feature_numbers: list[Int32Array] = []
    candidates: list[Int64Array] = []
    golds: list[int] = []
    weights: list[float] = []
    for numbers, gold, weight, of_word, of_lemmas in track(layout, "features"):
        count, found = rows.find(of_word[None])
        row_counts.append(int(count[0]))
        row_numbers.append(found)
        counts, found = features.find(of_lemmas)
        feature_counts.append(counts)
        feature_numbers.append(found)
        candidates.append(numbers)
        golds.append(gold)
        weights.append(weight)
    candidate_offsets, row_offsets = _starts([len(c) for c in candidates]), _starts(row_counts)
    all_rows, scripts_of = np.concatenate(row_numbers), np.concatenate(candidates)
    right = scripts_of[candidate_offsets[:-1] + np.array(golds)]
    row_starts, labels = _seen_labels(
        row_offsets, all_rows, (scripts.edits[right], scripts.casings[right]), rows, scripts
    )
    objective = LemmaObjective(
        row_offsets, all_rows, row_starts, labels,
        candidate_offsets, scripts.edits[scripts_of], scripts.casings[scripts_of],
        _starts(np.concatenate(feature_counts)), np.concatenate(feature_numbers),
        np.array(golds, dtype=np.int32), np.array(weights, dtype=np.float64), scripts.labels, len(features),
    )  # fmt: skip
    return LemmaProblem(objective, rows.keys, row_starts, labels, features.keys)


def _starts(counts: npt.ArrayLike) -> Int64Array:
    """The offsets of consecutive segments of these lengths."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _seen_labels(
    row_offsets: Int64Array, rows: Int32Array, gold: Sequence[Int32Array], known: KeyNumbers, scripts: Scripts
) -> tuple[Int64Array, Int32Array]:
    """For each row the gold labels of the words in which it occurs."""
    word = np.repeat(np.arange(len(row_offsets) - 1), np.diff(row_offsets))
    pairs = np.unique(np.concatenate([rows.astype(np.int64) * scripts.labels + labels[word] for labels in gold]))
    starts = np.searchsorted(pairs, np.arange(len(known) + 1, dtype=np.int64) * scripts.labels)
    return starts.astype(np.int64), (pairs % scripts.labels).astype(np.int32)
