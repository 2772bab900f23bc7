"""Trees to look at: for a terminal, as SVG, as an HTML page, in a notebook."""
