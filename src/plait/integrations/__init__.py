"""plait where its users already are: spaCy, Arrow tables, Ray and other engines that scale out."""

from plait.integrations.annotator import Annotator

__all__ = ["Annotator"]
