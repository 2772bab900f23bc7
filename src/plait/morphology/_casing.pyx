"""The casings in which edit scripts see a form."""

# As _casing.pxd numbers them, in order of preference. Only the first character counts as the first letter: "'Tis" has
# none, which is rare enough.
CASINGS = ("keep", "lower", "title", "first-lower", "first-upper", "upper")


cdef str recased(int casing, str form):
    if casing == LOWER:
        return form.lower()
    if casing == TITLE:
        return form[:1].upper() + form[1:].lower()
    if casing == FIRST_LOWER:
        return form[:1].lower() + form[1:]
    if casing == FIRST_UPPER:
        return form[:1].upper() + form[1:]
    return form.upper() if casing == UPPER else form


def in_casing(str casing not None, str form not None):
    """A form in the casing of this name.

    >>> [in_casing(casing, "iPod") for casing in CASINGS]
    ['iPod', 'ipod', 'Ipod', 'iPod', 'IPod', 'IPOD']
    """
    return recased(CASINGS.index(casing), form)
