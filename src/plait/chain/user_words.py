"""The matches of a user dictionary in one text: constraints on words, and their types."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

from plait.chain.segments import FREE, Rule, SegmentLabels, Token
from plait.chain.units import Units
from plait.features.user_dictionary import Match, UserDictionary

NO_WORDS = UserDictionary(())


class UserWords:
    """A dictionary (or none) and a text. Matches are found for each window separately, in bounded memory."""

    def __init__(self, dictionary: UserDictionary | None, text: str) -> None:
        self.dictionary = dictionary or NO_WORDS
        self.text = text
        self.mode = "" if dictionary is None else dictionary.mode
        self._forced = list(self.dictionary.longest(text)) if self.mode == "force" else []
        self._starts = [match.start for match in self._forced]
        self.cuts = {at for match in self._forced for at in (match.start, match.end)}
        self.longest = max((match.end - match.start for match in self._forced), default=0)
        if self.mode == "prefer":
            for match in self.dictionary.all(text):
                self.cuts.update((match.start, match.end))
                self.longest = max(self.longest, match.end - match.start)

    def force(self, rules: list[Rule], units: Units, labels: SegmentLabels) -> None:
        """Make every forced match in a window one word."""
        if not self._forced:
            return
        begins, finishes = units.places
        at = bisect_left(self._starts, units.starts[0])
        for match in self._forced[at : bisect_left(self._starts, units.ends[-1])]:
            if match.start in begins and match.end in finishes:
                make_word(rules, labels, begins[match.start], finishes[match.end] + 1, match.entry.tag)

    def preferred(self, units: Units) -> Iterator[tuple[int, int, str, float]]:
        """(start, end, tag, gain) of every match in a window, in units."""
        if self.mode != "prefer":
            return
        begins, finishes = units.places
        for start, first in begins.items():
            for match in self.dictionary.at(self.text, start):
                if match.end in finishes:
                    yield first, finishes[match.end] + 1, match.entry.tag, -match.entry.cost

    def merged(self, rules: list[Rule], tokens: Sequence[Token], units: Units, labels: SegmentLabels) -> bool:
        """Constrain the tokens of a window, merging those that together spell an entry; whether there are any."""
        if self.mode != "merge":
            return False
        joined = self._joined(tokens, units)
        for token, tag in joined:
            make_word(rules, labels, token.start, token.end, tag)
        return len(joined) < len(tokens)

    def _joined(self, tokens: Sequence[Token], units: Units) -> list[tuple[Token, str]]:
        """The tokens with those joined that together spell a dictionary word, and the tag it has there."""
        last = {units.ends[t.end - 1]: k for k, t in enumerate(tokens)}
        joined: list[tuple[Token, str]] = []
        k = 0
        while k < len(tokens):
            end, tag = k, ""
            for match in self.dictionary.at(self.text, units.starts[tokens[k].start]):
                place = last.get(match.end, k)
                if place > k and not any(t.final for t in tokens[k:place]):
                    end, tag = place, match.entry.tag
                    break
            joined.append((Token(tokens[k].start, tokens[end].end, "", tokens[end].final), tag))
            k = end + 1
        return joined

    def has(self, token: Token) -> bool:
        """Whether a token (in characters) is a dictionary word that constrains the segmentation."""
        if self.mode == "force":
            return self._forced_match(token) is not None
        return self.text[token.start : token.end] in self.dictionary.entries

    def among(self, tokens: Sequence[Token]) -> set[tuple[int, int]]:
        """Start and end of the tokens (in characters) that are dictionary words."""
        return {(t.start, t.end) for t in tokens if self.has(t)} if self.dictionary else set()

    def _forced_match(self, token: Token) -> Match | None:
        at = bisect_left(self._starts, token.start)
        match = self._forced[at] if at < len(self._forced) else None
        return match if match is not None and (match.start, match.end) == (token.start, token.end) else None

    def tag_of(self, token: Token) -> str:
        """The dictionary tag of a token (in characters); "" if there is none."""
        if self.mode == "force":  # a word of the model may spell an entry that lost to an overlapping one
            match = self._forced_match(token)
            return "" if match is None else match.entry.tag
        return self.dictionary.tag_of(self.text[token.start : token.end])

    def tags_among(self, tokens: Sequence[Token], types: Sequence[str]) -> dict[tuple[int, int], list[int]]:
        """For tokens whose dictionary tag is one of these types, its number."""
        if not self.dictionary:
            return {}
        number = {type: k for k, type in enumerate(types)}
        tags = [(token, self.tag_of(token)) for token in tokens]
        return {(token.start, token.end): [number[tag]] for token, tag in tags if tag in number}

    def retagged(self, tokens: list[Token], types: Collection[str]) -> list[Token]:
        """The tokens with the dictionary's tags, including tags that the model does not know."""
        if not self.dictionary:
            return tokens
        tags = [(token, self.tag_of(token)) for token in tokens]
        prefers = self.mode == "prefer"
        return [token._replace(type=tag) if tag and not (prefers and tag in types) else token for token, tag in tags]


def make_word(rules: list[Rule], labels: SegmentLabels, start: int, end: int, tag: str) -> None:
    """Make these units one word; a tag is a constraint too, if the labels have it."""
    type = tag if tag in labels.types and labels.structure != "linear" else ""
    rules[start:end] = labels.rules(Token(start, end, "", False), type)
    if end < len(rules) and rules[end] == FREE:
        rules[end] = (labels.beginnings, "")
