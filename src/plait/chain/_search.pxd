from plait.chain._chart cimport Chart, Scores


cdef Scores as_scores(Chart chart, s, t, st, ss, tt, list keep) except *
