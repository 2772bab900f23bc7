"""Keys are part of the file format: they may never change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core._hashing import key_of, text_hash

MASK = 2**64 - 1


def slow_mix(h, value):
    h = ((h ^ value) * 0xC6A4A7935BD1E995) & MASK
    return h ^ (h >> 47)


def slow_finish(h):
    h = (h * 0xC6A4A7935BD1E995) & MASK
    h ^= h >> 32
    return h or 1


def slow_text_hash(text):
    h = 0x9E3779B97F4A7C15
    for character in text:
        h = slow_mix(h, ord(character))
    return slow_finish(h)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 5687772327291474930),
        ("the", 2710908414213828498),
        ("中国", 9576835902008938559),
        ("🙂", 16750570597936433913),
    ],
)
def test_the_hash_of_a_text_is_fixed_for_ever(text, expected):
    assert text_hash(text) == expected


@given(st.text(max_size=30))
def test_text_hash_equals_its_slow_twin(text):
    assert text_hash(text) == slow_text_hash(text)


@given(st.integers(1, MASK), st.lists(st.integers(0, MASK), max_size=5))
def test_key_equals_its_slow_twin_and_is_0_when_an_atom_is_absent(seed, atoms):
    h = seed
    for atom in atoms:
        h = slow_mix(h, atom)
    assert key_of(seed, atoms) == (0 if 0 in atoms else slow_finish(h))
