"""--morphology: FEATS chosen with the tree, whose case and agreement the templates see, and lemmas."""

import dataclasses
import logging
from pathlib import Path

import pytest

from case_treebank import case_treebank
from plait.data.document import Sentence
from plait.errors import DataError, ModelError, OptionError
from plait.pipeline import Model, train

# no affixes, and forms mostly hidden: what is left is the case
QUICK = {
    "templates": "ZN11",
    "word_dropout": 30.0,
    "epochs": 10,
    "folds": 4,
    "beam": 4,
    "morphology": "on",
    "prune": False,
}
CASES = {"Nom": "nsubj", "Acc": "obj"}
NOUNS = ("kato", "hundo", "birdo", "viro", "arbo", "domo", "floro", "libro")


def case_sentence(noun: str, case: str, first: bool, *, ending: bool = True) -> Sentence:
    """The ending may tell the case, the case tells the relation; the order tells nothing."""
    word = noun + ("n" if ending and case == "Acc" else "")
    words = [word, "vidas"] if first else ["vidas", word]
    sentence = Sentence(words, lemmas=[noun if w == word else "vidi" for w in words])
    at = words.index(word)
    sentence.upos = ["NOUN" if i == at else "VERB" for i in range(2)]
    sentence.feats = [f"Case={case}|Number=Sing" if i == at else "VerbForm=Fin" for i in range(2)]
    sentence.set_tree(
        [0 if i != at else 2 - at for i in range(2)], [CASES[case] if i == at else "root" for i in range(2)]
    )
    return sentence


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return [case_sentence(n, c, first) for c in CASES for first in (True, False) for n in NOUNS]


def without(treebank: list[Sentence], *columns: str) -> list[Sentence]:
    found = [s.copy() for s in treebank]
    for sentence in found:
        for column in columns:
            setattr(sentence, column, ["_"] * len(sentence))
    return found


@pytest.fixture(scope="module")
def models(treebank: list[Sentence]) -> dict[str, Model]:
    own: dict[str, dict[str, float]] = {"transition-parser": {}, "transition-joint": {"alpha": 0.1}}
    return {name: train(name, train=treebank, dev=treebank, **QUICK, **more) for name, more in own.items()}


@pytest.mark.parametrize("name", ["transition-parser", "transition-joint"])
def test_feats_and_lemmas_are_written_and_saved_with_the_model(
    models: dict[str, Model], treebank: list[Sentence], name: str
) -> None:
    model = models[name]
    assert model.system.predicts == ("upos", "feats", "lemmas", "heads", "deprels")
    assert model.system.tagger.name == "morph-tagger"
    again = Model.from_bytes(model.to_bytes())
    for sentence in treebank:
        found = model(sentence.forms)[0]
        assert found.feats == sentence.feats
        assert found.lemmas == sentence.lemmas
        assert (found.heads, found.deprels) == (sentence.heads, sentence.deprels)
        assert again(sentence.forms)[0] == found
    assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("name", ["transition-parser", "transition-joint"])
@pytest.mark.parametrize("case", CASES)
def test_the_relation_of_an_unknown_word_follows_the_case_it_is_given(
    models: dict[str, Model], name: str, case: str
) -> None:
    given = Sentence(["xyz", "vidas"], upos=["NOUN", "VERB"], feats=[f"Case={case}|Number=Sing", "_"])
    found = models[name](given, keep=["upos", "feats"])[0]
    assert found.feats[0] == given.feats[0]
    assert found.deprels == [CASES[case], "root"]


def test_lemmas_that_are_given_stay_and_are_what_templates_see(models: dict[str, Model]) -> None:
    given = Sentence(["katon", "vidas"], lemmas=["gato", "_"])
    found = models["transition-joint"](given, keep=["lemmas"])[0]
    assert found.lemmas == ["gato", "vidi"]
    assert found.deprels == ["obj", "root"]


def test_features_are_chosen_with_the_tree() -> None:
    """The noun itself does not tell its case: one verb takes objects, the other subjects."""
    data = []
    for verb, case in (("vidas", "Acc"), ("dormas", "Nom")):
        for noun in NOUNS:
            sentence = Sentence([noun, verb], upos=["NOUN", "VERB"])
            sentence.feats = [f"Case={case}", "VerbForm=Fin"]
            sentence.set_tree([2, 0], [CASES[case], "root"])
            data.append(sentence)
    model = train("transition-joint", train=data, **QUICK | {"word_dropout": 0.0}, alpha=1.0, tagger="morph")
    for sentence in data:
        found = model(sentence.forms)[0]
        assert (found.feats, found.deprels) == (sentence.feats, sentence.deprels)


def test_with_one_candidate_the_joint_parser_is_the_pipeline(treebank: list[Sentence]) -> None:
    options = {**QUICK, "epochs": 3}
    joint = train("transition-joint", train=treebank, dev=treebank, **options, tag_candidates=1, beam_tags=0)
    parser = train("transition-parser", train=treebank, dev=treebank, **options)
    for sentence in [*treebank, Sentence(["la", "granda", "kato", "vidas", "birdon", "kaj", "hundon"])]:
        a, b = joint(sentence.forms)[0], parser(sentence.forms)[0]
        assert (a.upos, a.feats, a.lemmas, a.heads, a.deprels) == (b.upos, b.feats, b.lemmas, b.heads, b.deprels)
        tagger = joint.system.tagger
        best = [tagger.tags[t] for t in tagger.tag_probabilities(sentence.forms).argmax(axis=1)]
        assert [f"{upos}\t{feats}" for upos, feats in zip(a.upos, a.feats, strict=True)] == best


def test_with_gold_tags_the_features_of_the_input_are_used() -> None:
    hidden = [case_sentence(n, c, first, ending=False) for c in CASES for first in (True, False) for n in NOUNS]
    model = train("transition-parser", train=hidden, gold_tags=True, **QUICK)
    for case, label in CASES.items():
        given = Sentence(["kato", "vidas"], upos=["NOUN", "VERB"], feats=[f"Case={case}|Number=Sing", "VerbForm=Fin"])
        assert model(given)[0].deprels == [label, "root"]


def test_with_gold_tags_the_features_of_the_input_stay_as_they_are(treebank: list[Sentence]) -> None:
    model = train("transition-parser", train=treebank, gold_tags=True, **QUICK)
    given = Sentence(["kato", "vidas"], upos=["NOUN", "VERB"], feats=["Case=Voc", "_"], lemmas=["cato", "_"])
    found = model(given)[0]
    assert found.feats == ["Case=Voc", "_"]
    assert found.lemmas == ["cato", "vidi"]
    assert model(["kato", "vidas"])[0].feats == ["Case=Nom|Number=Sing", "VerbForm=Fin"]


def test_with_gold_tags_features_that_the_input_lacks_are_found_under_its_parts_of_speech(
    treebank: list[Sentence],
) -> None:
    both = [*treebank, *(Sentence(["kato"], upos=["X"], feats=["_"], heads=[0], deprels=["root"]) for _ in range(4))]
    model = train("transition-parser", train=both, gold_tags=True, **QUICK)
    found = model(Sentence(["katon", "vidas"], upos=["NOUN", "VERB"]))[0]
    assert (found.upos, found.feats) == (["NOUN", "VERB"], ["Case=Acc|Number=Sing", "VerbForm=Fin"])
    assert found.deprels == ["obj", "root"]
    assert model(Sentence(["katon"], upos=["X"]))[0].feats == ["_"]


def test_features_that_only_one_sentence_has_are_no_obstacle(treebank: list[Sentence]) -> None:
    sparse = [treebank[0], *without(treebank[1:], "feats", "lemmas")]
    model = train("transition-joint", train=sparse, dev=sparse[1:], **QUICK)
    assert model(sparse[3].forms)[0].feats == ["_", "_"]


def test_a_feature_that_training_has_not_seen_is_kept(models: dict[str, Model]) -> None:
    given = Sentence(["kato", "vidas"], upos=["NOUN", "_"], feats=["Case=Voc", "_"])
    found = models["transition-joint"](given, keep=["feats"])[0]
    assert found.feats == ["Case=Voc", "VerbForm=Fin"]
    assert 0 in found.heads


def test_a_damaged_lemmatizer_is_refused(models: dict[str, Model]) -> None:
    system = models["transition-joint"].system
    header, arrays = system.parts()
    for changed in ({}, {"lemmatizer": {"options": {}}}, {"lemmatizer": header["lemmatizer"] | {"scripts": 1}}):
        damaged = {k: v for k, v in header.items() if k != "lemmatizer"} | changed
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, damaged, arrays)
    with pytest.raises(ModelError, match="damaged"):
        type(system).from_parts(dataclasses.replace(system.options, tag="upos"), header, arrays)


def test_data_without_feats_is_refused_at_once(treebank: list[Sentence], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.transition.training.systems.fit_tagger", lambda *_: pytest.fail("the work has begun"))
    with pytest.raises(DataError, match="leave --morphology out"):
        train("transition-joint", train=without(treebank, "feats"), **QUICK)


def test_without_lemmas_there_is_no_lemmatizer(treebank: list[Sentence]) -> None:
    model = train("transition-joint", train=without(treebank, "lemmas"), **QUICK | {"epochs": 1})
    assert model.system.predicts == ("upos", "feats", "heads", "deprels")
    assert "lemmatizer" not in model.system.parts()[0]


@pytest.mark.parametrize(("bare", "decided"), [((), "on"), (("feats",), "off")])
def test_the_treebank_decides_and_the_log_says_so(
    treebank: list[Sentence], caplog: pytest.LogCaptureFixture, bare: tuple[str, ...], decided: str
) -> None:
    words = [f"w{i}" for i in range(8)]
    rich = Sentence(words, upos=["NOUN"] * 8, feats=[f"Case=C{i}" for i in range(8)])
    rich.set_tree([0, *[1] * 7], ["root", *["obj"] * 7])
    with caplog.at_level(logging.INFO, logger="plait"):
        model = train("transition-joint", train=without([rich] * 4, *bare), epochs=1, folds=2, beam=2)
    assert model.system.options.morphology == decided
    assert ("feats" in model.system.predicts) == (decided == "on")
    assert any(f"morphology {decided}: FEATS carry" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("s0.feat:Case b0.t", "--morphology on"),
        ("agree(s1,s0)", "--morphology on"),
        ("s0.lemma", "lemmas"),
        ("s0.feat:", "unknown atom"),
    ],
)
def test_templates_of_morphology_ask_for_it(treebank: list[Sentence], tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "t.txt").write_text(f"set mine\n {line}\n")
    with pytest.raises(OptionError, match=words):
        train("transition-parser", train=treebank, templates=str(tmp_path / "t.txt"), morphology="off")


def test_a_feature_that_nobody_knows_is_refused(treebank: list[Sentence], tmp_path: Path) -> None:
    table = tmp_path / "t.txt"
    table.write_text("set mine\n s0.feat:Csae b0.t\n")
    with pytest.raises(OptionError, match="use Csae"):
        train("transition-parser", train=treebank, **QUICK | {"templates": str(table)})
    table.write_text("set mine\n s0.feat:Voice b0.t | s0.t\n")  # the guidelines have it, this treebank has not
    train("transition-parser", train=treebank, **QUICK | {"templates": str(table), "epochs": 1})


def test_models_from_before_the_choice_load(treebank: list[Sentence]) -> None:
    model = train("transition-parser", train=treebank, **QUICK | {"epochs": 1, "morphology": "off"})
    header = {**model.header, "options": {**model.header["options"], "morphology": False}}
    again = Model.from_bytes(Model(model.system, header).to_bytes())
    assert again.system.options.morphology == "off"
    with pytest.warns(FutureWarning, match="morphology=off"):
        train("transition-parser", train=treebank, **QUICK | {"epochs": 1, "morphology": False})


@pytest.mark.parametrize("name", ["transition-parser", "transition-joint"])
def test_features_alone_are_tags_too(name: str) -> None:
    """A treebank may have FEATS and lemmas, but no parts of speech."""
    bare = without(case_treebank(), "upos")
    model = train(name, train=bare, dev=bare, tag="feats", **QUICK)
    assert model.system.predicts == ("feats", "lemmas", "heads", "deprels")
    again = Model.from_bytes(model.to_bytes())
    for sentence in bare:
        assert model(sentence.forms)[0] == again(sentence.forms)[0]
    for case, relation in CASES.items():
        given = Sentence(["nova", "vidas"], feats=[f"Case={case}|Number=Sing", "_"])
        assert model(given, keep="feats")[0].deprels[0] == relation


def test_words_tags_features_and_trees_of_raw_text(treebank: list[Sentence]) -> None:
    options = {name: value for name, value in QUICK.items() if name != "templates"}
    model = train("transition-weave", train=treebank, dev=treebank, **options, alpha=0.1)
    assert model.system.predicts == ("upos", "feats", "lemmas", "heads", "deprels")
    again = Model.from_bytes(model.to_bytes())
    for sentence in treebank:
        (found,) = again(" ".join(sentence.forms))
        assert (found.forms, found.lemmas, found.feats) == (sentence.forms, sentence.lemmas, sentence.feats)
        assert (found.heads, found.deprels) == (sentence.heads, sentence.deprels)
