"""Easy-first analysis (Ma et al. 2012, 2013): the most confident decision first, anywhere in the sentence."""
