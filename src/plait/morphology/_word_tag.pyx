"""The atoms of a word's tag: UPOS, XPOS, FEATS, and each of its features."""

from libc.string cimport memset

import numpy as np

from plait.core._hashing cimport hash_text, mix

MAX_PARTS = <int> COLUMNS - 3       # features with templates of their own; the richest treebanks have fewer


cdef class WordTag:
    """From its columns, "_" where nothing is given; features beyond the first twelve are ignored.

    >>> (WordTag("NOUN", "_", "Case=Nom|Number=Sing").array()[:6] != 0).tolist()
    [True, False, True, True, True, False]
    """

    def __cinit__(self, str upos not None, str xpos not None, str feats not None):
        cdef Py_ssize_t k
        cdef str text
        memset(self.atoms, 0, sizeof(self.atoms))
        self.upos_hash = hash_text(upos, 0, len(upos))
        for k, text in enumerate((upos, xpos, feats)):
            if text != "_":
                self.atoms[k] = hash_text(text, 0, len(text))
        if feats != "_":
            for k, text in enumerate(sorted(feats.split("|"))[:MAX_PARTS]):
                self.atoms[3 + k] = hash_text(text, 0, len(text))
        for k in range(COLUMNS):
            self.mixed = mix(self.mixed, self.atoms[k])

    def array(self):
        """The atoms."""
        return np.array([self.atoms[k] for k in range(COLUMNS)], dtype=np.uint64)
