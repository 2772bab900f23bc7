"""Given tags bind the search: what is found beside them is the best of all that agrees with them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from chain_data import STRUCTURES, undecided, unsure

import plait
from plait.chain._search import labelling_score
from plait.chain.options import TWO_STAGES
from plait.chain.segments import Token
from plait.data.document import Range, Sentence


def joined(words, upos=None):
    """Words without spaces between them."""
    return Sentence(words, upos=upos, misc=["SpaceAfter=No"] * len(words))


def best_under(system, words, upos):
    """The best tags of given words among all that agree with ``upos``, by trying all."""
    text = "".join(words)
    borders = np.cumsum([0, *map(len, words)]).tolist()
    spans = list(pairwise(borders))
    listed = {}
    for tags in product(system.types, repeat=len(words)):
        if any(given not in ("_", tag) for given, tag in zip(upos, tags, strict=True)):
            continue
        if system.tagger is not None:
            crf = system.tagger.crf
            tokens = [Token(a, b, "", False) for a, b in spans]
            path = np.zeros(len(words), np.int32), np.array([system.types.index(t) for t in tags], np.int32)
            scores = crf.scores(system.tagger.atoms(text, tokens))
        else:
            crf = system.crf
            finals = [False] * (len(words) - 1) + [True]
            tokens = [Token(a, b, t, f) for (a, b), t, f in zip(spans, tags, finals, strict=True)]
            path = system.labels.encode(len(text), tokens)
            atoms, _, _ = system.search.given_words(text, spans)
            scores = crf.scores(atoms)
        listed[tags] = labelling_score(crf.chart, *path, scores)
    return list(max(listed, key=listed.get))


@pytest.mark.parametrize("structure", STRUCTURES[:4])
def test_given_tags_of_given_words_bind_their_neighbours(structure):
    model = unsure("crf-segmenter", structure=structure, train=undecided(), sigma=10.0, epochs=30)
    system = model.system
    words = ["花", "花", "花"]
    free = model(joined(words))[0].upos
    assert free == best_under(system, words, ["_"] * 3)
    reacted = False
    for place, tag in product(range(3), system.types):
        given = ["_"] * 3
        given[place] = tag
        found = model(joined(words, given), constrain=True)[0].upos
        assert found == best_under(system, words, given)
        reacted |= any(found[k] != free[k] for k in range(3) if k != place)
    assert reacted


@pytest.mark.parametrize("structure", STRUCTURES[:4])
def test_a_tag_that_the_model_does_not_know_stays_and_binds_nothing(structure):
    model = unsure("crf-segmenter", structure=structure)
    free = model(["我", "爱", "他"])[0].upos
    assert model(Sentence(["我", "爱", "他"], upos=["_", "XYZ", "_"]), constrain=True)[0].upos == [
        free[0],
        "XYZ",
        free[2],
    ]


@pytest.mark.parametrize("structure", STRUCTURES[:4])
def test_the_words_of_a_multiword_token_have_their_own_given_tags(structure):
    train = [
        Sentence(
            ["I", "do", "n't", "go"], upos=["PRON", "AUX", "PART", "VERB"], ranges=[Range(2, 3, "don't")],
        ),
        Sentence(["He", "is", "n't", "old"], upos=["PRON", "VERB", "PART", "ADJ"], ranges=[Range(2, 3, "isn't")]),
    ] * 2  # fmt: skip
    tagger = {"tag_templates": "general"} if structure in TWO_STAGES else {}
    model = plait.train("crf-segmenter", train=train, structure=structure, epochs=5, **tagger)
    given = Sentence(["We", "do", "n't", "sing"], upos=["_", "VERB", "_", "_"], ranges=[Range(2, 3, "don't")])
    assert model(given, constrain=True)[0].upos[1:3] == ["VERB", "PART"]
    for word in ("AUX", "VERB"):  # two words never get a type of one
        given.upos[1] = word
        assert model(given, constrain=True)[0].upos[1:3] == [word, "PART"]


@pytest.mark.parametrize("structure", ["pipeline", "rerank"])
def test_tags_of_a_dictionary_bind_the_second_stage(structure):
    model = unsure("crf-segmenter", structure=structure, train=undecided(), sigma=10.0, epochs=30, sentences=False)
    system = model.system
    reacted = False
    words = ["花", "花花"]
    for mode, tag in product(("force", "prefer"), system.types):
        dictionary = [("花", None, -1000.0), ("花花", tag, -2100.0)]
        document = model("".join(words), dictionary=dictionary, mode=mode)
        assert len(document) == 1
        place = document[0].forms.index("花花")
        assert document[0].forms in (words, words[::-1])
        given = ["_", "_"]
        given[place] = tag
        assert document[0].upos == best_under(system, document[0].forms, given)
        reacted |= document[0].upos[1 - place] != model(joined(document[0].forms))[0].upos[1 - place]
    assert reacted


def test_given_tags_bind_a_perceptron_tagger():
    model = plait.train("perceptron-tagger", train=undecided(), epochs=4, tag_dictionary=100)
    words = ["花"] * 4
    free = model(words)[0].upos
    reacted = False
    for place, tag in product(range(4), model.system.tags):
        given = ["_"] * 4
        given[place] = tag
        found = model(Sentence(words, upos=given), constrain=True)[0].upos
        assert found[place] == tag
        reacted |= any(found[k] != free[k] for k in range(4) if k != place)
    assert reacted
