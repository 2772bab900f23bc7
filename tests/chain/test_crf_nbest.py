"""Alternatives of every system and structure: the analysis itself comes first; in order, exact, without repetitions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from chain_data import STRUCTURES, TEXTS, WORDS, segmentations, unsure

from plait.chain.segments import Token
from plait.errors import OptionError


def shown(document):
    return [(s.forms, s.upos, s.extra.get("chunk"), s.offsets) for s in document]


def check_alternatives(model, given, count=30):
    found = model.nbest(given, count)
    assert shown(model.nbest(given, 1)[0]) == shown(found[0]) == shown(model(given))
    scores = [document[0].score for document in found]
    assert scores == sorted(scores, reverse=True)
    assert len({repr(shown(document)) for document in found}) == len(found)
    return found


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_alternatives_of_raw_text_begin_with_the_analysis(structure, hard):
    model = unsure("crf-segmenter", structure=structure, hard=hard)
    for text in TEXTS:
        found = check_alternatives(model, text)
        if hard:  # a border is none, one of words, or one of sentences; and words have types
            ways = 30 if structure in ("hybrid", "cross-product") else 3 ** (len(text) - 1)
            assert len(found) == min(20 if structure == "rerank" else 30, ways)
        assert sum(np.exp([document[0].score for document in found])) <= 1 + 1e-6 or structure == "rerank"


@pytest.mark.parametrize("structure", STRUCTURES[:4])
def test_a_segmenter_gives_alternatives_of_the_tags_of_given_words(structure):
    model = unsure("crf-segmenter", structure=structure)
    found = check_alternatives(model, ["我", "爱", "研究"], 10)
    assert len(found) == 10
    assert all(document[0].forms == ["我", "爱", "研究"] for document in found)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_alternatives_of_a_chunker_begin_with_the_analysis(structure):
    model = unsure("crf-chunker", structure=structure)
    for words in WORDS:
        check_alternatives(model, words)


def test_alternatives_of_a_tagger_begin_with_the_analysis():
    model = unsure("crf-tagger")
    for words in (["我", "爱", "他"], ["新", "词", "新", "词"]):
        assert len(check_alternatives(model, words)) == 30


def joint_scores(system, text):
    """log P of every analysis of a text as one sentence or several, by adding up the chart's scores path by path."""
    found = {}
    labels, units = system.labels, system.search.reader.find(text)
    atoms = system.search.reader.atoms(text, units, system.crf.features)
    scores = system.crf.scores(atoms, labels.mask(system.search._rules(units)))
    from plait.chain._search import labelling_score, probabilities

    log_z = probabilities(system.crf.chart, scores)[0]
    types = [""] if labels.structure == "linear" else labels.types
    for spans in segmentations(text):
        for final in product((False, True) if labels.finals else (False,), repeat=len(spans) - 1):
            for kinds in product(types, repeat=len(spans)):
                tokens = [Token(a, b, t, f) for (a, b), t, f in zip(spans, kinds, (*final, True), strict=True)]
                path = labels.encode(len(text), tokens)
                found[tuple(tokens)] = labelling_score(system.crf.chart, *path, scores) - log_z
    return found


@pytest.mark.parametrize("structure", ["hybrid", "cross-product", "linear"])
def test_the_best_analyses_are_those_of_all(structure):
    model = unsure("crf-segmenter", structure=structure)
    for text in ("我爱", "研究生"[: 2 if structure != "linear" else 3]):
        listed = joint_scores(model.system, text)
        assert np.logaddexp.reduce(list(listed.values())) == pytest.approx(0, abs=1e-4)
        right = sorted(listed.items(), key=lambda item: -item[1])[:12]
        found = model.nbest(text, 12)
        for document, (tokens, score) in zip(found, right, strict=True):
            assert document[0].score == pytest.approx(score, abs=1e-4)
            assert [span for s in document for span in s.offsets] == [(t.start, t.end) for t in tokens]
            assert len(document) == sum(t.final for t in tokens)


def test_reranked_alternatives_are_the_candidates_by_the_product_of_both_probabilities():
    model = unsure("crf-segmenter", structure="rerank", candidates=1000, sentences=False)
    system = model.system
    text = "研究生爱"
    listed = []
    for tokens, score in joint_scores(system, text).items():
        words = [text[t.start : t.end] for t in tokens]
        table = system.tagger.crf.probabilities(system.tagger.atoms(text, tokens))[1]["t"]
        assert table.shape == (len(words), len(system.types))
        best = system.tagger.crf.best(system.tagger.atoms(text, tokens))
        total = score + best[2] - system.tagger.crf.probabilities(system.tagger.atoms(text, tokens))[0]
        listed.append((total, words, [system.types[t] for t in best[1]]))
    listed.sort(key=lambda item: -item[0])
    found = model.nbest(text, 8)
    assert len(found) == 8
    for document, (total, words, tags) in zip(found, listed, strict=False):
        assert document[0].score == pytest.approx(total, abs=1e-4)
        assert (document[0].forms, document[0].upos) == (words, tags)
    few = unsure("crf-segmenter", structure="rerank", candidates=3, sentences=False)
    assert len(few.nbest(text, 8)) == 3


def test_alternatives_of_a_long_text_are_refused_with_the_limit():
    model = unsure("crf-segmenter", structure="linear")
    with pytest.raises(OptionError, match="4000"):
        model.nbest("我爱" * 2500, 2)


def test_a_hundred_alternatives_of_a_long_sentence_come_in_time_that_grows_with_it():
    """A thousand characters in the largest chart: the search that put every label into its queue took a minute."""
    model = unsure("crf-segmenter", structure="cross-product", sentences=False)
    found = model.nbest("我爱北京的研究工作" * 110, 100)
    assert len(found) == 100
