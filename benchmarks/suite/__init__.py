"""The parts of ``benchmarks/run``."""
