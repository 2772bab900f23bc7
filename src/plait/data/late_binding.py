"""What documents can do through later rooms: drawings, formats, tables for other packages.

This room imports none of them: it knows each by name, and finds it when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

LATE_BOUND = {
    "sentence_conllu": "plait.formats.conllu:write_sentence",
    "sentence_from_json": "plait.formats.json_lines:checked_sentence",
    "document_from_json": "plait.formats.json_lines:checked_document",
    "sentence_tree": "plait.draw.text:sentence_tree",
    "sentence_svg": "plait.draw.svg:sentence_svg",
    "sentence_html": "plait.draw.html:sentence_html",
    "document_svg": "plait.draw.svg:document_svg",
    "document_page": "plait.draw.html:html_page",
    "document_html": "plait.draw.html:document_html",
    "to_displacy": "plait.integrations.conversion:to_displacy",
    "to_pandas": "plait.integrations.conversion:to_pandas",
    "to_arrow": "plait.integrations.conversion:to_arrow",
    "to_spacy": "plait.integrations.conversion:to_spacy",
}


@cache
def late_bound(name: str) -> Callable[..., Any]:
    """The function behind a name."""
    module, _, function = LATE_BOUND[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
