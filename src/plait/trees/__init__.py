"""What the parser families share: trees, labels of arcs, constraints, the tagger inside a parser."""
