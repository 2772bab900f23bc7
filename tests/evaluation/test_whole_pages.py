"""Whole pages of a report, as a reader sees them: every heading, fact, bar, row of a table and drawing, in order."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from test_whole_tables import FLAT, GOLD, JOINED, NOUN_DUCK

import plait
from plait.data import Document, Sentence
from plait.evaluation import compare, pair
from plait.evaluation.pairing import Pairing
from plait.evaluation.report import report_page
from plait.evaluation.scores import score

PART = re.compile(
    r"<h[123]>(?P<title>.*?)</h[123]>|<nav>(?P<nav>.*?)</nav>|(?P<told><p.*?</p>)"
    r"|<dt>(?P<term>.*?)</dt><dd>(?P<fact>.*?)</dd>|aria-label=\"(?P<chart>.*?)\""
    r"|<div class=\"(?:legend|ends)\">(?P<ends>.*?)</div>|<span class=\"name\">(?P<name>.*?)</span>(?P<bars>.*?)\n"
    r"|<tr>(?P<row>.*?)</tr>|(?P<drawing><svg.*?</svg>)",
    re.S,
)


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def outline(page: str) -> str:
    """A line for everything that the page shows; of drawings the words and the numbers of those in red."""
    lines = []
    for found in PART.finditer(page.partition("</head>")[2]):
        part = {name: text for name, text in found.groupdict().items() if text is not None}
        if "title" in part:
            lines.append("# " + words(part["title"]))
        elif "term" in part:
            lines.append(f"{words(part['term'])}: {words(part['fact'])}")
        elif "chart" in part:
            lines.append(f"[{unescape(part['chart'])}]")
        elif "name" in part:
            lines.append(f"{words(part['name'])}: {words(part['bars'])}")
        elif "row" in part:
            lines.append(" | ".join(words(cell) or "-" for cell in re.findall(r"<t[hd].*?</t[hd]>", part["row"])))
        elif "drawing" in part:
            red = re.findall(r'data-dependent="(\d+)" color=', part["drawing"])
            lines.append(f"drawing of {words(part['drawing'].partition('</title>')[0])}, red: {' '.join(red)}".strip())
        else:
            lines.append(words("".join(part.values())))
    return "\n".join(lines) + "\n"


def page_of(pairing: Pairing, *names: str, **options: object) -> str:
    return report_page([pairing], [score(pairing)], names or ["x"], **options)  # type: ignore[arg-type]


def test_a_page_of_one_system_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plait, "__version__", "9.9")
    pairing = pair([GOLD, GOLD], [NOUN_DUCK, FLAT])
    page = page_of(pairing, "one.conllu", gold="gold.conllu", command="plait <it>", by=["tag"])
    assert "<title>plait: evaluation of one.conllu</title>" in page
    assert '<a href="#s0">Scores</a><a href="#s1">By tag (UPOS)</a>' in page
    assert '<section id="s1">\n<h2>By tag (UPOS)</h2>' in page
    assert "<dt>command</dt><dd><code>plait &lt;it&gt;</code></dd></dl>" in page
    assert (
        outline(page)
        == """\
# Evaluation
Scores By tag (UPOS) Errors in UPOS Errors in labels Sentences
# Scores
gold: gold.conllu: 2 sentences, 10 words
predicted: one.conllu
punctuation: counted
evaluated by: plait 9.9
command: plait <it>
[Scores, %]
UPOS: 90.00
UAS: 80.00
LAS: 60.00
TLAS: 60.00
CLAS: 62.50
measure | %
sentences | 2
tokens | 10
UPOS | 90.00
UAS | 80.00
LAS | 60.00
TLAS | 60.00
CLAS | 62.50
complete match | 50.00
root | 100.00
words, F1 | 100.00
# By tag (UPOS)
F1, per cent
[By tag (UPOS): F1, %]
PRON: 100.00
VERB: 85.71
PUNCT: 100.00
NOUN: 0.00
tag | gold | predicted | right | precision | recall | F1 | UAS | LAS
PRON | 4 | 4 | 4 | 100.00 | 100.00 | 100.00 | 75.00 | 50.00
VERB | 4 | 3 | 3 | 100.00 | 75.00 | 85.71 | 100.00 | 75.00
PUNCT | 2 | 2 | 2 | 100.00 | 100.00 | 100.00 | 50.00 | 50.00
NOUN | 0 | 1 | 0 | 0.00 | - | 0.00 | - | -
# Errors in UPOS
How often a word of the first value was given the second.
[Errors, gold → predicted]
VERB → NOUN: 1
# Errors in labels
How often a word of the first value was given the second.
[Errors, gold → predicted]
ccomp → obj: 1
nsubj → nmod: 1
# Sentences
Up to 40 words, with most wrong words; wrong are words with another tag, head or label than gold.
# sentence 1
I saw her duck .
gold
drawing of I saw her duck ., red:
predicted: 2 wrong
drawing of I saw her duck ., red: 3 4
# sentence 2
I saw her duck .
gold
drawing of I saw her duck ., red:
predicted: 2 wrong
drawing of I saw her duck ., red: 3 5
"""
    )
    assert 'style="width:62.5%"' in page  # of 100, whatever the largest is


def test_a_page_of_two_systems_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plait, "__version__", "9.9")
    found = compare([GOLD, GOLD], [NOUN_DUCK, FLAT], [GOLD, NOUN_DUCK], samples=99)
    page = report_page(found.pairings, [found.a, found.b], ["a.conllu", "b.conllu"], comparison=found, punct=False)
    assert "<title>plait: evaluation of a.conllu and b.conllu</title>" in page
    assert "<code>" not in page
    assert (
        outline(page)
        == """\
# Evaluation
Scores Attachment by arc length By sentence length By tag (UPOS) By label, with the head Errors in UPOS \
Errors in labels Sentences
# Scores
gold: gold: 2 sentences, 10 words
A: a.conllu
B: b.conllu
punctuation: left out of the attachment scores
evaluated by: plait 9.9
[Scores, %]
A B
UPOS: 90.00 90.00
UAS: 80.00 100.00
LAS: 60.00 80.00
TLAS: 60.00 80.00
CLAS: 62.50 75.00
measure | A | B | A − B | 95 % interval | p bootstrap | p permutation | p McNemar
UPOS | 90.00 | 90.00 | +0.00 | -20.00 … +20.00 | 1.0000 | 1.0000 | 1.0000
UAS | 80.00 | 100.00 | -20.00 | -40.00 … +0.00 | 0.5600 | 1.0000 | 0.5000
LAS | 60.00 | 80.00 | -20.00 | -40.00 … +0.00 | 0.5600 | 1.0000 | 0.6250
TLAS | 60.00 | 80.00 | -20.00 | -40.00 … +0.00 | 0.5600 | 1.0000 | 0.6250
CLAS | 62.50 | 75.00 | -12.50 | -50.00 … +25.00 | 0.5600 | 1.0000 | 1.0000
complete match | 50.00 | 100.00 | -50.00 | -100.00 … +0.00 | 0.5600 | 1.0000 | 1.0000
root | 100.00 | 100.00 | +0.00 | +0.00 … +0.00 | 1.0000 | 1.0000 | 1.0000
A − B in per cent points with the 95 % interval of the bootstrap; filled where it leaves zero out.
[A − B with the 95 % interval of the bootstrap]
B is better −50.00 +50.00 A is better
UPOS: +0.00
UAS: -20.00
LAS: -20.00
TLAS: -20.00
CLAS: -12.50
# Attachment by arc length
F1, per cent
[Attachment by arc length: F1, %]
A B
root: 100.00 100.00
1: 75.00 100.00
2: 100.00 100.00
length | F1 A | F1 B
root | 100.00 | 100.00
1 | 75.00 | 100.00
2 | 100.00 | 100.00
# By sentence length
LAS, per cent
[By sentence length: LAS, %]
A B
1–10: 62.50 75.00
length | UPOS A | UPOS B | UAS A | UAS B | LAS A | LAS B
1–10 | 90.00 | 90.00 | 87.50 | 100.00 | 62.50 | 75.00
# By tag (UPOS)
F1, per cent
[By tag (UPOS): F1, %]
A B
PRON: 100.00 100.00
VERB: 85.71 85.71
PUNCT: 100.00 100.00
NOUN: 0.00 0.00
tag | F1 A | F1 B | UAS A | UAS B | LAS A | LAS B
PRON | 100.00 | 100.00 | 75.00 | 100.00 | 50.00 | 75.00
VERB | 85.71 | 85.71 | 100.00 | 100.00 | 75.00 | 75.00
PUNCT | 100.00 | 100.00 | - | - | - | -
NOUN | 0.00 | 0.00 | - | - | - | -
# By label, with the head
F1, per cent
[By label, with the head: F1, %]
A B
nsubj: 57.14 85.71
ccomp: 66.67 66.67
root: 100.00 100.00
nmod: 0.00 0.00
obj: 0.00 0.00
label | F1 A | F1 B
nsubj | 57.14 | 85.71
ccomp | 66.67 | 66.67
root | 100.00 | 100.00
nmod | 0.00 | 0.00
obj | 0.00 | 0.00
# Errors in UPOS
How often a word of the first value was given the second.
[Errors, gold → predicted]
A B
VERB → NOUN: 1 1
pattern | A | B | A − B | change | F1 A | F1 B
VERB → NOUN | 1 | 1 | +0 | +0 % | 85.71 | 85.71
# Errors in labels
How often a word of the first value was given the second.
[Errors, gold → predicted]
A B
ccomp → obj: 1 1
nsubj → nmod: 1 1
pattern | A | B | A − B | change | F1 A | F1 B
ccomp → obj | 1 | 1 | +0 | +0 % | 66.67 | 66.67
nsubj → nmod | 1 | 1 | +0 | +0 % | 85.71 | 85.71
# Sentences
Up to 40 words, with the largest difference; wrong are words with another tag, head or label than gold.
# sentence 1
I saw her duck .
gold
drawing of I saw her duck ., red:
A: 2 wrong
drawing of I saw her duck ., red: 3 4
B: all right
drawing of I saw her duck ., red:
"""
    )


def test_a_page_of_systems_with_words_of_their_own_has_the_table_of_the_shared_task() -> None:
    found = compare([GOLD], [JOINED], [GOLD], samples=99)
    page = report_page(found.pairings, [found.a, found.b], ["a", "b"], comparison=found, by=["length"])
    lines = outline(page).split("\n")
    assert lines[1] == "Scores CoNLL 2018 Attachment by arc length"
    charted = lines.index("[Scores, %]")
    assert lines[charted + 2 : charted + 9] == [
        "UPOS: 66.67 100.00", "UAS: 66.67 100.00", "LAS: 66.67 100.00", "TLAS: 66.67 100.00", "CLAS: 57.14 100.00",
        "words, F1: 66.67 100.00", "words + tags, F1: 66.67 100.00",
    ]  # fmt: skip
    intervals = lines.index("[A − B with the 95 % interval of the bootstrap]")
    assert lines[intervals + 7 : intervals + 9] == ["words, F1: -33.33", "words + tags, F1: -33.33"]
    table = lines.index("# CoNLL 2018")
    assert lines[table + 1 : table + 6] == [
        "metric | F1 A | F1 B | aligned accuracy A | aligned accuracy B",
        "Tokens | 66.67 | 100.00 | - | -", "Sentences | 100.00 | 100.00 | - | -", "Words | 66.67 | 100.00 | - | -",
        "UPOS | 66.67 | 100.00 | 100.00 | 100.00",
    ]  # fmt: skip
    alone = outline(page_of(pair([GOLD], [JOINED]), by=["tag"])).split("\n")
    table = alone.index("# CoNLL 2018")
    assert alone[table + 1 : table + 3] == [
        "metric | precision | recall | F1 | aligned accuracy", "Tokens | 75.00 | 60.00 | 66.67 | -",
    ]  # fmt: skip


def test_what_was_copied_is_told_for_each_system() -> None:
    def made(columns: set[str]) -> Document:
        document = Document([NOUN_DUCK])
        document.predicted_columns = frozenset(columns)
        return document

    tags, trees = made({"upos"}), made({"heads", "deprels"})
    page = outline(page_of(pair([GOLD], trees)))
    assert "copied: upos (from the input of the model, not scored)\n" in page
    assert "predicted: 2 wrong\n" in page  # labels alone
    found = compare([GOLD], made({"upos", "heads", "deprels"}), tags, samples=9)
    page = outline(report_page(found.pairings, [found.a, found.b], ["a", "b"], comparison=found))
    assert "copied: B: head, deprel (from the input of the model, not scored)\n" in page
    assert "copied: A" not in page
    assert "A: 2 wrong" in page
    assert "B: 1 wrong" in page  # the tag alone


def long(length: int, wrong: int, name: str | None = None) -> tuple[Sentence, Sentence]:
    """A sentence of so many words, and the same with wrong tags."""
    heads, labels = list(range(length)), ["root"] + ["dep"] * (length - 1)
    gold, found = (
        Sentence(["w"] * length, upos=tags, heads=heads, deprels=labels)
        for tags in (["X"] * length, ["Y"] * wrong + ["X"] * (length - wrong))
    )
    if name is not None:
        gold.set_comment("sent_id", name)
    return gold, found


def test_the_worst_five_sentences_of_forty_words_at_most_are_drawn() -> None:
    pairs = [long(2, 1, "a"), long(41, 9, "long"), long(40, 3, "b"), long(3, 0, "right"), long(3, 3, "c"),
             long(3, 2, "d"), long(4, 2, "e"), long(2, 1, "f")]  # fmt: skip
    page = page_of(pair([gold for gold, _ in pairs], [found for _, found in pairs]), by=["tag"])
    assert re.findall(r"<h3>(.*?)</h3>", page) == ["b", "c", "d", "e", "a"]


def test_of_equally_wrong_sentences_the_first_are_drawn() -> None:
    pairs = [long(2, 1 + number % 2, f"s{number}") for number in range(100)]
    page = page_of(pair([gold for gold, _ in pairs], [found for _, found in pairs]), by=["tag"])
    assert re.findall(r"<h3>(.*?)</h3>", page) == ["s1", "s3", "s5", "s7", "s9"]


def test_sentences_without_an_error_are_not_shown() -> None:
    assert "<h2>Sentences</h2>" not in page_of(pair([GOLD], [GOLD]))
    flat = Sentence(GOLD.forms, upos=GOLD.upos)
    assert "<h2>Sentences</h2>" not in page_of(pair([flat], [NOUN_DUCK]))


def test_what_gold_leaves_open_is_not_wrong() -> None:
    gold = Sentence(["a", "b", "c"], upos=["X", "_", "X"], heads=[0, 1, None], deprels=["root", "x", "_"])
    found = Sentence(["a", "b", "c"], upos=["X", "Y", "X"], heads=[0, 1, 1], deprels=["root", "x", "z"])
    assert "<h2>Sentences</h2>" not in page_of(pair([gold], [found]))
    found.heads = [0, 0, 1]
    assert "predicted: 1 wrong" in page_of(pair([gold], [found]))
    bare = Sentence(["a", "b"], upos=["X", "X"], heads=[0, 1])
    labelled = Sentence(["a", "b"], upos=["X", "X"], heads=[0, 1], deprels=["root", "y"])
    assert "<h2>Sentences</h2>" not in page_of(pair([bare], [labelled]))


def test_text_from_right_to_left_is_set_so() -> None:
    for form, direction in (("שלום", ' dir="rtl"'), ("hello", "")):
        gold = Sentence([form], upos=["X"], heads=[0], deprels=["root"])
        found = Sentence([form], upos=["Y"], heads=[0], deprels=["root"])
        assert f"<h3>sentence 1</h3><p{direction}>{form}</p>" in page_of(pair([gold], [found]))


def test_the_program_that_made_a_file_is_named() -> None:
    found = NOUN_DUCK.copy()
    found.comments = ["# sent_id = 1", "# generator = UDPipe 2 = new", "# generator = other"]
    page = outline(page_of(pair([GOLD], [found]), "file"))
    assert "predicted: file, made by UDPipe 2 = new\n" in page
    assert "predicted: file\n" in outline(page_of(pair([GOLD], [NOUN_DUCK]), "file"))


def test_numbers_and_names_are_written_for_people() -> None:
    gold = [Sentence(["<w>"], upos=["<X>"], heads=[0], deprels=["root"])] * 1200
    found = [Sentence(["<w>"], upos=["&"], heads=[0], deprels=["root"])] * 1200
    page = page_of(pair(gold, found), "<name>", gold="<gold>")
    lines = outline(page)
    assert "gold: <gold>: 1,200 sentences, 1,200 words\n" in lines
    assert "<X> → &: 1,200\n" in lines
    assert "<X> | 1,200 | 0 | 0 | - | 0.00 | 0.00 | 100.00 | 100.00\n" in lines
    assert "&lt;name&gt;" in page
    for raw in ("<X>", "<w>", "<gold>", "<name>"):
        assert raw not in page


class Stray(HTMLParser):
    """Collects text where browsers expect elements: between the cells of a table, between sections."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open[-1] in ("main", "nav", "section", "dl", "table", "thead", "tbody", "tr"):
            self.found.append(data)


def test_no_text_stands_outside_of_its_element() -> None:
    parser = Stray()
    parser.feed(page_of(pair([GOLD], [NOUN_DUCK])))
    assert parser.found == []


def test_a_page_brings_the_styles_of_its_charts() -> None:
    page = page_of(pair([GOLD], [NOUN_DUCK]))
    style = page.partition("<style>")[2].partition("</style>")[0]
    for name in ("chart", "name", "group", "bar"):
        assert f'class="{name}"' in page
        assert f".{name} {{" in style


def test_a_page_of_an_empty_treebank_has_no_program_to_name() -> None:
    assert "gold: gold: 0 sentences, 0 words\npredicted: x\n" in outline(page_of(pair([], []), by=["sentence"]))


def test_bars_of_a_breakdown_reach_to_100_and_are_25_at_most() -> None:
    tags = [f"T{number:02}" for number in range(30)]
    gold, found = Sentence(tags * 2, upos=tags * 2), Sentence(tags * 2, upos=tags + ["_"] * 30)
    page = page_of(pair([gold], [found]), by=["tag"])
    chart = page.partition('aria-label="By tag (UPOS): F1, %"')[2].partition("<table>")[0]
    assert re.findall(r"width:([\d.]+)%", chart) == ["66.7"] * 25
    assert len(re.findall(r"^T\d+ \| 2 \| 1 \|", outline(page), re.M)) == 30


def test_fifteen_patterns_are_shown() -> None:
    tags = [f"T{number:02}" for number in range(20)]
    gold, found = Sentence(tags, upos=tags), Sentence(tags, upos=["X"] * 20)
    compared = compare([gold], [found], [gold], samples=9)
    page = report_page(compared.pairings, [compared.a, compared.b], ["a", "b"], comparison=compared)
    assert len(re.findall(r"^T\d+ → X: 1 0$", outline(page), re.M)) == 15
    assert len(re.findall(r"^T\d+ → X \| 1 \| 0 \|", outline(page), re.M)) == 15
