"""Which tags agree with given annotation, in full or as far as the tag set goes."""

import pytest

import plait
from case_treebank import case_treebank
from plait import Sentence
from plait.data.tags import TagColumns

TAGS = ["NOUN\tNN\tCase=Nom", "NOUN\tNN\t_", "NOUN\tNP\tCase=Acc", "VERB\tVB\t_"]


@pytest.mark.parametrize(
    ("given", "agreeing"),
    [
        (("NOUN", "NN", "Case=Nom"), [0]),
        (("NOUN", "NN", "Case=Acc"), [0, 1]),  # such nouns are not NN: the coarser column counts
        (("NOUN", "XX", "Case=Acc"), [0, 1, 2]),
        (("_", "NN", "Case=Acc"), [0, 1]),
        (("ADJ", "NN", "Case=Nom"), []),
        (("_", "_", "Case=Gen"), []),
        (("_", "_", "_"), []),
    ],
)
def test_columns_count_from_coarse_to_fine(given, agreeing):
    upos, xpos, feats = ([value] for value in given)
    sentence = Sentence(["a"], upos=upos, xpos=xpos, feats=feats)
    assert TagColumns("upos+xpos+feats").agreeing(sentence, TAGS) == [agreeing]
    turned = ["\t".join(reversed(tag.split("\t"))) for tag in TAGS]
    assert TagColumns("feats+xpos+upos").agreeing(sentence, turned) == [agreeing]


@pytest.mark.parametrize("system", ["morph-tagger", "crf-tagger", "transition-joint"])
def test_unknown_feats_do_not_undo_a_given_part_of_speech(system):
    options = {"tag": "upos+feats"}
    if system == "transition-joint":
        options = {"morphology": "on", "beam": 4, "epochs": 2, "folds": 2, "tagger_epochs": 2}
    nlp = plait.train(system, train=case_treebank() * 3, **options)
    given = Sentence(["kato", "vidas"], upos=["VERB", "NOUN"], feats=["New=Yes", "_"])
    without = Sentence(["kato", "vidas"], upos=["VERB", "NOUN"])
    found, usual = nlp(given, keep=True)[0], nlp(without, keep=True)[0]
    assert found.feats == ["New=Yes", usual.feats[1]]
    assert (found.upos, found.heads, found.deprels) == (usual.upos, usual.heads, usual.deprels)
    assert found.score == usual.score
