"""The pieces of model files: names, tags and labels of untrusted headers, and files that are read in pieces."""

import io
from pathlib import Path

import numpy as np
import pytest

from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.errors import DataError, ModelError
from plait.system import modelparts
from plait.system.modelfile import model_bytes, open_model
from plait.system.modelparts import (
    affix_arrays,
    check_tags,
    drop_shared_clusters,
    open_labels,
    open_names,
    open_tags,
    read_tagset,
    under,
    with_shared_clusters,
)  # fmt: skip

UPOS, BOTH = TagColumns("upos"), TagColumns("upos+feats")


@pytest.mark.parametrize("names", [("a", "b"), "ab", {"a": 1}, None, 3, ["a", 1], ["a", None], [["a"]]])
def test_names_that_are_not_a_list_of_strings_are_refused(names):
    with pytest.raises(ValueError, match=r"^tags that are not a list of strings$"):
        open_names(names, "tags")


def test_names_are_different_and_few_enough_to_be_numbered(monkeypatch):
    monkeypatch.setattr(modelparts, "MAX_TAGS", 3)
    names = ["a", "b", "c"]
    assert open_names(names, "types") == names
    assert open_names(names, "types") is not names
    assert open_names([], "types") == []
    for wrong in (["a", "b", "a"], ["a", "b", "c", "d"]):
        with pytest.raises(ValueError, match=r"^too many types, or duplicates$"):
            open_names(wrong, "types")


def test_a_label_is_a_number_of_16_bits():
    assert modelparts.MAX_TAGS < 1 << 16


@pytest.mark.parametrize("label", ["", "a\tb", "a\nb", "a\rb", "a\0b"])
def test_labels_that_no_file_could_hold_are_refused(label):
    with pytest.raises(ValueError, match="cannot be the label of an arc"):
        open_labels(["nsubj", label])
    assert open_labels(["nsubj", "flat name"]) == ["nsubj", "flat name"]


@pytest.mark.parametrize(
    ("columns", "tag"),
    [(UPOS, ""), (UPOS, "A\tB"), (UPOS, "A\n"), (UPOS, "A\0"), (UPOS, "A\r"), (UPOS, "\ud800"), (UPOS, "A\udfff"),
     (BOTH, "NOUN"), (BOTH, "NOUN\t"), (BOTH, "\tX=1"), (BOTH, "NOUN\tX=1\tY=1")],
)  # fmt: skip
def test_tags_that_no_file_could_hold_are_refused(columns, tag):
    with pytest.raises(DataError, match=f'cannot be a "{columns.spec}" tag'.replace("+", r"\+")):
        check_tags([tag], columns)
    with pytest.raises(ValueError, match="expected text without tabs and line breaks"):
        open_tags([tag], columns)


def test_tags_may_contain_blanks():
    check_tags(["A B", " "], UPOS)
    check_tags(["A B\tX Y"], BOTH)


def test_tags_of_a_file_are_at_least_one():
    assert open_tags(["NOUN", "VERB"], UPOS) == ["NOUN", "VERB"]
    assert open_tags(["NOUN\t_"], BOTH) == ["NOUN\t_"]
    with pytest.raises(ValueError, match=r"^no tags$"):
        open_tags([], UPOS)


def test_the_tagset_is_sorted_and_has_a_limit(monkeypatch):
    data = [Sentence(["a", "b"], upos=["B", "A"]), Sentence(["c"], upos=["C"]), Sentence([])]
    assert read_tagset(data, UPOS) == ["A", "B", "C"]
    monkeypatch.setattr(modelparts, "MAX_TAGS", 3)
    assert read_tagset(data, UPOS) == ["A", "B", "C"]
    monkeypatch.setattr(modelparts, "MAX_TAGS", 2)
    with pytest.raises(DataError, match='"upos" has 3 different tags; expected at most 2'):
        read_tagset(data, UPOS)


def test_data_without_tags_is_refused_by_name():
    tagged, bare = [Sentence(["a"], upos=["A"])], [Sentence(["a"]), Sentence(["b"])]
    with pytest.raises(DataError, match=r'the training data has no "upos" tags .2 sentences, all "_".; choose another'):
        read_tagset(bare, UPOS)
    with pytest.raises(DataError, match='the development set has no "upos" tags'):
        read_tagset(tagged, UPOS, bare)
    with pytest.raises(DataError, match="1 word has no UPOS in the training data, first in sentence"):
        read_tagset([Sentence(["a", "b"], upos=["A", "_"])], UPOS)
    feats = TagColumns("feats")
    assert read_tagset([Sentence(["a", "b"], feats=["X=1", "_"])], feats) == ["X=1", "_"]
    assert read_tagset(tagged, UPOS, []) == ["A"]


def test_the_first_sentence_with_untagged_words_is_named():
    whole = Sentence(["a"], upos=["X"])
    part, named = (Sentence(["b", "c"], upos=["X", "_"]) for _ in range(2))
    named.comments = ["# sent_id = weblog-12"]
    columns = TagColumns("upos")
    with pytest.raises(DataError, match='2 words have no UPOS in the training data, first in sentence "b c"; tag them'):
        read_tagset([whole, part, named], columns)
    with pytest.raises(DataError, match='1 word has no UPOS in the development set, first in sentence "weblog-12"'):
        read_tagset([whole], columns, [whole, named])


def test_clusters_that_a_model_shares_with_the_one_inside_it_are_stored_once():
    arrays = {name: np.zeros(1) for name in ("clusters.a", "guide.clusters.a", "guide.rows", "rows")}
    stored = drop_shared_clusters("guide", arrays)
    assert sorted(stored) == ["clusters.a", "guide.rows", "rows"]
    assert sorted(with_shared_clusters("guide", stored)) == sorted(arrays)
    assert sorted(under("guide.", arrays)) == ["clusters.a", "rows"]
    assert affix_arrays(()) == {}


class Trickle(io.RawIOBase):
    """A file that gives a few bytes at a time, as pipes and network drives do."""

    def __init__(self, file: io.RawIOBase) -> None:
        self.file = file

    def fileno(self) -> int:
        return self.file.fileno()

    def read(self, size: int = -1) -> bytes:
        return self.file.read(size)

    def seek(self, place: int, whence: int = 0) -> int:
        return self.file.seek(place, whence)

    def readinto(self, buffer: memoryview) -> int:
        return self.file.readinto(buffer[:7])

    def close(self) -> None:
        self.file.close()
        super().close()


def test_a_model_that_is_read_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.plait"
    path.write_bytes(model_bytes({"system": "x"}, {"w": np.arange(50, dtype=np.int32)}))
    plain = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *a, **k: Trickle(plain(self, *a, **k)))
    header, arrays = open_model(path)
    assert header["system"] == "x"
    assert arrays["w"].tolist() == list(range(50))


def test_a_model_that_is_cut_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "m.plait"
    path.write_bytes(model_bytes({"system": "x"}, {"w": np.arange(50, dtype=np.int32)}))
    plain, left = Path.open, [200]

    class Cut(Trickle):
        def readinto(self, buffer: memoryview) -> int:
            count = self.file.readinto(buffer[: left[0]])
            left[0] -= count
            return count

    monkeypatch.setattr(Path, "open", lambda self, *a, **k: Cut(plain(self, *a, **k)))
    with pytest.raises(ModelError):
        open_model(path)
