"""Transition-based analysis: configurations, oracles, beam search; parser and joint systems (Bohnet & Nivre 2012)."""
