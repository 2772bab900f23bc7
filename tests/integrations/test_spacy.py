"""plait as a component and as a tokenizer of the real spaCy."""

import pickle

import pytest

import plait
from plait.data.document import Range, Sentence

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'plait[spacy]'")

from spacy.tokens import Doc  # noqa: E402

from plait.integrations.spacy import _spans  # noqa: E402

RAW = "Mary sees a book. Dogs bark."


@pytest.fixture
def nlp(parser_file):
    nlp = spacy.blank("en")
    nlp.add_pipe("plait", config={"model": str(parser_file)})
    return nlp


@pytest.fixture
def raw_nlp(parser_file, segmenter_file):
    tokenizer = {"@tokenizers": "plait.Tokenizer.v1", "model": str(segmenter_file)}
    nlp = spacy.blank("xx", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("plait", config={"model": str(parser_file)})
    return nlp


def shown(doc):
    return [(t.text, t.pos_, t.dep_, t.head.i) for t in doc]


def test_the_component_sets_what_the_model_itself_finds(nlp, parser_file):
    doc = nlp("Mary sees a book.")
    sentence = plait.load(parser_file)(["Mary", "sees", "a", "book", "."])[0]
    assert [t.pos_ for t in doc] == sentence.upos
    assert [t.head.i + 1 if t.head.i != t.i else 0 for t in doc] == sentence.heads
    assert [t.dep_ for t in doc] == [{"root": "ROOT"}.get(label, label) for label in sentence.deprels]
    assert [t.text for t in doc[1].lefts] == ["Mary"]
    assert doc.has_annotation("DEP")
    assert doc.has_annotation("SENT_START")


def test_lines_are_sentences_for_a_model_that_does_not_split(nlp):
    doc = nlp("Mary sees a book.\nDogs bark.")
    assert [s.text.strip() for s in doc.sents] == ["Mary sees a book.", "Dogs bark."]
    assert len(list(nlp(RAW).sents)) == 1


def test_sentence_starts_that_are_set_are_kept(nlp):
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp(RAW)
    assert [s.text for s in doc.sents] == ["Mary sees a book.", "Dogs bark."]
    assert [t.text for t in doc if t.dep_ == "ROOT"] == ["sees", "bark"]
    assert all(t.head.sent.start == t.sent.start for t in doc)


def test_white_space_hangs_on_its_neighbour_and_is_no_word(nlp):
    doc = nlp("  Mary   sees a book. \n\n \n Dogs bark.\n")
    spaces = [t for t in doc if t.is_space]
    assert len(spaces) > 3
    assert {t.pos_ for t in spaces} == {"SPACE"}
    assert {t.dep_ for t in spaces} == {"dep"}
    assert all(t.head.sent.start == t.sent.start and not t.head.is_space for t in spaces)
    words = [(t.text, t.pos_, t.dep_) for t in doc if not t.is_space]
    assert words == [(t.text, t.pos_, t.dep_) for t in nlp("Mary sees a book.\nDogs bark.") if not t.is_space]


@pytest.mark.parametrize("text", ["", " ", "\n \n"])
def test_a_text_without_words_passes(nlp, raw_nlp, text):
    for each in (nlp, raw_nlp):
        assert each(text).text == text


def test_given_white_space_sentences_are_left_alone(nlp):
    words = ["Dogs", "bark", "\n", "\n\n", "Mary", "reads"]
    doc = Doc(nlp.vocab, words=words, sent_starts=[True, False, True, False, True, False])
    doc = nlp.get_pipe("plait")(doc)
    assert [s.start for s in doc.sents] == [0, 2, 4]
    assert [t.dep_ for t in doc][2] == "ROOT"


def test_pipe_gives_what_single_calls_give(nlp):
    texts = ["Mary sees a book.", "", "Dogs bark."] * 5
    assert [shown(d) for d in nlp.pipe(texts)] == [shown(nlp(t)) for t in texts]
    assert [shown(d) for d in nlp.pipe(texts, n_process=2)] == [shown(nlp(t)) for t in texts]


def test_a_pipeline_is_saved_with_its_model(raw_nlp, tmp_path, parser_file):
    expected = shown(raw_nlp(RAW))
    raw_nlp.config["components"]["plait"]["model"] = "/gone/away.plait"  # as on another machine
    raw_nlp.config["nlp"]["tokenizer"]["model"] = "/gone/away.plait"
    raw_nlp.to_disk(tmp_path / "saved")
    assert shown(spacy.load(tmp_path / "saved")(RAW)) == expected
    assert shown(pickle.loads(pickle.dumps(raw_nlp))(RAW)) == expected
    twin = spacy.blank("xx", config={"nlp": {"tokenizer": raw_nlp.config["nlp"]["tokenizer"]}})
    twin.add_pipe("plait", config={"model": "/gone/away.plait"})
    assert shown(twin.from_bytes(raw_nlp.to_bytes())(RAW)) == expected


def test_a_model_that_cannot_be_opened_is_reported_at_first_use():
    nlp = spacy.blank("en")
    nlp.add_pipe("plait", config={"model": "nowhere.plait"})
    with pytest.raises(plait.ModelError, match="nowhere"):
        nlp("Dogs bark.")


def test_a_tagger_sets_tags_alone(tiny_file, tmp_path):
    model = tmp_path / "tagger.plait"
    plait.train("perceptron-tagger", train=tiny_file, epochs=4).save(model)
    nlp = spacy.blank("en")
    nlp.add_pipe("plait", config={"model": str(model)})
    doc = nlp("Dogs bark.")
    assert [t.pos_ for t in doc] == ["NOUN", "VERB", "PUNCT"]
    assert not doc.has_annotation("DEP")
    assert not doc.has_annotation("SENT_START")


def test_treebank_tags_and_features_have_their_places(tmp_path):
    data = [Sentence(["dogs", "bark"], upos=["NN", "VERB"], xpos=["NNS", "VBP"], feats=["Number=Plur", "_"])] * 2
    nlp = spacy.blank("en")
    for tag in ("upos", "xpos", "feats"):
        plait.train("perceptron-tagger", train=data, epochs=2, tag=tag).save(tmp_path / f"{tag}.plait")
        nlp.add_pipe("plait", name=tag, config={"model": str(tmp_path / f"{tag}.plait")})
    doc = nlp("dogs bark")
    assert [t.tag_ for t in doc] == ["NNS", "VBP"]
    assert [t.pos_ for t in doc] == ["X", "VERB"]  # NN is not a universal tag
    assert [str(t.morph) for t in doc] == ["Number=Plur", ""]


@pytest.mark.parametrize(
    "text", [RAW, "  " + RAW + "  \n\n我看书。 ", "我看书。\n", "\t狗\u3000叫 。", "a\u200bb 👩‍👩‍👧 \ufffd"]
)
def test_the_tokenizer_keeps_every_character(raw_nlp, segmenter_file, text):
    doc = raw_nlp(text)
    assert doc.text == text
    analysed = plait.load(segmenter_file)(text)
    places = [(t.start, t.end) for s in analysed for t in s]
    assert [(t.idx, t.idx + len(t)) for t in doc if not t.is_space] == places
    assert len(list(doc.sents)) == len(analysed)


def test_words_of_a_multiword_token_are_tokens_only_where_they_spell_the_text():
    text = "don't du"
    sentence = Sentence(["do", "n't", "de", "le"], ranges=[Range(1, 2, "don't"), Range(3, 4, "du")])
    sentence.offsets = [(0, 5), (0, 5), (6, 8), (6, 8)]
    assert list(_spans([sentence], text)) == [(0, 2, True), (2, 5, False), (6, 8, False)]


def test_a_segmenting_model_finds_the_sentences_of_spacys_words(segmenter_file):
    nlp = spacy.blank("en")
    nlp.add_pipe("plait", config={"model": str(segmenter_file)})
    assert [s.text for s in nlp(" " + RAW).sents] == [" Mary sees a book.", "Dogs bark."]


def test_a_tokenizer_needs_a_model_that_segments(parser_file):
    tokenizer = {"@tokenizers": "plait.Tokenizer.v1", "model": str(parser_file)}
    nlp = spacy.blank("xx", config={"nlp": {"tokenizer": tokenizer}})
    with pytest.raises(plait.OptionError, match="crf-segmenter"):
        nlp("Dogs bark.")
