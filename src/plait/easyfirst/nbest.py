"""The analyses that a beam ends with, as sentences: best first, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from plait.data.document import Sentence
from plait.easyfirst.filling import Decoded
from plait.errors import OptionError


def require_beam(system: str, beam: int) -> None:
    """OptionError for the greedy search, which comes to one analysis."""
    if beam == 1:
        raise OptionError(f"this {system} gives no alternatives: it searches greedily; train it with --beam 8")


def distinct_sentences(
    sentence: Sentence, analyses: Iterable[Decoded], write: Callable[[Sentence, Decoded], None], count: int
) -> list[Sentence]:
    """Copies of a sentence with the first ``count`` analyses that differ once they are written.

    Two trees of the search can become one sentence when lifted arcs are lowered; the better one stays.
    """
    found: list[Sentence] = []
    seen = set()
    for analysis in analyses:
        twin = sentence.copy()
        write(twin, analysis)
        columns = twin.upos, twin.xpos, twin.feats, twin.heads, twin.deprels
        key = tuple(tuple(column) for column in columns)
        if key not in seen:
            seen.add(key)
            found.append(twin)
        if len(found) == count:
            break
    return found or [sentence.copy()]
