"""Words in the manner of jieba, over a segmenter whose answers are known."""

from types import SimpleNamespace

import pytest
from pretend import Pretend, PretendSegmenter, pretend_model

from plait import Sentence
from plait.errors import OptionError
from plait.pipeline import cutting
from plait.pipeline.cutting import CANDIDATES, MIN_PROBABILITY, Cutter, Pair
from plait.system.request import PLAIN


class Words(PretendSegmenter):
    """Cuts at blanks; of a word by itself it knows every cut into two, and every pair of characters."""

    def find_words(self, text, request=PLAIN):
        return self.segment(text, request)

    def likely_words(self, text, least):
        self.calls.append(("likely_words", text, least))
        spans = [(k, k + size, 0.5) for size in (2, 1) for k in range(len(text) + 1 - size)]
        return [(start, end, p) for start, end, p in spans if " " not in text[start:end]]

    def alternatives_of(self, text, count, request=PLAIN):
        self.calls.append(("alternatives_of", text, count))
        whole = Sentence([text])
        whole.offsets = [(0, len(text))]
        found = [[Sentence([text])], [whole]]
        for cut in range(1, len(text)):
            sentence = Sentence([text[:cut], text[cut:]])
            sentence.offsets = [(0, cut), (cut, len(text))]
            found.append([sentence])
        return found


@pytest.fixture
def cutter():
    mine = Cutter()
    words = Words(mark="M")
    words.segmenter = words
    mine.__dict__["pipeline"] = words
    return mine


def dictionary_of(cutter):
    return {word: entry.tag for word, entry in cutter.pipeline.calls[-1][-1].dictionary.entries.items()}


def test_words_that_were_added_stay_until_they_are_deleted(cutter):
    cutter.add_word("ab")
    cutter.add_word("cd", 5, "n")
    assert cutter.lcut("x y") == ["x", "y"]
    assert dictionary_of(cutter) == {"ab": "", "cd": "n"}
    cutter.add_word("ab", tag="v")
    cutter.add_word("cd", 0)
    cutter.lcut("x")
    assert dictionary_of(cutter) == {"ab": "v"}
    cutter.del_word("ab")
    cutter.del_word("never")
    cutter.lcut("x")
    assert dictionary_of(cutter) == {}


def test_words_of_one_call_come_after_those_that_stay(cutter):
    cutter.add_word("ab", tag="v")
    cutter.lcut("x", dictionary={"ab": "n", "ef": "m"})
    assert dictionary_of(cutter) == {"ab": "n", "ef": "m"}
    cutter.lcut("x")
    assert dictionary_of(cutter) == {"ab": "v"}


def test_the_dictionary_is_made_once_for_the_same_words(cutter, monkeypatch):
    made = []
    plain = cutting.UserDictionary
    monkeypatch.setattr(cutting, "UserDictionary", lambda entries: made.append(1) or plain(entries))
    cutter.lcut("x")
    cutter.lcut("y")
    assert len(made) == 1
    cutter.add_word("ab")
    cutter.lcut("x")
    cutter.del_word("ab")
    cutter.lcut("x")
    assert len(made) == 3


@pytest.mark.parametrize("freq", [-1, 2.5, True, False, "3"])
def test_a_count_is_none_or_a_number_from_0_on(cutter, freq):
    with pytest.raises(OptionError) as found:
        cutter.add_word("ab", freq)
    assert str(found.value) == f"the count of 'ab' is {freq!r}; expected a non-negative integer, or None"


def test_words_come_with_their_places(cutter):
    assert list(cutter.tokenize("ab c")) == [("ab", 0, 2), ("c", 3, 4)]
    assert list(cutter.cut("ab c")) == ["ab", "c"]
    with pytest.raises(OptionError) as found:
        list(cutter.tokenize("ab", "all"))
    assert str(found.value) == 'mode is "all"; expected default or search'


def test_an_index_gets_the_shorter_words_first(cutter):
    assert list(cutter.tokenize("你 我爱你们", "search")) == [
        ("你", 0, 1), ("我爱", 2, 4), ("我爱你", 2, 5), ("爱你们", 3, 6), ("你们", 4, 6), ("我爱你们", 2, 6),
    ]  # fmt: skip
    assert list(cutter.cut_for_search("我爱你")) == ["我爱", "爱你", "我爱你"]
    assert cutter.pipeline.calls[-1] == ("alternatives_of", "我爱你", CANDIDATES)
    assert cutter.lcut_for_search("我爱你") == ["我爱", "爱你", "我爱你"]
    assert list(cutter.cut_for_search("我爱")) == ["我爱"]
    assert list(cutter.cut_for_search("abcd")) == ["abcd"]
    cutter.cut_for_search("x", dictionary=["ab"]).__next__()
    assert dictionary_of(cutter) == {"ab": ""}


def test_full_mode_has_all_likely_words_and_characters_that_are_in_none(cutter):
    assert cutter.lcut("abc", True) == ["ab", "bc"]
    assert cutter.pipeline.calls[-1] == ("likely_words", "abc", MIN_PROBABILITY)
    assert cutter.lcut("a", cut_all=True) == ["a"]
    assert cutter.lcut("ab c d", cut_all=True) == ["ab", "c", "d"]
    cutter.add_word("abc")
    assert cutter.lcut("abc", cut_all=True, dictionary=["b"]) == ["ab", "abc", "bc"]
    assert list(cutter.cut("", cut_all=True)) == []


def test_parts_of_speech_are_those_of_the_dictionary_or_of_the_model(cutter):
    cutter.add_word("b", tag="n")
    cutter.add_word("c")
    assert list(cutter.posseg("a b c")) == [("a", "M"), ("b", "n"), ("c", "M")]
    assert list(cutter.posseg("a", dictionary={"a": "v"})) == [Pair("a", "v")]
    assert dictionary_of(cutter) == {"b": "n", "c": "", "a": "v"}
    assert str(Pair("a", "v")) == "a/v"


def test_a_cutter_needs_a_pipeline(monkeypatch):
    monkeypatch.setattr(cutting, "load", lambda name: pretend_model(Pretend()))
    for made, name in ((Cutter(), "zh"), (Cutter("mine"), "mine")):
        with pytest.raises(OptionError) as found:
            made.lcut("x")
        assert str(found.value) == f'model "{name}" is a pretend; expected a pipeline, such as zh'
    monkeypatch.setattr(cutting, "Pipeline", Pretend)
    loaded = []
    monkeypatch.setattr(cutting, "load", lambda name: loaded.append(name) or SimpleNamespace(system=Pretend()))
    mine = Cutter("mine")
    assert mine.pipeline is mine.pipeline
    assert loaded == ["mine"]


def test_a_file_of_words_is_added_line_by_line(cutter, tmp_path):
    (tmp_path / "u.txt").write_text("ab 3 n\ncd\nef v\nab 0\n")
    cutter.load_userdict(tmp_path / "u.txt")
    cutter.lcut("x")
    assert dictionary_of(cutter) == {"cd": "", "ef": "v"}
