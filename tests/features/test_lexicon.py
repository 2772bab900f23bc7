import numpy as np
import pytest

from plait.features._lexicon import TagDictionary, build_dictionary


def test_frequent_words_keep_to_their_tags_and_others_do_not():
    data = [(["a", "b", "a"], [2, 0, 1]), (["a"], [2])]
    dictionary = build_dictionary(data, 4, 2)
    assert len(dictionary) == 1
    assert dictionary.tags_of("a") == [1, 2]
    assert dictionary.tags_of("b") == dictionary.tags_of("unseen") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("words", "starts", "known"),
    [
        ([2, 1], [0, 1, 2], [0, 0]),  # not ascending
        ([1], [0, 1], [5]),  # no such tag
        ([1], [0, 2], [0]),  # runs past the end
        ([1], [0, 0], []),  # a word without tags
        ([1], [1, 1], [0]),
        ([1], [0], []),
        ([1], [0, 4], [0, 1, 2, 0]),  # more tags than there are
        ([1], [0, 2], [1, 0]),
    ],
)
def test_a_damaged_dictionary_is_refused(words, starts, known):
    with pytest.raises(ValueError, match="damaged"):
        TagDictionary(3, np.array(words, np.uint64), np.array(starts, np.int64), np.array(known, np.uint16))
