"""Rows of atoms that are kept from sentence to sentence."""

import numpy as np

from plait.features._lexicon import build_affix_tags
from plait.features._words import WordRows, word_atoms

COLUMNS = ("w", "pre1", "suf2", "t", "begins")


def test_kept_rows_equal_fresh_ones_and_a_sentence_may_be_written_into():
    affixes = build_affix_tags([(["ab", "ac", "bd"], [0, 1, 1])], False)

    def finish(atoms, forms):
        affixes.fill(atoms, COLUMNS.index("pre1"), COLUMNS.index("begins"))

    rows = WordRows(COLUMNS, 2, 3, finish)
    for forms in (["ab", "x", "ab"], [], ["x"], ["ac", "ab", "😀é"]):
        expected = word_atoms(forms, COLUMNS, 2, 3)
        finish(expected, [])
        found = rows.atoms(forms)
        assert np.array_equal(found, expected)
        found[:] = 7  # what a decoder writes is its own


def test_more_forms_than_are_kept():
    rows = WordRows(("w",), 0, 0, lambda atoms, forms: None)
    forms = [str(i) for i in range(40_000)]
    assert np.array_equal(rows.atoms(forms), word_atoms(forms, ("w",), 0))
    assert np.array_equal(rows.atoms(forms[:9]), word_atoms(forms[:9], ("w",), 0))


def test_without_words_or_columns_there_is_an_empty_matrix():
    assert WordRows(("w",), 0, 0, lambda atoms, forms: None).atoms([]).shape == (0, 1)
    assert WordRows((), 1, 0, lambda atoms, forms: None).atoms(["a"]).shape == (3, 0)
