"""Training of the easy-first systems."""
