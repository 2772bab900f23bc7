"""A chunker with a lexicon and clusters: words it has never seen are in the right chunks."""

from statistics import mean

import numpy as np
import pytest

import plait
from plait import Sentence
from plait.errors import ModelError
from plait.system.modelfile import model_bytes, parse_model

NAMES = [f"Name{letter}" for letter in "abcdefgh"]
VERBS = [f"verb{letter}" for letter in "abcdefgh"]
STRUCTURES = ("hybrid", "cross-product", "pipeline", "rerank", "linear")


def chunked(words: list[str], kinds: list[str]) -> Sentence:
    sentence = Sentence(words, xpos=["X"] * len(words))  # tags that say nothing
    sentence.extra["chunk"] = [f"B-{kind}" for kind in kinds]
    return sentence


def data(names: list[str], verbs: list[str]) -> list[Sentence]:
    found = [chunked([n, v, m], ["NP", "VP", "NP"]) for n in names for v in verbs for m in names if n != m]
    return found + [chunked([v, n, m], ["VP", "NP", "NP"]) for n in names for v in verbs for m in names if n != m]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("resources")
    entries = [*(f"{word}\tname" for word in NAMES), *(f"{word}\tverb" for word in VERBS)]
    (folder / "words.txt").write_text("form\ttag\n" + "".join(f"{entry}\n" for entry in entries), encoding="utf-8")
    clusters = [*(f"000000\t{word}\t5" for word in NAMES), *(f"111111\t{word}\t5" for word in VERBS)]
    (folder / "clusters.txt").write_text("".join(f"{line}\n" for line in clusters), encoding="utf-8")
    return {"lexicon": str(folder / "words.txt"), "clusters": str(folder / "clusters.txt")}


def trained(**options):
    return plait.train("crf-chunker", train=data(NAMES[:4], VERBS[:4]), epochs=20, **options)


def right(model):
    held_out = data(NAMES[4:], VERBS[4:])
    found = [model(Sentence(sentence.forms, xpos=sentence.xpos))[0] for sentence in held_out]
    return mean(a.extra["chunk"] == b.extra["chunk"] for a, b in zip(found, held_out, strict=True))


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("option", ["lexicon", "clusters"])
def test_words_that_are_known_from_elsewhere_are_chunked_right(structure, option, files):
    stages = structure in ("pipeline", "rerank")  # whose second stage looks at words and tags alone
    model = trained(structure=structure, **{option: files[option]})
    assert stages or right(model) == 1
    again = plait.Model.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert right(again) == right(model)


def test_without_them_such_words_are_not(files):
    assert right(trained()) < 0.9


def test_its_tagger_looks_at_them_too(files):
    train = data(NAMES[:4], VERBS[:4])
    for sentence in train:
        sentence.xpos = ["N" if kind == "B-NP" else "V" for kind in sentence.extra["chunk"]]
    model = plait.train("crf-chunker", train=train, epochs=20, lexicon=files["lexicon"])
    assert model.system._tags(Sentence([NAMES[5], VERBS[5], NAMES[6]])) == ["N", "V", "N"]


def test_a_file_that_lost_its_lexicon_is_refused(files):
    model = trained(lexicon=files["lexicon"])
    header, arrays = parse_model(model.to_bytes(), "m")
    header = {key: value for key, value in header.items() if key not in ("format", "plait", "lexicon")}
    with pytest.raises(ModelError, match="lexicon"):
        plait.Model.from_bytes(model_bytes(header, {name: np.array(a) for name, a in arrays.items()}))
