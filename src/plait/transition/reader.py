"""The input of the search for a sentence: candidate tags, lemmas, the guide's tree, and the atoms of its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plait.arrays import UInt64Array
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.tags import TagColumns
from plait.transition.candidate_words import CandidateWords, over_paths
from plait.transition.features import TransitionFeatures
from plait.transition.seen_words import SeenWords
from plait.transition.tag_classes import tag_classes
from plait.trees.candidates import Candidates, best_tags, given_tags, restricted
from plait.trees.guide import Guide, GuideTree
from plait.trees.inner_tagger import ProbabilisticTagger, Probabilities, Tags
from plait.trees.morphology import Morphology, lemma_atoms


@dataclass(eq=False, repr=False)
class SentenceReader:
    """Reads sentences with the internal tagger, lemmatizer and guide of a parser; the latter two are optional."""

    options: Any
    features: TransitionFeatures
    tagger: ProbabilisticTagger
    morphology: Morphology
    guide: Guide | None = None
    seen_words: SeenWords | None = None

    def __post_init__(self) -> None:
        self.columns = TagColumns(self.options.tag)
        self.number = {tag: i for i, tag in enumerate(self.tagger.tags)}
        self.classes = tag_classes(self.tagger.tags)

    def own_numbers(self, sentence: Sentence) -> list[int]:
        """The tags of a sentence as numbers; an unknown tag is replaced by the tagger's prediction."""
        tags = self.columns.read(sentence)
        if all(tag in self.number for tag in tags):
            return [self.number[tag] for tag in tags]
        guessed = best_tags(self.tagger.tag_probabilities(sentence.forms), 1, 0.0).tags[:, 0].tolist()
        return [self.number.get(tag, guess) for tag, guess in zip(tags, guessed, strict=True)]

    def candidates(self, sentence: Sentence) -> Candidates:
        """Candidate tags of a new sentence; with ``gold_tags`` those of the sentence, if the tagger knows them."""
        given = self.given_columns(sentence)
        if len(given) == len(self.columns.columns):
            return given_tags(self.own_numbers(sentence))
        if given:  # UPOS alone, where tags have FEATS: these are found under it
            return self.agreeing_candidates(sentence, self.tagger.tag_probabilities(sentence.forms))
        return best_tags(self.tagger.tag_probabilities(sentence.forms), *self.options.candidate_limits())

    def given_columns(self, sentence: Sentence) -> list[str]:
        """The tag columns used from the input: with ``gold_tags`` those that it has."""
        if not self.options.gold_tags:
            return []
        return [c for c in self.columns.columns if any(value != UNSPECIFIED for value in getattr(sentence, c))]

    def agreeing_candidates(self, sentence: Sentence, p: Probabilities) -> Candidates:
        """Candidate tags that agree with what the words have."""
        agreeing = self.columns.agreeing(sentence, self.tagger.tags)
        return best_tags(restricted(p, agreeing), *self.options.candidate_limits())

    def of_candidates(self, words: CandidateWords) -> Candidates:
        """Candidate tags of candidate words."""
        p = over_paths(words, self.tagger.tag_probabilities)
        if words.tags:
            bound = [words.tags.get(k) for k in range(len(p))]
            p = restricted(p, [[self.number[tag]] if tag in self.number else [] for tag in bound])
        return best_tags(p, *self.options.candidate_limits())

    def candidate_atoms(
        self,
        words: CandidateWords,
        candidates: Candidates,
        lemmatized: Sentence | None = None,
        seen_words: SeenWords | None = None,
    ) -> UInt64Array:
        """One row for each candidate word; lemmas as for ``atoms``, ``seen_words`` instead of those of the model."""
        best = candidates.tags[:, 0]
        found = lemmatized or self.lemmatized(Sentence(words.forms), best)
        lemmas = lemma_atoms(found) if found is not None else None
        return self.features.atoms(words.forms, self.classes[best], lemmas, None, words, seen_words or self.seen_words)

    def tagged(self, sentence: Sentence, numbers: Tags) -> Sentence:
        """A copy with these tags."""
        copy = sentence.copy()
        self.columns.write(copy, [self.tagger.tags[t] for t in numbers.tolist()])
        return copy

    def lemmatized(self, sentence: Sentence, numbers: Tags, *, keep: bool = False) -> Sentence | None:
        """A copy with these tags and the lemmas that follow from them; ``keep``: lemmas of the sentence stay."""
        if not self.features.lemmas:
            return None
        keep = keep or self.options.gold_tags
        return self.morphology.analysed(self.tagged(sentence, numbers), keep=keep)

    def atoms(
        self,
        sentence: Sentence,
        candidates: Candidates,
        *,
        lemmatized: Sentence | None = None,
        tree: GuideTree | None = None,
        keep: bool = False,
    ) -> UInt64Array:
        """One row for each word; lemmas are those of the tagger's best tags, or as ``lemmatized`` has them.

        ``tree`` is the guide's where it is known already; ``keep``: lemmas of the sentence stay.
        """
        found = lemmatized or self.lemmatized(sentence, candidates.tags[:, 0], keep=keep)
        lemmas = lemma_atoms(found) if found is not None else None
        if tree is None and self.guide is not None:
            tree = self.guide.tree(sentence)
        return self.features.atoms(sentence.forms, self.classes[candidates.tags[:, 0]], lemmas, tree)
