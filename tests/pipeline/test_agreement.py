"""XPOS is chosen among the tags that occur with the UPOS of the word."""

from itertools import product

import numpy as np
import pytest

import plait
from plait.data.tags import TagColumns
from plait.errors import ModelError, OptionError
from plait.pipeline.agreement import Agreement
from plait.pipeline.combining import combine
from plait.system.modelfile import model_bytes, parse_model
from plait.system.request import Request

SMALL = {
    "parser_options": "epochs=1 beam=2", "segmenter_options": "structure=linear optimizer=adagrad epochs=1",
    "lemmatizer": "none",
}  # fmt: skip
XPOS = {"PROPN": "NNP", "DET": "DT", "PUNCT": "."}
WORDS = ["old", "saw", "xyzzy", "Dogs", "on", "quickly", "bark", "7", "!", "the", "Mary", "sleeps"]


@pytest.fixture(scope="module")
def treebank(tiny_file):
    """The tiny treebank with finer tags: those of nouns and verbs depend on their ending."""
    document = plait.read(tiny_file)
    for sentence in document:
        for token in sentence:
            ending = "S" if token.form.endswith("s") else ""
            token.xpos = XPOS.get(token.upos, token.upos[:2] + ending)
    return document


@pytest.fixture(scope="module")
def nlp(treebank):
    return plait.train(
        "pipeline", train=treebank, tagger="crf-tagger", tagger_options="tag=xpos optimizer=adagrad epochs=1", **SMALL
    )


def without(nlp):
    """The same model as files had it before there was a table."""
    header, arrays = parse_model(nlp.to_bytes())
    del header["agreement"]
    return plait.Model.from_bytes(model_bytes(header, arrays))


def pairs(document):
    return {(token.upos, token.xpos) for sentence in document for token in sentence}


def sentences():
    rows = np.random.default_rng(3).permutation(WORDS * 40).reshape(-1, 8).tolist()
    return plait.Document([plait.Sentence(row) for row in rows])


def test_no_pair_is_made_that_the_training_data_does_not_have(nlp, treebank):
    seen = pairs(treebank)
    assert pairs(without(nlp)(sentences())) - seen  # the words are hard enough to show it
    found = nlp(sentences())
    assert pairs(found) <= seen
    assert [s.upos for s in found] == [s.upos for s in without(nlp)(sentences())]
    text = "\n".join(" ".join(s.forms) for s in sentences())
    assert pairs(nlp(text)) <= seen
    for alternative in nlp.nbest(plait.Sentence(WORDS), 3):
        assert pairs(alternative) <= seen


def test_the_tagger_announces_each_sentence_too(nlp, monkeypatch):
    seen, system = [], nlp.system
    monkeypatch.setattr(system.parser, "annotate_each", lambda block, request: seen.append("parser"))
    plain = system.tagger.annotate_with
    monkeypatch.setattr(system.tagger, "annotate_with", lambda s, r: seen.append("tagger") or plain(s, r))
    system.annotate_each([plait.Sentence(WORDS[:2]), plait.Sentence(WORDS[:3])], Request(on_step=seen.append))
    assert seen == ["parser", 2, "tagger", 3, "tagger"]


def test_scores_are_those_of_the_parser(nlp):
    old = without(nlp)(sentences())
    assert [s.score for s in nlp(sentences())] == [s.score for s in old]


def test_tags_that_are_given_go_first(nlp):
    given = plait.Sentence(["Dogs", "sleep"], upos=["VERB", None], xpos=["NOS", None])  # a pair that was never seen
    found = nlp(given, keep=True)[0]
    assert (found[0].upos, found[0].xpos) == ("VERB", "NOS")
    assert nlp(plait.Sentence(["Dogs"], upos=["VERB"]), keep="upos")[0].xpos[0].startswith("VE")


def test_the_best_allowed_tagging_is_found(nlp):
    """Against brute force over all taggings of three words."""
    tagger = nlp.system.tagger
    words = ["old", "Dogs", "saw"]
    allowed = (("NOS", "VE", "AD"), (), ("DT", "NNP"))
    allowed = tuple(tuple(t for t in names if t in tagger.tags) for names in allowed)
    best = None
    for alternative in tagger.alternatives(plait.Sentence(words), len(tagger.tags) ** 3):
        if all(not names or tag in names for tag, names in zip(alternative.xpos, allowed, strict=True)):
            best = alternative
            break
    sentence = plait.Sentence(words)
    tagger.annotate_with(sentence, Request(allowed=allowed, scores=True))
    assert sentence.xpos == best.xpos
    assert sentence.score == pytest.approx(best.score, abs=1e-4)
    assert best.xpos != tagger.alternatives(plait.Sentence(words), 1)[0].xpos


def test_the_table_is_kept_in_the_file(nlp, treebank):
    again = plait.Model.from_bytes(nlp.to_bytes())
    assert again.to_bytes() == nlp.to_bytes()
    assert again.system.agreement.finer == nlp.system.agreement.finer
    expected = {u: tuple(sorted({x for v, x in pairs(treebank) if v == u})) for u, _ in pairs(treebank)}
    assert nlp.system.agreement.finer == expected
    assert again(sentences()) == nlp(sentences())


@pytest.mark.parametrize("table", [[], {}, {"NOUN": "NO"}, {"NOUN": []}, {"NOUN": ["nonsense"]}, {"NOUN": [3]}, None])
def test_a_forged_table_is_refused(nlp, table):
    header, arrays = parse_model(nlp.to_bytes())
    header["agreement"] = table
    with pytest.raises(ModelError, match="damaged pipeline"):
        plait.Model.from_bytes(model_bytes(header, arrays))


def test_a_table_without_a_tagger_is_refused(nlp, treebank):
    header, arrays = parse_model(plait.train("pipeline", train=treebank, tagger="", **SMALL).to_bytes())
    header["agreement"] = {"NOUN": ["NO"]}
    with pytest.raises(ModelError, match="damaged pipeline"):
        plait.Model.from_bytes(model_bytes(header, arrays))


def test_combining_learns_or_keeps_the_table(nlp, treebank):
    old = without(nlp)
    assert combine(old, old, old).system.agreement is None
    learnt = combine(old, old, old, train=treebank)
    assert learnt.system.agreement.finer == nlp.system.agreement.finer
    assert combine(old, old, nlp).system.agreement.finer == nlp.system.agreement.finer
    assert learnt(sentences()) == nlp(sentences())
    with pytest.raises(OptionError, match="crf-tagger and a parser that predicts UPOS"):
        combine(old, old, train=treebank)


def test_the_command_line_learns_the_table(nlp, treebank, tmp_path):
    from plait.cli.main import main

    old, new, data = tmp_path / "old.plait", tmp_path / "new.plait", tmp_path / "train.conllu"
    without(nlp).save(old)
    plait.write(treebank, data)
    assert main(["combine", *[str(old)] * 3, "--train", str(data), "--output", str(new)]) == 0
    assert plait.load(new)(sentences()) == nlp(sentences())


def test_tags_that_were_not_seen_leave_all_open():
    agreement = Agreement({"NOUN": ["NN"]})
    assert [agreement.allowed(row) for row in product(["NOUN", "X"])] == [[("NN",)], [()]]
    assert Agreement.learn([plait.Sentence(["a"], upos=["X"])], TagColumns("xpos"), ["NN"]) is None


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], "its agreement table is malformed"),
        ({}, "its agreement table is malformed"),
        ({"N": ["T"], "V": []}, "its agreement table has unknown tags for 'V'"),
        ({"V": "T"}, "its agreement table has unknown tags for 'V'"),
        ({"V": ["T", 3]}, "its agreement table has unknown tags for 'V'"),
        ({"V": ["T", "U"]}, "its agreement table has unknown tags for 'V'"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(table, words):
    with pytest.raises(ValueError) as found:
        Agreement.from_header(table, ["T"])
    assert str(found.value) == words
