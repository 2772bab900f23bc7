"""Graph-based parsing: exact search for the best projective or spanning tree, alone or jointly with tags."""
