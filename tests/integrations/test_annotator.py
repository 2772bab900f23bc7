"""The callable for batches: every kind of batch, every kind of output, faults, pickling."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plait
from plait.integrations import Annotator

TEXTS = ["Mary sees a book .", None, "Dogs bark .\nThe cat sleeps .", ""]


@pytest.fixture(scope="module")
def annotate(parser_file):
    return Annotator(parser_file)


@pytest.fixture(scope="module")
def expected(parser_file):
    nlp = plait.load(parser_file)
    return [None if text is None else marked(nlp(text)) for text in TEXTS]


def marked(document):
    comments = f"# generator = plait {plait.__version__}, model tiny.plait\n# plait_columns = upos head deprel\n"
    return comments + document.to_conllu() if len(document) else ""


def test_a_dict_of_lists_gets_a_column(annotate, expected):
    batch = {"id": [1, 2, 3, 4], "text": TEXTS}
    assert annotate(batch) == {**batch, "conllu": expected}
    assert "conllu" not in batch


def test_a_dict_of_arrays_stays_one(annotate, expected):
    found = annotate({"text": np.array(TEXTS, dtype=object)})
    assert isinstance(found["conllu"], np.ndarray)
    assert found["conllu"].tolist() == expected


def test_arrays_of_tokens_have_one_dimension(parser_file):
    found = Annotator(parser_file, output="tokens")({"text": np.array(["Dogs bark .", "Mary reads ."], dtype=object)})
    assert found["tokens"].shape == (2,)


def test_arrow_tables_and_record_batches_stay_what_they_are(annotate, expected):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'plait[arrow]'")
    table = pa.table({"text": pa.array(TEXTS, pa.large_string()), "id": [1, 2, 3, 4]})
    found = annotate(table)
    assert isinstance(found, pa.Table)
    assert found.column_names == ["text", "id", "conllu"]
    assert found["conllu"].to_pylist() == expected
    assert found.schema == annotate.arrow_schema(table.schema)
    batch = annotate(table.to_batches()[0])
    assert isinstance(batch, pa.RecordBatch)
    assert pa.Table.from_batches([batch]) == found
    assert annotate(table.slice(0, 0)).schema == found.schema


def test_tokens_are_records_with_one_type_everywhere(parser_file):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'plait[arrow]'")
    annotate = Annotator(parser_file, output="tokens", output_column="words")
    found = annotate(pa.table({"text": pa.array(TEXTS)}))
    assert found.schema == annotate(pa.table({"text": pa.array([None], pa.string())})).schema
    first, missing, two, empty = found["words"].to_pylist()
    assert (missing, empty) == (None, [])
    assert [(t["sentence"], t["id"], t["form"]) for t in two][2:4] == [(0, 3, "."), (1, 1, "The")]
    assert first[0] | {"score": 0} == {
        "sentence": 0, "id": 1, "form": "Mary", "lemma": None, "upos": "PROPN", "xpos": None, "feats": None,
        "head": 2, "deprel": "nsubj", "misc": None, "start": 0, "end": 4, "score": 0,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["object", "string", "str"])
def test_a_data_frame_keeps_index_and_type(annotate, expected, kind):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"text": pd.Series(TEXTS, dtype=kind).where(pd.notna(pd.Series(TEXTS)), None)})
    frame.index = [3, 1, 7, 5]
    found = annotate(frame)
    assert list(found.index) == [3, 1, 7, 5]
    assert list(frame.columns) == ["text"]
    assert found["conllu"].dtype == frame["text"].dtype
    assert [None if pd.isna(value) else value for value in found["conllu"]] == expected


def test_lists_of_words_are_taken_as_they_are(annotate, parser_file):
    words = ["Mary", "sees", "a", "book", "."]
    assert annotate({"text": [words, np.array(words)]})["conllu"] == [marked(plait.load(parser_file)(words))] * 2


@pytest.mark.parametrize("output", ["json", "segmented", "conllx", "lines"])
def test_every_format_can_be_the_output(parser_file, output):
    found = Annotator(parser_file, output=output)({"text": ["Dogs bark ."]})[output][0]
    assert "Dogs" in found
    if output == "json":
        assert plait.read(found.encode(), "json")[0].upos == ["NOUN", "VERB", "PUNCT"]


def test_threads_change_nothing(parser_file):
    texts = {"text": [f"Dogs bark {'. ' * (k % 5)}" for k in range(300)]}
    assert Annotator(parser_file, threads=3)(texts) == Annotator(parser_file)(texts)


@pytest.mark.parametrize(
    ("bad", "words"), [(7, "the text is 7"), ([1], "list of words"), ("a \ud800", "surrogate pair")]
)
@pytest.mark.parametrize("output", ["conllu", "tokens"])
def test_a_bad_row_is_reported_or_skipped(parser_file, bad, words, output):
    batch = {"text": ["Dogs bark .", bad, "Mary reads ."]}
    with pytest.raises(plait.DataError, match="row 2 of the batch: .*" + words):
        Annotator(parser_file, output=output)(batch)
    found = Annotator(parser_file, output=output, on_error="skip")(batch)
    assert [value is None for value in found[output]] == [False, True, False]
    assert [error is None for error in found["error"]] == [True, False, True]
    assert words in found["error"][1]


def test_a_fault_of_the_model_in_one_row_is_contained(parser_file, monkeypatch):
    model = plait.load(parser_file)
    annotate = Annotator(model, on_error="skip")
    monkeypatch.setattr(type(model), "__call__", lambda self, text, scores: 1 / 0)
    assert annotate({"text": ["x"]})["error"] == ["ZeroDivisionError: division by zero"]


def test_columns_must_be_there_and_free(annotate, parser_file):
    with pytest.raises(plait.DataError, match='no column "text"; it has body'):
        annotate({"body": []})
    with pytest.raises(plait.DataError, match='"conllu" already'):
        annotate({"text": ["a"], "conllu": ["b"]})
    with pytest.raises(plait.OptionError, match="different names"):
        Annotator(parser_file, output_column="text")
    with pytest.raises(plait.OptionError, match="cannot annotate a list"):
        annotate(["a"])


@pytest.mark.parametrize(
    ("options", "words"),
    [({"output": "conlu"}, "did you mean 'conllu'"), ({"on_error": "x"}, "'skip'"), ({"threads": 0}, "at least 1")],
)
def test_options_are_checked_when_it_is_made(parser_file, options, words):
    with pytest.raises(plait.OptionError, match=words):
        Annotator(parser_file, **options)


def test_scores_are_refused_at_once_by_a_model_that_has_none(parser_file, segmenter_file):
    with pytest.raises(plait.OptionError, match="scores"):
        Annotator(parser_file, scores=True)
    found = Annotator(segmenter_file, scores=True, output="tokens")({"text": ["Dogs bark."]})["tokens"][0]
    assert all(0 <= token["score"] <= 1 for token in found)
    rows = Annotator(segmenter_file, scores=True)({"text": ["Dogs bark."]})["conllu"][0].splitlines()
    notes = [line.rpartition("Score=")[2] for line in rows if line[:1].isdigit()]
    assert notes == [f"{token['score']:.4f}" for token in found]
    with pytest.raises(plait.OptionError, match="segmented cannot represent scores"):
        Annotator(segmenter_file, scores=True, output="segmented")


HOSTILE = st.text(st.characters(), max_size=40) | st.sampled_from(
    ["\0", "\ud83d", "\ufffd" * 9, "\u200b\u202e", "\U0001f469\u200d\U0001f467", "a\r\nb\x85c\u2028d", "x" * 9999]
)


@settings(deadline=None)
@given(texts=st.lists(HOSTILE, max_size=3))
def test_any_text_gives_a_readable_result_or_a_reason(segmenter_file, texts):
    found = Annotator(segmenter_file, on_error="skip")({"text": texts})
    for text, value, error in zip(texts, found["conllu"], found["error"], strict=True):
        assert (value is None) != (error is None)
        if value:
            assert "".join("".join(plait.read(value.encode(), "conllu").text.split())) == "".join(text.split())


def test_a_missing_model_is_reported_at_once():
    with pytest.raises(plait.ModelError, match="nowhere"):
        Annotator("nowhere.plait")


def test_a_pickle_holds_the_name_of_a_model_and_not_the_model(parser_file, monkeypatch, tmp_path):
    monkeypatch.chdir(parser_file.parent)
    annotate = Annotator(parser_file.name)
    content = pickle.dumps(annotate)
    assert len(content) < 1000
    monkeypatch.chdir(tmp_path)  # as a worker elsewhere
    twin = pickle.loads(content)
    assert twin({"text": TEXTS}) == annotate({"text": TEXTS})
    assert twin.digest == annotate.digest
    loaded = pickle.loads(pickle.dumps(Annotator(plait.load(parser_file))))
    found, expected = (a({"text": TEXTS})["conllu"] for a in (loaded, annotate))
    assert [text and text.replace("model easyfirst-joint", "model tiny.plait") for text in found] == expected
    assert loaded.digest == annotate.digest
