# The number types of the core.

from libc.stdint cimport int8_t, int16_t, uint16_t, uint32_t, uint64_t

ctypedef uint64_t atom_t    # one property of one word or node; 0 is "absent", and a template with it does not fire
ctypedef uint64_t key_t     # one filled template; 0 is "did not fire" and has no row
ctypedef uint16_t label_t   # a tag, an action, an arc label: the position in a row
ctypedef float score_t      # weights in training, and all scores
