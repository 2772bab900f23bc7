"""Sequence models: the perceptron tagger, and CRFs that tag, chunk and segment."""
