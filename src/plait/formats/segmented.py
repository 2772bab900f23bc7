"""Segmented text: one sentence a line, words separated by spaces, each with or without a tag: ``word``, ``word_TAG``,
``word/TAG``. The tag begins after the last separator, so that a word may hold the separator itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from plait.data.document import UNSPECIFIED, Sentence
from plait.errors import FormatError, OptionError
from plait.formats.rows import UNCLOSED, no_sentences, unwritable
from plait.formats.source import Source

SAMPLE = 100  # lines looked at to find the separator


@dataclass(frozen=True)
class Segmented:
    """How words and tags are written in a line.

    ``separator``: ``"_"``, ``"/"`` or any other character, ``""`` for words without tags, None to find out: what
    occurs in every word of the first 100 lines is the separator. ``tag``: the column that the tags belong to.

    >>> s = next(Segmented().read(Source("我/r 爱/v 1/2/m\\n".encode())))
    >>> s.forms, s.upos
    (['我', '爱', '1/2'], ['r', 'v', 'm'])
    """

    separator: str | None = None
    tag: Literal["upos", "xpos"] = "upos"

    def __post_init__(self) -> None:
        if self.separator and any(c.isspace() for c in self.separator):
            raise OptionError(f"separator is {self.separator!r}; whitespace separates words; choose another")
        if self.tag not in ("upos", "xpos"):
            raise OptionError(f"tag is {self.tag!r}; expected 'upos' or 'xpos'")

    def read(self, source: Source) -> Iterator[Sentence]:
        """The sentences of a segmented source; blank lines are passed over."""
        lines = source.lines()
        sample = list(islice(lines, SAMPLE))
        separator = find_separator(line for _, line in sample) if self.separator is None else self.separator
        sentences = 0
        for number, line in chain(sample, lines):
            words = line.replace("\t", " ").split(" ")
            if "" in words:
                words = [word for word in words if word]
                if not words:
                    continue
            sentences += 1
            try:
                sentence = self._sentence(words, separator, number, source, sentences)
            except FormatError as error:
                source.report(error)
            else:
                yield sentence
        if sentences == 0 and source.ordinal == len(sample):
            raise no_sentences(source)
        if source.ending == "nothing":  # a tag or a word may be cut off, which nothing else would show
            expected, hint = "a newline after every sentence", "the file may be truncated; if not, add a newline"
            source.note(
                UNCLOSED["nothing"], source.line_count, expected, hint, "the sentence is assumed to be complete"
            )

    def _sentence(self, words: list[str], separator: str, line: int, source: Source, ordinal: int) -> Sentence:
        if not separator:
            return Sentence(words)
        forms, tags = [], []
        for word in words:
            form, mark, tag = word.rpartition(separator)
            if not form or not tag:
                raise source.fault(
                    f"the word has no tag after {separator!r}" if form or not mark else "the tag has no word before it",
                    line,
                    sentence=f"#{ordinal}",
                    column="WORD",
                    value=word,
                    expected=f"word{separator}TAG",
                    hint="give its tag, or choose another separator",
                )
            forms.append(form)
            tags.append(tag)
        return Sentence(forms, upos=tags) if self.tag == "upos" else Sentence(forms, xpos=tags)

    def write(self, sentences: Iterable[Sentence]) -> Iterator[str]:
        """Each sentence as a line; without a separator, ``_`` when the first sentence has tags, otherwise none."""
        separator = self.separator
        for sentence in sentences:
            tags: list[str] = getattr(sentence, self.tag)
            if separator is None:
                separator = "_" if any(tag != UNSPECIFIED for tag in tags) else ""
            _check_writable(sentence, tags if separator else [], separator)
            words = map(f"{{}}{separator}{{}}".format, sentence.forms, tags) if separator else sentence.forms
            yield " ".join(words) + "\n"


def find_separator(lines: Iterable[str]) -> str:
    """The separator that stands inside every word, ``_`` or ``/``, or none; of two, the one that comes last in them.

    >>> find_separator(["a_b/N c_d/V"]), find_separator(["a/b_N"]), find_separator(["a_N b"])
    ('/', '_', '')
    """
    words = [word for line in lines for word in line.replace("\t", " ").split(" ") if word]
    found = [mark for mark in "_/" if words and all(0 < word.rfind(mark) < len(word) - 1 for word in words)]
    if len(found) == 2:
        found.sort(key=lambda mark: -sum(word.rfind(mark) for word in words))
    return found[0] if found else ""


def _check_writable(sentence: Sentence, tags: list[str], separator: str) -> None:
    if not sentence.forms:
        raise unwritable(sentence, "segmented", "it has no words")
    for what, values in (("word", sentence.forms), ("tag", tags)):
        for value in values:
            if not value or any(c in value for c in " \t\n\r\0"):
                reason = f"{what} {value!r} is empty or contains whitespace, which separates words"
                raise unwritable(sentence, "segmented", f"{reason}; choose another format")
            if what == "tag" and separator in value:
                reason = f"tag {value!r} contains the separator {separator!r}; choose another separator"
                if value == UNSPECIFIED:
                    word = sentence.forms[tags.index(value)]
                    reason = f"the word {word!r} has no tag, but other words have; tag all of them"
                raise unwritable(sentence, "segmented", reason)
