"""Odd words and odd dictionaries: they work or are refused with a reason; and scores are those of what was chosen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from chain_data import STRUCTURES, chunked, sentences, unsure

import plait
from plait.chain.crf import NO_LABELLING
from plait.chain.crf_chunker import atoms_of
from plait.data.document import Range, Sentence
from plait.errors import DataError, FormatError, OptionError
from plait.features.user_dictionary import Entry, UserDictionary

ODD = [
    ["a", "\u00a0"],
    ["a", "\n", "b"],
    ["", "我"],
    ["我", " 爱 "],
    [" ", "\t"],
    ["爱\u3000"],
    ["10\u00a0000", "我"],
    ["\u200b", "\ufeff"],
]


@pytest.mark.parametrize("words", ODD, ids=repr)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_given_words_may_be_empty_or_edged_by_white_space(structure, words):
    model = unsure("crf-segmenter", structure=structure)
    for given in (words, Sentence(words, upos=["_", *["VERB"] * (len(words) - 1)])):
        for options in ({}, {"scores": True}, {"constrain": True}, {"keep": "upos"}):
            found = model(given, **options)[0]
            assert found.forms == words
            if structure != "linear":
                assert all(tag in model.system.types for tag in found.upos)
    if structure != "linear":
        assert model.nbest(words, 2)[0][0].upos == model(words)[0].upos


def test_empty_words_in_training_data_are_left_out():
    train = [*sentences(), Sentence(["", "我", " "], upos=["X", "PRON", "X"]), Sentence([" "], upos=["X"])]
    for structure in STRUCTURES[:4]:
        model = plait.train("crf-segmenter", train=train, dev=train, structure=structure, epochs=3)
        assert model(["我", ""])[0].upos[0] in model.system.types


def test_a_multiword_token_may_be_empty():
    model = unsure("crf-segmenter")
    sentence = Sentence(["我", "爱"], ranges=[Range(1, 2, "\u00a0")])
    assert len(model(sentence)[0].upos) == 2


@pytest.mark.parametrize("cost", [-math.inf, math.inf, math.nan, 1.0, -1e300, "-inf", "nan"])
def test_costs_that_are_no_gain_are_refused(cost, tmp_path):
    model = unsure("crf-segmenter")
    with pytest.raises(OptionError, match="expected a cost of 0 or below"):
        model("我爱", dictionary=[("我爱", None, cost)], mode="prefer")
    with pytest.raises(OptionError, match="expected a cost of 0 or below"):
        UserDictionary([Entry("我爱", "", float(cost))])
    path = tmp_path / "words.txt"
    path.write_text(f"好\n我爱\tNOUN\t{cost}\n", "utf-8")
    with pytest.raises(FormatError, match=r"words\.txt:2: .*cost"):
        model("我爱", dictionary=path)


@pytest.mark.parametrize(
    ("line", "words"), [("我" * 300, "at most 256"), ("\tN\t-1", "word"), ("好\tN\t-1\tx", "optional")]
)
def test_bad_lines_are_named(line, words, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(f"好\n\n{line}\n", "utf-8")
    with pytest.raises(FormatError, match=rf"words\.txt:3: .*{words}"):
        UserDictionary.of(path)


def test_bars_that_leave_no_labelling_are_an_error_and_not_a_guess():
    crf = unsure("crf-tagger").system.crf
    atoms = np.zeros((3 + 2 * crf.features.pad, len(crf.features.columns)), dtype=np.uint64)
    bars = {"t": np.full((3, len(crf.space.types)), -np.inf, dtype=np.float32)}
    for ask in (crf.best, lambda *given: next(crf.ranked(*given))):
        with pytest.raises(DataError, match="no analysis"):
            ask(atoms, bars)
    assert "dictionary" in NO_LABELLING


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_score_of_a_chunk_is_that_of_the_type_it_was_given(structure):
    model = unsure("crf-chunker", structure=structure, sigma=2.0, epochs=10)
    system = model.system
    differs = False
    random = np.random.default_rng(1)
    vocabulary = sorted({form for s in chunked() for form in s.forms})
    for words in random.choice(vocabulary, size=(60, 7)).tolist():
        found = model(words, scores=True)[0]
        tags = system._tags(Sentence(words))
        chosen = next(system._analyses(words, tags))
        _, p = system.crf.probabilities(atoms_of(words, tags, system._reader))
        expected = [p["st"][i, chosen.marks[i], chosen.types[i]] for i in range(len(words))]
        if system.typer is not None:
            spans = system.labels.spans(chosen.marks, chosen.types)
            _, q = system.typer.probabilities(system._chunk_atoms(words, tags, spans))
            typed = {s.start: s for s in chosen.chunks}
            for k, span in enumerate(spans):
                kind = typed[span.start].type if span.start in typed else "O"
                chance = q["t"][k, system.typer.space.types.index(kind)]
                differs |= chance < q["t"][k].max()
                for i in range(span.start, span.end):
                    expected[i] *= chance
        np.testing.assert_allclose(found.scores, expected, rtol=1e-9)
    assert differs or system.typer is None
