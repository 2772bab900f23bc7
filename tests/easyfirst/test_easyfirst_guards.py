"""Weights that are no numbers, and forged files: a typed error, and never an index out of nowhere."""

import numpy as np
import pytest

import plait
from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.easyfirst._search import EasyFirst
from plait.easyfirst.features import Features
from plait.errors import ModelError
from plait.features._lexicon import build_dictionary
from plait.features.templates import load_templates
from plait.pipeline.model import Model
from plait.system.modelfile import model_bytes, parse_model

WILD = [-3.4e38, -1e30, -2e30, -1e29, 3.4e38, float("nan"), float("inf"), -float("inf")]
FORMS = ["a", "b", "a", "c", "b"]
TAGS, LABELS = 3, 12  # 24 scores of an arc: they are compared eight at a time


def search(task, beam, weights):
    """A search whose tables are all wild."""
    features = Features(
        load_templates("OP+Syn" if task == "joint" else "OP", "easyfirst-tagging") if task != "parser" else (),
        load_templates("OP", "easyfirst-parsing") if task != "tagger" else (),
        "item" if task == "joint" else "table",
    )
    dictionary = build_dictionary([(["a"] * 3, [0, 2, 0])], TAGS, 2)
    tagging = features.tag_scoring(weights["tags"], dictionary) if task != "parser" else None
    parsing = features.arc_scoring(weights["arcs"], LABELS, True) if task != "tagger" else None
    atoms = features.reader().atoms(FORMS)
    return EasyFirst(tagging, parsing, features.width, features.pad, beam), atoms


def wild_weights(task, beam, given, value, share, rng):
    """A search over tables in which a share of the weights is this value, and its sentence."""
    weights = {"tags": Weights(TAGS), "arcs": Weights(2 + 2 * LABELS)}
    decoder, atoms = search(task, beam, weights)
    directions = {"tagger": (-1,), "parser": (0, 1), "joint": (-1, 0, 1)}[task]
    found = [decoder.keys_of(atoms.copy(), given, [], word, d) for word in range(len(FORMS)) for d in directions]
    for table in weights.values():
        for key in sorted(set(np.concatenate(found).tolist()) - {0}):
            for label in range(table.labels):
                table.update(key, label, float(value) if rng.random() < share else float(rng.normal()))
    return decoder, atoms


@pytest.mark.parametrize("task", ["tagger", "parser", "joint"])
@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("share", [0.05, 1.0])
def test_no_weight_leads_a_search_out_of_its_arrays(task, beam, share):
    n = len(FORMS)
    given = np.zeros(n, dtype=np.uint16) if task == "parser" else None
    nothing = np.full((n, TAGS), 2, dtype=np.uint8), np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    gold = np.zeros(n, np.uint16), np.array([2, 0, 2, 5, 2], dtype=np.int32), np.zeros(n, np.uint16)
    rng = np.random.default_rng(5)
    errors = []
    for value in WILD:
        decoder, atoms = wild_weights(task, beam, given, value, share, rng)
        for attempt, arguments in ((decoder.decode, ()), (decoder.decode_given, nothing), (decoder.learn, gold)):
            try:
                found = attempt(atoms.copy(), given, *arguments)
                if attempt == decoder.decode:
                    assert (found[2] < LABELS).all()
                    assert (found[4] < TAGS + 2 * LABELS).all()
            except ModelError as error:
                errors.append(str(error))
    assert all("finite" in error for error in errors)
    assert errors or share < 1 or task == "tagger"


@pytest.fixture(scope="module")
def models(tiny_file):
    small = {"epochs": 2, "bits": 32}
    inner = {"folds": 2, "tagger_epochs": 2}
    return {
        "easyfirst-tagger": plait.train("easyfirst-tagger", train=tiny_file, **small),
        "easyfirst-parser": plait.train("easyfirst-parser", train=tiny_file, **small, **inner),
        "easyfirst-joint": plait.train("easyfirst-joint", train=tiny_file, **small),
    }


def forged(model, change):
    header, arrays = parse_model(model.to_bytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    return model_bytes(header, arrays)


@pytest.mark.parametrize("name", ["easyfirst-tagger", "easyfirst-parser", "easyfirst-joint"])
@pytest.mark.parametrize("scale", [9e29, 3.0, -1.0, 2.0**60])
def test_a_forged_scale_is_refused(models, name, scale):
    for group in ("tags", "arcs"):

        def change(header, arrays, group=group):
            for tables in (header["tables"], header.get("tagger", {}).get("tables", {})):
                if group in tables:
                    tables[group].update(scale=scale)

        header, _ = parse_model(models[name].to_bytes())
        if group in header["tables"]:
            with pytest.raises(ModelError, match="scale"):
                Model.from_bytes(forged(models[name], change))


@pytest.mark.parametrize("name", ["easyfirst-parser", "easyfirst-joint"])
def test_a_parser_without_templates_is_refused(models, name):
    with pytest.raises(ModelError, match="template"):
        Model.from_bytes(forged(models[name], lambda header, arrays: header.update(templates=[])))


@pytest.mark.parametrize("name", ["easyfirst-parser", "easyfirst-joint"])
def test_a_partly_given_tree_is_filled(models, name):
    sentence = Sentence(["she", "sees", "the", "house"], heads=[2, -1, -1, -1])
    filled = models[name](sentence, keep=True)[0]
    assert filled.heads[0] == 2
    assert filled.heads.count(0) == 1
