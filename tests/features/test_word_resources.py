"""Clusters and lexicon as atoms of words, in every family that takes them."""

import numpy as np
import pytest

import plait
from plait.errors import FormatError, ModelError, OptionError
from plait.features.clusters import Clusters
from plait.features.word_resources import RESOURCE_COLUMNS, WordResources
from plait.system import SYSTEMS, find_system
from plait.system.modelfile import model_bytes, parse_model

RUNS = {
    "crf-tagger": {"epochs": 3},
    "easyfirst-tagger": {"epochs": 3},
    "easyfirst-parser": {"epochs": 2, "folds": 2, "tagger_epochs": 2},
    "easyfirst-joint": {"epochs": 2},
    "perceptron-tagger": {"epochs": 3},
    "transition-parser": {"epochs": 2, "beam": 2, "folds": 2, "tagger_epochs": 2},
    "transition-joint": {"epochs": 2, "beam": 2, "folds": 2, "tagger_epochs": 2},
    "graph-parser": {"epochs": 2, "folds": 2, "arc_folds": 2, "tagger_epochs": 2},
    "graph-joint": {"epochs": 2, "folds": 2, "arc_folds": 2, "tagger_epochs": 2},
}


@pytest.fixture(scope="module")
def resources(tmp_path_factory, tiny_file):
    folder = tmp_path_factory.mktemp("resources")
    forms = sorted({form for sentence in plait.read(tiny_file) for form in sentence.forms})
    (folder / "words.txt").write_text("".join(f"{form}\tT{len(form) % 3}\n" for form in forms), encoding="utf-8")
    (folder / "clusters.txt").write_text(
        "".join(f"{len(form) % 8:04b}\t{form}\t1\n" for form in forms), encoding="utf-8"
    )
    return {"lexicon": str(folder / "words.txt"), "clusters": str(folder / "clusters.txt")}


def test_every_system_with_clusters_takes_a_lexicon():
    for name in SYSTEMS:
        fields = find_system(name).Options.__dataclass_fields__
        assert ("clusters" in fields) <= ("lexicon" in fields), name


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("which", [["lexicon"], ["lexicon", "clusters"]])
def test_models_keep_what_they_look_at(name, which, resources, tiny_file):
    chosen = {key: resources[key] for key in which}
    model = plait.train(name, train=tiny_file, **RUNS[name], **chosen)
    again = plait.Model.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    gold = plait.read(tiny_file)
    bare = [sentence.bare() for sentence in gold]
    one, other = ([(s.upos, s.heads) for s in (m(words)[0] for words in bare)] for m in (model, again))
    assert one == other
    header, arrays = parse_model(model.to_bytes())
    assert any(key.startswith("lexicon.") or ".lexicon." in key for key in arrays)
    lost = {key: np.array(array) for key, array in arrays.items() if "lexicon" not in key}
    plain = {key: value for key, value in header.items() if key not in ("format", "plait")}
    with pytest.raises(ModelError, match="again"):
        plait.Model.from_bytes(model_bytes(plain, lost))


def test_templates_need_their_resources(tmp_path, tiny_file):
    (tmp_path / "t.txt").write_text("set mine\n    w0 | lex\n")
    with pytest.raises(OptionError, match="--lexicon"):
        plait.train("perceptron-tagger", train=tiny_file, templates=str(tmp_path / "t.txt"))


def test_boundaries_have_no_resources(resources):
    class Options:
        clusters, lexicon = resources["clusters"], resources["lexicon"]

    found = WordResources.read(Options, {})
    atoms = found.reader(("w", *RESOURCE_COLUMNS), 2).atoms(["Dogs", "xyzzy"])
    assert atoms.shape == (6, 1 + len(RESOURCE_COLUMNS))
    assert (atoms[2, 1:5] != 0).all()
    assert (atoms[3:, 1:] == 0).all()
    assert (atoms[:2, 1:] == 0).all()
    assert (atoms[:, 0] != 0).all()


def test_a_word_in_two_clusters_is_refused_with_its_line(tmp_path):
    (tmp_path / "c.txt").write_text("00\tdog\t1\n01\tcat\t1\n00\tdog\t2\n")
    assert len(Clusters.read(tmp_path / "c.txt").table) == 2
    (tmp_path / "c.txt").write_text("00\tdog\t1\n01\tdog\t1\n")
    with pytest.raises(FormatError, match=r"c\.txt:2.*two clusters"):
        Clusters.read(tmp_path / "c.txt")
