"""Words for models without a segmenter: one sentence per line, words separated by whitespace."""

from __future__ import annotations

import re

from plait.data.document import Document, Sentence

_WORD = re.compile(r"\S+")


def split_words(text: str) -> Document:
    """Split a text at newlines and whitespace; every token has its offsets in the text.

    >>> doc = split_words("Dogs bark .\\nCats do not .")
    >>> [s.forms for s in doc], doc[1][0].start
    ([['Dogs', 'bark', '.'], ['Cats', 'do', 'not', '.']], 12)
    """
    sentences: list[Sentence] = []
    start = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        found = [(match[0], match.start() + start, match.end() + start) for match in _WORD.finditer(line)]
        start += len(line)
        if found:
            sentence = Sentence([form for form, _, _ in found])
            sentence.offsets = [(begin, end) for _, begin, end in found]
            sentences.append(sentence)
    return Document(sentences, text=text)
