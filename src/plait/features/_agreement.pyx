"""Agreement as a Python function, for tests."""

from plait.core._types cimport uint64_t


def agreement_of(const uint64_t[::1] a not None, const uint64_t[::1] b not None):
    """The atom of two rows of slots, as ``FeatsAtoms`` makes them."""
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"{a.shape[0]} and {b.shape[0]} slots")
    return agreement(&a[0], &b[0], a.shape[0]) if a.shape[0] > 0 else 0
