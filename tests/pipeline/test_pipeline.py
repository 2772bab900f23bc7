"""One model file from raw text to trees: training, parts, files, combining, scores, streams with faults."""

import json
import subprocess
import sys

import pytest

import plait
from plait.errors import DataError, ModelError, OptionError
from plait.pipeline import Model
from plait.pipeline.combining import combine
from plait.system.modelfile import model_bytes, parse_model

QUICK = {"parser_options": "epochs=3", "segmenter_options": "structure=linear optimizer=adagrad epochs=5"}
TEXT = "Mary reads the red book. Dogs bark.\n\nThe cat sleeps."


@pytest.fixture(scope="module")
def nlp(treebank):
    return plait.train("pipeline", train=treebank, dev=treebank, **QUICK)


@pytest.mark.parametrize("mode", ["force", "merge", "prefer"])
def test_tags_of_a_dictionary_bind_the_parser(nlp, mode):
    def tags(dictionary):
        return nlp("Dogs bark.", dictionary=dictionary, mode=mode)[0].upos

    assert tags(["Dogs"]) == tags({"Dogs": None}) == ["NOUN", "VERB", "PUNCT"]
    assert tags({"Dogs": "PROPN"}) == ["PROPN", "VERB", "PUNCT"]
    assert tags({"bark": "NOUN"})[1] == "NOUN"
    assert tags({"Dogs": "nz"})[0] == "nz"  # one that no parser knows
    assert tags({"Cats": "nz"}) == tags(["Dogs"])


@pytest.fixture(scope="module")
def parts(treebank):
    segmenter = plait.train("crf-segmenter", train=treebank, structure="linear", optimizer="adagrad", epochs=5,
                            licence="CC0", attribution="us")  # fmt: skip
    parser = plait.train("easyfirst-joint", train=treebank, epochs=3, licence="CC0", attribution="them")
    tagger = plait.train("perceptron-tagger", train=treebank, tag="lemma", epochs=3)
    return segmenter, parser, tagger


def test_raw_text_becomes_sentences_with_trees_offsets_and_spaces(nlp):
    document = nlp(TEXT)
    assert [s.text for s in document] == ["Mary reads the red book.", "Dogs bark.", "The cat sleeps."]
    assert all(TEXT[t.start : t.end] == t.form for s in document for t in s)
    assert [t.space_after for t in document[1]] == [True, False, True]
    assert document[1].heads == [2, 0, 2]
    assert document[1].upos == ["NOUN", "VERB", "PUNCT"]


def test_given_words_stay_as_they_are(nlp, treebank):
    words = ["Dogs bark", ".", "."]  # not what the segmenter would say
    assert nlp(words)[0].forms == words
    again = nlp(treebank)
    assert [s.forms for s in again] == [s.forms for s in treebank]
    assert [s.comments for s in again] == [s.comments for s in treebank]


def test_the_whole_is_scored_on_the_text_of_dev(nlp):
    scores = nlp.header["training"]["dev"]
    assert set(scores) == {"words", "sentences", "upos", "uas", "las", "lemmas"}
    assert all(score > 90 for score in scores.values())
    assert set(nlp.header["training"]) == {"segmenter", "parser", "lemmatizer", "dev"}


def test_a_saved_pipeline_says_the_same(nlp, tmp_path):
    path = tmp_path / "whole.plait"
    nlp.save(path)
    again = plait.load(path)
    assert again(TEXT).to_conllu() == nlp(TEXT).to_conllu()
    assert again.to_bytes() == path.read_bytes()
    assert again.system.training == nlp.system.training


def test_threads_change_nothing(nlp):
    texts = [TEXT, "Dogs bark.", ""] * 50
    expected = [nlp(text).to_conllu() for text in texts]
    assert [d.to_conllu() for d in nlp.pipe(texts, threads=4)] == expected


def test_equal_training_gives_equal_bytes(treebank, nlp):
    assert plait.train("pipeline", train=treebank, dev=treebank, **QUICK).to_bytes() == nlp.to_bytes()


def test_any_parser_and_a_further_tagger_are_taken(treebank):
    model = plait.train(
        "pipeline", train=treebank, parser="transition-joint",
        parser_options="epochs=2 beam=2 folds=2 tagger_epochs=2", tagger="perceptron-tagger",
        tagger_options="tag=lemma epochs=3", segmenter_options="structure=hybrid optimizer=adagrad epochs=4",
    )  # fmt: skip
    assert model.system.predicts == ("lemmas", "upos", "heads", "deprels")
    found = model("Dogs bark.")[0]
    assert "_" not in found.lemmas + found.upos + found.deprels


def test_tags_that_only_the_segmenter_knows_are_given_to_words_too(treebank):
    segmenter = plait.train("crf-segmenter", train=treebank, tag="lemma", optimizer="adagrad", epochs=4)
    model = combine(segmenter, plait.train("easyfirst-joint", train=treebank, epochs=2))
    assert model.system.predicts == ("lemmas", "upos", "heads", "deprels")
    assert "_" not in model(["Dogs", "bark"])[0].lemmas + model("Dogs bark.")[0].lemmas


def test_combined_models_do_what_their_parts_do(parts, tmp_path):
    segmenter, parser, tagger = parts
    whole = combine(segmenter, parser, tagger)
    found = whole("Dogs bark.")[0]
    assert found.forms == segmenter("Dogs bark.")[0].forms
    assert found.heads == parser(found.forms)[0].heads
    assert found.lemmas == tagger(found.forms)[0].lemmas
    assert whole.header["licence"] == "CC0"
    assert whole.header["attribution"] == "us; them"
    again = combine(whole, whole)  # a pipeline stands for its parts
    assert again("Dogs bark.")[0].heads == found.heads
    assert Model.from_bytes(whole.to_bytes())(TEXT).to_conllu() == whole(TEXT).to_conllu()


def test_what_does_not_belong_together_is_refused(parts, treebank):
    segmenter, parser, _ = parts
    with pytest.raises(OptionError, match="expected a crf-segmenter"):
        combine(parser, parser)
    with pytest.raises(OptionError, match="segments raw text"):
        combine(segmenter, segmenter)
    with pytest.raises(OptionError, match="no tagger"):
        combine(segmenter, parser, combine(segmenter, parser))
    with pytest.raises(OptionError, match="segments raw text"):
        plait.train("pipeline", train=treebank, parser="pipeline")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parser": "easyfirst-jont"}, "did you mean easyfirst-joint"),
        ({"parser_options": "epoch=3"}, "did you mean epochs"),
        ({"parser_options": "epochs=many"}, "expected int"),
        ({"parser_options": "gold_tags=maybe", "parser": "transition-parser"}, "expected true or false"),
        ({"parser_options": "epochs"}, "expected NAME=VALUE"),
        ({"segmenter_options": "structure='linear"}, "NAME=VALUE"),
        ({"segmenter_options": "structure=round"}, "expected one of"),
    ],
)
def test_bad_options_of_a_part_are_found_before_training(treebank, options, words):
    with pytest.raises(OptionError, match=words):
        plait.train("pipeline", train=treebank, **options)


@pytest.mark.parametrize("options", [{}, {"parser": "easyfirst-parser"}, {"tagger": "crf-tagger"}])
def test_words_without_tags_are_found_before_training(treebank, options):
    told = []
    untagged = [sentence.copy() for sentence in treebank]
    untagged[3].upos[0] = "_"
    with pytest.raises(DataError, match="1 word has no UPOS in the training data"):
        plait.train("pipeline", train=untagged, on_epoch=told.append, **options)
    assert not told


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h["parser"].update(system="pipeline"),
        lambda h: h["parser"].update(system="crf-segmenter"),
        lambda h: h["parser"].pop("system"),
        lambda h: h.pop("parser"),
        lambda h: h.pop("segmenter"),
        lambda h: h["segmenter"].update(options={"x": 1}),
        lambda h: h.update(parser=3),
        lambda h: h.update(options={"parser": "nonsense", "beam": 3}),
    ],
)
def test_a_forged_file_is_refused(nlp, change):
    header, arrays = parse_model(nlp.to_bytes())
    change(header)
    with pytest.raises(ModelError):
        Model.from_bytes(model_bytes(header, arrays))


def test_scores_and_alternatives(nlp):
    found = nlp(TEXT, scores=True)
    assert all(0 <= t.score <= 1 for s in found for t in s)
    several = nlp.nbest("Dogs bark.", 3)
    assert len(several) == 3
    assert several[0][0].score >= several[1][0].score
    assert all("_" not in s.upos for document in several for s in document)


def test_a_faulty_document_is_told_with_its_index(nlp, caplog):
    inputs = ["Dogs bark.", 7, "The cat sleeps.", None, "Dogs bark."]
    for threads in (1, 3):
        seen = []
        stream = nlp.pipe(inputs, threads=threads)
        seen.append(next(stream))
        with pytest.raises(plait.PlaitError) as caught:
            next(stream)
        assert "document 1" in caught.value.__notes__[0]
        told = {}
        found = list(nlp.pipe(inputs, threads=threads, errors="skip", on_error=told.__setitem__))
        assert len(found) == 3
        assert list(told) == [1, 3]
        caplog.clear()
        assert len(list(nlp.pipe(inputs[:3], threads=threads, errors="skip"))) == 2
        assert [(r.name, r.levelname) for r in caplog.records] == [("plait", "WARNING")]
        assert "document 1 was skipped" in caplog.text
    with pytest.raises(OptionError, match="expected raise or skip"):
        nlp.pipe(inputs, errors="ignore")


def test_the_command_line_trains_combines_and_parses(tiny_file, tmp_path):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "plait", *map(str, arguments)], capture_output=True, text=True, check=False
        )

    model = tmp_path / "m.plait"
    done = run("train", "pipeline", "--train", tiny_file, "--dev", tiny_file, "--output", model, "--parser-options",
               "epochs=2", "--segmenter-options", "structure=linear optimizer=adagrad epochs=4")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "dev las" in done.stderr
    whole = tmp_path / "whole.plait"
    assert run("combine", model, model, "--output", whole).returncode == 0
    parsed = run("parse", "--model", whole, "--to", "json", "Dogs bark.")
    assert json.loads(parsed.stdout)["heads"] == [2, 0, 2]
    lines = tmp_path / "two.txt"
    lines.write_text("Dogs bark. Dogs bark.\nThe cat sleeps.\n")
    found = run("parse", "--model", whole, "--from", "lines", "--input", lines)
    assert found.stdout.count("# text = ") == 2
    refused = run("combine", model, tiny_file, "--output", tmp_path / "x.plait")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: ")
    info = run("info", whole)
    assert info.returncode == 0
    assert "parser" in info.stdout


@pytest.mark.parametrize("parser", ["transition-joint", "graph-joint"])
def test_a_sentence_of_the_best_segmentation_has_the_alternatives_of_the_parser(treebank, parser):
    options = {"parser": parser, "parser_options": "epochs=2 folds=2 tagger_epochs=1"}
    nlp = plait.train("pipeline", train=treebank, **(QUICK | options))
    own = nlp("The cat sleeps.")[0]
    found = [document[0] for document in nlp.nbest(own, 4)]
    assert found[0] == own
    assert len({(tuple(s.upos), tuple(s.heads), tuple(s.deprels)) for s in found}) == len(found) > 1
    assert all(s.forms == own.forms for s in found)
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)


def test_alternatives_parse_every_sentence_once(nlp, monkeypatch):
    text = "Mary reads the red book. Dogs bark. The cat sleeps."
    parsed = []
    annotate = type(nlp.system.parser).annotate
    monkeypatch.setattr(
        type(nlp.system.parser), "annotate", lambda self, s: (parsed.append((s.text, s.offsets)), annotate(self, s))
    )
    found = nlp.nbest(text, 20)
    assert len(found) == 20
    assert len({repr(item) for item in parsed}) == len(parsed) < sum(map(len, found))
    assert all(s.heads.count(0) == 1 for document in found for s in document)
    assert found[0].to_conllu() == nlp(text).to_conllu()
    first, second = found[0][0], found[1][0]
    first.heads[0] = 99  # analyses do not share their sentences
    assert second.heads[0] != 99
