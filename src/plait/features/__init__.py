"""Templates as tables of named atoms, and the atoms of words."""
