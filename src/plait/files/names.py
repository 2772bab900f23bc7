"""Whether a text is the name of a file; the methods of ``Path`` raise an error if it is too long to be one."""

from __future__ import annotations

import os
from pathlib import Path


def is_file(name: str | Path) -> bool:
    """Whether there is a file of this name.

    >>> is_file("x" * 1000), is_file("NUL \\0"), is_file(__file__)
    (False, False, True)
    """
    return os.path.isfile(name)  # noqa: PTH113


def exists(name: str | Path) -> bool:
    """Whether there is anything of this name.

    >>> exists("x" * 1000), exists("NUL \\0"), exists(Path(__file__).parent)
    (False, False, True)
    """
    return os.path.exists(name)  # noqa: PTH110
