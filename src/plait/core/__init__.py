"""The scoring core: keys find rows of weights, rows are summed into scores."""
