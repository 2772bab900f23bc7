"""The data model: documents of sentences of tokens, label schemes, projectivity."""

from plait.data.document import UNKNOWN, UNSPECIFIED, Document, EmptyNode, Range, Sentence, Token

__all__ = ["UNKNOWN", "UNSPECIFIED", "Document", "EmptyNode", "Range", "Sentence", "Token"]
