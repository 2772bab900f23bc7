"""Raw text out of treebank sentences: the text as it stood, and where its tokens are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from plait.chain.multiword import JOIN
from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.features._units import is_unspaced_script

MOST_SENTENCES = 20  # of one sequence: paragraphs without an end are cut


@dataclass
class Passage:
    """A text with its surface tokens; ``types`` joins the tags of a token's words, ``final`` ends a sentence."""

    text: str
    spans: list[tuple[int, int]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    final: list[bool] = field(default_factory=list)


def has_spaces(sentences: Sequence[Sentence]) -> bool:
    """Whether SpaceAfter can be believed: data that never denies a space, in a script without any, does not know."""
    said = any("SpaceAfter=No" in misc for s in sentences for _, _, _, misc in s.surface_tokens())
    return said or not is_unspaced_script("".join(form for s in sentences[:200] for form in s.forms))


def passages(
    sentences: Sequence[Sentence], columns: TagColumns | None, *, running: bool, spaces: bool
) -> Iterator[Passage]:
    """The texts of the sentences: one each, or running text whose paragraphs begin at newdoc and newpar."""
    passage = Passage("")
    pieces: list[str] = []
    length = count = 0
    marked = any(map(_begins_paragraph, sentences))
    for sentence in sentences:
        if not len(sentence):
            continue
        limit = MOST_SENTENCES if marked else 10
        if pieces and (not running or _begins_paragraph(sentence) or count >= limit):
            yield _closed(passage, pieces)
            passage, pieces, length, count = Passage(""), [], 0, 0
        count += 1
        tags = columns.read(sentence) if columns is not None else None
        for first, last, form, misc in sentence.surface_tokens():
            passage.spans.append((length, length + len(form)))
            words = [""] * (last - first + 1) if tags is None else tags[first - 1 : last]
            passage.types.append(JOIN.join(words))
            passage.final.append(False)
            gap = " " if spaces and "SpaceAfter=No" not in misc.split("|") else ""
            pieces += [form, gap]
            length += len(form) + len(gap)
        passage.final[-1] = True
    if pieces:
        yield _closed(passage, pieces)


def _closed(passage: Passage, pieces: list[str]) -> Passage:
    passage.text = "".join(pieces)
    return passage


def _begins_paragraph(sentence: Sentence) -> bool:
    return any(comment[1:].split("=")[0].split()[:1] in (["newdoc"], ["newpar"]) for comment in sentence.comments)
