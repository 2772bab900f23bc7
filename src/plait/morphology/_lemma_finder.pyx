"""The lemmas of words: exceptions, words of the training data, and for all others the most probable candidate."""

from plait.morphology._known_words cimport KnownWords
from plait.morphology._lemma_scoring cimport LemmaScorer
from plait.morphology._word_tag cimport WordTag

MAX_CACHED_WORDS = 1 << 15      # a full cache is cleared, and frequent words soon return
MAX_CACHED_TAGS = 1 << 12       # treebanks have fewer


cdef class LemmaFinder:
    """A lemma depends on form and tag alone, so the answers are cached; any number of threads may share them.

    ``exceptions`` has the ``forms`` of all exceptions, and a method ``find``. Without ``words`` all are scored.
    ``tidy`` turns FEATS into what the model knows them as; without it they are taken as they are.
    """

    cdef LemmaScorer scorer
    cdef KnownWords words
    cdef object exceptions, tidy
    cdef dict cached, tags

    def __init__(self, LemmaScorer scorer not None, exceptions, KnownWords words, tidy=None):
        self.scorer, self.exceptions, self.words, self.tidy = scorer, exceptions, words, tidy
        self.cached, self.tags = {}, {}

    def __len__(self):
        """How many words are cached."""
        return len(self.cached)

    def tag(self, upos, xpos, feats):
        """These columns as templates see them."""
        key = upos, xpos, feats
        found = self.tags.get(key)
        if found is None:
            if len(self.tags) >= MAX_CACHED_TAGS:
                self.tags.clear()
            found = self.tags[key] = WordTag(upos, xpos, feats)
        return found

    def lemmas(self, forms not None, upos, xpos, feats):
        """The lemma of each word of a sentence; None instead of a column that the model does not use."""
        cdef Py_ssize_t i
        cdef dict cached = self.cached
        cdef list found = []
        cdef tuple word
        for i in range(len(forms)):
            word = (
                forms[i],
                "_" if upos is None else upos[i],
                "_" if xpos is None else xpos[i],
                "_" if feats is None else feats[i],
            )
            lemma = cached.get(word)
            if lemma is None:
                lemma = self.find(word)
                if len(cached) >= MAX_CACHED_WORDS:
                    cached.clear()
                cached[word] = lemma
            found.append(lemma)
        return found

    cdef str find(self, tuple word):
        cdef str form = word[0], feats = word[3], lemma
        cdef Py_ssize_t script
        cdef double p
        if self.tidy is not None:
            feats = self.tidy(feats)
        if form in self.exceptions.forms:
            lemma = self.exceptions.find(form, (word[1], word[2], feats))
            if lemma is not None:
                return lemma
        tag = <WordTag> self.tag(word[1], word[2], feats)
        if self.words is not None:
            script = self.words.script_of(form, tag)
            if script >= 0:
                lemma = self.scorer.edited(form, script)
                if lemma is not None:
                    return lemma
        return self.scorer.best_lemma(form, tag, &p)
