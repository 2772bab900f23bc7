"""Lemmas in a pipeline: trained where the treebank has them, last in line, kept where given, in every output."""

from __future__ import annotations

import json

import pytest
from quick import QUICK

import plait
from plait.data.document import Document, Sentence
from plait.errors import ModelError, OptionError
from plait.pipeline.combining import combine
from plait.system.modelfile import model_bytes, parse_model
from plait.system.request import Request


def test_a_pipeline_finds_the_lemmas_of_the_treebank(nlp, treebank):
    assert "lemmas" in nlp.system.predicts
    found = nlp(treebank)
    assert [s.lemmas for s in found] == [s.lemmas for s in treebank]
    assert nlp("The cat sleeps.")[0].lemmas == ["the", "cat", "sleeps", "."]
    assert plait.evaluate(treebank, found).lemmas == 100.0


def test_the_lemmatizer_looks_at_the_columns_that_the_other_parts_fill(nlp):
    assert nlp.system.lemmatizer.options.tag == "upos"


def test_no_lemmas_without_lemmas_and_where_none_are_wanted(treebank):
    bare = [s.copy() for s in treebank]
    for sentence in bare:
        sentence.lemmas = ["_"] * len(sentence)
    for model in (
        plait.train("pipeline", train=bare, **QUICK),
        plait.train("pipeline", train=treebank, lemmatizer="none", **QUICK),
    ):
        assert "lemmas" not in model.system.predicts
        assert model.system.lemmatizer is None


def test_a_tagger_of_lemmas_is_not_replaced(treebank):
    model = plait.train("pipeline", train=treebank, tagger="perceptron-tagger", tagger_options="tag=lemma", **QUICK)
    assert model.system.lemmatizer is None
    assert "lemmas" in model.system.predicts


def test_given_lemmas_stay(nlp):
    sentence = Sentence(["Dogs", "bark", "."], lemmas=["hound", "_", "_"])
    nlp.system.annotate_with(sentence, Request(constrain=True))
    assert sentence.lemmas[0] == "hound"
    assert sentence.lemmas[1] == "bark"


def test_scores_of_tokens_are_not_those_of_lemmas(nlp):
    one, other = Sentence(["Dogs", "bark", "."]), Sentence(["Dogs", "bark", "."])
    nlp.system.annotate_with(one, Request(scores="scores" in nlp.system.parser.supports))
    nlp.system.parser.annotate_with(other, Request(scores="scores" in nlp.system.parser.supports))
    assert one.scores == other.scores


def test_lemmas_survive_the_file_and_damage_is_found(nlp, tmp_path):
    nlp.save(tmp_path / "whole.plait")
    again = plait.load(tmp_path / "whole.plait")
    assert again("Dogs bark.").to_conllu() == nlp("Dogs bark.").to_conllu()
    header, arrays = parse_model(nlp.to_bytes())
    header["lemmatizer"]["scripts"] = ["keep:~", "shout:~"]
    (tmp_path / "forged.plait").write_bytes(model_bytes(header, arrays))
    with pytest.raises(ModelError, match="damaged"):
        plait.load(tmp_path / "forged.plait")


def test_combine_takes_a_lemmatizer(nlp, treebank):
    lemmatizer = plait.train("lemmatizer", train=treebank)
    segmenter = plait.train("crf-segmenter", train=treebank, structure="linear", optimizer="adagrad", epochs=5)
    parser = plait.train("easyfirst-joint", train=treebank, epochs=3)
    whole = combine(segmenter, parser, None, lemmatizer)
    assert whole("The cat sleeps.")[0].lemmas == ["the", "cat", "sleeps", "."]
    assert combine(nlp, nlp, None, nlp)("Dogs bark.").to_conllu() == nlp("Dogs bark.").to_conllu()
    with pytest.raises(OptionError, match="easyfirst-joint is not a lemmatizer"):
        combine(segmenter, parser, None, parser)


@pytest.mark.parametrize("format", ["conllu", "conllx", "conll09", "json"])
def test_every_format_with_a_place_for_them_has_the_lemmas(nlp, format, tmp_path):
    doc = nlp("Dogs bark.")
    path = tmp_path / "out"
    plait.write(doc, path, format=format)
    text = path.read_text("utf-8")
    if format == "json":
        tokens = json.loads(text.splitlines()[0])
        assert "dogs" in json.dumps(tokens)
    else:
        assert [row.split("\t")[2] for row in text.splitlines() if row[:1].isdigit()] == ["dogs", "bark", "."]


@pytest.fixture(scope="module")
def rich(treebank):
    """The treebank with all columns of tags."""
    made = [s.copy() for s in treebank]
    for sentence in made:
        sentence.xpos = [tag[:2] for tag in sentence.upos]
        sentence.feats = ["Number=Plur" if form.endswith("s") else "_" for form in sentence.forms]
    return made


@pytest.fixture(scope="module")
def whole(rich):
    return plait.train("pipeline", train=rich, dev=rich, tagger_options="epochs=4", **QUICK)


def test_every_column_that_the_treebank_fills_is_trained(whole, rich, treebank):
    assert whole.system.tagger.name == "morph-tagger"
    assert set(whole.system.predicts) == {"upos", "xpos", "feats", "heads", "deprels", "lemmas"}
    assert whole.system.tagger.predicts == ("xpos", "feats")  # UPOS is the parser's
    assert whole.system.lemmatizer.options.tag == "upos+xpos+feats"
    assert {"upos", "xpos", "ufeats", "lemmas", "las"} <= set(whole.header["training"]["dev"])
    found = whole(Document(rich))
    for name in ("upos", "xpos", "feats", "lemmas"):
        assert [getattr(s, name) for s in found] == [getattr(s, name) for s in rich]
    assert plait.train("pipeline", train=treebank, lemmatizer="none", **QUICK).system.tagger is None


def test_tags_of_the_tagger_agree_with_the_upos_of_the_parser(whole, rich):
    pairs = {pair for s in rich for pair in zip(s.upos, s.xpos, s.feats, strict=True)}
    for text in ("Dogs dog the red. Red dogs reads!", "Sleeps a bark. The books the dogs."):
        for sentence in whole(text):
            assert set(zip(sentence.upos, sentence.xpos, sentence.feats, strict=True)) <= pairs


def test_tags_and_lemmas_may_be_decided_together(rich, tmp_path):
    model = plait.train("pipeline", train=rich, tagger_options="epochs=4", lemma_weight=1.0, **QUICK)
    assert [s.lemmas for s in model(Document(rich))] == [s.lemmas for s in rich]
    model.save(tmp_path / "joint.plait")
    again = plait.load(tmp_path / "joint.plait")
    assert again("Dogs bark.").to_conllu() == model("Dogs bark.").to_conllu()
    sentence = Sentence(["Dogs", "bark", "."], lemmas=["hound", "_", "_"], xpos=["VE", "_", "_"])
    again.system.annotate_with(sentence, Request(constrain=True))
    assert (sentence.lemmas[0], sentence.xpos[0]) == ("hound", "VE")


def test_a_weight_without_a_tagger_is_refused(treebank):
    with pytest.raises(OptionError, match="lemma_weight has no effect"):
        plait.train("pipeline", train=treebank, lemma_weight=1.0, **QUICK)


def test_given_tags_and_lemmas_stay_in_all_columns(whole):
    sentence = Sentence(["Dogs", "bark", "."], lemmas=["_", "wau", "_"], xpos=["XX", "_", "_"], feats=["A=b", "_", "_"])
    whole.system.annotate_with(sentence, Request(constrain=True))
    assert sentence.lemmas[1] == "wau"
    assert (sentence.xpos[0], sentence.feats[0]) == ("XX", "A=b")
    assert "_" not in (*sentence.upos, *sentence.xpos[1:], *sentence.lemmas)
