"""Integration with other packages: spaCy, Arrow tables, Ray and other engines."""

from plait.integrations.annotator import Annotator

__all__ = ["Annotator"]
