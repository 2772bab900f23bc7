"""What every system does unless its class says otherwise, the list of systems, and the options of one call."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from plait import Sentence
from plait.chain.perceptron_tagger import PerceptronTagger
from plait.errors import DataError, ModelError, OptionError
from plait.options import option
from plait.system import SYSTEMS, System, find_system, find_trainer
from plait.system.alternatives import distinct
from plait.system.modelparts import affix_arrays, nested_parts, open_nested
from plait.system.request import REQUEST_OPTIONS, Request


@dataclass(frozen=True)
class ShoutOptions:
    tag: str = option("upos", "the column")
    volume: int = option(3, "how loud", minimum=1)


@dataclass(eq=False, repr=False)
class Shout(System):
    """Gives every word the same tag."""

    name = "shout"
    Options = ShoutOptions
    supports = frozenset(["scores", "constrain"])
    word: str

    def annotate(self, sentence):
        sentence.upos = [self.word] * len(sentence)

    def parts(self):
        return {"word": self.word}, {"loudness": np.arange(self.options.volume)}

    @classmethod
    def _open(cls, options, header, arrays):
        if len(arrays["loudness"]) != options.volume:
            raise ValueError("another loudness")
        return cls(options, header["word"])


@pytest.fixture
def shout():
    return Shout(ShoutOptions(), "INTJ")


def test_a_system_predicts_the_columns_of_its_tags(shout):
    assert shout.predicts == ("upos",)
    assert Shout(ShoutOptions(tag="xpos+feats"), "X").predicts == ("xpos", "feats")


def test_tags_are_taken_from_the_input_by_systems_trained_on_gold_tags_alone(shout):
    assert shout.takes == frozenset()
    for gold in (False, True):
        shout.options = SimpleNamespace(tag="upos", gold_tags=gold)
        assert shout.takes == (frozenset(["upos"]) if gold else frozenset())


def test_what_is_given_is_put_back_where_the_request_says_so(shout):
    sentence = Sentence(["oh", "no"], upos=["_", "ADV"])
    shout.annotate_with(sentence, Request(constrain=True))
    assert sentence.upos == ["INTJ", "ADV"]
    shout.annotate_with(sentence, Request(scores=True))
    assert sentence.upos == ["INTJ", "INTJ"]


def test_only_columns_that_are_predicted_are_put_back(shout):
    sentence = Sentence(["oh", "no"], heads=[1, 1])  # no tree, which matters to nobody here
    shout.annotate_with(sentence, Request(constrain=True))
    assert sentence.upos == ["INTJ", "INTJ"]
    with pytest.raises(DataError, match="cannot be kept"):
        type("Tree", (Shout,), {"predicts": ("upos", "heads")})(ShoutOptions(), "INTJ").annotate_with(
            sentence, Request(constrain=True)
        )


def test_options_of_a_call_that_a_system_does_not_support_are_refused(shout):
    with pytest.raises(OptionError) as found:
        shout.annotate_with(Sentence(["oh"]), Request(dictionary=object()))
    assert str(found.value) == (
        "shout does not support dictionary; crf-segmenter supports dictionaries for raw text; "
        "remove it or use another model"
    )


def test_what_a_system_cannot_do_is_said_with_its_name(shout):
    sentence = Sentence(["oh"])
    for ask, message in (
        (lambda: shout.segment("oh", Request()), "shout does not segment raw text; give it words"),
        (lambda: shout.alternatives_of("oh", 2), "shout does not segment raw text; give it words"),
        (lambda: shout.alternatives(sentence, 2), "shout does not support n-best analyses; CRFs and parsers do"),
    ):
        with pytest.raises(OptionError) as found:
            ask()
        assert str(found.value) == message


def test_a_request_can_be_cut_down_to_some_options():
    steps = []
    request = Request(scores=True, constrain=True, single_sentence=True, on_step=steps.append)
    only = request.only(["scores", "whole"])
    assert only == Request(scores=True)
    only.on_step(3)
    assert steps == [3]
    assert REQUEST_OPTIONS == ("scores", "dictionary", "constrain")


def test_a_system_inside_another_has_options_record_and_arrays_of_its_own():
    inner = Shout(ShoutOptions(volume=5), "INTJ")
    header, arrays = nested_parts("guide", inner)
    assert header == {"guide": {"options": {"tag": "upos", "volume": 5}, "word": "INTJ"}}
    assert list(arrays) == ["guide.loudness"]
    outer = {**arrays, "loudness": np.arange(9), "other.loudness": np.arange(9)}
    for training, expected in (
        ({"guide": {"epochs": 7}, "epochs": 8}, {"epochs": 7}),
        ({"epochs": 8}, {}),
        (None, {}),
    ):
        found = open_nested("guide", Shout, header if training is None else {**header, "training": training}, outer)
        assert (found.word, found.options, found.training) == ("INTJ", inner.options, expected)


def test_damage_to_a_system_inside_another_is_described():
    header, arrays = nested_parts("guide", Shout(ShoutOptions(), "INTJ"))
    with pytest.raises(ModelError, match="damaged shout model: another loudness"):
        open_nested("guide", Shout, header, {"guide.loudness": np.arange(2)})
    header["guide"]["options"] = {"size": 1}
    with pytest.raises(OptionError, match=r'^shout has no option "size"'):
        open_nested("guide", Shout, header, arrays)


def test_the_tags_of_first_and_last_characters_are_stored_apart():
    begins, ends = (SimpleNamespace(arrays=lambda n=n: {"symbols": n, "characters": -n}) for n in (1, 2))
    stored = {"begins.symbols": 1, "begins.characters": -1, "ends.symbols": 2, "ends.characters": -2}
    assert affix_arrays([begins, ends]) == stored
    assert affix_arrays([]) == {}


def test_systems_are_found_by_name():
    assert find_system("perceptron-tagger") is PerceptronTagger
    assert find_trainer("perceptron-tagger").__name__ == "fit_perceptron_tagger"
    for name in SYSTEMS:
        assert find_system(name).name == name
        assert callable(find_trainer(name))


def test_an_unknown_system_is_refused_with_the_nearest_and_all_others():
    for find in (find_system, find_trainer):
        with pytest.raises(OptionError) as found:
            find("crf-taggr")
        assert str(found.value) == (
            'unknown system "crf-taggr" (did you mean crf-tagger?); available: ' + ", ".join(SYSTEMS)
        )


def test_analyses_are_looked_at_until_enough_differ_or_patience_ends():
    looked_at = []

    def analyses(values):
        for value in values:
            looked_at.append(value)
            yield value

    assert list(distinct(analyses("aabcd"), str.upper, 2)) == ["a", "b"]
    assert looked_at == ["a", "a", "b"]
    looked_at.clear()
    assert list(distinct(analyses("aaaaaaab"), str.upper, 2, patience=3)) == ["a"]
    assert looked_at == ["a"] * 6
    assert list(distinct("abAc", str.upper, 9)) == ["a", "b", "c"]
