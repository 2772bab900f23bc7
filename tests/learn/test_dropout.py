"""Which words are hidden in training: rare ones more often, the same ones whenever an epoch is repeated."""

import numpy as np

from plait import Sentence
from plait.learn.dropout import WordDropout

TRAIN = [Sentence(["often"] * 99 + ["once"])]


def test_rare_words_are_hidden_more_often():
    dropout = WordDropout(TRAIN, 1.0)
    dropout.begin_epoch(1)
    chances = dropout.chances(["often", "once", "never"])
    assert chances.tolist() == [0.01, 0.5, 1.0]
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
    assert WordDropout(TRAIN, 0.0).chances(["often"]) is None
