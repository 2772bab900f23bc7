"""Mutants that cannot be told from the original, each with its reason: ``equivalent.txt``.

A line is a rule, ``FUNCTION | BEFORE | AFTER | reason``: a pattern for the function's full name, as in the shell, and
regular expressions for the changed line before and after the change.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from pathlib import Path

from .generation import Mutant

RULES = Path(__file__).with_name("equivalent.txt")


def known_equivalents() -> Callable[[Mutant], str | None]:
    """Gives the reason why a mutant changes nothing, or nothing."""
    rules = []
    for line in RULES.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, before, after, reason = (part.strip() for part in line.split(" | "))
            rules.append((name, re.compile(before), re.compile(after), reason))

    def reason_for(mutant: Mutant) -> str | None:
        name = f"{mutant.module}.{mutant.name}"
        for pattern, before, after, reason in rules:
            if fnmatch.fnmatchcase(name, pattern) and before.search(mutant.before) and after.search(mutant.after):
                return reason
        return None

    return reason_for
