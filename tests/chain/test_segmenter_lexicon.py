"""A segmenter with a lexicon: it cuts words it has never seen, is stored with it, and refuses a file that lost it."""

import numpy as np
import pytest

import plait
from plait import Sentence
from plait.errors import FormatError, ModelError, OptionError
from plait.system.modelfile import model_bytes, parse_model

LISTED = ["中国", "大学生", "人民", "电影院", "老师", "出租车", "图书馆", "今天", "计算机"]
SEEN = LISTED[:6]


def sentences(words: list[str]) -> list[Sentence]:
    return [Sentence([a, b, "的", c]) for a in words for b in words for c in words[:3] if a != b]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    path = tmp_path_factory.mktemp("lexicon") / "words.txt"
    path.write_text("# source: ours\n# licence: CC0\n" + "".join(f"{word} 5 n\n" for word in LISTED), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def model(files):
    return plait.train("crf-segmenter", train=sentences(SEEN), structure="linear", epochs=30, lexicon=files)


def test_words_of_the_lexicon_are_found_that_were_never_seen(model):
    without = plait.train("crf-segmenter", train=sentences(SEEN), structure="linear", epochs=30)
    text = "今天图书馆的计算机"
    assert [t.form for t in model(text)[0]] == ["今天", "图书馆", "的", "计算机"]
    assert [t.form for t in without(text)[0]] != ["今天", "图书馆", "的", "计算机"]


def test_the_model_keeps_it_and_says_where_it_is_from(model):
    again = plait.Model.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert [t.form for t in again("今天图书馆的计算机")[0]] == ["今天", "图书馆", "的", "计算机"]
    (source,) = again.system.resources.lexicon.sources
    assert (source.name, source.licence, source.entries) == ("ours", "CC0", len(LISTED))


def test_a_file_that_lost_its_lexicon_is_refused(model):
    header, arrays = parse_model(model.to_bytes(), "m")
    header = {key: value for key, value in header.items() if key not in ("format", "plait", "lexicon")}
    with pytest.raises(ModelError, match="lexicon"):
        plait.Model.from_bytes(model_bytes(header, {name: np.array(a) for name, a in arrays.items()}))


def test_templates_that_look_at_a_lexicon_need_one(tmp_path):
    (tmp_path / "t.txt").write_text("set mine\n    c0 y0 | lexb y0\n")
    with pytest.raises(OptionError, match="--lexicon"):
        plait.train("crf-segmenter", train=sentences(SEEN), structure="linear", templates=str(tmp_path / "t.txt"))


def test_a_bad_lexicon_is_reported_before_training(tmp_path):
    (tmp_path / "bad.txt").write_text("a 1 n x y\n")
    with pytest.raises(FormatError, match=r"bad\.txt:1"):
        plait.train("crf-segmenter", train=sentences(SEEN), structure="linear", lexicon=str(tmp_path / "bad.txt"))
