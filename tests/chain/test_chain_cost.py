"""Time and memory that grow no faster than the text: dictionaries that match everywhere, sentences without an end."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from chain_data import unsure

from plait.chain.sentences import LONGEST

ENTRIES = ["a" * k for k in range(1, 101)]


@pytest.fixture(scope="module")
def segmenter():
    return unsure("crf-segmenter")


@pytest.mark.parametrize("mode", ["force", "prefer", "merge"])
def test_a_dictionary_that_matches_everywhere_costs_what_its_matches_do(segmenter, mode):
    """A hundred words on two thousand equal letters: spelling out every match took half a minute and 1.7 GB."""
    start = time.process_time()
    document = segmenter("a" * 2000, dictionary=ENTRIES, mode=mode)
    assert time.process_time() - start < 5
    assert sum(len(token.form) for sentence in document for token in sentence) == 2000
    tracemalloc.start()
    segmenter("a" * 400, dictionary=ENTRIES, mode=mode)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


def test_preferred_words_are_the_best_way_to_cover_the_text(segmenter):
    """Far beyond what enumeration reaches: only whole words of one length gain anything, and all of them do."""
    document = segmenter("a" * 120, dictionary=[("a" * 40, None, -5000.0)], mode="prefer")
    assert [len(form) for s in document for form in s.forms] == [40] * 3


def test_matches_are_looked_for_once_in_each_window(segmenter, monkeypatch):
    from plait.features.user_dictionary import UserDictionary

    looked = 0
    at = UserDictionary.at

    def counted(self, text, start):
        nonlocal looked
        looked += 1
        return at(self, text, start)

    monkeypatch.setattr(UserDictionary, "at", counted)
    text = "我爱北京的工作。" * 3000
    segmenter(text, dictionary=["北京"], mode="prefer")
    assert looked < 2.2 * len(text)


def test_text_without_an_end_is_cut_into_sentences_of_a_bearable_length(segmenter):
    document = segmenter("a " * 5000)
    assert max(len(sentence) for sentence in document) <= LONGEST
    assert sum(len(sentence) for sentence in document) == 5000
    assert [t.start for s in document for t in s] == list(range(0, 10000, 2))


def test_a_line_that_is_a_sentence_by_the_users_word_is_not_cut():
    model = unsure("crf-segmenter", sentences=False, structure="linear")
    assert len(model("我 " * 3000)) == 1


def test_rerank_types_each_sentence_of_a_window_once(monkeypatch):
    from plait.chain.word_tagger import WordTagger

    model = unsure("crf-segmenter", structure="rerank")
    made = 0
    atoms = WordTagger.atoms

    def counted(self, text, tokens):
        nonlocal made
        made += 1
        return atoms(self, text, tokens)

    monkeypatch.setattr(WordTagger, "atoms", counted)
    document = model("我爱工作。" * 60)
    assert made < 3 * len(document) + 4 * model.system.options.candidates
