"""Tags and lemmas decided together, against enumeration of all pairs of sequences."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

import plait
from plait.data.document import Sentence
from plait.errors import OptionError
from plait.morphology.lemma_joint import THRESHOLD, JointLemmas
from plait.system.request import Request

TAGS = ("NOUN", "VERB", "ADJ")


def treebank() -> list[Sentence]:
    """Words whose tags are half noise, and whose lemmas depend on the tag."""
    draw = random.Random(3)
    made = []
    for _ in range(40):
        stems = [draw.choice(["walk", "talk", "red", "play", "light"]) for _ in range(draw.randint(1, 5))]
        tags = [draw.choice(TAGS) if draw.random() < 0.5 else TAGS[len(stem) % 3] for stem in stems]
        forms = [stem + draw.choice(["s", "ed", ""]) for stem in stems]
        lemmas = [
            form if tag == "ADJ" else form.removesuffix("s") if tag == "NOUN" else form.removesuffix("ed")
            for form, tag in zip(forms, tags, strict=True)
        ]
        made.append(Sentence(forms, lemmas=lemmas, upos=tags, xpos=[tag[0] for tag in tags]))
    return made


@pytest.fixture(scope="module")
def systems():
    tagger = plait.train("crf-tagger", train=treebank(), epochs=4, optimizer="adagrad").system
    lemmatizer = plait.train("lemmatizer", train=treebank(), epochs=2, cutoff=1, tag="upos").system
    lemmatizer.model.exceptions.lemmas.clear()  # so that no lemma is certain
    return tagger, lemmatizer


def best_pair(tagger, lemmatizer, forms, weight, lemmas=None):
    """The best tags, and their lemmas, among all there are; and how far the next tags are behind."""
    atoms = tagger.atoms(forms)
    p = tagger.crf.probabilities(atoms)[1]["t"]
    scores = {tuple(tags.tolist()): score for _, tags, score in tagger.crf.ranked(atoms)}
    found = {}
    for numbers in product(range(len(tagger.tags)), repeat=len(forms)):
        if any(p[i, t] < min(THRESHOLD, p[i].max()) for i, t in enumerate(numbers)):
            continue
        total, chosen = scores[numbers], []
        for i, t in enumerate(numbers):
            chances = lemmatizer.model.probabilities(forms[i], (tagger.tags[t], "_", "_"))
            if lemmas is not None and lemmas[i] != "_":
                chances = {lemmas[i]: chances.get(lemmas[i], 1e-6)}
            lemma = max(chances, key=chances.__getitem__)
            chosen.append(lemma)
            total += weight * math.log(max(chances[lemma], 1e-6))
        found[numbers] = total, chosen
    ranked = sorted(found.items(), key=lambda item: -item[1][0])
    gap = ranked[0][1][0] - ranked[1][1][0] if len(ranked) > 1 else math.inf
    return [tagger.tags[t] for t in ranked[0][0]], ranked[0][1][1], gap


@pytest.mark.parametrize("weight", [1.0, 5.0])
def test_joint_decoding_is_that_of_enumeration(systems, weight):
    tagger, lemmatizer = systems
    joint = JointLemmas(tagger, lemmatizer, weight)
    draw, changed = random.Random(8), 0
    for _ in range(60):
        forms = [
            draw.choice(["walks", "talked", "reds", "played", "lights", "mooed", "s"])
            for _ in range(draw.randint(1, 4))
        ]
        sentence, apart = Sentence(forms), Sentence(forms)
        joint.annotate_with(sentence)
        tags, lemmas, gap = best_pair(tagger, lemmatizer, forms, weight)
        if gap > 1e-3:
            assert (sentence.upos, sentence.lemmas) == (tags, lemmas)
        tagger.annotate(apart)
        changed += apart.upos != sentence.upos
    assert changed > 0  # else the lemmas decide nothing


def test_a_given_lemma_decides_the_tag(systems):
    tagger, lemmatizer = systems
    joint = JointLemmas(tagger, lemmatizer, 3.0)
    draw, found = random.Random(2), set()
    for _ in range(40):
        forms = [draw.choice(["walks", "talked", "played"]) for _ in range(3)]
        given = [draw.choice([form, form.removesuffix("s"), form.removesuffix("ed"), "_"]) for form in forms]
        sentence = Sentence(forms, lemmas=given)
        joint.annotate_with(sentence, Request(constrain=True))
        tags, _, gap = best_pair(tagger, lemmatizer, forms, 3.0, given)
        if gap > 1e-3:
            assert sentence.upos == tags
        assert all(g in ("_", lemma) for g, lemma in zip(given, sentence.lemmas, strict=True))
        found.add((forms[0], given[0], sentence.upos[0]))
    assert len({upos for _, _, upos in found}) > 1


def test_given_tags_stay_and_scores_are_those_of_tags(systems):
    tagger, lemmatizer = systems
    sentence = Sentence(["walks", "talked"], upos=["ADJ", "_"])
    JointLemmas(tagger, lemmatizer, 1.0).annotate_with(sentence, Request(constrain=True, scores=True))
    assert sentence.upos[0] == "ADJ"
    assert sentence.lemmas[0] == "walks"
    assert sentence.scores is not None
    assert all(0 < score <= 1 for score in sentence.scores)


def test_with_weight_0_tags_are_the_taggers_own(systems):
    tagger, lemmatizer = systems
    for gold in treebank()[:20]:
        sentence, apart = Sentence(gold.forms), Sentence(gold.forms)
        JointLemmas(tagger, lemmatizer, 0.0).annotate_with(sentence)
        tagger.annotate(apart)
        lemmatizer.annotate(apart)
        assert (sentence.upos, sentence.lemmas) == (apart.upos, apart.lemmas)


def test_a_tagger_without_sums_is_refused(systems):
    tagger = plait.train("perceptron-tagger", train=treebank()[:3], epochs=1).system
    with pytest.raises(OptionError, match="perceptron-tagger cannot predict tags jointly"):
        JointLemmas(tagger, systems[1])


def test_an_empty_sentence_stays_empty(systems):
    sentence = Sentence([])
    JointLemmas(*systems).annotate_with(sentence)
    assert sentence.lemmas == []


def test_joint_decoding_on_the_lattice_of_a_morph_tagger_is_that_of_enumeration():
    tagger = plait.train("morph-tagger", train=treebank(), tag="upos+xpos", epochs=2, threshold=0.0).system
    lemmatizer = plait.train("lemmatizer", train=treebank(), epochs=2, cutoff=1, tag="upos").system
    lemmatizer.model.exceptions.lemmas.clear()
    joint, draw, changed = JointLemmas(tagger, lemmatizer, 3.0), random.Random(4), 0
    model = tagger.models[0]
    for _ in range(25):
        forms = draw.choices(["walks", "talked", "reds", "played", "mooed"], k=draw.randint(1, 3))
        found = {}
        for numbers, score in model.ranked(forms):
            upos = [model.values[number][0] for number in numbers]
            best = [
                max(lemmatizer.model.probabilities(f, (u, "_", "_")).values()) for f, u in zip(forms, upos, strict=True)
            ]
            found[tuple(numbers)] = score + 3.0 * sum(math.log(p) for p in best)
        first, *rest = sorted(found, key=lambda numbers: -found[numbers])
        sentence, apart = Sentence(forms), Sentence(forms)
        joint.annotate_with(sentence, Request(scores=True))
        if not rest or found[first] - found[rest[0]] > 1e-3:
            assert sentence.upos == [model.values[number][0] for number in first]
            assert sentence.xpos == [model.values[number][1] for number in first]
        assert sentence.scores is not None
        tagger.annotate(apart)
        changed += apart.upos != sentence.upos
    assert changed > 0
