"""What users of jieba call: words added and taken away, dictionary files, parts of speech, full mode."""

from __future__ import annotations

import io
import threading

import pytest

import plait
import plait.posseg as pseg
from plait.errors import DataError, FormatError, OptionError
from plait.pipeline import cutting
from plait.pipeline.cutting import Cutter
from plait.pipeline.userdict import read_userdict


@pytest.fixture(scope="module")
def shared():
    return Cutter()


@pytest.fixture
def cutter(shared):
    yield shared
    for word in list(shared._words):
        shared.del_word(word)


def test_words_are_added_and_deleted(cutter):
    text = "他在北京工作"
    before = cutter.lcut(text)
    cutter.add_word("京工")
    assert "京工" in cutter.lcut(text)
    assert plait.lcut(text) == before  # another cutter
    cutter.add_word("京工", 0)
    assert cutter.lcut(text) == before
    cutter.add_word("京工", freq=20000, tag="nz")
    cutter.del_word("京工")
    cutter.del_word("京工")
    assert cutter.lcut(text) == before


def test_the_functions_of_the_module_share_their_words():
    text = "他在北京工作"
    try:
        plait.add_word("京工", tag="nz")
        assert "京工" in plait.lcut(text)
        assert ("京工", 3, 5) in list(plait.tokenize(text))
        assert ("京工", "nz") in pseg.lcut(text)
    finally:
        plait.del_word("京工")
    assert "京工" not in plait.lcut(text)
    assert next(pseg.cut("他")) == pseg.pair("他", "PRON")


def test_a_dictionary_of_one_call_adds_to_the_words(cutter):
    cutter.add_word("京工")
    found = cutter.lcut("我爱他在北京工作", dictionary=["爱他"])
    assert {"京工", "爱他"} <= set(found)
    assert "爱他" not in cutter.lcut("我爱他在北京工作")


@pytest.mark.parametrize("kind", ["path", "text", "bytes"])
def test_files_in_the_format_of_jieba(cutter, tmp_path, kind):
    content = "\ufeff云计算 5\r\n李小福 2 nr\n\neasy_install 3 eng\n韩玉赏鉴 nz\n八一双鹿\n北京 0\nNew York 7 PROPN\n"
    path = tmp_path / "user.txt"
    path.write_bytes(content.encode())
    source = {"path": path, "text": io.StringIO(content[1:]), "bytes": io.BytesIO(content.encode())}[kind]
    cutter.load_userdict(source)
    assert cutter.lcut("云计算和韩玉赏鉴") == ["云计算", "和", "韩玉赏鉴"]
    assert ("李小福", "nr") in list(cutter.posseg("李小福是谁"))
    assert set(cutter._words) == {"云计算", "李小福", "easy_install", "韩玉赏鉴", "八一双鹿", "New York"}
    assert cutter._words["New York"].tag == "PROPN"


@pytest.mark.parametrize(
    ("line", "words"), [("词 -3 n", "non-negative"), ("词 3.5", "non-negative"), ("词 1e5", "non-negative"),
                        ("我" * 300 + " 3", "256")],
)  # fmt: skip
def test_faults_name_file_and_line_and_nothing_is_added(cutter, tmp_path, line, words):
    path = tmp_path / "user.txt"
    path.write_text(f"好词\n\n{line}\n", "utf-8")
    with pytest.raises(FormatError, match=rf"user\.txt:3: .*{words}"):
        cutter.load_userdict(path)
    assert not cutter._words


def test_a_word_added_by_another_thread_meanwhile_is_not_lost(cutter, monkeypatch):
    made = cutting.UserDictionary
    adding = threading.Thread(target=cutter.add_word, args=("京工",))

    def make(entries):
        entries = list(entries)
        adding.start()
        adding.join(0.1)  # it may have to wait
        return made(entries)

    cutter.add_word("他在")
    monkeypatch.setattr(cutting, "UserDictionary", make)
    assert "他在" in cutter.lcut("他在北京工作")
    monkeypatch.undo()
    adding.join()
    assert {"他在", "京工"} <= set(cutter.lcut("他在北京工作"))


def test_files_that_are_not_there_or_not_text_are_explained(cutter, tmp_path):
    with pytest.raises(OptionError, match="check the path"):
        cutter.load_userdict(tmp_path / "none.txt")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="UTF-8"):
        cutter.load_userdict(tmp_path / "bad.txt")
    for freq in (-1, 2.5, True, "3"):
        with pytest.raises(OptionError, match="non-negative integer"):
            cutter.add_word("词", freq)
    with pytest.raises(OptionError, match="empty"):
        cutter.add_word(" ")
    for word in (None, 7, b"x"):
        with pytest.raises(OptionError, match="expected a str"):
            cutter.add_word(word)


@pytest.mark.parametrize("text", [None, 7, b"abc", ["abc"]])
def test_what_is_no_text_is_refused(cutter, text):
    calls = [cutter.cut, cutter.lcut, cutter.cut_for_search, cutter.tokenize, cutter.posseg, pseg.lcut]
    for call in calls:
        with pytest.raises(DataError, match=f"cannot segment {type(text).__name__}; expected a str"):
            list(call(text))
    with pytest.raises(DataError, match="expected a str"):
        cutter.lcut(text, cut_all=True)


def test_lines_are_read_as_jieba_reads_them():
    found = read_userdict(io.StringIO("创新办 3 i\n台中\nedu trust 2\n凱特琳 nz\n100 5 m\n"))
    assert [tuple(word) for word in found] == [
        ("创新办", 3, "i"), ("台中", None, None), ("edu trust", 2, None), ("凱特琳", None, "nz"), ("100", 5, "m"),
    ]  # fmt: skip


def test_full_mode_gives_every_likely_word(cutter):
    text = "我来到北京清华大学"
    found = cutter.lcut(text, cut_all=True)
    assert {"来到", "北京", "清华", "大学"} <= set(found)
    assert "清华大学" in cutter.lcut(text, cut_all=True, dictionary=["清华大学"])
    assert all(word in text for word in found)
    singles = [word for word in found if len(word) == 1]
    assert all(not any(single in word for word in found if len(word) > 1) for single in singles)
    covered = {place for word in found for place in range(text.index(word), text.index(word) + len(word))}
    assert covered == set(range(len(text)))
    assert cutter.lcut("", cut_all=True) == []


def test_search_mode_and_what_jieba_also_takes(cutter):
    text = "中华人民共和国"
    cutter.add_word(text)
    places = list(cutter.tokenize(text, mode="search"))
    assert places[-1] == (text, 0, 7)
    assert all(text[a:b] == word for word, a, b in places)
    assert [word for word, _, _ in places] == list(cutter.cut_for_search(text, HMM=False))
    assert cutter.lcut("他在北京", HMM=False) == cutter.lcut("他在北京")
    with pytest.raises(OptionError, match="default or search"):
        list(cutter.tokenize(text, mode="all"))
