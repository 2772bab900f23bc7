"""A token: a light view of one position of a sentence, made when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, overload

from plait.data.absent import UNKNOWN, UNSPECIFIED

if TYPE_CHECKING:
    from plait.data.document import Sentence


class TextColumn:
    """An attribute that reads and writes a token's place in a text column; None where nothing is given."""

    def __init__(self, column: str, description: str) -> None:
        self.column = column
        self.__doc__ = description

    @overload
    def __get__(self, token: None, owner: type[Token]) -> Self: ...
    @overload
    def __get__(self, token: Token, owner: type[Token]) -> str | None: ...
    def __get__(self, token: Token | None, owner: type[Token]) -> Self | str | None:
        if token is None:
            return self
        value: str = getattr(token.sentence, self.column)[token.id - 1]
        return None if value == UNSPECIFIED else value

    def __set__(self, token: Token, value: str | None) -> None:
        getattr(token.sentence, self.column)[token.id - 1] = UNSPECIFIED if value is None else value


class Token:
    """One word of a sentence: a view, so that setting ``token.upos`` changes the sentence.

    ``id`` and ``head`` count from 1, as in CoNLL-U. What is not given is None, and None takes a value away.
    """

    __slots__ = ("id", "sentence")

    upos = TextColumn("upos", "The universal part-of-speech tag.")
    xpos = TextColumn("xpos", "The treebank's own part-of-speech tag.")
    feats = TextColumn("feats", "Morphological features as written, such as ``Case=Nom|Number=Sing``.")
    deprel = TextColumn("deprels", "The label of the arc from the head.")
    deps = TextColumn("deps", "Enhanced dependencies as written.")
    misc = TextColumn("misc", "Anything else, as written.")

    def __init__(self, sentence: Sentence, id: int) -> None:
        self.sentence = sentence
        self.id = id

    @property
    def form(self) -> str:
        """The word as written; every token has one, and ``_`` is a word like others."""
        return self.sentence.forms[self.id - 1]

    @form.setter
    def form(self, value: str) -> None:
        self.sentence.forms[self.id - 1] = value

    @property
    def lemma(self) -> str | None:
        """The dictionary form; that of the word ``_`` is ``_``."""
        lemma = self.sentence.lemmas[self.id - 1]
        return None if lemma == UNSPECIFIED != self.form else lemma

    @lemma.setter
    def lemma(self, value: str | None) -> None:
        self.sentence.lemmas[self.id - 1] = UNSPECIFIED if value is None else value

    @property
    def head(self) -> int | None:
        """The ID of the head, which counts from 1; 0 is the root. ``parent`` is the head as a token."""
        head = self.sentence.heads[self.id - 1]
        return None if head == UNKNOWN else head

    @head.setter
    def head(self, value: int | None) -> None:
        self.sentence.heads[self.id - 1] = UNKNOWN if value is None else value

    @property
    def score(self) -> float | None:
        """The model's confidence in this token, where it gives one."""
        return None if self.sentence.scores is None else self.sentence.scores[self.id - 1]

    @property
    def start(self) -> int | None:
        """Where the token begins in the document's text, in code points."""
        return None if self.sentence.offsets is None else self.sentence.offsets[self.id - 1][0]

    @property
    def end(self) -> int | None:
        """Where the token ends in the document's text, in code points."""
        return None if self.sentence.offsets is None else self.sentence.offsets[self.id - 1][1]

    @property
    def space_after(self) -> bool:
        """Whether a space follows in the text."""
        return "SpaceAfter=No" not in self.sentence.misc[self.id - 1].split("|")

    @property
    def parent(self) -> Token | None:
        """The head as a token; None for the root, and where the head is not known."""
        head = self.head
        return Token(self.sentence, head) if head else None

    @property
    def children(self) -> list[Token]:
        """The tokens whose head is this one, in the order of the sentence."""
        return [Token(self.sentence, i) for i, head in enumerate(self.sentence.heads, 1) if head == self.id]

    @property
    def subtree(self) -> list[Token]:
        """This token and all that hang below it, in the order of the sentence."""
        heads = self.sentence.heads
        below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
        for i, head in enumerate(heads, 1):
            if head > 0:
                below[head].append(i)
        found, waiting = {self.id}, [self.id]
        while waiting:
            new = [i for i in below[waiting.pop()] if i not in found]  # heads set by hand may go in circles
            found.update(new)
            waiting.extend(new)
        return [Token(self.sentence, i) for i in sorted(found)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self.sentence is other.sentence and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self.sentence), self.id))

    def __repr__(self) -> str:
        tags = "" if self.upos is None else f"/{self.upos}"
        arc = "" if self.head is None else f" head={self.head}"
        label = "" if self.deprel is None else f" {self.deprel}"
        return f"<Token {self.id} {self.form}{tags}{arc}{label}>"
