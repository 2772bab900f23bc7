"""Shared by the parser families: trees, arc labels, constraints, the tagger inside a parser."""
