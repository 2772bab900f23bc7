"""The web page in a real Chromium: type, look, edit, step, download; mouse, keyboard and finger; two languages."""

import re
import shutil
from pathlib import Path

import pytest

import plait

playwright = pytest.importorskip(
    "playwright.sync_api", reason="tests of the web page need playwright; pip install 'plait[browser]'"
)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="tests of the web page need Chromium; apt-get install chromium"
)

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
TEXT = "Mary reads the old book ."


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, client):
    """Open the page with a text and a model; nothing may be asked of another server, and no script may fail."""
    contexts = []
    faults = []

    def opening(text=TEXT, model="graph-joint", path="/", **options):
        context = chromium.new_context(**{"locale": "en-US", "viewport": {"width": 1100, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "request", lambda request: request.url.startswith((client.address, "blob:")) or faults.append(request.url)
        )
        page.goto(client.address.rstrip("/") + path)
        if text is not None:
            page.select_option("#model", model)
            page.fill("#text", text)
            wait_for_words(page, text.split())
        return page

    yield opening
    for context in contexts:
        context.close()
    assert faults == []


def words(page):
    return [re.sub("…$", "", form) for form in page.locator(".word .form").all_text_contents()]


def wait_for_words(page, expected):
    page.wait_for_selector("#results[aria-busy=false]")
    page.wait_for_function(
        "expected => [...document.querySelectorAll('.word .form')].map(e => e.textContent).join(' ') === expected",
        arg=" ".join(expected),
    )


def wait_for_pin(page, id):
    page.wait_for_selector(f".sentence[aria-busy=false] .arc.pinned[data-id='{id}']", state="attached")


def wait_for_no_pin(page):
    page.wait_for_selector(".sentence[aria-busy=false]")
    page.wait_for_selector(".arc.pinned", state="detached")


def word(page, id):
    return page.locator(f".word[data-id='{id}']")


def described(page, id):
    return word(page, id).get_attribute("aria-label")


def test_typing_shows_words_tags_and_the_tree_live(open_page, tiny_models):
    page = open_page()
    assert page.locator("#count").text_content() == "1 sentence · 6 words"
    found = tiny_models["graph-joint"](TEXT)[0]
    assert page.locator(".word .tag").all_text_contents() == found.upos
    assert sorted(page.locator(".arc .label").all_text_contents()) == sorted(found.deprels)
    page.fill("#text", "")
    page.locator("#text").press_sequentially("Dogs bark .\nCats sleep .", delay=5)
    wait_for_words(page, ["Dogs", "bark", ".", "Cats", "sleep", "."])
    assert page.locator("article.sentence").count() == 2
    page.fill("#text", "  ")
    page.wait_for_selector("#result-bar", state="hidden")


def test_the_page_begins_with_an_example_and_the_first_model(open_page):
    page = open_page(text=None)
    page.wait_for_selector(".word")
    assert words(page) == TEXT.split()
    assert page.locator("#model").input_value() == "easyfirst-joint"
    page.locator(".chip").nth(1).click()
    wait_for_words(page, ["She", "told", "him", "that", "the", "train", "had", "already", "left", "."])


def test_text_and_model_can_be_sent_as_an_address(open_page):
    address = open_page().url
    page = open_page(text=None, path="/" + address[address.index("#") :])
    wait_for_words(page, TEXT.split())
    assert page.locator("#model").input_value() == "graph-joint"


def test_hovering_tells_scores(open_page):
    page = open_page()
    word(page, 5).hover()
    tip = page.locator("#tip").text_content()
    assert re.search(r"book.*NOUN · noun.*of reads.*confidence 0\.\d{3}", tip)
    page.mouse.move(2, 2)
    assert page.locator("#tip").is_hidden()
    page = open_page(model="easyfirst-joint")
    word(page, 5).hover()
    tip = page.locator("#tip").text_content()
    assert re.search(r"decided in step \d+ of 12", tip)
    assert "score" not in tip  # a sum of weights tells a reader nothing


def overlap(a, b):
    across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    return max(across, 0) * max(down, 0)


@pytest.mark.parametrize("layout", ["across", "down"])
def test_tip_and_editor_leave_the_word_and_its_head_visible(open_page, tiny_models, layout):
    page = open_page()
    page.click(f"#layout label:has([value={layout}])")
    heads = tiny_models["graph-joint"](TEXT)[0].heads
    for id, head in enumerate(heads, 1):
        spoken_of = [word(page, i).locator(".form").bounding_box() for i in (id, head) if i]
        word(page, id).hover()
        assert not any(overlap(page.locator("#tip").bounding_box(), box) for box in spoken_of)
    for id in range(1, 7):
        word(page, id).locator(".form").click()
        spoken_of = [word(page, i).locator(".form").bounding_box() for i in (id, heads[id - 1]) if i]
        assert not any(overlap(page.locator("#editor").bounding_box(), box) for box in spoken_of)
        page.keyboard.press("Escape")


def test_the_page_says_that_words_and_arcs_can_be_edited(open_page):
    page = open_page()
    assert page.locator("#hint").is_visible()
    assert "Click a word or an arc to change it" in page.locator("#hint").text_content()
    assert "score" not in page.locator(".sentence-top").text_content()
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    assert "Tap a word" in page.locator("#hint").text_content()


def test_a_head_is_edited_and_the_rest_is_found_under_it(open_page, tiny_models):
    page = open_page()
    word(page, 5).click()
    page.select_option("#edit-head", "1")
    wait_for_pin(page, 5)
    expected = tiny_models["graph-joint"](plait.Sentence(TEXT.split(), heads=[-1, -1, -1, -1, 1, -1]), keep=True)[0]
    assert page.locator(".word .tag").all_text_contents() == expected.upos
    for id in range(1, 7):
        head = expected.heads[id - 1]
        place = f"{expected.deprels[id - 1]} of {expected.forms[head - 1]}" if head else "root of the sentence"
        assert described(page, id).endswith(place)
    assert page.locator(".message").text_content().startswith("Pinned.")
    page.locator(".pin[data-column=head]").click()
    wait_for_no_pin(page)
    assert described(page, 5).endswith("of reads")


def test_tag_and_label_are_edited(open_page):
    page = open_page()
    word(page, 1).click()
    page.select_option("#edit-tag", "VERB")
    page.wait_for_selector(".word[data-id='1'] .tag.pinned-text")
    assert described(page, 1).startswith("Mary, VERB")
    page.select_option("#edit-label", "obj")
    page.wait_for_selector(".label.pinned-text")
    assert ", obj of " in described(page, 1)
    page.keyboard.press("Escape")
    page.click("[data-do=undo]")
    page.wait_for_selector(".label.pinned-text", state="detached")
    assert described(page, 1).startswith("Mary, VERB")
    page.click("[data-do=reset]")
    page.wait_for_selector(".pinned-text", state="detached")
    assert described(page, 1).startswith("Mary, PROPN, nsubj of")


def test_a_word_is_dragged_onto_its_head(open_page):
    page = open_page()
    start, end = (word(page, id).locator(".box").bounding_box() for id in (4, 2))
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(end["x"] + 12, end["y"] + 12, steps=5)
    assert word(page, 2).evaluate("e => e.classList.contains('target')")
    page.mouse.up()
    wait_for_pin(page, 4)
    assert described(page, 4).endswith("of reads")


def test_what_cannot_be_kept_is_told_and_nothing_changes(open_page):
    page = open_page(text="Dogs bark .")
    word(page, 1).click()
    page.select_option("#edit-head", "3")
    wait_for_pin(page, 1)
    page.keyboard.press("Escape")
    word(page, 3).click()
    page.select_option("#edit-head", "1")
    page.wait_for_selector(".message.bad")
    assert "tree" in page.locator(".message").text_content()
    assert page.locator(".arc.pinned").count() == 1


def test_a_lemma_is_edited_and_stays(open_page):
    page = open_page(model="pipeline")
    word(page, 1).click()
    assert page.locator("#field-lemma").is_visible()
    assert page.locator("#field-feats").is_hidden()  # the model has none
    page.fill("#edit-lemma", " hound ")
    page.locator("#edit-lemma").blur()
    page.wait_for_selector(".pin[data-column=lemma][aria-pressed=true]")
    assert page.input_value("#edit-lemma") == "hound"


def test_models_without_lemmas_have_no_field_for_them(open_page):
    page = open_page(model="graph-joint")
    word(page, 1).click()
    assert page.locator("#field-lemma").is_hidden()
    assert page.locator("#field-tag").is_visible()


def test_a_model_that_cannot_keep_says_so_and_edits_by_hand(open_page):
    page = open_page(model="crf-tagger")
    assert "no trees" in page.locator("#model-note").text_content()
    word(page, 2).click()
    assert "cannot parse around your change" in page.locator("#editor-note").text_content()
    assert page.locator("#field-head").is_hidden()
    page.select_option("#edit-tag", "NOUN")
    page.wait_for_function("() => document.querySelector('.message').textContent.includes('by hand')")
    assert page.locator(".word .tag").all_text_contents()[1] == "NOUN"


def test_everything_by_keyboard(open_page):
    page = open_page(model="easyfirst-joint")
    page.focus("#text")
    for _ in range(30):  # Tab alone leads from the text to the tree
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.word')"):
            break
    focused = "Number(document.activeElement.dataset.id)"
    assert page.evaluate(focused) == 1
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == 5
    assert "book" in page.locator("#tip").text_content()
    page.keyboard.press("ArrowUp")  # to its head
    assert page.evaluate(focused) == 2
    page.keyboard.press("ArrowDown")  # to its first child
    assert page.evaluate(focused) == 1
    page.keyboard.press("h")
    assert "Choose the head of “Mary”" in page.locator(".message").text_content()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_pin(page, 1)
    assert described(page, 1).endswith("of book")
    assert page.evaluate(focused) == 1
    page.keyboard.press("Delete")
    wait_for_no_pin(page)
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "edit-head"
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == 1
    page.keyboard.press("h")
    page.keyboard.press("0")
    wait_for_pin(page, 1)
    assert described(page, 1).endswith("root of the sentence")
    page.keyboard.press("Control+z")
    wait_for_no_pin(page)
    page.keyboard.press("s")
    page.keyboard.press("Enter")  # the button "one step on" has the focus
    assert page.locator(".steps output").text_content() == "1 / 12"


@pytest.mark.parametrize("model", ["easyfirst-joint", "transition-joint"])
def test_stepping_through_decisions(open_page, model):
    page = open_page(model=model)
    arcs = page.locator(".arc").count()
    page.click("[data-do=steps]")
    assert page.locator(".arc").count() == 0
    total = int(page.locator(".steps output").text_content().split(" / ")[1])
    seen = 0
    for _ in range(total):
        page.click("[data-to=on]")
        assert page.locator(".arc").count() - seen in (0, 1)
        seen = page.locator(".arc").count()
        assert page.locator(".word.now").count() == 1
    assert seen == arcs == 6
    order = page.locator(".steps [data-to]").evaluate_all("buttons => buttons.map(b => b.dataset.to)")
    assert order == ["first", "back", "play", "on"]
    assert page.locator("[data-to=play]").get_attribute("aria-label") == "Play"
    page.click("[data-to=back]")
    assert page.locator(".steps output").text_content() == f"{total - 1} / {total}"
    page.locator(".steps input").fill("3")
    assert page.locator(".steps output").text_content() == f"3 / {total}"
    page.click("[data-to=play]")
    assert page.locator("[data-to=play]").get_attribute("aria-label") == "Pause"
    page.wait_for_function("() => !document.querySelector('.steps output').textContent.startsWith('3 ')")
    page.click("[data-do=steps]")
    assert page.locator(".arc").count() == 6
    assert page.locator(".steps").is_hidden()


def test_a_page_of_traces_has_the_same_steps_without_a_server(chromium, tiny_models, tmp_path):
    from plait.draw.steps import steps_page

    hostile = ["</script><script>document.title='bad'</script>", "reads", "."]
    sentences = [tiny_models[name](given)[0] for name, given in
                 [("easyfirst-joint", TEXT), ("transition-joint", TEXT), ("easyfirst-joint", hostile)]]  # fmt: skip
    (tmp_path / "steps.html").write_text(steps_page(sentences), encoding="utf-8")
    page, faults = chromium.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or faults.append(request.url))
    page.goto((tmp_path / "steps.html").as_uri())
    page.wait_for_selector(".steps output")
    assert page.title() == "plait: step by step"
    for card, sentence in zip(page.locator(".sentence").all(), sentences, strict=True):
        assert card.locator(".word .form").all_text_contents()[-1] == "."
        assert card.locator(".arc").count() == 0
        sets = sentence.trace.valid_sets(6) if hasattr(sentence.trace, "valid_sets") else None
        for k in range(len(sentence.trace)):
            card.locator("[data-to=on]").click()
            rows = card.locator(".valid li").all_text_contents()
            assert len(rows) == (0 if sets is None else 1 + len(sets[k].best))
            assert card.locator(".valid .taken").count() == (sets is not None)
            assert sets is None or f"({sets[k].size} in all)" in rows[0]
        assert card.locator("output").text_content() == f"{len(sentence.trace)} / {len(sentence.trace)}"
        assert sorted(card.locator(".arc .label").all_text_contents()) == sorted(sentence.deprels)
    assert faults == []
    page.close()


def test_the_report_of_an_evaluation_fits_a_phone_and_uses_a_wide_screen(chromium, tmp_path, capsys):
    from plait.cli.main import main

    gold = "# text = {0}\n1\t{0}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n".format("https://example.org/" + "long" * 40)
    (tmp_path / "g.conllu").write_text(gold, encoding="utf-8")
    (tmp_path / "p.conllu").write_text(gold.replace("NOUN", "PROPN"), encoding="utf-8")
    page_file = tmp_path / "r.html"
    assert (
        main(["evaluate", *(str(tmp_path / name) for name in ("g.conllu", "p.conllu")), "--report", str(page_file)])
        == 0
    )
    widths = {}
    for width in (360, 1200):
        page = chromium.new_page(viewport={"width": width, "height": 740})
        page.goto(page_file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        widths[width] = page.locator(".chart").first.bounding_box()["width"]
        page.close()
    assert widths[1200] > 1000
    assert widths[360] > 280


def test_edits_stay_while_other_sentences_are_typed(open_page):
    page = open_page(text="Dogs bark .")
    word(page, 1).click()
    page.select_option("#edit-head", "3")
    wait_for_pin(page, 1)
    page.keyboard.press("Escape")
    page.fill("#text", "Dogs bark .\nCats sleep .")
    wait_for_words(page, ["Dogs", "bark", ".", "Cats", "sleep", "."])
    assert page.locator(".arc.pinned").count() == 1


def test_downloads(open_page, tmp_path, tiny_models):
    page = open_page()
    word(page, 5).click()
    page.select_option("#edit-head", "1")
    wait_for_pin(page, 5)
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.click("#download-conllu")
    assert download.value.suggested_filename == "plait.conllu"
    download.value.save_as(tmp_path / "a.conllu")
    sentence = plait.read(str(tmp_path / "a.conllu"))[0]
    assert sentence.forms == TEXT.split()
    assert sentence.heads[4] == 1
    with page.expect_download() as download:
        page.click("[data-do=picture]")
    assert download.value.suggested_filename == "plait-1.svg"
    download.value.save_as(tmp_path / "a.svg")
    picture = Path(tmp_path / "a.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "Mary" in picture


def test_a_phones_width(open_page):
    page = open_page(model="easyfirst-joint", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    assert page.locator("svg.tree.down").count() == 1
    fits = "document.documentElement.scrollWidth <= innerWidth && innerWidth === 360"
    assert page.evaluate(fits)
    box = page.locator("svg.tree").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    word(page, 5).tap()
    sheet = page.locator("#editor").bounding_box()
    assert (sheet["x"], sheet["width"]) == (0, 360)
    shown = word(page, 5).bounding_box()
    assert 0 < shown["y"] < sheet["y"] - shown["height"]  # the word can be seen above the sheet
    page.select_option("#edit-head", "1")
    wait_for_pin(page, 5)
    page.tap("#editor-close")
    page.tap("[data-do=steps]")
    page.tap("[data-to=on]")
    assert page.evaluate(fits)
    for control in page.locator("button:visible, select:visible, summary:visible").all():
        box = control.bounding_box()
        assert box["height"] >= 24, control.text_content()


def test_chinese_by_the_browsers_language_and_the_switch(open_page):
    page = open_page(locale="zh-CN")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert page.locator("#count").text_content() == "1 句 · 6 词"
    word(page, 5).hover()
    assert "名词" in page.locator("#tip").text_content()
    word(page, 5).click()
    assert page.locator("#editor-title").text_content() == "编辑“book”"
    page.keyboard.press("Escape")
    page.click("#language")
    assert page.locator("#count").text_content() == "1 sentence · 6 words"
    page.reload()
    page.wait_for_selector(".word")
    assert page.locator("#language").text_content() == "中文"
    assert "How to edit" in page.locator(".help summary").text_content()


def test_light_and_dark(open_page):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = open_page().evaluate(ground)
    page = open_page(color_scheme="dark")
    dark = page.evaluate(ground)
    assert light != dark
    page.click("#theme")  # from the system's to light
    assert page.evaluate(ground) == light
    page.click("#theme")
    assert page.evaluate(ground) == dark


def test_right_to_left(open_page):
    page = open_page(text="הספר על השולחן הגדול")
    places = [word(page, id).bounding_box()["x"] for id in range(1, 5)]
    assert places == sorted(places, reverse=True)
    assert page.locator("article.sentence").get_attribute("dir") == "rtl"
    page.click("#layout label:has([value=down])")
    form, arc = page.locator(".word .form").first.bounding_box(), page.locator(".arc .line").first.bounding_box()
    assert form["x"] + form["width"] <= arc["x"]
    word(page, 1).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("Number(document.activeElement.dataset.id)") == 2


def test_layouts(open_page):
    long = " ".join(["Mary sees the old house and"] * 8)
    page = open_page(text=long, model="easyfirst-joint")
    svg = page.locator("svg.across")
    rows = {round(box.bounding_box()["y"]) for box in page.locator(".word .box").all()}
    assert len(rows) > 1  # it does not fit in one
    assert svg.bounding_box()["width"] <= page.locator(".canvas").bounding_box()["width"]
    goes_on = page.locator(".arc:has(.goes-on)").evaluate_all("arcs => arcs.map(arc => arc.dataset.id)")
    assert goes_on
    assert all(goes_on.count(id) == 2 for id in goes_on)  # an arc between two rows has a part in each
    assert page.locator(".arc .tip-end").count() == page.locator(".word").count()  # and one end
    page.click("#layout label:has([value=down])")
    assert page.locator("svg.down").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_words_win_over_bars(open_page):
    text = "Yesterday representatives published internationalization reports ."
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    page = open_page(text=text, **phone)  # waits until every form stands there in full
    assert page.locator(".score-bar").count() == 0
    assert page.locator("svg.tree").bounding_box()["width"] <= 360
    assert open_page(text="Dogs bark .", **phone).locator(".score-bar").count() > 0


def test_markup_in_a_text_is_only_text(open_page):
    text = "<img src=x onerror=document.title='bad'> <b>bold</b> &amp; </svg><script> document.title='bad' </script>"
    page = open_page(text=text, model="easyfirst-joint")
    word(page, 1).hover()
    word(page, 2).click()
    assert page.title() == "plait"
    assert page.locator(".sentence img, .tip img, .editor img").count() == 0


def test_much_text(open_page):
    page = open_page(text="Dogs bark .", model="easyfirst-joint")
    page.fill("#text", "\n".join(["Dogs bark ."] * 100))
    page.wait_for_function("() => document.querySelectorAll('article').length === 30")
    assert page.locator("#count").text_content() == "100 sentences · 300 words"
    page.click("#more")
    assert page.locator("article").count() == 60
    page.fill("#text", "a " * 2000)
    page.wait_for_selector(".canvas.plain")
    assert "2,000 words are too many to draw" in page.locator(".message").text_content()


def test_a_server_that_is_gone_is_told(open_page):
    page = open_page()
    page.route("**/v1/parse", lambda route: route.abort())
    page.fill("#text", "Dogs bark .")
    page.wait_for_selector("#status.bad")
    assert "does not answer" in page.locator("#status").text_content()
    page.unroute("**/v1/parse")
    page.fill("#text", "Dogs bark . .")
    wait_for_words(page, ["Dogs", "bark", ".", "."])


def test_a_busy_server_is_asked_again(open_page):
    page = open_page()
    answers = iter([True])
    page.route(
        "**/v1/parse",
        lambda route: (
            route.fulfill(status=503, json={"error": {"status": 503, "code": "busy", "message": "busy"}})
            if next(answers, False)
            else route.continue_()
        ),
    )
    page.fill("#text", "Dogs bark .")
    wait_for_words(page, ["Dogs", "bark", "."])


def test_shipped_models_are_chosen_by_script(chromium, start):
    from plait.models import shipped
    from plait.web.catalogue import Catalogue

    page = chromium.new_page(locale="en-US")
    page.set_default_timeout(10_000)
    page.goto(start(Catalogue.load(shipped())).address)
    for text, model in [("She doesn't read books.", "en"), ("他昨天买了三本书。", "zh")]:
        page.fill("#text", text)
        page.wait_for_selector("#results[aria-busy=false]")
        assert page.locator("#status").text_content().startswith(f"{model} · ")
        assert page.locator(".arc").count() == page.locator(".word").count() > 4
    word(page, 2).click()
    page.select_option("#edit-head", "1")
    wait_for_pin(page, 2)
    page.close()


def test_the_description_of_the_interface_works_offline_and_can_be_tried(open_page):
    page = open_page(text=None, path="/docs")
    page.wait_for_selector("[data-ready]")
    card = page.locator(".card", has_text="/v1/parse").first
    card.locator("button").click()
    page.wait_for_function("() => document.querySelector('pre:not([hidden])')?.textContent.startsWith('200')")
    assert '"forms"' in card.locator("pre").text_content()
    page = open_page(text=None, path="/docs", viewport={"width": 360, "height": 740}, is_mobile=True)
    page.wait_for_selector("[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth && innerWidth === 360")
