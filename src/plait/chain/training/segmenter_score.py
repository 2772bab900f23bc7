"""Scores of a segmenter on held-out passages: F1 of words, of words with types, and of sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plait.chain.rawtext import Passage
from plait.chain.segments import Token
from plait.chain.sentences import by_sentence


class SegmenterScore:
    """Counts over several passages."""

    def __init__(self) -> None:
        self.counts = Counter[str]()

    def add(self, passage: Passage, found: Sequence[Token]) -> None:
        """Compare the tokens found in a passage with its own."""
        gold = list(map(Token, *zip(*passage.spans, strict=True), passage.types, passage.final))
        types = {(token.start, token.end): token.type for token in gold}
        ends, found_ends = _sentences(gold), _sentences(found)
        self.counts.update(
            words=len(gold) + len(found),
            right=sum((t.start, t.end) in types for t in found),
            both=sum(types.get((t.start, t.end)) == t.type for t in found),
            sentences=len(ends) + len(found_ends),
            whole=len(ends & found_ends),
        )

    def measures(self, *, joint: bool, sentences: bool) -> dict[str, float]:
        """F1 in per cent; ``text_f1`` is the mean of words and sentences."""
        found = {"joint_f1": self._f1("both", "words")} if joint else {}
        found["seg_f1"] = self._f1("right", "words")
        if sentences:
            found["sent_f1"] = self._f1("whole", "sentences")
            found["text_f1"] = (found["seg_f1"] + found["sent_f1"]) / 2
        return found

    def _f1(self, right: str, total: str) -> float:
        return 200.0 * self.counts[right] / max(self.counts[total], 1)


def _sentences(tokens: Sequence[Token]) -> set[tuple[int, int]]:
    return {(group[0].start, group[-1].end) for group in by_sentence(tokens)}
