"""``plait evaluate --report``: one page, whole or not at all, with everything that the command prints."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest
from evaluation_treebank import TREEBANK, damage, parse, spell

import plait
from plait.cli.main import main
from plait.evaluation.charts import bar_chart, interval_chart


@pytest.fixture
def files(tmp_path: Path) -> Path:
    gold = parse(TREEBANK)
    (tmp_path / "gold.conllu").write_text(TREEBANK, encoding="utf-8")
    (tmp_path / "tags.conllu").write_text(TREEBANK.replace("\tNOUN\t", "\tVERB\t"), encoding="utf-8")
    (tmp_path / "labels.conllu").write_text(TREEBANK.replace("\tobj\t", "\tobl\t"), encoding="utf-8")
    (tmp_path / "raw.conllu").write_text(spell(damage(gold, Random(2), 0.3)), encoding="utf-8")
    return tmp_path


def report(files: Path, *arguments: object) -> str:
    target = files / "report.html"
    assert main(["evaluate", str(files / "gold.conllu"), *map(str, arguments), "--report", str(target)]) == 0
    return target.read_text(encoding="utf-8")


class Balance(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(page: str) -> None:
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert not re.findall(r"(?:src|href)=\"(?!#)|url\(|@import|<script", page)
    for svg in re.findall(r"<svg.*?</svg>", page, re.S):
        ET.fromstring(svg)


def test_one_system(files: Path) -> None:
    page = report(files, files / "labels.conllu")
    check(page)
    for part in ("labels.conllu", "UPOS", "100.00", "Attachment by arc length", "By tag", "obj → obl", "Sentences"):
        assert part in page
    assert "A − B" not in page
    assert page == report(files, files / "labels.conllu")


def test_two_systems_with_significance(files: Path) -> None:
    page = report(files, files / "labels.conllu", "--against", files / "tags.conllu", "--by", "label")
    check(page)
    for part in ("p McNemar", "p bootstrap", "95 %", "NOUN → VERB", "tags.conllu", "By label", "F1 A"):
        assert part in page
    assert "By tag" not in page  # --by chooses


def test_different_words_bring_the_table_of_the_shared_task(files: Path) -> None:
    page = report(files, files / "raw.conllu")
    check(page)
    assert "CoNLL 2018" in page
    assert "<h2>Sentences</h2>" not in page  # trees over other words cannot be held side by side


def test_names_and_words_are_text(files: Path) -> None:
    odd = files / "<b>&.conllu"
    odd.write_text(TREEBANK.replace("\tobj\t", "\t<i>\t"), encoding="utf-8")
    page = report(files, odd)
    check(page)
    assert "<b>" not in page
    assert "<i>" not in page


def test_a_page_that_cannot_be_written_is_one_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [files / "gold.conllu", files / "tags.conllu", "--report", files / "none" / "r.html"]
    assert main(["evaluate", *map(str, arguments)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_charts_of_nothing_and_of_extremes_are_drawn() -> None:
    assert "bar" not in bar_chart("t", [], [[]], ["A"])
    escaped = ET.fromstring(bar_chart("<t>", ["&"], [[0.0]], ["A"]))
    assert escaped.get("aria-label") == "<t>"
    chart = interval_chart("t", ["x", "y"], [(1.0, 0.5, 1.5), (-0.2, -1.0, 0.6)], ("B", "A"))
    ET.fromstring(chart)
    assert chart.count(" sure") == 1  # the interval that leaves zero out
    assert 'style="left:66.7%;width:33.3%"' in chart
    assert 'style="left:83.3%"' in chart


def test_labels_stand_in_full_whatever_their_length() -> None:
    long = "a_label_of_more_than_forty_letters_that_nobody_would_use"
    assert long in bar_chart("t", [long], [[1.0]], ["A"])


def test_the_page_says_what_made_it(files: Path) -> None:
    made = files / "made.conllu"
    made.write_text("# generator = plait 9.9, model en\n" + TREEBANK, encoding="utf-8")
    page = report(files, made, "--no-punct")
    assert "made by plait 9.9, model en" in page
    assert f"plait {plait.__version__}" in page
    command = f"plait evaluate {files / 'gold.conllu'} {made} --no-punct --report {files / 'report.html'}"
    assert f"<code>{command}</code>" in page
