"""Sums kept by form: the scores of a sentence are those of its templates, one by one."""

from random import Random
from threading import Thread

import numpy as np
import pytest

from plait.chain._word_scores import WordScores
from plait.core._weights import Weights
from plait.data.document import Sentence
from plait.features._words import WORD_COLUMNS, WordRows, word_atoms
from plait.features.label_templates import LabelTemplates
from plait.features.templates import Template, load_templates
from plait.pipeline import Model, train

WORDS = ["the", "old", "Dog", "dog-s", "42", "sees", "Ägypten", "a"]


def made(features: LabelTemplates, weights: Weights) -> WordScores:
    single, several = features.by_word("t")
    return WordScores(weights, single, several, WordRows(features.columns, features.pad, 0, None))


def random_weights(features: LabelTemplates, random: Random, labels: int = 3) -> Weights:
    weights = Weights(labels)
    generator = np.random.default_rng(random.randrange(1000))
    for _ in range(30):
        atoms = word_atoms(random.choices(WORDS, k=5), features.columns, features.pad)
        for _, keys in features.keys(atoms):
            for key in keys.reshape(-1).tolist():
                if key and random.random() < 0.7:
                    weights.update(key, random.randrange(labels), float(generator.normal()))
    return weights


@pytest.mark.parametrize("name", ["general", "own word", "pairs"])
def test_scores_are_the_sums_of_all_templates(name: str) -> None:
    random = Random(3)
    own = [Template(("w0", "t0")), Template(("suf2", "w0", "t0"))]
    pairs = [Template(("w-1", "w0", "t0")), Template(("w+1", "suf1@-1", "t0"))]
    known = {"general": [*load_templates("general", "chain")], "own word": own, "pairs": pairs}[name]
    features = LabelTemplates(known, WORD_COLUMNS)
    weights = random_weights(features, random)
    words = made(features, weights)
    for n in (1, 2, 3, 8, 8, 20):
        forms = random.choices(WORDS, k=n)
        atoms = word_atoms(forms, features.columns, features.pad)
        expected = features.compiled["t"].scores(weights, atoms, features.pad)
        for _ in range(2):  # found, then remembered
            assert words.scores(forms) == pytest.approx(expected, abs=1e-4)
    assert np.abs(expected).max() > 0.1


def test_templates_of_one_word_are_distinguished_from_others() -> None:
    templates = [("w0", "t0"), ("suf2", "pre1", "t0"), ("w-1", "t0"), ("w-1", "w0", "t0"), ("suf2@+2", "len@+2", "t0")]
    features = LabelTemplates([Template(atoms) for atoms in templates], WORD_COLUMNS)
    single, several = features.by_word("t")
    assert [(k, part.count) for k, part in single] == [(-1, 1), (0, 2), (2, 1)]
    assert several.count == 1


def test_rows_with_too_little_around_them_are_refused() -> None:
    for template in (("w-1", "t0"), ("w-1", "w0", "t0")):
        features = LabelTemplates([Template(template)], WORD_COLUMNS)
        with pytest.raises(ValueError, match="padding"):
            WordScores(Weights(2), *features.by_word("t"), WordRows(features.columns, 0, 0, None))
    single = features.by_word("t")[1]  # of two words
    with pytest.raises(ValueError, match="looks at another"):
        WordScores(Weights(2), [(0, single)], single, WordRows(features.columns, 1, 0, None))


@pytest.fixture(scope="module")
def tagger() -> Model:
    data = [
        Sentence(["the", "dog", "sees"], upos=["DET", "NOUN", "VERB"]),
        Sentence(["a", "old", "dog"], upos=["DET", "ADJ", "NOUN"]),
    ]
    return train("crf-tagger", train=data, epochs=5, optimizer="adagrad")


def test_more_forms_than_are_kept(tagger: Model) -> None:
    """In one sentence, too, whose first sums are forgotten before its last ones are made."""
    rows = 4 * 5 * len(tagger.system.tags)
    count = 2 * (1 << 22) // rows
    forms = [f"w{i}" for i in range(min(count, 60_000))]
    system = tagger.system
    atoms = system.atoms(forms)
    expected = system.crf.features.compiled["t"].scores(system.crf.tables["t"], atoms, system.crf.features.pad)
    assert system._scores(forms) == pytest.approx(expected, abs=1e-4)


def test_threads_share_what_is_kept(tagger: Model) -> None:
    random = Random(5)
    sentences = [random.choices([*WORDS, *(str(i) for i in range(500))], k=12) for _ in range(60)]
    expected = [tagger(forms)[0].upos for forms in sentences]
    again = Model.from_bytes(tagger.to_bytes())
    found: list[list[str]] = [[] for _ in sentences]

    def tag(part: range) -> None:
        for i in part:
            found[i] = again(sentences[i])[0].upos

    threads = [Thread(target=tag, args=(range(k, len(sentences), 4),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_all_ways_of_tagging_agree(tagger: Model) -> None:
    forms = ["the", "old", "dog", "sees", "Zork"]
    found = tagger(forms, scores=True)[0]
    p = tagger.system.tag_probabilities(forms)
    tags = tagger.system.tag_numbers(forms).tolist()
    assert [tagger.system.tags[t] for t in tags] == found.upos
    assert found.scores == pytest.approx([p[i, t] for i, t in enumerate(tags)])
    assert tagger.nbest(forms, 2)[0][0].upos == found.upos
    plain = tagger.system.crf.probabilities(
        word_atoms(forms, tagger.system.crf.features.columns, tagger.system.crf.features.pad)
    )
    assert p == pytest.approx(plain[1]["t"], abs=1e-4)
