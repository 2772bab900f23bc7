"""A griffe extension for the API reference: doctest examples in docstrings are shown as code.

Docstrings here are plain text with examples in between, and Markdown would read ``>>>`` as three quotations.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^( *)>>> .*(?:\n\1\S.*)*", re.M)


def fenced(text: str) -> str:
    """The text with every block of examples in a fence.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2\\n\\nMore.")
    'Adds.\\n\\n```python\\n>>> 1 + 1\\n2\\n```\\n\\nMore.'
    """
    return EXAMPLE.sub(lambda match: f"{match[1]}```python\n{match[0]}\n{match[1]}```", text)


class Examples(Extension):
    """Fences the examples of every docstring that is read."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called for each module, class and function; those that stand for another one have no text of their own."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
