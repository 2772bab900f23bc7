"""``--direction right-to-left``: the same analyses in a mirror."""

from random import Random

import pytest
from transition_trees import random_tree

from plait.data.document import Sentence
from plait.data.trees import is_tree
from plait.errors import OptionError
from plait.pipeline import Model, train
from plait.transition.mirror import COLUMNS, copy_mirrored, mirrored

QUICK = {"epochs": 6, "folds": 2, "beam": 4}
WORDS = {"the": "DET", "a": "DET", "dog": "NOUN", "cat": "NOUN", "sees": "VERB", "hears": "VERB", "old": "ADJ"}


def treebank(seed: int = 1, count: int = 30) -> list[Sentence]:
    random = Random(seed)
    found = []
    for _ in range(count):
        subject, obj = random.choices(["dog", "cat"], k=2)
        verb = random.choice(["sees", "hears"])
        words = [random.choice(["the", "a"]), subject, verb, random.choice(["the", "a"]), "old", obj]
        sentence = Sentence(words, upos=[WORDS[word] for word in words])
        sentence.set_tree([2, 3, 0, 6, 6, 3], ["det", "nsubj", "root", "det", "amod", "obj"])
        found.append(sentence)
    return found


@pytest.fixture(scope="module")
def data() -> list[Sentence]:
    return treebank()


@pytest.fixture(scope="module")
def model(data: list[Sentence]) -> Model:
    return train("transition-joint", train=data, dev=data[:5], direction="right-to-left", **QUICK)


def test_a_mirror_image_twice_is_the_sentence() -> None:
    random = Random(3)
    for n in (1, 2, 5, 9):
        sentence = Sentence([str(i) for i in range(n)], upos=[f"T{i}" for i in range(n)])
        sentence.set_tree(random_tree(n, random), [f"l{i}" for i in range(n)])
        twin = mirrored(sentence)
        assert is_tree(twin.heads)
        for word, head in enumerate(sentence.heads, 1):
            assert twin.heads[n - word] == (n + 1 - head if head else 0)
        assert mirrored(twin) == sentence
        again = Sentence(sentence.forms)
        copy_mirrored(twin, again, (*COLUMNS, "heads"))
        assert again == sentence
    unknown = Sentence(["a", "b"], heads=[-1, 1])
    assert mirrored(unknown).heads == [2, -1]


def test_it_finds_what_a_left_to_right_parser_finds_in_mirrored_data(data: list[Sentence], model: Model) -> None:
    backwards = [mirrored(sentence) for sentence in data]
    twin = train("transition-joint", train=backwards, dev=backwards[:5], **QUICK)
    for sentence in [*data[:4], *treebank(2, 4)]:
        found, expected = model(sentence.forms)[0], twin(sentence.forms[::-1])[0]
        assert (found.forms, found.upos, found.deprels) == (
            sentence.forms, expected.upos[::-1], expected.deprels[::-1],
        )  # fmt: skip
        assert found.heads == mirrored(expected).heads
        assert found.score == expected.score
        assert found.trace == expected.trace
    assert model(data[0].forms)[0].heads == data[0].heads


def test_scores_constraints_and_alternatives_are_in_the_order_of_the_sentence(model: Model) -> None:
    words = ["the", "dog", "sees", "a", "old", "cat"]
    tagger = model.system.tagger
    p = tagger.tag_probabilities(words[::-1])[::-1]
    found = model(words, scores=True)[0]
    assert found.scores is not None
    for row, score, tag in zip(p, found.scores, found.upos, strict=True):
        assert score == pytest.approx(row[tagger.tags.index(tag)])
    kept = model(Sentence(words, heads=[-1, -1, -1, -1, 4, -1]), keep=["heads"])[0]
    assert kept.heads[4] == 4
    best = model.nbest(words, 3)
    assert best[0][0] == model(words)[0]
    assert all(is_tree(document[0].heads) and document[0].forms == words for document in best)
    assert len({str((d[0].heads, d[0].upos, d[0].deprels)) for d in best}) == len(best) > 1


def test_sentences_of_a_block_do_not_mix(model: Model, data: list[Sentence]) -> None:
    given = [Sentence(["the", "dog"]), Sentence([]), *(Sentence(s.forms) for s in data), Sentence(["cat"])]
    singly = [s.copy() for s in given]
    for sentence in singly:
        model.system.annotate(sentence)
    model.system.annotate_each(given)
    assert given == singly
    assert [s.trace for s in given] == [s.trace for s in singly]


def test_the_direction_is_stored(model: Model, data: list[Sentence]) -> None:
    again = Model.from_bytes(model.to_bytes())
    assert again.system.options.direction == "right-to-left"
    assert again(data[0].forms)[0] == model(data[0].forms)[0]


def test_gold_tags_stay_with_their_words(data: list[Sentence]) -> None:
    parser = train("transition-parser", train=data, direction="right-to-left", gold_tags=True, **QUICK)
    assert parser(data[0])[0].upos == data[0].upos
    assert parser(data[0])[0].heads == data[0].heads


def test_a_guide_reads_left_to_right(data: list[Sentence]) -> None:
    with pytest.raises(OptionError, match="does not support --guide"):
        train("transition-joint", train=data, direction="right-to-left", guide="easyfirst-joint")
