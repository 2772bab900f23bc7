"""Raw text: ``lines`` (one sentence a line) and ``text`` (running text, paragraphs between blank lines).

Raw text has no words yet, so reading it gives strings, not sentences, which a model segments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.data.document import Sentence, begins_paragraph
from plait.errors import DataError
from plait.formats.source import Source

# characters; a longer run of lines without a blank one is given in parts, so that memory stays flat: cut after a line
# that ends like a sentence or, when none comes, after any line
PARAGRAPH_SIZE, PARAGRAPH_LIMIT = 1 << 15, 1 << 17
SENTENCE_ENDS = tuple('.!?。！？…।؟"”»」』)）]')


def read_lines(source: Source) -> Iterator[str]:
    """The lines that are not blank, each one sentence.

    >>> list(read_lines(Source(b"Hi you.\\n\\nBye.")))
    ['Hi you.', 'Bye.']
    """
    return (line for _, line in numbered_lines(source))


def numbered_lines(source: Source) -> Iterator[tuple[int, str]]:
    """(line number, line) of those that are not blank."""
    for number, line in source.lines(strict=False):
        if line.strip():
            yield number, line


def read_text(source: Source) -> Iterator[str]:
    """The paragraphs, with the line breaks inside them.

    >>> list(read_text(Source(b"Hi\\nyou.\\n\\nBye.")))
    ['Hi\\nyou.', 'Bye.']
    """
    return (paragraph for _, paragraph in numbered_paragraphs(source))


def numbered_paragraphs(source: Source) -> Iterator[tuple[int, str]]:
    """(number of the first line, text) of the paragraphs."""
    paragraph: list[str] = []
    first = length = 0
    for number, line in source.lines(strict=False):
        blank = not line.strip()
        if paragraph and (blank or _is_full(paragraph[-1], length, length + len(line))):
            yield first, "\n".join(paragraph)
            paragraph, length = [], 0
        if not blank:
            first = first if paragraph else number
            paragraph.append(line)
            length += len(line) + 1
    if paragraph:
        yield first, "\n".join(paragraph)


def _is_full(last_line: str, length: int, with_next: int) -> bool:
    if with_next > PARAGRAPH_LIMIT:
        return True
    return length > PARAGRAPH_SIZE and last_line.rstrip().endswith(SENTENCE_ENDS)


def write_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Each sentence's text as a line."""
    for sentence in sentences:
        yield _text(sentence) + "\n"


def write_text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The sentences' texts as running text; ``# newdoc`` and ``# newpar`` begin a paragraph.

    >>> pair = [Sentence(["Hi", "!"], misc=["SpaceAfter=No", "_"]), Sentence(["Bye"])]
    >>> "".join(write_text(pair))
    'Hi! Bye\\n'
    """
    gap = None
    for sentence in sentences:
        if gap is not None:
            yield "\n\n" if begins_paragraph(sentence) else gap
        yield _text(sentence)
        *_, (_, _, _, misc) = sentence.surface_tokens() if len(sentence) else [(0, 0, "", "")]
        gap = "" if "SpaceAfter=No" in misc.split("|") else " "
    if gap is not None:
        yield "\n"


def _text(sentence: Sentence) -> str:
    text = sentence.text
    if any(c in text for c in "\n\r\0"):
        raise DataError(f"the sentence {text[:40]!r} cannot be written as text: it contains a newline or NUL")
    return text
