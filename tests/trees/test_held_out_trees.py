"""Development sets from which a parser or tagger cannot choose its best epoch are refused before training."""

import pytest

import plait
from plait import Sentence
from plait.data.trees import held_out_trees
from plait.errors import DataError

TREE = Sentence(
    ["dogs", "bark"], upos=["NOUN", "VERB"], xpos=["NNS", "VBP"], feats=["Number=Plur", "_"], heads=[2, 0],
    deprels=["nsubj", "root"],
)  # fmt: skip
TAGS_ALONE = Sentence(["cats", "purr"], upos=["NOUN", "VERB"])
HALF_A_TREE = Sentence(["cats", "purr"], upos=["NOUN", "VERB"], heads=[2, -1])


def test_only_sentences_with_all_heads_can_be_scored():
    assert held_out_trees([TREE, TAGS_ALONE, Sentence([]), HALF_A_TREE]) == [TREE]
    assert held_out_trees([]) == held_out_trees([Sentence([])]) == []
    with pytest.raises(
        DataError, match=r"no trees in the development set \(2 sentences, none with the heads of all words\)"
    ):
        held_out_trees([TAGS_ALONE, HALF_A_TREE])


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("easyfirst-parser", {}),
        ("easyfirst-joint", {}),
        ("transition-parser", {"beam": 2}),
        ("transition-joint", {"beam": 2}),
        ("transition-weave", {"beam": 2}),
        ("graph-parser", {}),
        ("graph-parser", {"order": 1}),
        ("graph-joint", {}),
    ],
)
def test_a_parser_refuses_a_development_set_without_trees(system, options):
    """Its scores would be 0 in all epochs, and the first would be the best."""
    reported = []
    with pytest.raises(DataError, match="no trees in the development set"):
        plait.train(system, train=[TREE] * 3, dev=[TAGS_ALONE], on_epoch=reported.append, **options)
    assert reported == []


def test_words_without_trees_are_enough_to_choose_a_search_for_words_and_tags():
    model = plait.train("transition-weave", train=[TAGS_ALONE] * 3, dev=[TAGS_ALONE], beam=2, epochs=1)
    assert model.header["training"]["decides"] == "tags"


@pytest.mark.parametrize("system", ["morph-tagger", "easyfirst-joint", "crf-tagger"])
def test_a_development_set_without_one_of_the_columns_is_refused(system):
    dev = [Sentence(["cats", "purr"], upos=["NOUN", "VERB"], feats=["Number=Plur", "_"], heads=[2, 0])]
    with pytest.raises(DataError, match="the development set has no XPOS, unlike the training data"):
        plait.train(system, train=[TREE] * 3, dev=dev, tag="upos+xpos+feats")
    bare = [Sentence(["cats", "purr"], upos=["NOUN", "VERB"], heads=[2, 0])]
    with pytest.raises(DataError, match="the development set has no FEATS and no XPOS, unlike"):
        plait.train(system, train=[TREE] * 3, dev=bare, tag="upos+xpos+feats")


def test_a_segmenter_that_learns_tags_refuses_a_development_set_without_them():
    with pytest.raises(DataError, match='the development set has no "upos" tags'):
        plait.train("crf-segmenter", train=[TREE] * 3, dev=[Sentence(["cats", "purr"])])
    plait.train("crf-segmenter", train=[TREE] * 3, dev=[Sentence(["cats", "purr"])], structure="linear", epochs=1)
