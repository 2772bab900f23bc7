"""Models whose structure is a chain: taggers, and later the CRFs."""
