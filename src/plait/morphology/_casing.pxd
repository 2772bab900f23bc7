# Forms in another casing.

cdef enum:
    KEEP
    LOWER
    TITLE
    FIRST_LOWER
    FIRST_UPPER
    UPPER
    CASING_COUNT

cdef str recased(int casing, str form)
