"""Models that are put together: which part of which model is taken, and what the header of the whole says."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from pretend import Pretend, PretendOptions, PretendSegmenter, pretend_model

from plait import Sentence
from plait.errors import OptionError
from plait.pipeline import combining, system
from plait.pipeline.agreement import Agreement
from plait.pipeline.combining import combine, vote


class Segmenter(PretendSegmenter):
    folding = SimpleNamespace(words=lambda forms: None)


class Lemmas(Pretend):
    name = "lemmas"


class Taker(Pretend):
    takes = frozenset({"upos"})  # it works with given tags


class Weaver(PretendSegmenter):
    name = "weaver"
    finds_words = True
    segmenter = Segmenter(fills=())


@pytest.fixture(autouse=True)
def pretended(monkeypatch):
    for module in (combining, system):
        monkeypatch.setattr(module, "CrfSegmenter", Segmenter)
        monkeypatch.setattr(module, "Lemmatizer", Lemmas)


def made(kind=Pretend, fills=("upos", "heads"), mark="P", **header):
    system = kind(PretendOptions(volume=len(mark)), fills=fills, mark=mark)
    system.training = {"of": mark}
    return pretend_model(system, **header)


def message(call):
    with pytest.raises(OptionError) as found:
        call()
    return str(found.value)


def four():
    return (
        made(Segmenter, (), "S", data={"train": 1, "dev": 2}, seed=3, licence="CC0", attribution="us"),
        made(mark="PP", data={"train": 4}, seed=5, licence="CC0", attribution="them"),
        made(fills=("xpos",), mark="T", seed=6, licence="", attribution="us"),
        made(Lemmas, ("lemmas",), "L", licence="MIT"),
    )


def test_the_whole_has_the_parts_and_what_is_known_of_them():
    models = four()
    whole = combine(*models)
    parts = whole.system
    assert [parts.segmenter, parts.parser, parts.tagger, parts.lemmatizer] == [model.system for model in models]
    assert parts.training == {name: {"of": mark} for name, mark in
                              (("segmenter", "S"), ("parser", "PP"), ("tagger", "T"), ("lemmatizer", "L"))}  # fmt: skip
    assert whole.header == {
        "system": "pipeline",
        "options": {
            "parser": "pretend", "parser_options": "volume=2", "segmenter_options": "volume=1", "tagger": "pretend",
            "tagger_options": "volume=1", "lemmatizer": "auto", "lemmatizer_options": "volume=1", "lemma_weight": 0.0,
            "prune": True,
        },
        "data": {"segmenter train": 1, "segmenter dev": 2, "parser train": 4},
        "training": parts.training,
        "seed": 5,
        "licence": "CC0; MIT",
        "attribution": "us; them",
    }  # fmt: skip
    small = combine(*models[:2])
    assert (small.system.tagger, small.system.lemmatizer, small.system.agreement) == (None, None, None)
    assert list(small.system.training) == ["segmenter", "parser"]


def test_a_pipeline_stands_for_the_part_that_is_wanted():
    models = four()
    whole = combine(*models)
    again = combine(whole, whole, whole, whole).system
    assert [again.segmenter, again.parser, again.tagger, again.lemmatizer] == [model.system for model in models]
    small = combine(*models[:2])
    assert message(lambda: combine(small, small, small)) == "this pipeline has no tagger; use another model"
    assert message(lambda: combine(small, small, None, small)) == "this pipeline has no lemmatizer; use another model"


def test_the_weight_of_lemmas_stays_where_tagger_and_lemmatizer_have_it(monkeypatch):
    monkeypatch.setattr(system, "JointLemmas", lambda *parts: parts)
    segmenter, _, tagger, lemmatizer = four()
    parser = made(Voter)
    whole = combine(segmenter, parser, tagger, lemmatizer)
    joint, other = (
        pretend_model(replace(whole.system, options=replace(whole.system.options, lemma_weight=weight)))
        for weight in (0.5, 2.0)
    )
    assert combine(whole, whole, joint, joint).system.options.lemma_weight == 0.5
    assert combine(joint, joint, joint, joint).header["options"]["lemma_weight"] == 0.5
    assert vote([joint, parser]).system.options.lemma_weight == 0.5
    for tagger, lemmatizer in ((joint, whole), (whole, joint), (joint, other), (joint, None), (None, joint)):
        assert combine(joint, joint, tagger, lemmatizer).system.options.lemma_weight == 0.0


def test_a_tagger_without_effect_is_refused():
    segmenter, parser, _, _ = four()  # a parser of UPOS and heads
    words = "pretend predicts all that pretend does; leave the tagger out"
    assert message(lambda: combine(segmenter, parser, made(fills=("upos",), mark="T"))) == words
    assert combine(segmenter, parser, made(fills=("upos", "feats"), mark="T")).system.tagger is not None
    assert combine(segmenter, made(Taker), made(fills=("upos",), mark="T")).system.tagger is not None


def test_parts_that_do_not_belong_where_they_are_given_are_refused():
    segmenter, parser, tagger, lemmatizer = four()
    weaver = made(Weaver, ("heads",), "W")
    for call, words in (
        (lambda: combine(parser, parser), "pretend does not segment text; expected a crf-segmenter model first"),
        (lambda: combine(segmenter, parser, tagger, tagger),
         "pretend is not a lemmatizer; leave it out, or give a lemmatizer model"),
        (lambda: combine(segmenter, segmenter),
         "pretend-segmenter segments raw text; expected a tagger or parser as parser"),
        (lambda: combine(segmenter, parser, segmenter),
         "pretend-segmenter segments raw text; expected a tagger or parser as tagger"),
        (lambda: combine(weaver, weaver, weaver), "weaver segments raw text; expected a tagger or parser as tagger"),
        (lambda: combine(segmenter, weaver), "weaver has its own segmenter; give its model as the segmenter, too"),
    ):  # fmt: skip
        assert message(call) == words
    woven = combine(weaver, weaver, tagger, lemmatizer).system
    assert (woven.segmenter, woven.parser) == (Weaver.segmenter, weaver.system)
    assert combine(weaver, parser).system.segmenter is Weaver.segmenter


def test_what_goes_together_is_learnt_or_kept(monkeypatch):
    segmenter, parser, tagger, _ = four()
    asked = []

    def learn(train, *systems):
        asked.append((train, *systems))
        return Agreement({"N": ["T"]}) if systems[1] is not None else None

    monkeypatch.setattr(combining, "learn_agreement", learn)
    data = [Sentence(["a"])]
    whole = combine(segmenter, parser, tagger, train=data)
    assert whole.system.agreement.finer == {"N": ("T",)}
    assert asked == [(data, parser.system, tagger.system)]
    assert message(lambda: combine(segmenter, parser, train=data)) == (
        "--train is only used with a morph-tagger or crf-tagger and a parser that predicts UPOS; remove it"
    )
    assert combine(segmenter, parser, whole).system.agreement is whole.system.agreement
    assert combine(segmenter, made(fills=("heads",)), whole).system.agreement is None
    assert combine(segmenter, parser, tagger).system.agreement is None
    assert combine(whole, whole).system.agreement is None
    assert len(asked) == 2


class Voter(Pretend):
    name = "easyfirst-joint"  # one that may be a member


def test_members_vote_and_the_header_says_who_they_are():
    one, two = (made(Voter, mark=mark, data={"train": len(mark)}, seed=len(mark)) for mark in ("A", "BB"))
    one.header["licence"], two.header["licence"] = "CC0", "MIT"
    voting = vote([one, two])
    assert list(voting.system.members) == [one.system, two.system]
    assert voting.header == {
        "system": "committee",
        "options": {**voting.header["options"], "members": "easyfirst-joint volume=1; easyfirst-joint volume=2",
                    "weights": "equal", "projective": False},
        "data": {"member1 train": 1, "member2 train": 2},
        "training": {"member1": {"of": "A"}, "member2": {"of": "BB"}},
        "seed": 1,
        "licence": "CC0; MIT",
        "attribution": "",
    }  # fmt: skip
    assert vote([one, two], projective=True).header["options"]["projective"] is True
    assert "a committee of 1" in message(lambda: vote([one]))


def test_votes_are_weighted_by_what_is_asked_for_or_what_there_is():
    models = [made(Voter, mark=mark) for mark in "AB"]
    dev = [Sentence(["a", "b"], upos=["A", "B"], heads=[0, 1], deprels=["root", "dep"])]
    voting = vote(models, dev=dev)
    assert voting.header["options"]["weights"] == "accuracy"
    assert voting.header["training"]["dev"]["upos"] == 50.0
    assert vote(models, dev=dev, weights="equal").header["options"]["weights"] == "equal"
    assert vote(models, weights="probability").header["options"]["weights"] == "probability"
    assert "dev" not in vote(models).header["training"]


def test_pipelines_vote_with_their_parsers_and_the_first_gives_the_rest(monkeypatch):
    segmenter, _, tagger, lemmatizer = four()
    parsers = [made(Voter, mark=mark, seed=7) for mark in "ABC"]
    whole = combine(segmenter, parsers[1], tagger, lemmatizer)
    second = combine(made(Segmenter, (), "other"), parsers[2])
    voting = vote([parsers[0], whole, second]).system
    assert list(voting.parser.members) == [model.system for model in parsers]
    assert (voting.segmenter, voting.tagger, voting.lemmatizer) == (
        segmenter.system, tagger.system, lemmatizer.system,
    )  # fmt: skip
    bare = vote([second, parsers[0]]).system
    assert (bare.tagger, bare.lemmatizer) == (None, None)
