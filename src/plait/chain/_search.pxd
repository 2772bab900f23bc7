from plait.chain._chart cimport Chart, Scores


cdef Scores as_scores(Chart chart, scores, list keep) except *
