"""What is measured of trees, and which score decides."""

import numpy as np

from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.learn.outcome import Outcome
from plait.trees.arc_labels import ArcLabels
from plait.trees.candidates import best_tags
from plait.trees.training.outcome import add_sentence, tree_measures

GOLD = Sentence(["a", "b"], upos=["X", "Y"], heads=[2, 0], deprels=["x", "root"])


def test_labelled_trees_are_chosen_by_their_labels():
    labelled, bare = (ArcLabels.read([GOLD], labelled=kind, projective=True) for kind in (True, False))
    assert tree_measures(labelled) == ("las", "uas")
    assert tree_measures(bare) == ("uas",)


def test_gold_is_compared_with_what_was_found():
    outcome = Outcome("tags", "las", "uas")
    found = Sentence(["a", "b"], upos=["X", "X"], heads=[2, 0], deprels=["y", "root"])
    add_sentence(outcome, TagColumns("upos"), GOLD, found)
    assert outcome.scores == {"tags": 50.0, "las": 50.0, "uas": 100.0}


def test_a_tag_beyond_the_candidates_is_none_of_them():
    candidates = best_tags(np.array([[0.9, 0.1, 0.0], [0.5, 0.5, 0.0]]), 2, 0.2)
    assert candidates.counts.tolist() == [1, 2]
    assert candidates.choices([1, 1]) == [0, 1]
