"""Spans and labels, round trip and repair; conlleval's own rules, written out, say what a chunk is."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data.schemes import BIES, BIO, SCHEMES, SIX, Scheme, Span, split
from plait.formats import read

ALL = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def chunks_of_conlleval(labels: list[str]) -> list[tuple[int, int, str]]:
    """The chunks that the shared task's conlleval.pl counts (its endOfChunk and startOfChunk, B I E S O)."""
    chunks, start, before, before_type = [], 0, "O", ""
    for i, label in enumerate([*labels, "O"]):
        mark, type = split(label)
        ends = before in ("E", "S") or (before in ("B", "I") and mark in ("B", "S", "O"))
        ends = ends or (before != "O" and before_type != type)
        starts = mark in ("B", "S") or (before in ("E", "S", "O") and mark in ("E", "I"))
        starts = starts or (mark != "O" and before_type != type)
        if before != "O" and ends:
            chunks.append((start, i, before_type))
        if mark != "O" and starts:
            start = i
        before, before_type = mark, type
    return chunks


@st.composite
def spans(draw: st.DrawFn) -> tuple[int, list[Span]]:
    at, found = 0, []
    for _ in range(draw(st.integers(0, 8))):
        start = at + draw(st.integers(0, 2))
        at = start + draw(st.integers(1, 7))
        found.append(Span(start, at, draw(st.sampled_from(["", "NP", "VP", "X-Y"]))))
    return at + draw(st.integers(0, 2)), found


ANYTHING = st.lists(st.one_of(st.sampled_from([*SIX.labels(["", "A", "B"]), "I", "I-A", "M-B"]), st.text(max_size=4)))


@ALL
@given(case=spans())
def test_spans_come_back_and_their_labels_are_legal(scheme: Scheme, case: tuple[int, list[Span]]) -> None:
    n, wanted = case
    labels = scheme.encode(n, wanted)
    assert scheme.decode(labels) == wanted
    assert scheme.is_legal(labels)


@ALL
@given(labels=ANYTHING)
def test_repair_is_total_legal_and_idempotent(scheme: Scheme, labels: list[str]) -> None:
    repaired = scheme.repair(labels)
    assert len(repaired) == len(labels)
    assert scheme.is_legal(repaired)
    assert scheme.repair(repaired) == repaired
    assert scheme.decode(repaired) == scheme.decode(labels)
    assert (repaired == labels) == scheme.is_legal(labels)


@ALL
def test_legal_sequences_are_exactly_those_that_repair_leaves(scheme: Scheme) -> None:
    labels = scheme.labels(["", "A"])
    for n in range(5 if len(labels) < 12 else 4):
        for sequence in product(labels, repeat=n):
            assert scheme.is_legal(sequence) == (scheme.repair(sequence) == list(sequence)), sequence


@pytest.mark.parametrize("scheme", [BIO, BIES])
def test_every_short_sequence_has_the_chunks_that_conlleval_counts(scheme: Scheme) -> None:
    labels = BIES.labels(["A", "B"])
    for sequence in product(labels, repeat=4):
        assert scheme.decode(sequence) == chunks_of_conlleval(list(sequence)), sequence


def test_transition_table_says_the_same_as_legality() -> None:
    labels = SIX.labels(["N", "V"])
    table = SIX.transitions(labels)
    assert [labels[j] for j in range(len(labels)) if table[-1][j]] == ["B-N", "S-N", "B-V", "S-V", "O"]
    assert [labels[j] for j in range(len(labels)) if table[labels.index("B2-N")][j]] == ["B3-N", "E-N"]
    assert not table[labels.index("B-N")][-1]


@pytest.mark.parametrize(
    ("length", "labels"),
    [(1, "S"), (2, "B E"), (3, "B B2 E"), (4, "B B2 B3 E"), (5, "B B2 B3 M E"), (6, "B B2 B3 M M E")],
)
def test_six_labels_of_words_by_length(length: int, labels: str) -> None:
    assert SIX.encode(length, [Span(0, length)]) == labels.split()


def test_overlapping_spans_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        BIO.encode(3, [Span(0, 2), Span(1, 3)])


def test_chunks_of_the_shared_task_are_legal_and_survive_the_richer_scheme(
    data_files: Callable[[str], list[Path]],
) -> None:
    for sentence in read(data_files("conll2000/test.txt")[0], "conll2000"):
        labels = sentence.extra["chunk"]
        assert BIO.is_legal(labels)
        assert BIO.encode(len(labels), BIES.decode(BIES.encode(len(labels), BIO.decode(labels)))) == labels
