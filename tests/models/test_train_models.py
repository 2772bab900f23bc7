"""The script that makes the shipped models, on a tiny recipe: it still fits the library, and repeats its bytes."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import plait

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_models"


def script(monkeypatch):
    loader = SourceFileLoader("train_models_script", str(SCRIPT))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, loader.name, module)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    return module


def test_a_tiny_recipe_gives_a_scored_model_and_the_same_bytes_again(monkeypatch, tiny_file):
    made = script(monkeypatch)
    monkeypatch.setattr(made, "DATA", tiny_file.parent)
    sentences = plait.read(tiny_file).sentences
    for sentence in sentences:
        sentence.xpos = [tag[:2] for tag in sentence.upos]
    recipe = made.Recipe(
        "tiny",
        lambda: made.Split(sentences, sentences, sentences, sentences),
        (tiny_file.name,),
        "ourselves",
        segmenter=made.Part("crf-segmenter", "structure=linear optimizer=adagrad epochs=2"),
        parser=made.Part("easyfirst-joint", "epochs=2"),
        tagger=made.Part("crf-tagger", "tag=xpos optimizer=adagrad epochs=2"),
    )
    one, other = (made.make("tiny", recipe, 1, True) for _ in range(2))
    assert one.to_bytes() == other.to_bytes()
    assert {"words", "upos", "las"} <= set(one.header["training"]["test"])
    assert plait.Model.from_bytes(one.to_bytes()).header["data"][tiny_file.name]["sentences"] == len(sentences)


def test_every_recipe_names_systems_and_options_that_exist(monkeypatch):
    made = script(monkeypatch)
    for recipe in made.recipes().values():
        for part in (recipe.segmenter, recipe.parser, recipe.tagger, recipe.lemmatizer, made.FILLER):
            if part is not None:
                options = made.find_system(part.system).Options
                plait.options.make_options(options, made.parse_options(options, part.options, part.system), part.system)
