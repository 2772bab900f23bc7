"""Words of different segmentations, pair by pair: what each gold word is compared with.

In these texts ``ab=x+y`` is a multiword token ab of the words x and y. The scores that follow from the pairs are those
of the official scorer, see ``test_conll18_agreement.py``.
"""

from __future__ import annotations

import pytest

from plait.data import Range, Sentence
from plait.evaluation.pairing import align


def sentence(text: str) -> Sentence:
    forms: list[str] = []
    ranges = []
    for token in text.split():
        surface, multiword, words = token.partition("=")
        found = words.split("+") if multiword else [surface]
        if multiword:
            ranges.append(Range(len(forms) + 1, len(forms) + len(found), surface))
        forms += found
    return Sentence(forms, ranges=ranges)


def partners(gold: str, predicted: str) -> list[int | None]:
    """The number of the predicted word for each gold word, from 0."""
    pairing = align([sentence(gold)], [sentence(predicted)])
    return [int(j) if paired else None for j, paired in zip(pairing.partner, pairing.paired, strict=True)]


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("ab=a+b", "a b", [0, 1]),
        ("ab=b+x", "a b", [1, None]),
        ("abc=x+c", "a b c", [None, 2]),
        ("ab=A+b", "ab=a+B", [0, 1]),
    ],
)
def test_words_of_a_multiword_token_are_paired_by_form_and_in_order(
    gold: str, predicted: str, expected: list[int | None]
) -> None:
    assert partners(gold, predicted) == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("ab=b+a", "ab=a+b", [None, 0]),
        ("a=b+x b", "ab=a+b", [None, None, 1]),
        ("abc=a+x+b+c", "abc=b+a+y+c", [None, None, 0, 3]),
    ],
)
def test_of_pairings_of_the_same_length_the_one_of_later_gold_words_is_taken(
    gold: str, predicted: str, expected: list[int | None]
) -> None:
    assert partners(gold, predicted) == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("a b=a", "a b", [0, None]),
        ("a b", "a b=a", [0, None]),
        ("a b", "a=b+a b", [1, 2]),
        ("a=b b", "a b", [None, 1]),
        ("a b", "a=b b=b", [None, 1]),
    ],
)
def test_words_before_and_after_a_multiword_token_are_no_partners_of_its_words(
    gold: str, predicted: str, expected: list[int | None]
) -> None:
    assert partners(gold, predicted) == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("a bc=b+c", "ab c", [None, None, 1]),
        ("a bc", "ab c=a", [None, None]),
        ("ab c=a+b", "a b c", [None, None, 1]),
    ],
)
def test_one_plain_word_that_begins_before_a_multiword_token_is_left_out(
    gold: str, predicted: str, expected: list[int | None]
) -> None:
    assert partners(gold, predicted) == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("ab c", "a=c bc=b", [None, None]),
        ("abc d=d e=b", "a b=b cde", [None, None, None]),
        ("a bcd e=c", "ab=a+b cd=c+d e", [0, None, None]),
    ],
)
def test_a_plain_word_does_not_make_the_stretch_around_a_multiword_token_longer(
    gold: str, predicted: str, expected: list[int | None]
) -> None:
    assert partners(gold, predicted) == expected
