"""Which words are hidden in training: rare ones more often, the same ones whenever an epoch is repeated."""

import numpy as np

from plait import Sentence
from plait.learn.dropout import WordDropout

TRAIN = [Sentence(["often"] * 99 + ["once"])]


def test_rare_words_are_hidden_more_often():
    dropout = WordDropout(TRAIN, 1.0, 1)
    dropout.begin_epoch(1)
    chances = dropout.chances(["often", "once", "never"])
    assert chances.tolist() == [0.01, 0.5, 1.0]
    assert dropout.draw(chances).shape == (3,)
    drawn = np.mean([dropout.draw(chances) for _ in range(4000)], axis=0)
    assert np.abs(drawn - chances).max() < 0.03


def test_an_epoch_hides_the_same_words_again_and_another_one_others():
    chances = np.full(200, 0.5)

    def drawn(seed, epoch):
        dropout = WordDropout(TRAIN, 1.0, seed)
        dropout.begin_epoch(epoch)
        return dropout.draw(chances).tolist()

    assert drawn(1, 2) == drawn(1, 2)
    assert drawn(1, 2) != drawn(1, 3)
    assert drawn(1, 2) != drawn(2, 2)


def test_without_dropout_nothing_is_hidden():
    assert WordDropout(TRAIN, 0.0, 1).chances(["often"]) is None


def test_a_lemma_is_hidden_by_its_own_count_and_only_with_its_form():
    dropout = WordDropout([Sentence(["goes", "went", "saw"], lemmas=["go", "go", "see"])], 1.0, 1)
    chances = dropout.chances(["goes", "saw"], ["go", "see"])
    assert chances.tolist() == [[1 / 2, 1 / 3], [1 / 2, 1 / 2]]
    dropout.begin_epoch(1)
    drawn = np.array([dropout.draw(chances) for _ in range(200)])
    assert drawn.shape == (200, 2, 2)
    forms, lemmas = drawn[:, :, 0], drawn[:, :, 1]
    assert not (lemmas & ~forms).any()
    assert (forms[:, 0] & ~lemmas[:, 0]).any()  # the commoner lemma stays now and then
    assert (forms[:, 1] == lemmas[:, 1]).all()
    assert (forms[:, 0] != forms[:, 1]).any()  # each word is drawn by itself
