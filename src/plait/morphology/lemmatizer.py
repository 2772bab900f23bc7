"""``lemmatizer``: lemmas of words from their forms and tags (after Müller et al. 2015 and Straka 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from plait.core._weights import Scorer
from plait.data.document import UNSPECIFIED, Sentence
from plait.features.templates import stored_templates, template_texts
from plait.features.word_lexicon import Source
from plait.morphology._lemma_scoring import KnownLemmas
from plait.morphology.edit_scripts import EditScript
from plait.morphology.lemma_candidates import Scripts
from plait.morphology.lemma_features import Tag, form_templates, lemma_templates
from plait.morphology.lemma_memory import Exceptions
from plait.morphology.lemma_model import LemmaModel
from plait.morphology.lemma_options import LemmatizerOptions, tag_columns
from plait.system import Arrays, Parts, System
from plait.system.modelparts import open_group, open_names, table_parts
from plait.system.request import Request

KEPT = 1 << 15  # words whose lemmas are remembered; when there are more all are forgotten, the frequent are soon back


@dataclass(eq=False, repr=False)
class Lemmatizer(System):
    """Chooses each lemma among what edit scripts make of the form, given its tag; exceptions are remembered.

    A lemma depends on form and tag alone, so each pair is decided once: the answers are kept, and threads share them.
    """

    name = "lemmatizer"
    supports = frozenset({"scores", "constrain"})
    Options = LemmatizerOptions

    model: LemmaModel
    sources: Sequence[Source] = ()  # of the lexicon

    def __post_init__(self) -> None:
        self._columns = tag_columns(self.options.tag)
        self.tag_columns = tuple(column for column, used in self._columns.items() if used)
        self._kept: dict[tuple[str, ...], tuple[str, float]] = {}

    @property
    def predicts(self) -> tuple[str, ...]:
        """The column of lemmas."""
        return ("lemmas",)

    def annotate(self, sentence: Sentence) -> None:
        """Give every word its lemma."""
        kept = self._kept.get
        sentence.lemmas = [(kept(word) or self._decide(word))[0] for word in self._words(sentence)]

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """The same; with ``request.scores`` every token gets the probability of its lemma, given lemmas that of 1.

        With ``request.constrain`` the lemmas that the sentence has stay.
        """
        request.refuse(self.name, "dictionary")
        given = sentence.lemmas if request.constrain else [UNSPECIFIED] * len(sentence)
        found = [
            self._kept.get(word) or self._decide(word) if lemma == UNSPECIFIED else (lemma, 1.0)
            for word, lemma in zip(self._words(sentence), given, strict=True)
        ]
        sentence.lemmas = [lemma for lemma, _ in found]
        if request.scores:
            sentence.scores = [score for _, score in found]

    def _words(self, sentence: Sentence) -> Iterator[tuple[str, ...]]:
        """(form, UPOS, XPOS, FEATS) of each word, as far as the model looks at them."""
        nothing = [UNSPECIFIED] * len(sentence)
        columns = (getattr(sentence, name) if used else nothing for name, used in self._columns.items())
        return zip(sentence.forms, *columns, strict=True)

    def decide(self, form: str, tag: Mapping[str, str]) -> tuple[str, float]:
        """The lemma of a form and its probability, under values of the columns that the model looks at."""
        word = (form, *(tag[name] if used else UNSPECIFIED for name, used in self._columns.items()))
        return self._kept.get(word) or self._decide(word)

    def chance(self, form: str, tag: Mapping[str, str], lemma: str) -> float:
        """The probability of a lemma that is given; that of an exception is 1, of anything else then 0."""
        upos, xpos, feats = (tag[name] if used else UNSPECIFIED for name, used in self._columns.items())
        remembered = self.model.exceptions.find(form, (upos, xpos, feats))
        if remembered is not None:
            return float(remembered == lemma)
        return self.model.probabilities(form, (upos, xpos, feats)).get(lemma, 0.0)

    def _decide(self, word: tuple[str, ...]) -> tuple[str, float]:
        form, upos, xpos, feats = word
        tag: Tag = (upos, xpos, feats)
        found = self.model.best(form, tag)
        if len(self._kept) >= KEPT:
            self._kept.clear()
        self._kept[word] = found
        return found

    def parts(self) -> Parts:
        """Scripts, templates, weights, known lemmas and exceptions."""
        model = self.model
        tables, arrays = table_parts(model.tables)
        header = {
            "scripts": [str(script) for script in model.scripts.scripts],
            "last": list(model.scripts.last),
            "form_templates": template_texts(model.of_form.templates),
            "lemma_templates": template_texts(model.of_lemma.templates),
            **tables,
        }
        if self.sources:
            header["lexicon"] = [source.header() for source in self.sources]
        return header, {**arrays, "known": model.known.hashes, **model.exceptions.arrays()}

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        texts, last = open_names(header["scripts"], "scripts"), header["last"]
        if not isinstance(last, list) or not all(isinstance(characters, str) for characters in last):
            raise ValueError("the conditions of edit scripts are not strings")
        scripts = Scripts([EditScript.parse(text) for text in texts], last)
        of_form = form_templates(stored_templates(header["form_templates"]))
        of_lemma = lemma_templates(stored_templates(header["lemma_templates"]))
        tables: dict[str, Scorer] = {
            "edits": open_group("edits", header, arrays, scripts.labels),
            "lemmas": open_group("lemmas", header, arrays, 1),
        }
        known, exceptions = KnownLemmas(arrays["known"]), Exceptions.open(arrays)
        model = LemmaModel(scripts, of_form, of_lemma, tables, known, exceptions)
        return cls(options, model, [Source.read(source) for source in header.get("lexicon", ())])
