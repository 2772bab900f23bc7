# A word's tag as the templates of the lemmatizer see it.

from plait.core._types cimport uint64_t

cdef enum:
    COLUMNS = 15            # UPOS, XPOS, FEATS, then the single features


cdef class WordTag:
    cdef uint64_t atoms[COLUMNS]    # 0: nothing is given
    cdef uint64_t upos_hash
    cdef uint64_t mixed             # a hash of all atoms
