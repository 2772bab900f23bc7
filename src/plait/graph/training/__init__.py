"""Training of the graph-based systems."""
