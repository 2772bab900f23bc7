"""Whether a text is the name of a file; the methods of ``Path`` raise an error if it is too long to be one."""

from __future__ import annotations

from pathlib import Path


def is_file(name: str | Path) -> bool:
    """Whether there is a file of this name.

    >>> is_file("x" * 1000), is_file("NUL \\0"), is_file(__file__)
    (False, False, True)
    """
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def exists(name: str | Path) -> bool:
    """Whether there is anything of this name.

    >>> exists("x" * 1000), exists("NUL \\0"), exists(Path(__file__).parent)
    (False, False, True)
    """
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False
