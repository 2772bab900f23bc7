"""Easy-first analysis (Ma et al. 2012, 2013): the surest decision first, whichever word it is about."""
