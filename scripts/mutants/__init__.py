"""Mutation testing: the mutants of a module, and a pytest plugin that tries them."""
