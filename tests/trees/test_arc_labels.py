"""Labels of arcs: their numbers, the way to a tree in numbers and back, and the headers of model files."""

import numpy as np
import pytest

from plait.data.document import Sentence
from plait.trees.arc_labels import ArcLabels

CHAIN = Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x", "root", "y"])
CROSSING = Sentence(["a", "b", "c", "d"], heads=[3, 4, 0, 3], deprels=["u", "v", "root", "w"])
ALONE = Sentence(["a"], heads=[0], deprels=["top"])

KINDS = [
    {"labelled": labelled, "projective": projective, "search_roots": search_roots}
    for labelled in (True, False)
    for projective in (True, False)
    for search_roots in (True, False)
]


def rewritten(labels: ArcLabels, sentence: Sentence, fixed=None) -> Sentence:
    """A sentence whose tree went through numbers."""
    tree = labels.gold(sentence)
    found = Sentence(sentence.forms)
    labels.write(found, tree.heads[1:].tolist(), tree.labels[1:].tolist(), fixed)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentence", [CHAIN, CROSSING])
def test_a_tree_comes_back_from_its_numbers(kind, sentence):
    labels = ArcLabels.read([CHAIN, CROSSING], **kind)
    found = rewritten(labels, sentence)
    # without labels there are no marks by which lifted arcs could be lowered
    assert found.heads == (
        [3, 3, 0, 3] if sentence is CROSSING and kind["projective"] and not kind["labelled"] else sentence.heads
    )
    assert found.deprels == (sentence.deprels if kind["labelled"] else ["root" if h == 0 else "_" for h in found.heads])


def test_words_count_from_one_and_entry_zero_is_the_root():
    tree = ArcLabels.read([CHAIN], labelled=True, projective=True).gold(CHAIN)
    assert tree.heads.tolist() == [0, 2, 0, 2]
    assert tree.labels.tolist() == [0, 1, 0, 2]  # root, x, y in alphabetical order


def test_roots_have_their_labels_and_other_arcs_theirs():
    labels = ArcLabels.read([CHAIN, ALONE], labelled=True, projective=False)
    assert labels.names == ("root", "top", "x", "y")
    assert np.isfinite(labels.mask).tolist() == [[True, True, False, False], [False, False, True, True]]


def test_labels_that_roots_do_not_choose_are_not_numbered():
    labels = ArcLabels.read([CHAIN, ALONE, ALONE], labelled=True, projective=True, search_roots=False)
    assert (labels.names, labels.root) == (("x", "y"), "top")
    assert rewritten(labels, CHAIN).deprels == ["x", "top", "y"]


def test_one_word_sentences_leave_a_label_for_other_arcs():
    assert ArcLabels.read([ALONE], labelled=True, projective=True, search_roots=False).names == ("dep",)
    labels = ArcLabels.read([ALONE], labelled=True, projective=True)
    assert np.isfinite(labels.mask).all()


def test_the_most_frequent_label_of_roots_is_the_first_of_equals():
    other = Sentence(["a"], heads=[0], deprels=["head"])
    assert ArcLabels.read([ALONE, other], labelled=False, projective=True).root == "head"
    assert ArcLabels.read([ALONE, ALONE, other], labelled=False, projective=True).root == "top"
    assert ArcLabels.read([], labelled=False, projective=True).root == "root"


def test_a_fixed_arc_is_not_lowered():
    labels = ArcLabels.read([CROSSING], labelled=True, projective=True)
    assert "v↑w" in labels.names
    found = rewritten(labels, CROSSING, fixed=[False, True, False, False])
    assert found.heads == [3, 3, 0, 3]
    assert found.deprels == ["u", "v", "root", "w"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind["search_roots"]])
def test_labels_come_back_from_a_header(kind):
    labels = ArcLabels.read([CHAIN, CROSSING], **kind)
    assert ArcLabels.from_header(labels.header()) == labels


@pytest.mark.parametrize("labelled", [True, False])
def test_labels_come_back_from_a_short_header(labelled):
    labels = ArcLabels.read([CHAIN, CROSSING], labelled=labelled, projective=True, search_roots=False)
    assert ArcLabels.from_short_header(labels.short_header()) == labels


@pytest.mark.parametrize(
    "change",
    [{"names": []}, {"names": ["a", "a"]}, {"names": ["a\tb"]}, {"at_root": []}, {"elsewhere": [9]}, {"root": ""}],
)
def test_a_forged_header_is_refused(change):
    header = ArcLabels.read([CHAIN], labelled=True, projective=True).header()
    with pytest.raises(ValueError, match=r"label"):
        ArcLabels.from_header(header | change)


def test_a_mark_that_a_treebank_has_itself_stays_where_nothing_is_lifted():
    own = Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x↑y", "root", "y"])
    labels = ArcLabels.read([own], labelled=True, projective=False)
    assert rewritten(labels, own).deprels == own.deprels
