"""The parts of a pipeline take turns after blocks of sentences: faster, and never another result."""

from __future__ import annotations

import pytest
from pretend import Pretend, pretend_model
from quick import QUICK

import plait
from plait.data.document import Document, Sentence
from plait.errors import DataError, OptionError
from plait.system.base import BLOCK
from plait.system.request import Request

COLUMNS = ("forms", "upos", "feats", "heads", "deprels", "lemmas")


def bare(treebank, count):
    sentences = list(treebank)
    return [Sentence(list(sentences[k % len(sentences)].forms)) for k in range(count)]


def columns(sentences):
    return [[getattr(s, column) for column in COLUMNS] for s in sentences]


@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 3])
def test_blocks_are_analysed_as_single_sentences_are(nlp, treebank, count):
    singly = bare(treebank, count)
    for sentence in singly:
        nlp.system.annotate(sentence)
    assert columns(nlp(Document(bare(treebank, count)))) == columns(singly)
    for options in ({}, {"batch_size": 5}, {"batch_size": 3, "threads": 2}, {"threads": 2}):
        assert columns(nlp.annotate(bare(treebank, count), **options)) == columns(singly)
    scored = [*nlp.annotate(bare(treebank, count), batch_size=7, scores=True)]
    assert columns(scored) == columns(singly)


def test_one_part_after_the_other_works_on_a_block(nlp, treebank, monkeypatch):
    order = []
    for name in ("parser", "lemmatizer"):
        part = getattr(nlp.system, name)

        def counting(sentences, *request, name=name, plain=part.annotate_each):
            order.append((name, len(sentences)))
            plain(sentences, *request)

        monkeypatch.setattr(part, "annotate_each", counting, raising=False)
    nlp.system.annotate_each(bare(treebank, BLOCK + 2))
    assert order == [("parser", BLOCK), ("lemmatizer", BLOCK), ("parser", 2), ("lemmatizer", 2)]


def test_each_step_of_a_block_is_announced_and_can_end_the_work(nlp, treebank):
    sentences = bare(treebank, 3)
    written = [list(s.forms) for s in sentences]
    steps = []
    nlp.system.annotate_each(sentences, Request(on_step=steps.append))
    assert set(steps) == {len(s) for s in sentences}
    assert len(steps) >= 2 * len(sentences)

    def end(words):
        if len(steps) > 4:
            raise InterruptedError
        steps.append(words)

    steps.clear()
    with pytest.raises(InterruptedError):
        nlp.system.annotate_each(sentences, Request(on_step=end))
    assert [s.forms for s in sentences] == written


def test_what_comes_before_a_fault_is_given(nlp, treebank, monkeypatch):
    sentences = bare(treebank, 9)
    expected = columns(nlp(Document(bare(treebank, 9))))
    plain = nlp.system.lemmatizer.annotate

    def annotate(sentence):
        if sentence is sentences[6]:
            raise DataError("the seventh")
        plain(sentence)

    monkeypatch.setattr(nlp.system.lemmatizer, "annotate", annotate, raising=False)
    found = []
    with pytest.raises(DataError, match="the seventh"):
        found.extend(nlp.annotate(sentences, batch_size=4))
    assert columns(found) == expected[:6]


def test_what_is_given_stays_and_the_rest_is_replaced_in_every_batch(nlp, treebank):
    sentences = bare(treebank, 4)
    for sentence in sentences:
        sentence.lemmas, sentence.upos = ["given"] * len(sentence), ["WRONG"] * len(sentence)
    for sentence in nlp.annotate(sentences, batch_size=2, keep="lemmas"):
        assert set(sentence.lemmas) == {"given"}
        assert "WRONG" not in sentence.upos


@pytest.mark.parametrize("options", [{"threads": 2}, {"batch_size": 8}])
def test_words_stay_as_written_after_a_fault(treebank, options):
    wide = [Sentence([*"ＡＢＣ"]), Sentence(["Ｔhe"])]
    model = plait.train("pipeline", train=treebank, **QUICK)
    broken = Sentence(["end"])
    broken.forms = [None]
    found = []
    with pytest.raises(TypeError):
        found.extend(model.annotate([*wide, broken], **options))
    assert [s.forms for s in found] == [[*"ＡＢＣ"], ["Ｔhe"]]


def test_words_are_found_anew_whatever_the_batch(nlp):
    for options in ({}, {"batch_size": 4}, {"threads": 2}):
        given = [Sentence(["Mary", "reads."]), Sentence(["Dogs", "bark."])]
        found = list(nlp.annotate(given, keep="sentences", **options))
        assert [s.forms for s in found] == [["Mary", "reads", "."], ["Dogs", "bark", "."]]


@pytest.mark.parametrize(
    ("options", "sizes"),
    [({}, [1] * 5), ({"batch_size": 3}, [3, 2]), ({"threads": 2}, [5]), ({"threads": 2, "batch_size": 3}, [3, 2])],
)
def test_threads_and_batches_have_blocks(monkeypatch, options, sizes):
    nlp, seen = pretend_model(), []
    plain = nlp.system.annotate_each
    monkeypatch.setattr(
        nlp.system, "annotate_each", lambda block, request: seen.append(len(block)) or plain(block, request)
    )
    assert [s.upos for s in nlp.annotate([Sentence([form]) for form in "abcde"], **options)] == [["X"]] * 5
    assert sorted(seen, reverse=True) == sizes


def test_a_parser_that_uses_given_tags_has_no_blocks(monkeypatch):
    """After a fault it would take its own tags for given ones."""
    seen = []
    monkeypatch.setattr(Pretend, "takes", frozenset(["upos"]))
    nlp = pretend_model()
    monkeypatch.setattr(nlp.system, "annotate_each", lambda block, request: seen.append(len(block)))
    for options in ({"threads": 2}, {"batch_size": 3}):
        assert len(list(nlp.annotate([Sentence([form]) for form in "abcde"], **options))) == 5
    assert seen == [1] * 10


def test_a_batch_of_sentences_is_read_ahead_only_where_it_is_asked_for():
    for batch_size, read in ((None, 1), (1, 1), (2, 2), (9, 3)):
        taken = []
        stream = pretend_model().annotate(
            (taken.append(form) or Sentence([form]) for form in "abc"), batch_size=batch_size
        )
        assert next(stream).upos == ["X"]
        assert len(taken) == read
    for options in ({"batch_size": 0}, {"threads": 0}, {"batch_size": "2"}):
        with pytest.raises(OptionError, match="expected"):
            pretend_model().annotate([], **options)
