"""Training of the transition systems."""
