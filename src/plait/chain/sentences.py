"""Sentences from the tokens of a segmenter: words, multiword tokens, offsets, SpaceAfter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from plait.chain._tokens import surface
from plait.chain.multiword import JOIN, Splitter
from plait.chain.segments import Token
from plait.data.document import UNSPECIFIED, Range, Sentence
from plait.data.folding import Folding
from plait.data.tags import TagColumns

LONGEST = 1000  # tokens of a sentence in running text: what goes on without an end is cut, so that memory stays flat


@dataclass(frozen=True, eq=False, repr=False)
class SentenceBuilder:
    """Builds sentences from tokens; ``columns`` is None if the tokens have no types."""

    splitter: Splitter
    columns: TagColumns | None
    folding: Folding

    def build(
        self,
        text: str,
        start: int,
        tokens: Sequence[Token],
        probabilities: list[float] | None,
        whole: Collection[tuple[int, int]] = (),
    ) -> list[Sentence]:
        """The sentences of tokens that are counted in characters from ``start`` on; those in ``whole`` are one word."""
        sentences: list[Sentence] = []
        at = 0
        for group in by_sentence(tokens):
            scores = None if probabilities is None else probabilities[at : at + len(group)]
            at += len(group)
            after = tokens[at].start + start if at < len(tokens) else None
            sentences.append(self._sentence(text, start, group, scores, after, whole))
        return sentences

    def _sentence(
        self,
        text: str,
        start: int,
        tokens: list[Token],
        probabilities: list[float] | None,
        after: int | None,
        whole: Collection[tuple[int, int]],
    ) -> Sentence:
        forms, misc, offsets = surface(
            text, start, tokens, -1 if after is None else after, "SpaceAfter=No", UNSPECIFIED
        )
        tags = [token.type for token in tokens]
        first, last = offsets[0][0], offsets[-1][1]
        ranges: list[Range] = []
        if self._may_split(tags):
            fixed = [bool(whole) and (token.start, token.end) in whole for token in tokens]
            forms, tags, misc, ranges, offsets, counts = self._split(text, forms, tags, misc, offsets, fixed)
            if probabilities is not None:
                probabilities = [p for p, count in zip(probabilities, counts, strict=True) for _ in range(count)]
        sentence = Sentence(forms, misc=misc, ranges=ranges)
        if self.columns is not None:
            self.columns.write(sentence, tags)
        sentence.offsets = offsets
        sentence.scores = probabilities
        sentence.comments.append(f"# text = {' '.join(text[first:last].split())}")
        return sentence

    def _may_split(self, tags: Sequence[str]) -> bool:
        """Whether a token may be several words; in most languages none ever is."""
        if self.columns is None:
            return self.splitter.splits
        return any(JOIN in tag for tag in tags)

    def _split(
        self,
        text: str,
        surfaces: list[str],
        types: list[str],
        notes: list[str],
        spans: list[tuple[int, int]],
        fixed: list[bool],
    ) -> tuple[list[str], list[str], list[str], list[Range], list[tuple[int, int]], list[int]]:
        """Forms, tags, MISC, multiword tokens and offsets of the words of tokens; and how many words each has."""
        forms: list[str] = []
        tags: list[str] = []
        misc: list[str] = []
        ranges: list[Range] = []
        offsets: list[tuple[int, int]] = []
        counts: list[int] = []
        for form, type, note, (a, b), is_word in zip(surfaces, types, notes, spans, fixed, strict=True):
            words, parts = ((form,), type.split(JOIN)[:1]) if is_word else self._words(form, type)
            if len(words) == 1:
                misc.append(note)
            else:
                ranges.append(Range(len(forms) + 1, len(forms) + len(words), form, (*[UNSPECIFIED] * 7, note)))
                misc += [UNSPECIFIED] * len(words)
            offsets += word_offsets(text[a:b], words, a)
            forms += words
            tags += parts
            counts.append(len(words))
        return forms, tags, misc, ranges, offsets, counts

    def _words(self, form: str, type: str) -> tuple[Sequence[str], Sequence[str]]:
        """The words of a token and their tags."""
        parts = type.split(JOIN)
        read = self.folding.text(form)
        if self.columns is None:
            words = self.splitter.usual(read)
        else:
            words = self.splitter.split(read, len(parts)) if len(parts) > 1 else None
        if words is None:
            return (form,), parts[:1]
        if read != form and "".join(words) == read:  # as they are written
            words = tuple(form[a:b] for a, b in word_offsets(read, words, 0))
        return words, parts if self.columns is not None else [""] * len(words)


def by_sentence(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each sentence; the rest after the last sentence end is a sentence too."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.final:
            yield group
            group = []
    if group:
        yield group


def bounded(tokens: Sequence[Token], longest: int = LONGEST) -> list[Token]:
    """The tokens with sentence ends inserted where sentences would be too long.

    >>> [t.final for t in bounded([Token(k, k + 1, "", k == 2) for k in range(7)], 2)]
    [False, True, True, False, True, False, True]
    """
    found: list[Token] = []
    length = 0
    for token in tokens:
        length += 1
        if length == longest and not token.final:
            token = token._replace(final=True)
        if token.final:
            length = 0
        found.append(token)
    return found


def word_offsets(surface: str, words: Sequence[str], start: int) -> list[tuple[int, int]]:
    """The offsets of the words of a token: its parts if the words spell it, otherwise the whole token for each."""
    if len(words) == 1 or "".join(words) != surface:
        return [(start, start + len(surface))] * len(words)
    found = []
    for word in words:
        found.append((start, start + len(word)))
        start += len(word)
    return found
