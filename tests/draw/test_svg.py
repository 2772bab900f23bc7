"""SVG: well-formed whatever the words, the same bytes every time, mirrored where the script asks for it."""

import re
import xml.etree.ElementTree as ET

import pytest
from drawn_trees import drawn_sentences
from hypothesis import given, settings

from plait import Document, Sentence
from plait.data.document import Range
from plait.draw.html import html_page
from plait.draw.svg import document_svg, sentence_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg, kind="words"):
    root = ET.fromstring(svg)
    return [t for g in root.iter(f"{SVG}g") if g.get("class") == kind for t in g.iter(f"{SVG}text")]


def dogs(**more):
    return Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"], **more)


@settings(deadline=None, max_examples=100)
@given(drawn_sentences())
def test_any_sentence_gives_well_formed_svg_and_the_same_bytes_twice(sentence):
    for width in (None, 200):
        svg = sentence_svg(sentence, width=width)
        root = ET.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert svg == sentence_svg(sentence.copy(), width=width)
        assert len([g for g in root.iter(f"{SVG}g") if g.get("class") == "word"]) == len(sentence)
        assert "nan" not in svg
        svg.encode()


def test_words_tags_labels_title_and_description_are_there():
    svg = sentence_svg(dogs())
    assert [t.text for t in texts(svg)] == ["Dogs", "NOUN", "bark", "VERB"]
    assert [t.text for t in texts(svg, "labels")] == ["nsubj", "root"]
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Dogs bark"
    assert root.find(f"{SVG}desc").text == "Dogs NOUN nsubj of bark; bark VERB root"


def test_markup_in_words_is_text():
    s = Sentence(["<script>", "&amp;", '"'], upos=["<i>", "X", "X"], heads=[0, 1, 1], deprels=["a<b", "c", "d"])
    svg = sentence_svg(s)
    assert "<script" not in svg
    assert [t.text for t in texts(svg)][::2] == ["<script>", "&amp;", '"']
    page = Document([s], name="</title><script>").to_html()
    assert "<script" not in page


def test_a_right_to_left_sentence_runs_from_right_to_left():
    heads = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}
    hebrew = sentence_svg(Sentence(["הילד", "אכל", "תפוח"], **heads))
    places = [float(t.get("x")) for t in texts(hebrew)]
    assert places == sorted(places, reverse=True)
    latin = Sentence(["boy", "ate", "apple"], **heads)
    assert [float(t.get("x")) for t in texts(sentence_svg(latin))] == sorted(
        float(t.get("x")) for t in texts(sentence_svg(latin))
    )
    turned = [float(t.get("x")) for t in texts(sentence_svg(latin, direction="rtl"))]
    assert turned == sorted(turned, reverse=True)


def test_long_sentences_take_several_rows():
    n = 120
    s = Sentence(["word"] * n, heads=[0, *range(1, n)], deprels=["dep"] * n)
    wide, wrapped = (ET.fromstring(sentence_svg(s, width=width)) for width in (None, 500))
    assert float(wide.get("width")) > 3000
    assert float(wrapped.get("width")) < 650
    assert float(wrapped.get("height")) > 5 * float(wide.get("height"))


def test_tags_alone_multiword_tokens_and_empty_sentences_are_drawn():
    assert 'class="arc"' not in sentence_svg(Sentence(["a", "b"], upos=["X", "Y"]))
    svg = sentence_svg(Sentence(["do", "n't", "go"], ranges=[Range(1, 2, "don't")]))
    assert ">don&#x27;t<" in svg
    assert "(no words)" in sentence_svg(Sentence([]))
    assert list(ET.fromstring(document_svg([])).iter(f"{SVG}g")) == []


def test_heads_that_are_no_tree_are_drawn_as_they_are():
    circle = ET.fromstring(sentence_svg(Sentence(["a", "b", "c"], heads=[2, 3, 1])))
    arcs = [g for g in circle.iter(f"{SVG}g") if g.get("class") == "arc"]
    assert sorted((g.get("data-head"), g.get("data-dependent")) for g in arcs) == [("1", "3"), ("2", "1"), ("3", "2")]
    nowhere = ET.fromstring(sentence_svg(Sentence(["a", "b"], heads=[1, 77])))
    assert [g.get("class") for g in nowhere.iter(f"{SVG}g") if g.get("class") in ("arc", "word")] == ["word", "word"]


def test_a_document_is_one_drawing_and_one_page():
    document = Document([dogs(comments=["# sent_id = d-1"]), dogs()])
    root = ET.fromstring(document.to_svg())
    assert len([g for g in root.iter(f"{SVG}g") if g.get("class") == "word"]) == 4
    page = html_page(document)
    assert page.count("<svg") == 2
    assert "d-1" in page
    assert not re.findall(r"(?:src|href)=|url\(|@import", page)


def test_nothing_in_the_drawing_can_clash_in_a_page():
    assert " id=" not in sentence_svg(dogs())
    style = re.search("<style>(.*)</style>", sentence_svg(dogs()))[1]
    assert "svg:root" in style  # holds for a file of its own, not for a page around it


def test_scores_are_shown_on_words():
    s = dogs()
    s.scores = [0.5, 0.25]
    assert "confidence 0.250" in sentence_svg(s)


def test_tooltips_of_words_have_lemmas_and_features():
    s = dogs(lemmas=["dog", "_"], feats=["Animacy=Anim|Number=Plur", "_"])
    titles = [element.text for element in ET.fromstring(sentence_svg(s)).iter(f"{SVG}title")]
    assert "1 Dogs NOUN, lemma dog, Animacy=Anim Number=Plur" in titles
    assert "2 bark VERB" in titles
    assert "lemma dog" in html_page(Document([s]))
    long = Sentence(["_"], feats=["A=" + "x" * 100_000])
    assert "1 _, lemma _, A=xxx" in sentence_svg(long)
    assert len(sentence_svg(long)) < 5000


@pytest.mark.parametrize("thing", [dogs(), Document([dogs()] * 30)])
def test_notebooks_show_drawings(thing):
    shown = thing._repr_html_()
    assert shown.count("<svg") == (1 if isinstance(thing, Sentence) else 20)
    assert isinstance(thing, Sentence) or "10 more sentences" in shown


def test_a_word_of_a_million_letters_and_a_sentence_of_thousands_are_drawn():
    giant = Sentence(
        ["a" * 1_000_000, "b"] * 3, upos=["X" * 1000] * 6, heads=[0, 1, 1, 1, 1, 1], deprels=["d" * 999] * 6
    )
    assert float(ET.fromstring(sentence_svg(giant)).get("width")) < 3000
    assert len(sentence_svg(Sentence(["。"] * 5_000, heads=[0] + [1] * 4_999))) < 4_000_000


def test_marked_words_stand_out_with_their_arcs():
    svg = sentence_svg(dogs(), marked=[1])
    red = re.findall(r'<g class="arc"[^>]*stroke="#d64a34"', svg)
    assert len(red) == 1
    assert svg.count("#d64a34") == 4  # the line (its colour twice), the label, the word
    assert "#d64a34" not in sentence_svg(dogs())
