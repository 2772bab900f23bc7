from plait.chain._chart cimport Chart, Scores


cdef Scores point(Chart chart, s, t, st, ss, tt, list keep) except *
