"""The lemmatizer from training to use: learnt by heart, general, exceptions exact, model files untrusted."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import plait
from plait.data.document import Range, Sentence
from plait.errors import DataError, ModelError, OptionError
from plait.morphology._lemma_finder import MAX_CACHED_TAGS, MAX_CACHED_WORDS
from plait.morphology._word_tag import WordTag
from plait.morphology.lemma_exceptions import Exceptions
from plait.morphology.lemmatizer import Lemmatizer
from plait.options import make_options
from plait.system.modelfile import open_model
from plait.system.request import Request

NOUNS = ["dog", "cat", "house", "tree", "car", "book", "table", "garden", "river", "window", "teacher", "farmer"]
VERBS = ["walk", "talk", "jump", "play", "open", "close", "want", "need", "like", "move", "use", "save"]
REGULAR = {"close": "closed", "like": "liked", "move": "moved", "use": "used", "save": "saved"}


def words() -> list[tuple[str, str, str, str, str]]:
    """(form, lemma, UPOS, XPOS, FEATS)."""
    made = [(noun, noun, "NOUN", "NN", "Number=Sing") for noun in NOUNS]
    made += [(f"{noun}s", noun, "NOUN", "NNS", "Number=Plur") for noun in NOUNS]
    made += [(f"{noun.title()}s", noun, "NOUN", "NNS", "Number=Plur") for noun in NOUNS[:6]]
    made += [(verb, verb, "VERB", "VB", "VerbForm=Inf") for verb in VERBS]
    made += [(REGULAR.get(verb, f"{verb}ed"), verb, "VERB", "VBD", "Tense=Past") for verb in VERBS]
    made += [(f"{verb}s", verb, "VERB", "VBZ", "Person=3") for verb in VERBS]
    made += [(name, name, "PROPN", "NNP", "_") for name in ("Anna", "Peters", "Marks", "Oslo", "Paris", "Hayes")]
    made += [
        ("was", "be", "AUX", "VBD", "_"),
        ("left", "leave", "VERB", "VBD", "_"),
        ("left", "left", "ADJ", "JJ", "_"),
    ]
    return made


def sentences() -> list[Sentence]:
    rows = words()
    made = []
    for k in range(0, len(rows), 5):
        forms, lemmas, upos, xpos, feats = map(list, zip(*rows[k : k + 5], strict=True))
        made.append(Sentence(forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats))
    return made


@pytest.fixture(scope="module")
def model():
    return plait.train("lemmatizer", train=sentences(), epochs=6, cutoff=2)


def lemmas(model, forms, **columns) -> list[str]:
    sentence = Sentence(forms, **columns)
    model.system.annotate(sentence)
    return sentence.lemmas


def test_the_training_data_is_learnt_by_heart(model):
    for gold in sentences():
        twin = gold.copy()
        twin.lemmas = ["_"] * len(twin)
        model.system.annotate(twin)
        assert twin.lemmas == gold.lemmas


def test_unknown_forms_are_lemmatised_by_rule(model):
    assert lemmas(model, ["Rovers", "rovers"], upos=["NOUN"] * 2, xpos=["NNS"] * 2) == ["rover", "rover"]
    assert lemmas(model, ["stalked"], upos=["VERB"], xpos=["VBD"], feats=["Tense=Past"]) == ["stalk"]
    assert lemmas(model, ["Strauss"], upos=["PROPN"], xpos=["NNP"]) == ["Strauss"]


def test_exceptions_are_exact_and_follow_the_tag(model):
    assert lemmas(model, ["was", "left", "left"], upos=["AUX", "VERB", "ADJ"]) == ["be", "leave", "left"]
    assert model.system.model.exceptions.find("was", ("X", "_", "_")) == "be"


def test_it_works_without_any_tags(model):
    found = lemmas(model, ["dogs", "was", "walked", "Anna"])
    assert found == ["dog", "be", "walk", "Anna"]


@pytest.mark.parametrize("form", ["", "_", "٣", "👩🏽‍🚀", "中文", "x" * 5000, "İ", "ﬁ", "\u200d", "-", "ed", "s"])
def test_unknown_forms_never_fail(model, form):
    for tag in ({}, {"upos": ["VERB"], "xpos": ["VBD"]}, {"feats": ["|".join(f"A{k}=b" for k in range(50))]}):
        assert lemmas(model, [form], **tag)[0] or form == ""


def test_a_saved_model_predicts_the_same(model, tmp_path):
    model.save(tmp_path / "m.plait")
    again = plait.load(tmp_path / "m.plait")
    for gold in sentences():
        twin = gold.copy()
        again.system.annotate_with(twin, Request(scores=True))
        other = gold.copy()
        model.system.annotate_with(other, Request(scores=True))
        assert (twin.lemmas, twin.scores) == (other.lemmas, other.scores)
    model.save(tmp_path / "n.plait")
    assert (tmp_path / "m.plait").read_bytes() == (tmp_path / "n.plait").read_bytes()


def test_training_twice_gives_the_same_file(model, tmp_path):
    model.save(tmp_path / "a.plait")
    plait.train("lemmatizer", train=sentences(), epochs=6, cutoff=2).save(tmp_path / "b.plait")
    assert (tmp_path / "a.plait").read_bytes() == (tmp_path / "b.plait").read_bytes()


def test_probabilities_sum_to_one_and_the_best_is_chosen(model):
    inner = model.system.model
    for form, tag in (("rovers", ("NOUN", "NNS", "_")), ("Rovers", ("_", "_", "_")), ("left", ("NOUN", "_", "_"))):
        found = inner.probabilities(form, tag)
        assert sum(found.values()) == pytest.approx(1.0)
        lemma, p = inner.chosen(form, tag)
        assert p == max(found.values())
        assert found[lemma] == p


def test_several_scripts_that_make_one_lemma_are_summed(model):
    inner = model.system.model
    candidates, scores = inner.scored("Rovers", ("NOUN", "NNS", "_"))
    p = np.exp(scores - np.logaddexp.reduce(scores))
    for lemma, value in inner.probabilities("Rovers", ("NOUN", "NNS", "_")).items():
        assert value == pytest.approx(sum(q for (_, made), q in zip(candidates, p, strict=True) if made == lemma))


def test_given_lemmas_stay(model):
    sentence = Sentence(["dogs", "cats"], lemmas=["hound", "_"], upos=["NOUN", "NOUN"])
    model.system.annotate_with(sentence, Request(constrain=True, scores=True))
    assert sentence.lemmas == ["hound", "cat"]
    assert sentence.scores is not None
    assert sentence.scores[0] == 1.0
    assert 0 < sentence.scores[1] <= 1
    model.system.annotate(sentence)
    assert sentence.lemmas == ["dog", "cat"]


def test_parts_of_multiword_tokens_get_lemmas(model):
    sentence = Sentence(["dogs", "walked"], upos=["NOUN", "VERB"], ranges=[Range(1, 2, "dogswalked")])
    model.system.annotate(sentence)
    assert sentence.lemmas == ["dog", "walk"]
    assert sentence.ranges == [Range(1, 2, "dogswalked")]


def test_what_is_kept_is_bounded(model):
    for k in range(0, MAX_CACHED_WORDS + 3000, 1000):
        model.system.annotate(Sentence([f"w{j}" for j in range(k, k + 1000)]))
    assert 0 < len(model.system.model.finder) <= MAX_CACHED_WORDS
    assert lemmas(model, ["dogs"], upos=["NOUN"]) == ["dog"]
    many = range(MAX_CACHED_TAGS + 5)
    assert lemmas(model, ["dogs"] * len(many), upos=["NOUN"] * len(many), feats=[f"A={k}" for k in many])[-1] == "dog"
    assert 0 < len(model.system.model.finder) <= MAX_CACHED_TAGS
    assert lemmas(model, ["dogs", "dogs"], upos=["NOUN", "NOUN"]) == ["dog", "dog"]


def test_scores_are_the_same_whatever_was_looked_up_before(model, tmp_path):
    model.save(tmp_path / "m.plait")
    fresh, used = (plait.load(tmp_path / "m.plait").system.model for _ in range(2))
    rng = random.Random(5)
    tags = [("NOUN", "NNS", "Number=Plur"), ("VERB", "VBZ", "Person=3"), ("_", "_", "_")]
    for _ in range(30_000):  # more sums than the cache holds
        used.best("".join(rng.choices("abdegnost", k=6)) + rng.choice(("s", "ed", "es")), rng.choice(tags))
    for form, *_ in words():
        for tag in tags:
            expected, scores = fresh.scored(form, tag)
            assert used.scored(form, tag)[0] == expected
            assert used.scored(form, tag)[1].tolist() == scores.tolist()
            assert used.best(form, tag) == fresh.best(form, tag)


def test_where_lemma_is_form_nothing_is_stored(tmp_path):
    data = [Sentence(["我", "爱", "北京"], lemmas=["我", "爱", "北京"]), Sentence(["他", "在"], lemmas=["他", "在"])]
    model = plait.train("lemmatizer", train=data, dev=data)
    model.save(tmp_path / "zh.plait")
    again = plait.load(tmp_path / "zh.plait")
    assert [len(t) for t in again.system.model.tables.values()] == [0, 0]
    assert lemmas(again, ["研究", "Ab"]) == ["研究", "Ab"]


def test_words_without_a_lemma_are_left_out_and_reported(tmp_path, caplog):
    path = tmp_path / "part.conllu"
    path.write_text("# x\n1\tdogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n2\tbark\t_\tVERB\t_\t_\t1\tdep\t_\t_\n\n", "utf-8")
    with caplog.at_level(logging.WARNING, "plait"):
        model = plait.train("lemmatizer", train=path)
    assert f"1 of 2 words has no lemma (the first: {path}:3); it is left out" in caplog.text
    assert lemmas(model, ["bark"], upos=["VERB"]) == ["bark"]


def test_data_without_lemmas_is_refused():
    with pytest.raises(DataError, match="training data has no lemmas"):
        plait.train("lemmatizer", train=[Sentence(["dogs"], upos=["NOUN"])])
    with pytest.raises(DataError, match="development set has no lemmas"):
        plait.train("lemmatizer", train=sentences(), dev=[Sentence(["dogs"])])


def test_the_word_underscore_has_a_lemma():
    model = plait.train("lemmatizer", train=[Sentence(["_", "a"], lemmas=["_", "a"])])
    assert lemmas(model, ["_", "a"]) == ["_", "a"]


def test_columns_that_are_not_asked_for_are_not_looked_at():
    model = plait.train("lemmatizer", train=sentences(), tag="upos", cutoff=2)
    assert lemmas(model, ["rovers"], upos=["NOUN"], xpos=["FW"]) == lemmas(
        model, ["rovers"], upos=["NOUN"], xpos=["NNS"]
    )
    with pytest.raises(OptionError, match=r'tag is "upos\+lemma"'):
        plait.train("lemmatizer", train=sentences(), tag="upos+lemma")


def test_dev_chooses_the_pass_and_training_can_be_resumed(tmp_path):
    whole = plait.train("lemmatizer", train=sentences(), dev=sentences()[:3], epochs=4, cutoff=2)
    training = whole.system.training
    assert training["decides"] == "lemmas"
    assert len(training["epochs"]) == 4
    best = max(record["dev"]["lemmas"] for record in training["epochs"])
    assert training["epochs"][training["best_epoch"] - 1]["dev"]["lemmas"] == best
    options = {"train": sentences(), "dev": sentences()[:3], "cutoff": 2, "checkpoint": tmp_path / "c"}
    plait.train("lemmatizer", epochs=2, **options)
    resumed = plait.train("lemmatizer", epochs=4, resume=True, **options)
    whole.save(tmp_path / "a.plait")
    resumed.save(tmp_path / "b.plait")
    assert (tmp_path / "a.plait").read_bytes() == (tmp_path / "b.plait").read_bytes()


def forged(header, arrays, path, value):
    """The parts with one value changed; a path is of the header, or the name of an array."""
    header, arrays = {**header}, dict(arrays)
    if path in arrays:
        arrays[path] = value
    else:
        header[path] = value
    return header, arrays


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("scripts", ["keep:~", "loud:~"]),
        ("scripts", ["keep:~"]),  # the table is wider
        ("scripts", "keep:~"),
        ("scripts", ["keep:~", "keep:~"]),
        ("scripts", ["!be"]),
        ("last", []),
        ("last", None),
        ("last", [3]),
        ("form_templates", ["suf99"]),
        ("form_templates", ["suf1", "suf1"]),
        ("form_templates", [3]),
        ("lemma_templates", ["w-1"]),
        ("lemma_templates", None),
        ("tables", {}),
        ("known", np.array([3, 3], dtype=np.uint32)),
        ("known", np.array([1, 2], dtype=np.uint64)),
        ("known", np.zeros((2, 2), dtype=np.uint32)),
        ("words", np.array([7 << 16, 7 << 16], dtype=np.uint64)),
        ("words", np.array([7 << 16 | 0xFFFF], dtype=np.uint64)),  # there are fewer scripts
        ("words", np.array([7 << 16], dtype=np.int64)),
        ("exceptions", np.frombuffer(b"was", dtype=np.uint8)),
        ("exceptions", np.frombuffer(b"was\t", dtype=np.uint8)),
        ("exceptions", np.frombuffer(b"was\t_", dtype=np.uint8)),
        ("exceptions", np.frombuffer(b"a\tb\tc\td", dtype=np.uint8)),
        ("exceptions", np.frombuffer(b"\xff\xfe", dtype=np.uint8)),
        ("exceptions", np.frombuffer(b"was\tb\re", dtype=np.uint8)),
        ("exceptions", np.zeros(3, dtype=np.int8)),
    ],
)
def test_a_forged_model_is_refused(model, tmp_path, path, value):
    model.save(tmp_path / "m.plait")
    header, arrays = open_model(tmp_path / "m.plait")
    options = make_options(Lemmatizer.Options, header["options"], "lemmatizer")
    Lemmatizer.from_parts(options, header, arrays)
    with pytest.raises(ModelError, match="damaged"):
        Lemmatizer.from_parts(options, *forged(header, arrays, path, value))


def test_words_of_the_training_data_are_known_and_decided_as_by_their_scores(model):
    inner = model.system.model
    trained = {(form, tuple(tag)) for form, _, *tag in words()}
    others = {(form, tag) for form, _ in trained for tag in (("VERB", "_", "_"), ("X", "_", "Case=Nom"))} - trained
    known = {(form, tag) for form, tag in trained | others if inner.words.find(form, WordTag(*tag)) >= 0}
    assert known == {(form, tag) for form, tag in trained if inner.exceptions.find(form, tag) is None}
    assert len(known) == len(inner.words)
    for form, tag in trained | others:
        assert inner.lemma(form, tag) == inner.best(form, tag)[0]


def test_models_without_known_words_can_be_used(model, tmp_path):
    model.save(tmp_path / "m.plait")
    header, arrays = open_model(tmp_path / "m.plait")
    older = {name: array for name, array in arrays.items() if name != "words"}
    assert len(older) == len(arrays) - 1
    system = Lemmatizer.from_parts(make_options(Lemmatizer.Options, header["options"], "lemmatizer"), header, older)
    for sentence in sentences():
        found = Sentence(sentence.forms, upos=sentence.upos, xpos=sentence.xpos, feats=sentence.feats)
        system.annotate(found)
        assert found.lemmas == sentence.lemmas
    assert "words" not in system.parts()[1]


def test_exceptions_survive_a_file():
    made = Exceptions({("was",): "be", ("left", "VERB"): "leave", ("a", "X", "_", "A=b|C=d"): "ä b"})
    assert Exceptions.open(made.arrays()).lemmas == made.lemmas
    assert Exceptions.open(Exceptions({}).arrays()).lemmas == {}


def test_info_names_edit_scripts_and_features(model, tmp_path):
    from click.testing import CliRunner

    from plait.cli.info import command

    model.save(tmp_path / "m.plait")
    found = CliRunner().invoke(command, [str(tmp_path / "m.plait")])
    assert found.exit_code == 0
    assert "~-s " in found.output
    assert "lower " in found.output
    assert "suf1=s" in found.output


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
def test_the_memory_of_an_endless_word_is_not_kept():
    code = """
import os, plait
def used(): return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")
lemmatizer = plait.load("en").system.lemmatizer
lemmatizer.annotate(plait.Sentence(["dogs"], upos=["NOUN"]))
before = used()
lemmatizer.annotate(plait.Sentence(["Rover" * 400_000 + "s"], upos=["NOUN"]))
print(used() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 60_000_000  # its candidates take 200 MB
