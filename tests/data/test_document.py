"""Positions, trees seen from tokens, and what is not given: None in Python and JSON, ``_`` in files."""

import json
import re
from itertools import product

import numpy as np
import pytest

import plait
from plait import DataError, Document, Sentence, Token


def abc(**columns) -> Sentence:
    return Sentence(["a", "b", "c"], **columns)


def test_positions_count_from_0_and_ids_from_1():
    document = Document([abc(), Sentence(["d"])])
    assert document[0][0].form == "a"
    assert [sentence[0].id for sentence in document] == [1, 1]
    sentence = document[0]
    assert [sentence[i].form for i in range(3)] == [token.form for token in sentence] == ["a", "b", "c"]
    assert [sentence[i].id for i in (-3, -2, -1)] == [1, 2, 3]
    assert sentence[np.int64(1)].form == "b"
    assert document[-1][-1].form == "d"
    assert document[1:] == [Sentence(["d"])]


@pytest.mark.parametrize("part", [slice(1, 3), slice(None, -1), slice(None, None, -1), slice(5, 9), slice(None)])
def test_slices_are_those_of_a_list(part):
    assert [token.id for token in abc()[part]] == [1, 2, 3][part]


@pytest.mark.parametrize("position", [3, -4, 10**30])
def test_a_position_outside_says_how_they_count(position):
    with pytest.raises(IndexError, match="3 words; positions count from 0"):
        abc()[position]
    with pytest.raises(TypeError):
        abc()["a"]
    document = Document([abc(), abc(), abc()])
    with pytest.raises(IndexError, match=f"position {position} of a document of 3 sentences; positions count from 0"):
        document[position]
    with pytest.raises(TypeError):
        document["a"]


def test_children_subtrees_and_parents_agree_with_the_heads():
    """All heads of four words, cycles among them."""

    def above(i, heads):
        seen = []
        while i and i not in seen:
            seen.append(i)
            i = heads[i - 1]
        return seen

    for heads in product(range(5), repeat=4):
        sentence = Sentence(list("abcd"), heads=heads)
        for token in sentence:
            assert [child.id for child in token.children] == [i for i in range(1, 5) if heads[i - 1] == token.id]
            assert [t.id for t in token.subtree] == [i for i in range(1, 5) if token.id in above(i, heads)]
            assert token.parent == (sentence[token.head - 1] if token.head else None)
        assert sentence.root == next((token for token in sentence if token.head == 0), None)


def test_without_a_tree_there_is_no_root():
    assert abc().root is None
    assert Sentence([]).root is None
    assert abc()[0].parent is None
    assert abc()[0].children == []
    assert [t.id for t in abc()[1].subtree] == [2]


def test_a_string_is_no_list_of_words_and_a_text_no_sentence():
    """Each letter would silently become a word."""
    for make, words in (
        (lambda: Sentence("abc"), "the forms of a sentence are 'abc'; expected a list of words, such as text.split()"),
        (lambda: Sentence(None), "the forms of a sentence are None; expected a list of words, such as text.split()"),
        (lambda: Sentence(["a", "b"], upos="NV"), "upos is 'NV'; expected a list with a value for each word"),
        (lambda: Document(["a"]), "a Document holds Sentences, not 'a'; to analyse text, call a model"),
        (lambda: Document("a"), "a Document holds Sentences, not 'a'; to analyse text, call a model"),
    ):
        with pytest.raises(DataError, match=f"^{re.escape(words)}$"):
            make()


def test_what_is_not_given_is_none():
    token = abc()[0]
    for name in ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "score", "start", "end"):
        assert getattr(token, name) is None, name
    assert token.space_after
    assert repr(token) == "<Token 1 a>"


def test_none_takes_a_value_away_and_values_are_stored_as_in_files():
    sentence = abc()
    token = sentence[1]
    for name, column in {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels",
                         "deps": "deps", "misc": "misc"}.items():  # fmt: skip
        setattr(token, name, "x")
        assert getattr(sentence, column) == ["_", "x", "_"]
        assert getattr(token, name) == "x"
        setattr(token, name, None)
        assert getattr(sentence, column) == ["_", "_", "_"]
    token.head = 0
    assert (sentence.heads, token.head) == ([-1, 0, -1], 0)
    token.head = None
    assert sentence.heads == [-1, -1, -1]
    assert isinstance(Token.upos.__doc__, str)


def test_columns_may_be_given_with_none():
    assert abc(upos=["X", None, "Y"], heads=[None, 0, 2]) == abc(upos=["X", "_", "Y"], heads=[-1, 0, 2])


UNDERSCORES = """\
# text = _ x y
1\t_\t_\tSYM\t_\t_\t2\tdep\t_\t_
2-3\txy\t_\t_\t_\t_\t_\t_\t_\tA=_
2\tx\t_\tX\t_\t_\t0\troot\t2:root\t_
3\ty\ty\tX\t_\tA=B\t2\tdep\t_\t_
3.1\t_\t_\t_\t_\t_\t_\t_\t2:dep\t_

"""


def test_an_underscore_is_a_word_and_its_own_lemma_and_nothing_elsewhere():
    sentence = plait.read(UNDERSCORES.encode(), "conllu")[0]
    assert [token.form for token in sentence] == ["_", "x", "y"]
    assert [token.lemma for token in sentence] == ["_", None, "y"]
    assert [token.xpos for token in sentence] == [None] * 3
    record = json.loads(sentence.to_json())
    assert record["forms"] == ["_", "x", "y"]
    assert record["lemmas"] == ["_", None, "y"]
    assert record["feats"] == [None, None, "A=B"]
    assert record["ranges"] == [[2, 3, "xy", [None] * 7 + ["A=_"]]]
    assert record["empties"] == [[3, 1, [None] * 7 + ["2:dep", None]]]
    for back in (Sentence.from_json(sentence.to_json()), Sentence.from_dict(sentence.to_dict())):
        assert back == sentence
        assert back.to_conllu() == UNDERSCORES


def test_json_has_null_for_what_is_not_given_and_takes_the_old_spelling():
    record = abc(upos=["X", "_", "Y"], heads=[2, -1, 0], extra={"chunk": ["O", "_", "O"]}).to_dict()
    assert record["upos"] == ["X", None, "Y"]
    assert record["heads"] == [2, None, 0]
    assert record["lemmas"] == record["deprels"] == record["misc"] == [None] * 3
    assert record["extra"] == {"chunk": ["O", None, "O"]}
    old = {"forms": ["a", "b"], "upos": ["X", "_"], "heads": [0, -1]}
    new = {"forms": ["a", "b"], "upos": ["X", None], "heads": [0, None]}
    assert Sentence.from_json(json.dumps(old)) == Sentence.from_json(json.dumps(new))
    for wrong in ({"forms": ["a", None]}, {"forms": ["a"], "upos": [0]}, {"forms": ["a"], "comments": [None]}):
        with pytest.raises(plait.DataError):
            Sentence.from_json(json.dumps(wrong))


def test_json_lines_round_trip(tmp_path):
    path = tmp_path / "x.jsonl"
    document = plait.read(UNDERSCORES.encode(), "conllu")
    plait.write(document, path)
    assert '"_"' in path.read_text()  # the word and its lemma
    assert path.read_text().count('"_"') == 2
    assert plait.read(path).to_conllu() == UNDERSCORES


def test_a_probability_is_at_most_1():
    sentence = Sentence(["a", "b", "c"])
    sentence.scores = [1.0000000000000002, 0.9999999999999999, 2.5]  # a rounding error; a score that is no probability
    assert sentence.scores == sentence.copy().scores == [1.0, 0.9999999999999999, 2.5]
    sentence.scores = None
    assert sentence.scores is sentence.copy().scores is None
