"""The same sentences in another style of writing: to train on, and to measure how a model stands it.

Words keep their tags and trees. A style makes a new sentence of one, or None where it changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from plait.data.document import Range, Sentence

Style = Callable[[Sentence], Sentence | None]

FULL_WIDTH = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}
HALF_WIDTH = {wide: code for code, wide in FULL_WIDTH.items()} | {ord("。"): ord("."), ord("、"): ord(",")}
DASHES = {"-": "–", "--": "—", "---": "—", "...": "…"}


def rewritten(sentence: Sentence, write: Callable[[str], str]) -> Sentence | None:
    """The sentence with every form, multiword tokens included, rewritten."""
    twin = sentence.copy()
    twin.comments = [comment for comment in sentence.comments if not comment.startswith("# text")]
    twin.forms = [write(form) for form in sentence.forms]
    twin.ranges = [Range(r.start, r.end, write(r.form), r.rest) for r in sentence.ranges]
    return twin if (twin.forms, twin.ranges) != (sentence.forms, sentence.ranges) else None


def lower_case(sentence: Sentence) -> Sentence | None:
    """all in small letters"""
    return rewritten(sentence, str.lower)


def upper_case(sentence: Sentence) -> Sentence | None:
    """ALL IN CAPITALS"""
    return rewritten(sentence, str.upper)


def title_case(sentence: Sentence) -> Sentence | None:
    """Every Word With a Capital, as in Headlines; short function words stay as they are"""
    return rewritten(sentence, lambda form: form[:1].upper() + form[1:] if len(form) > 3 else form)


def unpunctuated(sentence: Sentence) -> Sentence | None:
    """without the punctuation at the end"""
    end = len(sentence)
    while end > 1 and sentence.upos[end - 1] == "PUNCT" and end not in sentence.heads:
        end -= 1
    inside = any(r.end > end for r in sentence.ranges) or any(head > end for head in sentence.heads[:end])
    if end == len(sentence) or inside:
        return None
    twin = Sentence(
        sentence.forms[:end],
        **{name: getattr(sentence, name)[:end] for name in ("lemmas", "upos", "xpos", "feats", "heads", "deprels")},
        misc=sentence.misc[:end],
        comments=[comment for comment in sentence.comments if not comment.startswith("# text")],
        ranges=sentence.ranges,
    )
    twin.misc[-1] = "_"  # SpaceAfter=No was said of the word before the full stop
    return twin


def initials(sentence: Sentence) -> Sentence | None:
    """with initials for first names: J. K. Rowling"""
    twin = sentence.copy()
    twin.comments = [comment for comment in sentence.comments if not comment.startswith("# text")]
    within = {i for r in sentence.ranges for i in range(r.start - 1, r.end)}
    for i, form in enumerate(sentence.forms[:-1]):
        names = sentence.upos[i] == sentence.upos[i + 1] == "PROPN" and "flat" in sentence.deprels[i + 1]
        if names and form.istitle() and form.isalpha() and not {i, i + 1} & within:
            twin.forms[i] = form[0] + "."
    return twin if twin.forms != sentence.forms else None


def short_clause(sentence: Sentence) -> Sentence | None:
    """Subject, verb and object alone, where the subject is a noun: Dogs bark."""
    n, heads, labels = len(sentence), sentence.heads, sentence.deprels
    root = next((i for i in range(n) if heads[i] == 0), -1)
    if root < 0 or sentence.upos[root] != "VERB" or sentence.upos[-1] != "PUNCT" or sentence.ranges:
        return None
    subject = next((i for i in range(root) if heads[i] == root + 1 and labels[i] == "nsubj"), -1)
    if subject < 0 or sentence.upos[subject] not in ("NOUN", "PROPN"):
        return None
    under = [i for i in range(n) if heads[i] == root + 1]
    core = {root, subject} | {i for i in under if labels[i] in ("obj", "aux", "compound:prt") or i == n - 1}
    plural = "Number=Plur" in sentence.feats[subject]  # needs no determiner
    core |= {i for i in range(n) if labels[i] == "det" and heads[i] - 1 in core - ({subject} if plural else set())}
    kept = sorted(core)
    if n - 1 not in core or len(kept) == n:
        return None
    place = {old + 1: new for new, old in enumerate(kept, 1)} | {0: 0}
    twin = Sentence(
        [sentence.forms[i] for i in kept],
        **{name: [getattr(sentence, name)[i] for i in kept] for name in ("lemmas", "upos", "xpos", "feats", "deprels")},
        heads=[place[heads[i]] for i in kept],
        misc=["_"] * (len(kept) - 2) + ["SpaceAfter=No", "_"],
    )
    twin.forms[0] = twin.forms[0][:1].upper() + twin.forms[0][1:]
    return twin


def typographic(sentence: Sentence) -> Sentence | None:
    """with “typographic” quotes, apostrophes’ curls and dashes – like this"""
    opened = False

    def write(form: str) -> str:
        nonlocal opened
        if form in ('"', "``", "''"):
            opened = not opened
            return "“" if opened else "”"
        return DASHES.get(form, form).replace("'", "’")

    return rewritten(sentence, write)


def full_width(sentence: Sentence) -> Sentence | None:
    """ＡＳＣＩＩ　ｉｎ　ｆｕｌｌ　ｗｉｄｔｈ"""
    return rewritten(sentence, lambda form: form.translate(FULL_WIDTH))


def half_width(sentence: Sentence) -> Sentence | None:
    """Chinese punctuation in ASCII"""
    return rewritten(sentence, lambda form: form.translate(HALF_WIDTH))


def augmented(sentences: Sequence[Sentence], shares: Mapping[Style, float], seed: int) -> list[Sentence]:
    """The sentences, each followed by at most one variant of it: of a style drawn with its share."""
    chance = random.Random(seed)
    styles, weights = list(shares), list(shares.values())
    styles.append(lambda sentence: None)
    weights.append(1 - sum(weights))
    found: list[Sentence] = []
    for sentence in sentences:
        found.append(sentence)
        variant = chance.choices(styles, weights)[0](sentence)
        if variant is not None:
            found.append(variant)
    return found


STYLES: dict[str, tuple[Style, ...]] = {
    "en": (lower_case, upper_case, title_case, unpunctuated, typographic, full_width),
    "zh": (unpunctuated, half_width, full_width),
}


def in_style(sentences: Iterable[Sentence], style: Style) -> list[Sentence]:
    """All sentences, those that the style changes in that style."""
    return [style(sentence) or sentence for sentence in sentences]
