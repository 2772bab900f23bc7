"""Document > Sentence > Token: what every reader fills, every system predicts and every writer prints.

A sentence stores one list per column; a token is a light view of one position, made when it is asked for.
Conventions, fixed here and nowhere else:

- Python's positions count from 0: ``document[0]``, ``sentence[0]``, ``sentence[-1]``, ``sentence[1:3]``;
- IDs are those of CoNLL-U and count from 1: ``token.id``, ``token.head``, ranges; head 0 is the root;
- columns are as in the file, ``"_"`` (``UNSPECIFIED``) and head −1 (``UNKNOWN``) where nothing is given, while
  tokens, JSON and tables say None there (``absent.py``);
- columns that CoNLL-U does not have (``chunk``, CoNLL-2009's ``pred``) are kept in ``extra`` under their name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import index as as_index
from typing import Any, NamedTuple, overload

from plait.data.absent import UNKNOWN as UNKNOWN
from plait.data.absent import UNSPECIFIED as UNSPECIFIED
from plait.data.late_binding import late_bound
from plait.data.token import Token as Token
from plait.errors import DataError

COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")
ROUNDED_TO_1 = 1.0 + 1e-6  # scores below this and above 1 are probabilities with rounding errors


class Range(NamedTuple):
    """A multiword token: one surface form that covers the words ``start`` to ``end``, both included."""

    start: int
    end: int
    form: str
    rest: tuple[str, ...] = (UNSPECIFIED,) * 8  # LEMMA to MISC of the range's own line

    @property
    def misc(self) -> str:
        """The MISC column of the range line, which carries its SpaceAfter."""
        return self.rest[-1]


class EmptyNode(NamedTuple):
    """An empty node ``after.minor`` of the enhanced graph; ``columns`` are FORM to MISC as written."""

    after: int
    minor: int
    columns: tuple[str, ...]


class Sentence:
    """One sentence, column by column; its tokens are found by their positions, which count from 0.

    >>> s = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> s[0].form, s[0].id, s[0].head, s[0].deprel
    ('Dogs', 1, 2, 'nsubj')
    >>> s[-1] == s.root, s.root.children, s[0].lemma
    (True, [<Token 1 Dogs/NOUN head=2 nsubj>], None)
    >>> [t.upos for t in s]
    ['NOUN', 'VERB']
    """

    __slots__ = (*COLUMNS, "_scores", "comments", "empties", "extra", "offsets", "ranges", "score", "trace")

    forms: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    deprels: list[str]
    deps: list[str]
    misc: list[str]
    comments: list[str]  # whole lines, with their '#'
    ranges: list[Range]  # in order of start
    empties: list[EmptyNode]  # in order of (after, minor)
    extra: dict[str, list[str]]
    offsets: list[tuple[int, int]] | None  # start and end of each token in the document's text, in code points
    score: float | None  # of the whole analysis, where the model gives one
    trace: Sequence[Any] | None  # decisions in the order they were made, where the model records them
    _scores: list[float] | None

    def __init__(
        self,
        forms: Sequence[str],
        *,
        lemmas: Sequence[str | None] | None = None,
        upos: Sequence[str | None] | None = None,
        xpos: Sequence[str | None] | None = None,
        feats: Sequence[str | None] | None = None,
        heads: Sequence[int | None] | None = None,
        deprels: Sequence[str | None] | None = None,
        deps: Sequence[str | None] | None = None,
        misc: Sequence[str | None] | None = None,
        comments: Sequence[str] = (),
        ranges: Sequence[Range] = (),
        empties: Sequence[EmptyNode] = (),
        extra: dict[str, list[str]] | None = None,
    ) -> None:
        if isinstance(forms, (str, bytes)) or not hasattr(forms, "__len__"):  # a string would be words of one letter
            raise DataError(f"the forms of a sentence are {forms!r}; expected a list of words, such as text.split()")
        n = len(forms)
        self.forms = list(forms)
        self.lemmas = _column(lemmas, n, "lemmas")
        self.upos = _column(upos, n, "upos")
        self.xpos = _column(xpos, n, "xpos")
        self.feats = _column(feats, n, "feats")
        self.heads = [UNKNOWN] * n if heads is None else [UNKNOWN if h is None else h for h in heads]
        self.deprels = _column(deprels, n, "deprels")
        self.deps = _column(deps, n, "deps")
        self.misc = _column(misc, n, "misc")
        self.comments = list(comments)
        self.ranges = list(ranges)
        self.empties = list(empties)
        self.extra = dict(extra) if extra else {}
        self.offsets = None
        self.score = None
        self._scores = None
        self.trace = None
        if len(self.heads) != n:
            raise ValueError(f"heads has {len(self.heads)} values for {n} words")

    def __len__(self) -> int:
        return len(self.forms)

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, i) for i in range(1, len(self.forms) + 1))

    @overload
    def __getitem__(self, position: int) -> Token: ...
    @overload
    def __getitem__(self, position: slice) -> list[Token]: ...
    def __getitem__(self, position: int | slice) -> Token | list[Token]:
        """The token at a position, or the tokens of a slice; positions count from 0, negative ones from the end."""
        n = len(self.forms)
        if isinstance(position, slice):
            return [Token(self, i + 1) for i in range(*position.indices(n))]
        at = as_index(position)
        if not -n <= at < n:
            raise IndexError(f"position {at} of a sentence of {n} words; positions count from 0, token.id from 1")
        return Token(self, at % n + 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return all(
            getattr(self, name) == getattr(other, name) for name in (*COLUMNS, "comments", "ranges", "empties", "extra")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        words = " ".join(self.forms[:8]) + (" …" if len(self.forms) > 8 else "")
        return f"<Sentence of {len(self.forms)} words: {words}>"

    @property
    def root(self) -> Token | None:
        """The token whose head is 0: the first, should a file have several, and None where the tree is not known."""
        return Token(self, self.heads.index(0) + 1) if 0 in self.heads else None

    @property
    def scores(self) -> list[float] | None:
        """For each token the score, usually a probability, where the model gives one."""
        return self._scores

    @scores.setter
    def scores(self, values: Sequence[float] | None) -> None:
        """Set them; sums of probabilities can exceed 1 by a rounding error, which users should not see."""
        self._scores = None if values is None else [1.0 if 1.0 < p < ROUNDED_TO_1 else p for p in values]

    def copy(self) -> Sentence:
        """An independent copy, scores and trace included."""
        twin = Sentence.__new__(Sentence)
        # slot by slot, for a loop over their names takes four times as long, and every call of a model copies
        twin.forms, twin.lemmas, twin.upos, twin.xpos = self.forms[:], self.lemmas[:], self.upos[:], self.xpos[:]
        twin.feats, twin.heads, twin.deprels, twin.deps = self.feats[:], self.heads[:], self.deprels[:], self.deps[:]
        twin.misc, twin.comments = self.misc[:], self.comments[:]
        twin.ranges, twin.empties = self.ranges[:], self.empties[:]
        twin.extra = {key: list(column) for key, column in self.extra.items()}
        twin.offsets = None if self.offsets is None else self.offsets[:]
        twin._scores = None if self._scores is None else self._scores[:]
        twin.trace = list(self.trace) if isinstance(self.trace, list) else self.trace
        twin.score = self.score
        return twin

    def bare(self) -> Sentence:
        """A copy with the words alone, as a system sees an unanalysed sentence; comments, ranges and MISC stay."""
        return Sentence(self.forms, misc=self.misc, comments=self.comments, ranges=self.ranges, extra={})

    def comment(self, key: str) -> str | None:
        """The value of the first comment ``# key = value``, or None."""
        return next((value for name, value in map(split_comment, self.comments) if name == key), None)

    def set_comment(self, key: str, value: str) -> None:
        """Replace the comment ``# key = value`` where it stands, or add it at the end."""
        new = f"# {key} = {value}"
        for i, line in enumerate(self.comments):
            if split_comment(line)[0] == key:
                self.comments[i] = new
                return
        self.comments.append(new)

    @property
    def sent_id(self) -> str | None:
        """The sentence's name from its comments."""
        return self.comment("sent_id")

    @property
    def text(self) -> str:
        """The sentence as running text: its ``# text``, or the forms joined by what SpaceAfter says."""
        return self.comment("text") or self.surface_text()

    def surface_text(self) -> str:
        """The text that forms, multiword tokens and SpaceAfter spell, whatever ``# text`` says."""
        pieces: list[str] = []
        for _, _, form, misc in self.surface_tokens():
            pieces.append(form)
            if "SpaceAfter=No" not in misc.split("|"):
                pieces.append(" ")
        return "".join(pieces).rstrip(" ")

    def surface_tokens(self) -> Iterator[tuple[int, int, str, str]]:
        """The surface of the text, in order: (first word, last word, form, MISC), a multiword token as one."""
        position = 1
        for start, end, form, rest in self.ranges:
            for i in range(position, start):
                yield i, i, self.forms[i - 1], self.misc[i - 1]
            yield start, end, form, rest[-1]
            position = end + 1
        for i in range(position, len(self.forms) + 1):
            yield i, i, self.forms[i - 1], self.misc[i - 1]

    def set_tree(self, heads: Sequence[int], deprels: Sequence[str] | None = None) -> None:
        """Take a predicted tree; anything but one rooted tree is refused, so that no broken tree is ever written."""
        from plait.data.trees import tree_fault

        fault = tree_fault(heads) if len(heads) == len(self) else f"{len(heads)} heads for {len(self)} words"
        if fault is not None:
            raise ValueError(f"not a tree: {fault}")
        self.heads = list(map(int, heads))
        if deprels is not None:
            self.deprels = _column(deprels, len(self), "deprels")

    def to_conllu(self) -> str:
        """The sentence as CoNLL-U, with its closing blank line."""
        return late_bound("sentence_conllu", str)(self)

    def to_tree(self, *, width: int | None = None, color: bool = False) -> str:
        """The tree for a terminal, one word per line.

        width: cells of a line; None lets lines be as long as they are.
        color: with the colours of a terminal.

        >>> s = Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])
        >>> print(s.to_tree(), end="")
         ╭─ Dogs  nsubj
        ─┴─ bark  root
        """
        return late_bound("sentence_tree", str)(self, width, color)

    def to_svg(self, *, width: float | None = 960, direction: str = "auto") -> str:
        """The tree as an SVG drawing; rows are at most ``width`` pixels wide, ``direction`` is auto, ltr or rtl."""
        return late_bound("sentence_svg", str)(self, width=width, direction=direction)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return late_bound("sentence_html", str)(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, strings and None, for JSON; ``Sentence.from_dict`` brings it back."""
        from plait.data.records import sentence_record

        return sentence_record(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict`` as JSON, characters as they are; ``Sentence.from_json`` brings it back.

        >>> Sentence.from_json(Sentence(["Grüße"]).to_json()).forms
        ['Grüße']
        """
        return _json(self.to_dict(), indent)

    @classmethod
    def from_json(cls, text: str) -> Sentence:
        """The inverse of ``to_json``; ``forms`` is needed, what is wrong is a DataError."""
        return late_bound("sentence_from_json", Sentence)(text)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each word; needs pandas."""
        return Document([self]).to_pandas()

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with a row for each word; needs pyarrow."""
        return Document([self]).to_arrow()

    def to_displacy(self) -> dict[str, Any]:
        """What spaCy's ``displacy.render(..., style="dep", manual=True)`` draws."""
        return late_bound("to_displacy", dict)(self)

    def to_spacy(self, vocab: Any = None) -> Any:
        """A ``spacy.tokens.Doc`` with words, spaces, tags, lemmas and tree; needs spaCy."""
        return Document([self]).to_spacy(vocab)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Sentence:
        """The inverse of ``to_dict``; columns may be left out, and what is not given may be None."""
        from plait.data.records import sentence_of

        return sentence_of(record)


class Document:
    """A list of sentences, with the text they came from where there was one.

    >>> doc = Document([Sentence(["Hi"]), Sentence(["Bye", "now"])])
    >>> len(doc), doc.token_count, doc[0][0].form, doc[-1][-1].form
    (2, 3, 'Hi', 'now')
    """

    __slots__ = ("name", "predicted_columns", "sentences", "source_text")

    predicted_columns: frozenset[str] | None  # as a sentence calls them; None where that is not known

    def __init__(self, sentences: Iterable[Sentence] = (), *, text: str | None = None, name: str | None = None) -> None:
        self.sentences = list(sentences)
        for sentence in self.sentences:
            if not isinstance(sentence, Sentence):
                raise DataError(f"a Document holds Sentences, not {sentence!r}; to analyse text, call a model")
        self.source_text = text
        self.name = name
        self.predicted_columns = None

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | list[Sentence]:
        try:
            return self.sentences[index]
        except IndexError:
            raise IndexError(
                f"position {index} of a document of {len(self)} sentences; positions count from 0"
            ) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.sentences == other.sentences

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Document of {len(self)} sentences, {self.token_count} tokens>"

    @property
    def token_count(self) -> int:
        """The number of words in all sentences."""
        return sum(map(len, self.sentences))

    @property
    def text(self) -> str:
        """The text the document was made from, or its sentences' texts, one a line."""
        return self.source_text if self.source_text is not None else "\n".join(s.text for s in self)

    def to_conllu(self) -> str:
        """All sentences as CoNLL-U."""
        return "".join(sentence.to_conllu() for sentence in self)

    def to_tree(self, *, width: int | None = None, color: bool = False) -> str:
        """The trees for a terminal, with a blank line after each."""
        return "".join(sentence.to_tree(width=width, color=color) + "\n" for sentence in self)

    def to_svg(self, *, width: float | None = 960, direction: str = "auto") -> str:
        """One SVG drawing with all sentences, one below the other."""
        return late_bound("document_svg", str)(self, width=width, direction=direction)

    def to_html(self) -> str:
        """One HTML page with a drawing for each sentence, and nothing from outside."""
        return late_bound("document_page", str)(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the first sentences."""
        return late_bound("document_html", str)(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, strings and None, for JSON; ``Document.from_dict`` brings it back."""
        record: dict[str, Any] = {"sentences": [sentence.to_dict() for sentence in self]}
        if self.source_text is not None:
            record["text"] = self.source_text
        if self.name is not None:
            record["name"] = self.name
        return record

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict`` as one JSON object; ``Document.from_json`` brings it back."""
        return _json(self.to_dict(), indent)

    @classmethod
    def from_json(cls, text: str) -> Document:
        """The inverse of ``to_json``; what is wrong is a DataError that names the sentence.

        >>> Document.from_json('{"sentences": [{"forms": ["Hi"]}]}')
        <Document of 1 sentences, 1 tokens>
        """
        return late_bound("document_from_json", Document)(text)

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each word; needs pandas. docs/conversions.md lists the columns."""
        return late_bound("to_pandas", object)([self])

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with a row for each word; needs pyarrow."""
        return late_bound("to_arrow", object)([self])

    def to_displacy(self) -> list[dict[str, Any]]:
        """One record for each sentence, for spaCy's ``displacy.render(..., style="dep", manual=True)``."""
        return [sentence.to_displacy() for sentence in self]

    def to_spacy(self, vocab: Any = None) -> Any:
        """A ``spacy.tokens.Doc`` with words, spaces, tags, lemmas, trees and sentence starts; needs spaCy.

        vocab: of the pipeline that the ``Doc`` is meant for; an empty one when None.
        """
        return late_bound("to_spacy", object)(self, vocab)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Document:
        """The inverse of ``to_dict``."""
        return cls(map(Sentence.from_dict, record["sentences"]), text=record.get("text"), name=record.get("name"))


def split_comment(line: str) -> tuple[str | None, str]:
    """The key and the value of a comment ``# key = value``; None and "" for one of another form."""
    key, equals, value = line[1:].partition("=")
    return (key.strip(), value.strip()) if equals else (None, "")


def begins_paragraph(sentence: Sentence) -> bool:
    """Whether a comment ``# newdoc`` or ``# newpar`` says that a paragraph begins here."""
    return any(comment[1:].split("=")[0].split()[:1] in (["newdoc"], ["newpar"]) for comment in sentence.comments)


def _json(record: dict[str, Any], indent: int | None) -> str:
    import json

    return json.dumps(record, ensure_ascii=False, indent=indent)


def _column(values: Sequence[str | None] | None, n: int, name: str) -> list[str]:
    if values is None:
        return [UNSPECIFIED] * n
    if isinstance(values, str):
        raise DataError(f"{name} is {values!r}; expected a list with a value for each word")
    if len(values) != n:
        raise ValueError(f"{name} has {len(values)} values for {n} words")
    return [UNSPECIFIED if value is None else value for value in values]
