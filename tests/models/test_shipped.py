"""The models that come with plait: found by name, small enough, quick to start, and good for what they are for."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import plait
from plait.cli.main import main
from plait.data.trees import is_tree
from plait.errors import ModelError, OptionError
from plait.models import choose_model, find_model, look_ahead, shipped
from plait.pipeline.shipped import describe_shipped

COLUMNS = {"en": ("sentences", "words", "lemmas", "upos", "xpos", "feats", "heads", "deprels"),
           "zh": ("sentences", "words", "upos", "heads", "deprels")}  # fmt: skip


def test_both_models_are_there_and_together_small():
    assert list(shipped()) == ["en", "zh"]
    assert sum(path.stat().st_size for path in shipped().values()) <= 36_000_000


@pytest.mark.parametrize("name", COLUMNS)
def test_a_model_tells_what_it_is(name):
    (told,) = (model for model in describe_shipped() if model.name == name)
    assert set(told.predicts) == set(COLUMNS[name])
    assert told.licence == "CC BY-SA 4.0"
    assert "Universal Dependencies" in told.attribution
    assert {"words", "sentences", "upos", "uas", "las"} <= set(told.scores)
    data = plait.load(name).header["data"]
    assert all(len(part["sha256"]) == 64 for part in data.values())


def test_english_text_becomes_words_tags_and_trees():
    text = "I don't like the old house. Mary's dog saw it!"
    document = plait.load("en")(text)
    assert [s.text for s in document] == ["I don't like the old house.", "Mary's dog saw it!"]
    assert document[0].forms == ["I", "do", "n't", "like", "the", "old", "house", "."]
    assert [(r.start, r.end, r.form) for r in document[0].ranges] == [(2, 3, "don't")]
    assert document[0].xpos[4:] == ["DT", "JJ", "NN", "."]
    assert document[0].deprels == ["nsubj", "aux", "advmod", "root", "det", "amod", "obj", "punct"]
    assert document[0].heads == [4, 4, 4, 0, 7, 7, 4, 4]
    assert document[1].forms[:3] == ["Mary", "'s", "dog"]


def test_english_abbreviations_and_addresses_seldom_end_a_sentence():
    lines = (Path(__file__).parent / "english_sentences.txt").read_text("utf-8").splitlines()
    cases = [line.split(" | ") for line in lines if not line.startswith("#")]
    segmenter = plait.load("en").system.segmenter
    right = [[s.text for s in segmenter.segment(" ".join(parts))] == parts for parts in cases]
    assert len(cases) == 32
    assert sum(right) >= 28


@pytest.mark.parametrize("text", ["他在北京工作。我们很高兴。", "他在北京工作。我們很高興。"])
def test_chinese_text_of_both_scripts(text):
    document = plait.load("zh")(text)
    assert len(document) == 2
    assert document[0].forms == ["他", "在", "北京", "工作", "。"]
    assert document[0].upos[0] == "PRON"
    assert document[0].heads[3] == 0
    assert document[0].deprels[0] == "nsubj"
    assert document[1].heads == [3, 3, 0, 3]
    assert all(is_tree(s.heads) for s in document)


def test_a_name_that_is_not_there_is_told_what_is(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match="shipped models: en, zh"):
        plait.load("klingon")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zh").write_bytes(b"not a model")
    assert plait.load("zh").system.name == "pipeline"
    assert find_model("./zh") == Path("zh")


@pytest.mark.parametrize(
    "text", ["犬が吠える。", "개가 짖는다.", "Собака лает.", "1000" * 1000 + " Собака", "كلب", "ｲﾇ"]
)
def test_text_of_other_scripts_has_no_default_model(text):
    with pytest.raises(OptionError, match="--model en, --model zh"):
        choose_model(text)


@pytest.mark.parametrize(
    "text", ["", " \n", "12345", "👍🏽", "...", "5 µ", "ｃａｆｅ", "№ 2ª", "1000" * 1000 + " dogs"]
)
def test_text_without_letters_or_in_latin_ones_of_any_kind_has_the_default_model(text):
    assert choose_model(text) == "en"


@pytest.mark.parametrize("target", ["conllu", "json", "tree", "svg", "html", "segmented", "text"])
@pytest.mark.parametrize("text", ["", "12345", "🙂", " \n "])
def test_text_without_letters_is_parsed(text, target, capsys):
    assert main(["parse", "--to", target, text]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert text.strip() in shown.out
    if not text.strip() and target not in ("svg", "html"):
        assert shown.out.strip() == ""


def test_a_long_beginning_without_letters_is_not_kept_in_memory():
    sample, items = look_ahead((str(n) for n in range(100_000)), str)
    assert len(sample) < 10_000
    assert sum(1 for _ in items) == 100_000


def test_the_model_is_chosen_by_the_text(capsys):
    assert main(["parse", "他在北京工作。"]) == 0
    assert "北京" in capsys.readouterr().out
    assert main(["parse", "--to", "segmented", "...", "She reads a book."]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("She_PRON reads_VERB")
    assert main(["parse", "犬が吠える。"]) == 2
    assert "no shipped model" in capsys.readouterr().err


def test_models_are_listed(capsys):
    assert main(["models"]) == 0
    shown = capsys.readouterr().out
    assert "CC BY-SA 4.0" in shown
    assert main(["models", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in told] == ["en", "zh"]
    for model in told:  # every score that a model has is shown
        assert all(f" {score:.2f}" in shown for score in model["scores"].values())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc to tell memory")
@pytest.mark.parametrize("name", COLUMNS)
def test_the_first_tree_comes_soon_and_in_little_memory(name):
    code = (
        "import sys; from pathlib import Path; from plait.cli.main import main; "
        f"main(['parse', '--model', {name!r}, '--output', sys.argv[1], 'Dogs bark. 狗叫。']); "
        "status = Path('/proc/self/status'); "
        "print(*[line.split()[1] for line in status.read_text().splitlines() if line.startswith('VmHWM')])"
    )
    resource = pytest.importorskip("resource")
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", code, f"{folder}/out.conllu"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert int(done.stdout) * 1024 < 200e6
    # processor time: the clock of a busy machine says nothing
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < (1.0 if os.environ.get("CI") else 0.8)


def test_jieba_like_functions():
    text = "他在北京工作。"
    assert plait.lcut(text) == list(plait.cut(text)) == ["他", "在", "北京", "工作", "。"]
    assert list(plait.tokenize("北京 工作")) == [("北京", 0, 2), ("工作", 3, 5)]
    assert plait.lcut("他在北京工作", dictionary=["京工"])[3] == "京工"
    assert list(plait.cut("")) == []
    found = list(plait.cut_for_search("中华人民共和国", dictionary=["中华人民共和国"]))
    assert found[-1] == "中华人民共和国"
    assert all(2 <= len(word) < 7 for word in found[:-1])
