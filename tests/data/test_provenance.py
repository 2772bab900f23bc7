"""Comments that say which model found which columns: written once, replaced, merged and read back."""

import pytest

import plait
from plait import Document, Sentence
from plait.data.provenance import Origin, marked, predicted_columns

VERSION = f"# generator = plait {plait.__version__}, model "


def mark(sentences, model="en", columns=("upos",)):
    return list(marked(sentences, lambda: Origin(model, frozenset(columns))))


def test_the_first_sentence_names_the_origin_and_all_else_is_kept():
    first, second = mark([Sentence(["a"], comments=["# sent_id = 1", "# note"]), Sentence(["b"], comments=["# plait"])])
    assert first.comments == [VERSION + "en", "# plait_columns = upos", "# sent_id = 1", "# note"]
    assert second.comments == ["# plait"]


def test_columns_stand_in_the_order_of_the_file():
    columns = ("deprels", "heads", "xpos", "forms", "sentences", "chunk", "feats", "lemmas", "upos")
    told = mark([Sentence(["a"])], columns=columns)[0].comment("plait_columns")
    assert told == "sentences words lemma upos xpos feats head deprel chunk"
    assert predicted_columns(Document(mark([Sentence(["a"])], columns=columns))) == set(columns)


def test_an_earlier_origin_is_replaced():
    once = mark([Sentence(["a"]), Sentence(["b"])])
    again = mark([*once, *mark([Sentence(["c"])])])  # two outputs in one file
    assert again[0].comments == [VERSION + "en", "# plait_columns = upos"]
    assert [s.comments for s in again[1:]] == [[], []]
    foreign = mark([Sentence(["a"], comments=["#generator=UDPipe 2"]), Sentence(["b"], comments=["# generator = x"])])
    assert foreign[0].comments == [VERSION + "en", "# plait_columns = upos"]
    assert foreign[1].comments == ["# generator = x"]  # not ours, and not said of this output


def test_columns_of_earlier_models_keep_their_name():
    sentences = mark([Sentence(["a"])], "a.plait", ["upos", "xpos"])
    sentences = mark(sentences, "b; c", ["heads", "xpos"])
    assert sentences[0].comments[1] == "# plait_columns = xpos head; upos from a.plait"
    sentences = mark(sentences, "d.plait", ["deprels"])
    assert sentences[0].comments[1] == "# plait_columns = deprel; xpos head from b, c; upos from a.plait"
    assert predicted_columns(Document(sentences)) == {"upos", "xpos", "heads", "deprels"}
    assert mark(sentences, "d.plait", ["deprels"])[0].comments == sentences[0].comments


@pytest.mark.parametrize(
    ("comments", "columns"),
    [
        ([], None),
        (["# generator = UDPipe 2"], None),
        (["# plait_columns = none"], set()),
        (["# plait_columns ="], set()),
        (["# plait_columns = head colour"], {"heads"}),
    ],
)
def test_comments_are_read(comments, columns):
    assert predicted_columns(Document([Sentence(["a"], comments=comments)])) == columns


def test_an_empty_document_tells_nothing():
    assert predicted_columns(Document()) is None
    assert mark([]) == []


def test_names_of_models_cannot_break_the_file():
    sentence = mark([Sentence(["a"], heads=[0], deprels=["root"])], "a\nb\tc")[0]
    assert plait.read(sentence.to_conllu().encode(), "conllu")[0].comments == sentence.comments
