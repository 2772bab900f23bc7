"""Both systems on the tiny treebank: learnt by heart, saved, loaded, forged, shared."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plait
from plait.data.document import Sentence
from plait.data.trees import is_tree
from plait.errors import DataError, ModelError, OptionError
from plait.learn.learners import LEARNERS
from plait.pipeline import Model, train
from plait.transition._search import UPDATES
from plait.trees.candidates import best_tags, given_tags

QUICK: dict[str, Any] = {"folds": 5, "beam": 8, "epochs": 15, "tagger_epochs": 15}
SYSTEMS = ("transition-parser", "transition-joint")


@pytest.fixture(scope="module")
def treebank(tiny_file: Path) -> list[Sentence]:
    """Every sentence twice, in different folds: so little data can be jackknifed in no other way."""
    once = plait.read(tiny_file).sentences
    again = [sentence.copy() for sentence in once]
    for sentence in again:  # with the same name it would be in the same fold
        sentence.set_comment("sent_id", f"{sentence.sent_id}-again")
    return once + again


@pytest.fixture(scope="module")
def models(treebank: list[Sentence]) -> dict[str, Model]:
    return {name: train(name, train=treebank, check=True, **QUICK) for name in SYSTEMS}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_tiny_treebank_with_crossing_arcs_is_learnt_by_heart(
    models: dict[str, Model], treebank: list[Sentence], name: str
) -> None:
    for gold in treebank:
        found = models[name](gold.forms)[0]
        assert (found.upos, found.heads, found.deprels) == (gold.upos, gold.heads, gold.deprels)


def test_crossing_arcs_come_from_swaps(models: dict[str, Model], treebank: list[Sentence]) -> None:
    crossing = next(s for s in treebank if s.sent_id == "en-16")
    for model in models.values():
        found = model(crossing.forms)[0]
        assert found.trace is not None
        assert "SWAP" in found.trace
        assert found.trace.count("SHIFT") == len(found) + found.trace.count("SWAP")
        assert found.trace[-1] == "RIGHT-root"
        assert found.score is not None


@pytest.mark.parametrize("name", SYSTEMS)
def test_saved_and_loaded_models_predict_the_same(
    models: dict[str, Model], treebank: list[Sentence], name: str, tmp_path: Path
) -> None:
    models[name].save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    pickled = pickle.loads(pickle.dumps(models[name]))
    texts = [s.forms for s in treebank]
    expected = [models[name](words)[0] for words in texts]
    assert [loaded(words)[0] for words in texts] == expected
    assert [pickled(words)[0] for words in texts] == expected
    assert [d[0] for d in loaded.pipe(texts, threads=3)] == expected
    assert loaded.to_bytes() == models[name].to_bytes()


def test_the_same_data_and_seed_give_the_same_bytes(models: dict[str, Model], treebank: list[Sentence]) -> None:
    again = train("transition-joint", train=treebank, check=True, **QUICK)
    assert again.to_bytes() == models["transition-joint"].to_bytes()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("update", UPDATES)
def test_every_learner_learns_and_every_update_is_valid(treebank: list[Sentence], learner: str, update: str) -> None:
    options = QUICK | {"learner": learner, "update": update, "check": True}
    model = train("transition-joint", train=treebank, dev=treebank, **options)
    assert model.system.training["dev"]["tlas"] > 85


def test_graph_features_are_learnt_saved_and_loaded(treebank: list[Sentence]) -> None:
    model = train("transition-joint", train=treebank, dev=treebank, graph_features=True, check=True, **QUICK)
    assert model.system.training["dev"]["tlas"] > 95
    again = Model.from_bytes(model.to_bytes())
    assert [again(s.forms)[0] for s in treebank] == [model(s.forms)[0] for s in treebank]


@pytest.mark.parametrize(
    ("line", "words"), [("in.t gi.t", "different times"), ("h.l", "no label"), ("x.t", "unknown atom")]
)
def test_bad_graph_templates_are_explained(treebank: list[Sentence], tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "t.txt").write_text(f"set mine\n {line}\n")
    options = QUICK | {"graph_features": True, "graph_templates": str(tmp_path / "t.txt")}
    with pytest.raises(OptionError, match=words):
        train("transition-parser", train=treebank, **options)


def test_options_reach_the_search(treebank: list[Sentence]) -> None:
    options = QUICK | {
        "oracle": "eager",
        "table": "hash",
        "hash_bits": 16,
        "beam_tags": 0,
        "tag_candidates": 2,
        "alpha": 0.3,
    }
    model = train("transition-joint", train=treebank, dev=treebank, **options)
    assert model.system.training["dev"]["las"] > 85
    again = Model.from_bytes(model.to_bytes())
    assert again(treebank[0].forms)[0] == model(treebank[0].forms)[0]


def test_tags_with_parts_are_chosen_as_one(treebank: list[Sentence]) -> None:
    data = [s.copy() for s in treebank]
    for sentence in data:
        sentence.feats = ["Number=Plur" if form.endswith("s") else "_" for form in sentence.forms]
    model = train("transition-joint", train=data, tag="upos+feats", **QUICK)
    found = model(data[0].forms)[0]
    assert (found.upos, found.feats, found.heads) == (data[0].upos, data[0].feats, data[0].heads)


def test_gold_tags_of_the_input_are_used_and_bare_words_still_work(treebank: list[Sentence]) -> None:
    model = train("transition-parser", train=treebank, gold_tags=True, **QUICK)
    assert model(Sentence(["Dogs", "bark"], upos=["NOUN", "ODD"]))[0].upos == ["NOUN", "ODD"]
    assert model(["Dogs", "bark"])[0].upos == ["NOUN", "VERB"]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("forms", [[], ["unheard-of"], ["x"] * 300, ["🙂", "的", "\u200d"]])
def test_any_words_get_tags_and_one_rooted_tree(models: dict[str, Model], name: str, forms: list[str]) -> None:
    for found in models[name](Sentence(forms)):
        assert "_" not in found.upos
        assert not forms or is_tree(found.heads)
        assert [h == 0 for h in found.heads] == [label == "root" for label in found.deprels]


def test_training_can_be_resumed(treebank: list[Sentence], tmp_path: Path) -> None:
    options = QUICK | {"epochs": 4}
    whole = train("transition-joint", train=treebank, **options)
    train("transition-joint", train=treebank, checkpoint=tmp_path / "c", **options)
    resumed = train("transition-joint", train=treebank, checkpoint=tmp_path / "c", resume=True, **options)
    assert resumed.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize(
    ("name", "options", "error", "words"),
    [
        ("transition-joint", {"tag_candidates": 0}, OptionError, "1 to 64"),
        ("transition-joint", {"alpha": 2.0}, OptionError, "0.0 to 1.0"),
        ("transition-parser", {"beam": 0}, OptionError, "1 to 4096"),
        ("transition-parser", {"tag_candidates": 2}, OptionError, "no option"),
        ("transition-parser", {"templates": "ZN"}, OptionError, "ZN11"),
        ("transition-joint", {"update": "late"}, OptionError, "early"),
        ("transition-parser", {"tag": "xpos"}, DataError, "--tag"),
    ],
)
def test_faults_say_what_would_do(
    treebank: list[Sentence], name: str, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        train(name, train=treebank, **(QUICK | options))


def test_data_without_trees_is_refused() -> None:
    with pytest.raises(DataError, match="no trees"):
        train("transition-parser", train=[Sentence(["a"], upos=["X"])], epochs=1)


@pytest.mark.parametrize("line", ["s3.w", "s0.ww", "s0.lc.suf2", "dist(s0,b1)", "delta s0.t", "s0.p", "s0.c6"])
def test_bad_templates_of_a_user_are_explained(treebank: list[Sentence], tmp_path: Path, line: str) -> None:
    (tmp_path / "t.txt").write_text(f"set mine\n {line}\n")
    with pytest.raises(OptionError, match=r"unknown atom|cannot use delta|--clusters"):
        train("transition-parser", train=treebank, templates=str(tmp_path / "t.txt"), **QUICK)


@pytest.mark.parametrize("name", SYSTEMS)
def test_forged_parts_are_refused(models: dict[str, Model], name: str) -> None:
    system = models[name].system
    header, arrays = system.parts()
    n = len(arrays["filter.starts"])
    forged: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"labels": []}, {}),
        ({"labels": header["labels"][1:]}, {}),
        ({"tagger": {}}, {}),
        ({"tables": {}}, {}),
        ({"templates": ["s9.w"]}, {}),
        ({"templates": ["delta"]}, {}),
        ({}, {"filter.known": arrays["filter.known"] + np.uint16(999)}),
        ({}, {"filter.starts": arrays["filter.starts"][::-1].copy()}),
        ({}, {"filter.starts": np.zeros(n, dtype=np.int32)}),
        ({}, {"filter.starts": arrays["filter.starts"].astype(np.float32)}),
        ({}, {"filter.starts": arrays["filter.starts"].reshape(1, -1)}),
    ]
    for entries, changed in forged:
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, header | entries, arrays | changed)


def test_candidates_are_the_best_within_alpha() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 1.0], [0.4, 0.4, 0.2]])
    c = best_tags(p, 3, 0.25)
    assert c.tags.tolist() == [[0, 1, 2], [2, 0, 1], [0, 1, 2]]
    assert c.counts.tolist() == [2, 1, 3]
    assert c.bins.tolist() == [[0, 4, 0], [0, 0, 0], [0, 0, 4]]
    assert c.choices([1, 0, 2]) == [1, 0, 2]
    assert best_tags(p, 1, 1.0).counts.tolist() == [1, 1, 1]
    assert given_tags([2, 1]).tags.tolist() == [[2], [1]]


def test_the_trace_prints_as_transitions(tiny_file, tmp_path, capsys):
    from plait.cli.main import main

    model = tmp_path / "m.plait"
    plait.train("transition-parser", train=tiny_file, epochs=1).save(model)
    assert main(["parse", "-m", str(model), "--trace", "Dogs bark ."]) == 0
    assert "(1) SHIFT" in capsys.readouterr().out
    assert main(["parse", "-m", str(model), "--trace", "--to", "html", "Dogs bark ."]) == 0
    assert '"SHIFT"' in capsys.readouterr().out
    for options in (["--output", str(tmp_path / "steps.log")], ["--output", str(tmp_path / "steps.html")]):
        assert main(["parse", "-m", str(model), "--trace", *options, "Dogs bark ."]) == 0
    assert "(1) SHIFT" in (tmp_path / "steps.log").read_text()
    assert '"SHIFT"' in (tmp_path / "steps.html").read_text()
    for options in (
        ["--to", "svg"],
        ["--to", "json", "--output", "steps.html"],
        ["--output", str(tmp_path / "s.conllu")],
    ):
        assert main(["parse", "-m", str(model), "--trace", *options, "Dogs bark ."]) == 2
        assert "--trace cannot be written as" in capsys.readouterr().err
    assert not (tmp_path / "s.conllu").exists()


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_perceptron_tagger_can_be_inside(treebank: list[Sentence], name: str, tmp_path: Path) -> None:
    model = train(name, train=treebank, tagger="perceptron", tag="upos+feats", check=True, **QUICK)
    assert model.system.tagger.name == "perceptron-tagger"
    for gold in treebank:
        found = model(gold.forms)[0]
        assert (found.upos, found.feats, found.heads) == (gold.upos, gold.feats, gold.heads)
    model.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    assert loaded.system.tagger.temperature == model.system.tagger.temperature != 1.0
    assert loaded(treebank[0].forms)[0].to_conllu() == model(treebank[0].forms)[0].to_conllu()
    p = loaded.system.tagger.tag_probabilities(treebank[0].forms)
    assert p.sum(axis=1) == pytest.approx(np.ones(len(treebank[0])))
    header, arrays = model.system.parts()
    for forged in (0.0, float("nan"), "warm", None):
        inner = {**header["tagger"], "temperature": forged}
        with pytest.raises(ModelError):
            type(model.system).from_parts(model.system.options, {**header, "tagger": inner}, arrays)


def test_hidden_words_are_the_same_in_every_run(treebank: list[Sentence], tmp_path: Path) -> None:
    options = {**QUICK, "epochs": 4, "word_dropout": 2.0}
    whole = train("transition-joint", train=treebank, check=True, **options)
    assert whole.to_bytes() != train("transition-joint", train=treebank, **{**options, "word_dropout": 0.0}).to_bytes()
    again = train("transition-joint", train=treebank, checkpoint=tmp_path / "c", check=True, **options)
    assert again.to_bytes() == whole.to_bytes()
