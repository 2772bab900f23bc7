"""The tree as SVG: arcs over words, long sentences in several rows, right-to-left scripts mirrored.

The drawing needs no external font, script or style sheet, has no ids that could clash in a page, and uses the colour of
the surrounding text. The same sentence gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain, islice

from plait.data.document import UNSPECIFIED, Sentence
from plait.draw.display import fit, is_right_to_left, markup, visible
from plait.draw.layout import CORNER, FORM_SIZE, LABEL_SIZE, MARGIN, TAG_SIZE, Line, Row, Words, lay_out, text_width
from plait.draw.structure import has_tree, shown_labels, shown_tags

WIDTH = 960  # pixels that a row may take
LONGEST = 60  # cells of a word, tag or label, after which it is cut
MOST_FEATS = 500  # characters of FEATS in a tooltip
LEVEL = 19.0  # height of a level
ARROW = 6.0
FORM_DOWN, TAG_DOWN, RANGE_DOWN = 20.0, 36.0, 46.0  # from the feet of the arcs down to the base lines
ROW_GAP = 22.0
FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', 'Helvetica Neue', Arial, sans-serif"
)
TAG_COLOR = "#2f7fd0"  # 4.2 : 1 on white, 4.5 : 1 on #111
MARK_COLOR = "#d64a34"  # 4.2 : 1 on white, 4.5 : 1 on #111
# a file of its own follows the reader's scheme; inside a page the colour of the text around it holds
SCHEME = "<style>@media (prefers-color-scheme: dark) { svg:root { color: #e8e8e8 } }</style>"


def sentence_svg(
    sentence: Sentence, *, width: float | None = WIDTH, direction: str = "auto", marked: Collection[int] = ()
) -> str:
    """The sentence as an SVG element, which is also a whole SVG file.

    width: pixels that a row may take before the sentence goes on in a new one; None keeps it in one row.
    direction: ``ltr``, ``rtl``, or ``auto`` for what most letters ask for.
    marked: the IDs of words that are to stand out in red, with the arcs that lead to them.

    >>> s = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> svg = sentence_svg(s)
    >>> svg[:40], svg.count('class="arc"'), svg == sentence_svg(s)
    ('<svg xmlns="http://www.w3.org/2000/svg" ', 1, True)
    """
    body, wide, high = _body(sentence, width, direction, frozenset(i - 1 for i in marked))
    return _element(body, wide, high, sentence.text, _description(sentence))


def document_svg(sentences: Iterable[Sentence], *, width: float | None = WIDTH, direction: str = "auto") -> str:
    """All sentences in one drawing, one below the other; a single one as ``sentence_svg`` draws it."""
    source = iter(sentences)
    first = list(islice(source, 2))
    if len(first) == 1:
        return sentence_svg(first[0], width=width, direction=direction)
    parts: list[str] = []
    widest, y = 2 * MARGIN, 0.0
    count = 0
    for sentence in chain(first, source):  # drawn as they come
        count += 1
        body, wide, high = _body(sentence, width, direction)
        title = f"<title>{markup(sentence.text)}</title>"
        parts.append(f'<g transform="translate(0 {_number(y)})">{title}\n{body}</g>\n')
        widest, y = max(widest, wide), y + high + ROW_GAP
    return _element("".join(parts), widest, max(y - ROW_GAP, 1.0), f"{count} sentences", "")


def _element(body: str, width: float, height: float, title: str, description: str) -> str:
    size = f'width="{_number(width)}" height="{_number(height)}" viewBox="0 0 {_number(width)} {_number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plait-tree" role="img" {size} color="currentColor" '
        f'font-family="{FONT}" text-anchor="middle">\n'
        f"<title>{markup(title)}</title>\n<desc>{markup(description)}</desc>\n{SCHEME}\n{body}</svg>\n"
    )


def _description(sentence: Sentence) -> str:
    """A description of the tree for screen readers."""
    tags, labels = shown_tags(sentence), shown_labels(sentence)
    parts = []
    for form, tag, label, head in zip(sentence.forms, tags, labels, sentence.heads, strict=True):
        above = f"of {sentence.forms[head - 1]}" if 0 < head <= len(sentence) else ""
        parts.append(" ".join(part for part in (form, tag, label, above) if part))
    return "; ".join(parts)


def _body(
    sentence: Sentence, width: float | None, direction: str, marked: frozenset[int] = frozenset()
) -> tuple[str, float, float]:
    """The markup inside the drawing, its width and its height."""
    if not len(sentence):
        return f'<text x="60" y="26" font-size="{LABEL_SIZE}" fill="currentColor">(no words)</text>\n', 120.0, 40.0
    tree = has_tree(sentence)
    words = Words(
        [_short(form) for form in sentence.forms],
        [_short(tag) for tag in shown_tags(sentence)],
        [head - 1 if tree and head >= 0 else -2 for head in sentence.heads],
        [_short(label) if tree else "" for label in shown_labels(sentence)],
        frozenset(i for r in sentence.ranges for i in range(r.start, r.end)),
    )
    rows = lay_out(words, width)
    wide = max(row.width for row in rows)
    mirrored = direction == "rtl" or (direction == "auto" and is_right_to_left(sentence.forms))
    page = _Page(sentence, words, wide, mirrored, marked)
    y = 8.0
    for row in rows:
        y = page.draw(row, y) + ROW_GAP
    return "".join(page.parts), wide, y - ROW_GAP + 8.0


class _Page:
    """Writes rows as markup; ``x`` turns a place of the layout into one of the page."""

    def __init__(self, sentence: Sentence, words: Words, width: float, mirrored: bool, marked: frozenset[int]) -> None:
        self.sentence, self.words, self.width, self.mirrored = sentence, words, width, mirrored
        self.marked = marked
        self.parts: list[str] = []

    def x(self, place: float) -> str:
        return _number(self.width - place if self.mirrored else place)

    def draw(self, row: Row, top: float) -> float:
        """One row from this height on; the answer is where it ends."""
        feet = top + row.levels * LEVEL + (LABEL_SIZE if row.levels else 0)
        self.parts.append(
            '<g class="arcs" fill="none" stroke="currentColor" stroke-opacity=".55" stroke-width="1.25">\n'
        )
        for line in row.lines:
            self._line(line, feet, row)
        for word, level, port in row.roots:
            x, high = self.x(port), feet - level * LEVEL + 2
            drawn = f'<path d="M{x} {_number(high)}V{_number(feet - ARROW)}"/>{self._arrow(port, feet)}'
            self.parts.append(f'<g class="root" data-dependent="{word + 1}"{self._stands_out([word])}>{drawn}</g>\n')
        self.parts.append("</g>\n")
        self._labels(row, feet)
        self._words(row, feet)
        deepest = feet + (TAG_DOWN if any(self.words.tags) else FORM_DOWN) + 4
        return max(deepest, self._ranges(row, feet))

    def _line(self, line: Line, feet: float, row: Row) -> None:
        y = feet - line.level * LEVEL
        pieces = self._verticals(line, y, feet) + self._horizontals(line, y)
        ids = " ".join(str(d + 1) for d in line.dependents)
        title = f"<title>{markup(self._title(line))}</title>"
        arrows = "".join(self._arrow(x, feet) for _, x in line.drops)
        self.parts.append(
            f'<g class="arc" data-head="{line.head + 1}" data-dependent="{ids}"{self._stands_out(line.dependents)}>'
            f'{title}<path d="{pieces}"/>{arrows}'
        )
        for open_, a, b in ((line.open_left, 0.0, MARGIN - 2), (line.open_right, row.width, row.width - MARGIN + 2)):
            if open_:
                self.parts.append(f'<path stroke-dasharray="2 3" d="M{self.x(b)} {_number(y)}H{self.x(a)}"/>')
        self.parts.append("</g>\n")

    def _stands_out(self, words: Iterable[int]) -> str:
        """The attributes of a marked line."""
        return f' color="{MARK_COLOR}" stroke="{MARK_COLOR}"' if self.marked.intersection(words) else ""

    def _title(self, line: Line) -> str:
        if line.bundled:
            return f"{line.bundled} more arcs go on through this row"
        head = f"{self.words.forms[line.head]} ({line.head + 1})"
        title = [f"{self.words.labels[d]} → {self.words.forms[d]} ({d + 1})".strip() for d in line.dependents[:8]]
        return f"{head}: " + ", ".join(title) + (" …" if len(line.dependents) > 8 else "")

    def _verticals(self, line: Line, y: float, feet: float) -> str:
        """The corners: down from the line to the head and to each dependent."""
        found = []
        ends = [(x, ARROW) for _, x in line.drops] + ([(line.head_port, 0.0)] if line.head_port is not None else [])
        for place, short in ends:
            others = [x for x, _ in ends if x != place]
            to_left = line.open_left or any(x < place for x in others)
            if to_left and (line.open_right or any(x > place for x in others)):
                to_left = place > (line.head_port if line.head_port is not None else line.left)
                if line.head_port is None and not line.open_left:
                    to_left = False  # the trunk comes from the right
            corner = self._radius(line)
            turn = self.x(place - corner if to_left else place + corner)
            x = self.x(place)
            found.append(f"M{x} {_number(feet - short)}V{_number(y + corner)}Q{x} {_number(y)} {turn} {_number(y)}")
        return "".join(found)

    def _radius(self, line: Line) -> float:
        return min(CORNER, (line.right - line.left) / 2)

    def _horizontals(self, line: Line, y: float) -> str:
        """The line itself, open where its labels stand and where it goes on in another row."""
        corner = self._radius(line)
        a = MARGIN - 2 if line.open_left else line.left + corner
        b = line.right - MARGIN + 2 if line.open_right else line.right - corner
        found = []
        for mark in sorted(line.marks, key=lambda mark: mark.x):
            low, high = mark.x - mark.width / 2 - 3, mark.x + mark.width / 2 + 3
            if low > a:
                found.append((a, low))
            a = max(a, high)
        if b > a:
            found.append((a, b))
        return "".join(f"M{self.x(low)} {_number(y)}H{self.x(high)}" for low, high in found)

    def _arrow(self, place: float, feet: float) -> str:
        middle = self.width - place if self.mirrored else place
        left, tip, right = (_number(x) for x in (middle - 3.5, middle, middle + 3.5))
        top, foot = _number(feet - ARROW), _number(feet)
        points = f"M{left} {top}L{tip} {foot}L{right} {top}z"
        return f'<path fill="currentColor" fill-opacity=".7" stroke="none" d="{points}"/>'

    def _labels(self, row: Row, feet: float) -> None:
        self.parts.append(f'<g class="labels" font-size="{LABEL_SIZE}" fill="currentColor" fill-opacity=".85">\n')
        for line in row.lines:
            y = _number(feet - line.level * LEVEL + 3.5)
            for mark in line.marks:
                red = f' fill="{MARK_COLOR}"' if self.marked.intersection(mark.words) else ""
                self.parts.append(f'<text x="{self.x(mark.x)}" y="{y}"{red}>{markup(mark.text)}</text>\n')
        for word, level, port in row.roots:
            if label := self.words.labels[word]:
                y = _number(feet - level * LEVEL - 2)
                self.parts.append(f'<text x="{self.x(port)}" y="{y}">{markup(label)}</text>\n')
        self.parts.append("</g>\n")

    def _words(self, row: Row, feet: float) -> None:
        turned = ' direction="rtl"' if self.mirrored else ""
        self.parts.append(f'<g class="words" font-size="{FORM_SIZE}" fill="currentColor"{turned}>\n')
        scores = self.sentence.scores
        for i, middle in enumerate(row.middles, row.first):
            x = self.x(middle)
            tag = self.words.tags[i]
            red = f' fill="{MARK_COLOR}"' if i in self.marked else ""
            confidence = f", confidence {scores[i]:.3f}" if scores else ""
            title = f"{i + 1} {self.words.forms[i]} {tag}".rstrip() + self._morphology(i) + confidence
            self.parts.append(
                f'<g class="word" data-id="{i + 1}"><title>{markup(title)}</title>'
                f'<text x="{x}" y="{_number(feet + FORM_DOWN)}"{red}>{markup(self.words.forms[i])}</text>'
            )
            if tag:
                self.parts.append(
                    f'<text class="tag" x="{x}" y="{_number(feet + TAG_DOWN)}" font-size="{TAG_SIZE}" '
                    f'fill="{TAG_COLOR}" direction="ltr">{markup(tag)}</text>'
                )
            self.parts.append("</g>\n")
        self.parts.append("</g>\n")

    def _morphology(self, word: int) -> str:
        """Lemma and features in a tooltip, where they are given."""
        lemma, feats = self.sentence.lemmas[word], self.sentence.feats[word]
        given = lemma != UNSPECIFIED or self.sentence.forms[word] == UNSPECIFIED
        shown = f", lemma {_short(lemma)}" if given else ""
        return shown + (f", {feats[:MOST_FEATS].replace('|', ' ')}" if feats != UNSPECIFIED else "")

    def _ranges(self, row: Row, feet: float) -> float:
        """Multiword tokens: a bracket under their words, with the form in the text."""
        y = feet + (RANGE_DOWN if any(self.words.tags) else RANGE_DOWN - TAG_DOWN + FORM_DOWN)
        end = row.first + len(row.middles)
        found = 0.0
        for start, last, form, _ in self.sentence.ranges:
            inside = [i for i in range(start - 1, last) if row.first <= i < end]
            if not inside:
                continue
            reach = [
                (row.middles[i - row.first], text_width(self.words.forms[i], FORM_SIZE) / 2)
                for i in (inside[0], inside[-1])
            ]
            a, b = reach[0][0] - reach[0][1], reach[1][0] + reach[1][1]
            self.parts.append(
                f'<g class="range"><path fill="none" stroke="currentColor" stroke-opacity=".55" '
                f'd="M{self.x(a)} {_number(y - 4)}v4H{self.x(b)}v-4"/>'
                f'<text x="{self.x((a + b) / 2)}" y="{_number(y + 14)}" font-size="{LABEL_SIZE + 1}" '
                f'fill="currentColor" fill-opacity=".85">{markup(_short(form))}</text></g>\n'
            )
            found = y + 18
        return found


def _short(text: str) -> str:
    """A word as displayed in a drawing, truncated if it is very long."""
    return fit(visible(text[: 4 * LONGEST]), LONGEST)


def _number(value: float) -> str:
    """At most one decimal, without trailing zeros."""
    shown = f"{value:.1f}"
    shown = shown[:-2] if shown.endswith(".0") else shown
    return "0" if shown == "-0" else shown
