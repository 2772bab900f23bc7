"""POS features of the joint chart: the sets of Li et al. (2012), and what they see of a word."""

import numpy as np
import pytest

import plait
from plait.features._lexicon import build_affix_tags
from plait.features.templates import Template, load_templates
from plait.features.word_resources import NO_RESOURCES
from plait.graph.pos_features import PosFeatures, pos_templates

TAGGED = [(["aba", "cc"], [0, 1]), (["ab", "a"], [1, 0])]


def features(name: str) -> PosFeatures:
    return PosFeatures(
        pos_templates(name, NO_RESOURCES), NO_RESOURCES, [build_affix_tags(TAGGED, last) for last in (False, True)]
    )


def keys(pos: PosFeatures, forms: list[str], word: int) -> list[int]:
    atoms = pos.atoms(forms, np.zeros(len(forms), dtype=np.int64))
    found = pos.sequence.static.keys(atoms.reshape(-1), (pos.pad + word) * len(pos.sequence.columns))
    return [int(key) for key in found if key]


def alone(template: str, forms: list[str], word: int) -> set[int]:
    """The keys of one template; affixes of the same training data."""
    pos = PosFeatures(
        [Template(tuple(template.split()))], NO_RESOURCES, [build_affix_tags(TAGGED, last) for last in (False, True)]
    )
    return set(keys(pos, forms, word))


@pytest.mark.parametrize(
    ("form", "count"),
    [
        ("aba", 14),  # w0 w-1 w+1, two with a neighbour's character, first, last, 1 inside, 2 and 2 pairs, two tag sets
        ("aab", 15),  # and a doubled character
        ("ab", 11),
        ("a", 10),  # the word stands for itself: single fires, nothing is inside
    ],
)
def test_zhang_clark_fires_once_for_each_character(form, count):
    assert len(keys(features("zhang-clark"), ["x", form, "y"], 1)) == count


def test_templates_over_characters_share_their_keys_whatever_the_place():
    # "b" is the third character of one word and the second of the other
    assert alone("pre1 rest", ["aab"], 0) > alone("pre1 rest", ["ab"], 0) != set()
    assert alone("inner", ["xaby"], 0) == alone("inner", ["xbay"], 0)


def test_tag_sets_of_characters_tell_what_training_showed():
    # words of two characters and more with "a" in front: aba (0) and ab (1); with "c": cc (1)
    assert alone("begins", ["ax"], 0) == alone("begins", ["ay"], 0) != set()
    assert alone("begins", ["ax"], 0) != alone("begins", ["cx"], 0)
    assert alone("ends", ["xc"], 0) != alone("ends", ["xa"], 0)


def test_the_sets_of_the_paper_use_the_tagger_s_tag_two_words_back():
    for name in ("zhang-clark", "ratnaparkhi"):
        assert features(name).sequence.tag_offsets == (-2, -1)
    assert set(load_templates("ratnaparkhi", "graph-pos")) > set(load_templates("collins", "tagging"))


def test_a_joint_model_with_the_paper_s_set_is_the_same_after_saving(tmp_path):
    treebank = plait.read("examples/tiny.conllu")
    model = plait.train("graph-joint", train=treebank, epochs=3, folds=2, pos_templates="zhang-clark")
    model.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    assert [t.text for t in loaded.system.chart.pos.templates] == [
        t.text for t in load_templates("zhang-clark", "graph-pos")
    ]
    for sentence in treebank:
        mine, other = (nlp(sentence.bare())[0] for nlp in (model, loaded))
        assert (mine.upos, mine.heads, mine.deprels, mine.score) == (
            other.upos,
            other.heads,
            other.deprels,
            other.score,
        )
    assert loaded.system.chart.pos.affixes
