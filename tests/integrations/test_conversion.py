"""Documents as dicts, JSON, tables, displaCy's records and spaCy's Docs; packages that are missing are asked for."""

import json
import sys

import pytest

from plait import DataError, Document, OptionError, Sentence, read
from plait.data.document import Range
from plait.integrations.conversion import TOKEN_COLUMNS, to_arrow, token_columns


def french():
    s = Sentence(
        ["Il", "vient", "de", "le", "port", "."],
        lemmas=["il", "venir", "de", "le", "port", "."],
        upos=["PRON", "VERB", "ADP", "DET", "NOUN", "PUNCT"],
        heads=[2, 0, 5, 5, 2, 2],
        deprels=["nsubj", "root", "case", "det", "obl", "punct"],
        feats=["Person=3", "_", "_", "Definite=Def", "_", "_"],
        misc=["_", "_", "_", "_", "SpaceAfter=No", "_"],
        ranges=[Range(3, 4, "du")],
        comments=["# sent_id = fr-1"],
    )
    s.offsets = [(0, 2), (3, 8), (9, 11), (9, 11), (12, 16), (16, 17)]
    s.scores = [0.5] * 6
    return s


def test_dict_and_json_bring_everything_back():
    document = Document([french(), Sentence(["Oui"])], text="Il vient du port. Oui", name="d")
    for back in (Document.from_dict(document.to_dict()), Document.from_json(document.to_json(indent=1))):
        assert back == document
        assert (back.text, back.name) == (document.text, "d")
        assert back[0].offsets == document[0].offsets
        assert back[0].scores == document[0].scores
    assert Sentence.from_json(french().to_json()) == french()
    assert json.loads(Sentence(["北"]).to_json())["forms"] == ["北"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a document"),
        ('{"sentences": {}}', "not a document"),
        ('{"sentences": [], "name": 3}', "name is not a string"),
        ('{"sentences": [{"forms": ["a"]}, 5]}', "sentence 1: not an object with forms"),
        ('{"sentences": [{"forms": ["a"], "heads": [7]}]}', "sentence 0: heads are not a tree"),
        ('{"sentences": [{"forms": ["a"], "offsets": [[0]]}]}', "offsets"),
        ('{"sentences": [{"forms": ["a"], "offsets": [[0, 1], [1, 2]]}]}', "offsets"),
        ('{"sentences": [{"forms": ["a"], "scores": "x"}]}', "scores"),
        ('{"sentences": [{"forms": ["a"], "score": [1]}]}', "score is not a number"),
        ('{"sentences": [{"forms": ["a"], "ranges": 5}]}', "ranges is not a list"),
        ('{"sentences": [{"forms": ["\\ud800"]}]}', "surrogate pair"),
    ],
)
def test_wrong_json_is_reported(text, words):
    with pytest.raises(DataError, match=words):
        Document.from_json(text)


def test_columns_have_a_row_for_each_word():
    columns = token_columns([Document([french()], name="a"), Document([Sentence(["x"])])])
    assert list(columns) == list(TOKEN_COLUMNS)
    assert {len(column) for column in columns.values()} == {7}
    assert columns["multiword"] == [None, None, "du", "du", None, None, None]
    assert columns["doc"] == ["a"] * 6 + [None]
    assert columns["head"] == [2, 0, 5, 5, 2, 2, None]
    assert columns["start"][:3] == [0, 3, 9]


def test_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; pip install plait[tables]")
    frame = Document([french(), Sentence(["x"])]).to_pandas()
    assert list(frame.columns) == list(TOKEN_COLUMNS)
    assert frame["head"].tolist()[:2] == [2, 0]
    assert frame["head"].isna().tolist() == [False] * 6 + [True]
    assert str(frame["head"].dtype) == "Int64"
    assert french().to_pandas()["deprel"].value_counts()["case"] == 1
    assert len(Document([]).to_pandas()) == 0
    assert isinstance(frame, pandas.DataFrame)


def test_arrow(tiny_file):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed; pip install plait[tables]")
    table = read(tiny_file).to_arrow()
    assert table.num_rows == read(tiny_file).token_count
    assert table.column("form")[0].as_py() == "Dogs"
    assert table.schema.field("head").type == arrow.int64()
    assert to_arrow([]).num_rows == 0
    assert to_arrow([Document([french()])]).schema == table.schema  # whatever is given or not


def test_displacy_records():
    record = french().to_displacy()
    assert [w["text"] for w in record["words"]] == french().forms
    assert record["arcs"][0] == {"start": 0, "end": 1, "label": "nsubj", "dir": "left"}
    assert len(record["arcs"]) == 5
    assert Document([french()]).to_displacy() == [record]
    assert Sentence(["a"]).to_displacy()["arcs"] == []


@pytest.fixture
def spacy():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *a, **k: None)  # those of other packages, at import
        return pytest.importorskip("spacy", reason="spaCy is not installed; pip install plait[spacy]")


def test_spacy(spacy, tiny_file):
    doc = Document([french(), Sentence(["Oui"], heads=[0], deprels=["root"])]).to_spacy()
    assert [t.text for t in doc] == [*french().forms, "Oui"]
    assert doc.text == "Il vient dele port. Oui "
    assert [t.head.i for t in doc] == [1, 1, 4, 4, 1, 1, 6]
    assert [t.dep_ for t in doc] == ["nsubj", "ROOT", "case", "det", "obl", "punct", "ROOT"]
    assert [t.pos_ for t in doc][:2] == ["PRON", "VERB"]
    assert str(doc[0].morph) == "Person=3"
    assert doc[1].lemma_ == "venir"
    assert [len(s) for s in doc.sents] == [6, 1]
    assert len(list(read(tiny_file).to_spacy(spacy.blank("en").vocab).sents)) == len(read(tiny_file))


def test_spacy_without_trees_and_with_tags_of_its_own(spacy):
    doc = Document([Sentence(["a", "b"], upos=["NN", "VB"]), Sentence(["c"])]).to_spacy()
    assert [t.tag_ for t in doc] == ["NN", "VB", ""]
    assert [t.pos_ for t in doc] == ["", "", ""]
    assert [len(s) for s in doc.sents] == [2, 1]
    mixed = Document([Sentence(["a", "b", "c"], heads=[2, 0, -1]), french()]).to_spacy()
    assert [len(s) for s in mixed.sents] == [3, 6]
    assert len(Document([]).to_spacy()) == 0


def test_displacy_draws_what_it_is_given(spacy):
    from spacy import displacy

    assert "nsubj" in displacy.render(french().to_displacy(), style="dep", manual=True, jupyter=False)


@pytest.mark.parametrize(("method", "package", "extra"), [
    ("to_pandas", "pandas", "tables"), ("to_arrow", "pyarrow", "tables"), ("to_spacy", "spacy.tokens", "spacy"),
])  # fmt: skip
def test_a_missing_package_is_named_with_the_command_that_brings_it(method, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OptionError, match=rf"pip install plait\[{extra}\]"):
        getattr(french(), method)()
