"""The lemmas of words: exceptions, words of the training data, and for all others the most probable candidate."""

from plait.morphology._known_words cimport KnownWords
from plait.morphology._lemma_scoring cimport LemmaScorer
from plait.morphology._word_tag cimport WordTag

MAX_CACHED_WORDS = 1 << 15      # a full cache is cleared, and frequent words soon return
MAX_CACHED_TAGS = 1 << 12       # treebanks have fewer


cdef class TaggedWords:
    """The words with one tag whose lemmas have been found."""

    cdef WordTag tag
    cdef tuple columns      # of the tag, as the model knows them
    cdef dict lemmas        # form -> lemma


cdef class LemmaFinder:
    """A lemma depends on form and tag alone, so the answers are cached; any number of threads may share them.

    ``exceptions`` has the ``forms`` of all exceptions, and a method ``find``. Without ``words`` all are scored.
    ``tidy`` turns FEATS into what the model knows them as; without it they are taken as they are.
    """

    cdef LemmaScorer scorer
    cdef KnownWords words
    cdef object exceptions, tidy
    cdef dict tags                      # (UPOS, XPOS, FEATS) -> TaggedWords
    cdef Py_ssize_t cached              # words of all tags

    def __init__(self, LemmaScorer scorer not None, exceptions, KnownWords words, tidy=None):
        self.scorer, self.exceptions, self.words, self.tidy = scorer, exceptions, words, tidy
        self.tags = {}

    def __len__(self):
        """How many words are cached."""
        return self.cached

    cdef TaggedWords with_tag(self, tuple key):
        """The words with a tag; ``key`` are its columns."""
        cdef TaggedWords found = self.tags.get(key)
        if found is not None:
            return found
        if len(self.tags) >= MAX_CACHED_TAGS:
            self.clear()
        upos, xpos, feats = key
        if self.tidy is not None:
            feats = self.tidy(feats)
        found = TaggedWords()
        found.tag, found.columns, found.lemmas = WordTag(upos, xpos, feats), (upos, xpos, feats), {}
        self.tags[key] = found
        return found

    cdef clear(self):
        self.tags = {}
        self.cached = 0

    def lemmas(self, forms not None, upos, xpos, feats):
        """The lemma of each word of a sentence; None instead of a column that the model does not use."""
        cdef Py_ssize_t i
        cdef list found = []
        cdef TaggedWords words
        cdef str form
        for i in range(len(forms)):
            form = forms[i]
            words = self.with_tag((
                "_" if upos is None else upos[i],
                "_" if xpos is None else xpos[i],
                "_" if feats is None else feats[i],
            ))
            lemma = words.lemmas.get(form)
            if lemma is None:
                lemma = self.find(form, words)
                if self.cached >= MAX_CACHED_WORDS:
                    self.clear()
                words.lemmas[form] = lemma
                self.cached += 1
            found.append(lemma)
        return found

    cdef str find(self, str form, TaggedWords words):
        cdef str lemma
        cdef Py_ssize_t script
        cdef double p
        cdef set exceptions = self.exceptions.forms     # most words are none: one look tells
        if form in exceptions:
            lemma = self.exceptions.find(form, words.columns)
            if lemma is not None:
                return lemma
        if self.words is not None:
            script = self.words.script_of(form, words.tag)
            if script >= 0:
                lemma = self.scorer.edited(form, script)
                if lemma is not None:
                    return lemma
        return self.scorer.best_lemma(form, words.tag, &p)
