"""Sentences to draw: any tree over a few words, the kinds that are hard, and words that are hard to show."""

from hypothesis import strategies as st

from plait import Sentence
from plait.data.document import Range

LABELS = ("nsubj", "obj", "nsubj:pass", "det", "punct", "acl:relcl", "_")
FORMS = (
    "a",
    "word",
    "extraordinary",
    "北京",
    "e\u0301",
    "👩\u200d🔬",
    "שלום",
    "<b>&\"'",
    "\u200b",
    "\x1b[31m",
    "\ud800",
)


@st.composite
def trees(draw, longest=14):
    """Heads of a tree, projective or not: words hang on words that were put in before."""
    n = draw(st.integers(1, longest))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for k, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, k - 1))] + 1
    return heads


@st.composite
def drawn_sentences(draw, longest=14):
    """A sentence with any words and any tree, sometimes with unknown heads and a multiword token."""
    heads = draw(trees(longest))
    n = len(heads)
    heads = [draw(st.sampled_from([head, head, head, -1])) for head in heads]
    ranges = []
    if n > 2 and draw(st.booleans()):
        start = draw(st.integers(1, n - 1))
        ranges = [Range(start, draw(st.integers(start + 1, n)), "multi")]
    return Sentence(
        [draw(st.sampled_from(FORMS)) for _ in range(n)],
        upos=[draw(st.sampled_from(("NOUN", "_", "VERB"))) for _ in range(n)],
        heads=heads,
        deprels=[draw(st.sampled_from(LABELS)) for _ in range(n)],
        ranges=ranges,
    )


def hard_trees(n):
    """Long trees of extreme shapes, by name."""
    return {
        "chain": list(range(n)),
        "flat": [0] + [1] * (n - 1),
        "nested": [0, *(n - i // 2 if i % 2 else i // 2 + 1 for i in range(n - 1))][:n],
        "crossing": [0, 1] + [i - 1 for i in range(2, n)],
    }
