"""Morphology: structured tags and lemmas."""
