"""``lemmatizer``: lemmas of words from their forms and tags (after Müller et al. 2015 and Straka 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from plait.core._weights import Scorer
from plait.data.document import UNSPECIFIED, Sentence
from plait.data.feats import tidy_feats
from plait.features.templates import stored_templates, template_texts
from plait.features.word_lexicon import Source
from plait.morphology._known_words import KnownLemmas, KnownWords
from plait.morphology._lemma_finder import MAX_CACHED_WORDS
from plait.morphology.edit_scripts import EditScript
from plait.morphology.lemma_candidates import Scripts
from plait.morphology.lemma_exceptions import Exceptions
from plait.morphology.lemma_features import FORM_COLUMNS, LEMMA_COLUMNS, LemmaTemplates, Tag
from plait.morphology.lemma_model import LemmaModel
from plait.morphology.lemma_options import LemmatizerOptions, tag_columns
from plait.system import Arrays, Parts, System
from plait.system.modelparts import open_group, open_names, table_parts
from plait.system.request import Request


@dataclass(eq=False, repr=False)
class Lemmatizer(System):
    """Chooses each lemma among those that edit scripts make of the form, given its tag; exceptions are stored.

    A lemma depends on form and tag alone, so the answers are cached, and threads share the cache.
    """

    name = "lemmatizer"
    supports = frozenset({"scores", "constrain"})
    Options = LemmatizerOptions

    model: LemmaModel
    sources: Sequence[Source] = ()  # of the lexicon

    def __post_init__(self) -> None:
        self._columns = tag_columns(self.options.tag)
        self.tag_columns = tuple(column for column, used in self._columns.items() if used)
        self._scored: dict[tuple[str, ...], tuple[str, float]] = {}

    @property
    def predicts(self) -> tuple[str, ...]:
        """The column of lemmas."""
        return ("lemmas",)

    def annotate(self, sentence: Sentence) -> None:
        """Give every word its lemma."""
        columns = [getattr(sentence, name) if used else None for name, used in self._columns.items()]
        sentence.lemmas = self.model.finder.lemmas(sentence.forms, *columns)

    def _column(self, sentence: Sentence, name: str) -> list[str]:
        """A column of tags as the model knows them."""
        values: list[str] = getattr(sentence, name)
        return [tidy_feats(feats) for feats in values] if self.model.tidy and name == "feats" else values

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` every token gets the probability of its lemma, which is 1 for given lemmas.

        With ``request.constrain`` the lemmas that the sentence already has stay.
        """
        request.refuse(self.name, "dictionary")
        given = sentence.lemmas if request.constrain else [UNSPECIFIED] * len(sentence)
        self.annotate(sentence)
        if request.scores:
            words = zip(self._words(sentence), given, strict=True)
            sentence.scores = [self._best_lemma(word)[1] if lemma == UNSPECIFIED else 1.0 for word, lemma in words]
        pairs = zip(given, sentence.lemmas, strict=True)
        sentence.lemmas = [found if lemma == UNSPECIFIED else lemma for lemma, found in pairs]

    def _words(self, sentence: Sentence) -> Iterator[tuple[str, ...]]:
        """(form, UPOS, XPOS, FEATS) of each word; "_" for columns that the model does not use."""
        nothing = [UNSPECIFIED] * len(sentence)
        columns = (self._column(sentence, name) if used else nothing for name, used in self._columns.items())
        return zip(sentence.forms, *columns, strict=True)

    def _tag(self, tag: Mapping[str, str]) -> Tag:
        """The columns of a tag, likewise."""
        upos, xpos, feats = (tag[name] if used else UNSPECIFIED for name, used in self._columns.items())
        return upos, xpos, tidy_feats(feats) if self.model.tidy else feats

    def best_lemma(self, form: str, tag: Mapping[str, str]) -> tuple[str, float]:
        """The lemma of a form and its probability, given the columns that the model uses."""
        return self._best_lemma((form, *self._tag(tag)))

    def probability(self, form: str, tag: Mapping[str, str], lemma: str) -> float:
        """The probability of a given lemma; for an exception 1 for its lemma and 0 for any other."""
        known = self._tag(tag)
        remembered = self.model.exceptions.find(form, known)
        if remembered is not None:
            return float(remembered == lemma)
        return self.model.probabilities(form, known).get(lemma, 0.0)

    def _best_lemma(self, word: tuple[str, ...]) -> tuple[str, float]:
        found = self._scored.get(word)
        if found is None:
            if len(self._scored) >= MAX_CACHED_WORDS:
                self._scored.clear()
            form, upos, xpos, feats = word
            found = self._scored[word] = self.model.best(form, (upos, xpos, feats))
        return found

    def parts(self) -> Parts:
        """Scripts, templates, weights, known lemmas and exceptions."""
        model = self.model
        tables, arrays = table_parts(model.tables)
        header = {
            "scripts": [str(script) for script in model.scripts.scripts],
            "last": list(model.scripts.last_characters),
            "form_templates": template_texts(model.form_templates.templates),
            "lemma_templates": template_texts(model.lemma_templates.templates),
            **tables,
        }
        if model.tidy:
            header["tidy"] = True
        if self.sources:
            header["lexicon"] = [source.header() for source in self.sources]
        if model.words is not None:
            arrays["words"] = model.words.words
        return header, {**arrays, "known": model.known.hashes, **model.exceptions.arrays()}

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        texts, last = open_names(header["scripts"], "scripts"), header["last"]
        if not isinstance(last, list) or not all(isinstance(characters, str) for characters in last):
            raise ValueError("the conditions of edit scripts are not strings")
        scripts = Scripts([EditScript.parse(text) for text in texts], last)
        form_templates = LemmaTemplates(stored_templates(header["form_templates"]), FORM_COLUMNS)
        lemma_templates = LemmaTemplates(stored_templates(header["lemma_templates"]), LEMMA_COLUMNS)
        tables: dict[str, Scorer] = {
            "edits": open_group("edits", header, arrays, scripts.labels),
            "lemmas": open_group("lemmas", header, arrays, 1),
        }
        known, exceptions = KnownLemmas(arrays["known"]), Exceptions.open(arrays)
        words = KnownWords(arrays["words"]) if "words" in arrays else None
        tidy = header.get("tidy") is True
        model = LemmaModel(scripts, form_templates, lemma_templates, tables, known, exceptions, words, tidy)
        sources = [Source.read(source) for source in header.get("lexicon", ())]
        return cls(options, model, sources)
