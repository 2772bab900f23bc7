"""Transition-based analysis: states, oracles, beam search; parser and joint system (Bohnet & Nivre 2012)."""
