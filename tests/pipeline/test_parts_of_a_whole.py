"""How a pipeline calls its parts: in which order, with which words and options, and what becomes of their scores."""

from types import SimpleNamespace

import pytest
from pretend import Pretend, PretendOptions, PretendSegmenter

from plait import Sentence
from plait.data.tags import TagColumns
from plait.errors import OptionError
from plait.pipeline import system as system_module
from plait.pipeline.agreement import Agreement
from plait.pipeline.system import (
    Pipeline,
    PipelineOptions,
    learn_agreement,
    options_of,
    part_system,
    segmenter_inside,
)
from plait.system.request import PLAIN, Request


class Segmenter(PretendSegmenter):
    folding = SimpleNamespace(words=lambda forms: None)


class Shouting(PretendSegmenter):
    """Its folding reads capitals."""

    folding = SimpleNamespace(words=lambda forms: [form.upper() for form in forms])


class Weaver(PretendSegmenter):
    """A parser that finds the words itself."""

    name = "weaver"
    finds_words = True
    folding = Segmenter.folding

    @property
    def segmenter(self):
        return self._inside

    _inside = Segmenter(fills=())


def made(segmenter=None, parser=None, tagger=None, agreement=None, lemmatizer=None, **options):
    segmenter = segmenter or Segmenter(fills=())
    parser = parser or Pretend(fills=("heads", "deprels"))
    return Pipeline(PipelineOptions(**options), segmenter, parser, tagger, agreement, lemmatizer)


def everything(agreement=None):
    calls = []
    tagger, parser, lemmatizer = (
        Pretend(fills=fills, mark=mark, calls=calls)
        for fills, mark in ((("xpos",), "T"), (("upos", "heads"), "P"), (("lemmas",), "L"))
    )
    return made(parser=parser, tagger=tagger, lemmatizer=lemmatizer, agreement=agreement), calls


def test_columns_are_those_of_all_parts_each_once():
    whole, _ = everything()
    assert whole.predicts == ("xpos", "upos", "heads", "lemmas")
    assert everything(Agreement({"N": ["T"]}))[0].predicts == ("upos", "heads", "xpos", "lemmas")
    assert made(Segmenter(fills=("upos",)), Pretend(fills=("upos", "heads"))).predicts == ("upos", "heads")


def test_the_segmenter_tags_given_words_only_where_nobody_else_does():
    for fills, called in ((("upos",), False), (("upos", "feats"), True), ((), False)):
        whole = made(Segmenter(fills=fills), Pretend(fills=("upos", "heads")))
        whole.annotate(Sentence(["a"]))
        assert bool(whole.segmenter.calls) == called


def test_columns_that_a_part_takes_are_taken_by_the_whole():
    parser = Pretend(SimpleNamespace(gold_tags=True), fills=("heads",))
    parser.columns = TagColumns("upos+feats")
    assert made(parser=parser).takes == {"upos", "feats"}
    assert everything()[0].takes == frozenset()


def test_a_text_goes_to_the_segmenter_and_its_sentences_to_the_others():
    whole, calls = everything()
    steps = []
    request = Request(scores=True, single_sentence=True, on_step=steps.append)
    (sentence,) = whole.segment("a b .", request)
    assert whole.segmenter.calls == [("segment", "a b .", request)]
    assert (sentence.upos, sentence.xpos, sentence.lemmas, sentence.heads) == (
        ["P"] * 3, ["T"] * 3, ["L"] * 3, [0, 1, 2],
    )  # fmt: skip
    words = ["a", "b", "."]
    assert calls == [
        ("annotate_with", words, Request(scores=True)),
        ("annotate_with", words, Request(scores=True)),
        ("annotate", words),
    ]
    assert steps == [3, 3, 3]
    assert [call[0] for call in (whole.segment("a"), calls)[1][3:]] == ["annotate"] * 3
    assert whole.find_words("a b .")[0].lemmas == ["_"] * 3


def test_given_words_get_what_each_part_supports():
    whole, calls = everything()
    whole.parser.supports = frozenset()
    whole.annotate_with(Sentence(["a"]), Request(scores=True, constrain=True))
    assert calls == [
        ("annotate_with", ["a"], Request(scores=True, constrain=True)),
        ("annotate_with", ["a"], Request(constrain=True)),
        ("annotate_with", ["a"], Request(constrain=True)),
    ]
    with pytest.raises(OptionError) as found:
        whole.annotate_with(Sentence(["a"]), Request(dictionary=object()))
    assert str(found.value) == (
        "pipeline on given words does not support dictionary; crf-segmenter supports dictionaries for raw text; "
        "remove it or use another model"
    )


def test_parts_read_folded_words_and_the_written_ones_come_back():
    parser = Pretend(fills=("heads",))
    whole = made(Shouting(fills=()), parser)
    for sentence in (*whole.segment("a b"), Sentence(["a", "b"])):
        whole.annotate(sentence)
        assert sentence.forms == ["a", "b"]
    assert [call[1] for call in parser.calls] == [["A", "B"]] * 3
    whole.alternatives(Sentence(["a"]), 2)
    assert parser.calls[-1][:3] == ("alternatives", ["A"], 2)


def test_the_tagger_chooses_under_the_tags_of_the_parser():
    whole, calls = everything(Agreement({"P": ["T", "U"]}))
    sentence = Sentence(["a", "b"])
    whole.annotate_with(sentence, Request(scores=True))
    assert [call[0] for call in calls] == ["annotate_with", "annotate_with", "annotate"]
    assert calls[1][2] == Request(scores=True, allowed=(("T", "U"), ("T", "U")))
    assert calls[0][2] == Request(scores=True)


@pytest.mark.parametrize("parser_scores", [True, False])
def test_scores_stay_those_of_the_parser_where_it_has_any(parser_scores):
    class Scoring(Pretend):
        def annotate_with(self, sentence, request):
            super().annotate_with(sentence, request)
            sentence.score, sentence.scores = len(self.mark), [float(len(self.mark))] * len(sentence)

    parser = (Scoring if parser_scores else Pretend)(fills=("upos",), mark="P")
    parser.supports = frozenset(["scores"]) if parser_scores else frozenset()
    whole = made(parser=parser, tagger=Scoring(fills=("xpos",), mark="TT"), agreement=Agreement({"P": ["TT"]}))
    sentence = Sentence(["a"])
    whole.annotate_with(sentence, Request(scores=True))
    assert (sentence.score, sentence.scores) == ((1, [1.0]) if parser_scores else (2, [2.0]))


def test_tags_and_lemmas_that_are_decided_together_replace_the_tagger(monkeypatch):
    joined = []

    class Joint:
        def __init__(self, tagger, lemmatizer, weight):
            joined.append((tagger, lemmatizer, weight))

        def annotate_with(self, sentence, request):
            sentence.xpos, sentence.score, sentence.scores = ["J"] * len(sentence), 5.0, [0.1]

    monkeypatch.setattr(system_module, "JointLemmas", Joint)
    tagger, lemmatizer = Pretend(fills=("xpos",)), Pretend(fills=("lemmas",))
    whole = made(tagger=tagger, lemmatizer=lemmatizer, lemma_weight=2.0)
    assert joined == [(tagger, lemmatizer, 2.0)]
    sentence = Sentence(["a"])
    whole.annotate(sentence)
    assert (sentence.xpos, sentence.score, sentence.scores, tagger.calls) == (["J"], 5.0, [0.1], [])
    made(tagger=tagger, lemmatizer=lemmatizer)
    made(tagger=tagger, lemma_weight=2.0)
    made(lemmatizer=lemmatizer, lemma_weight=2.0)
    assert len(joined) == 1
    made(tagger=tagger, lemmatizer=lemmatizer, lemma_weight=0.5)
    assert joined[1][2] == 0.5


def test_alternatives_are_those_of_the_parser_with_the_rest_around_them():
    whole, calls = everything()
    sentence = Sentence(["a", "b"])
    request = Request(scores=True)
    found = whole.alternatives(sentence, 2, request)
    assert [call[0] for call in calls] == ["annotate_with", "alternatives", "annotate", "annotate"]
    assert calls[1] == ("alternatives", ["a", "b"], 2, request)
    assert [(s.xpos, s.upos, s.lemmas, s.score) for s in found] == [
        (["T"] * 2, ["P"] * 2, ["L"] * 2, -float(k)) for k in range(2)
    ]
    assert sentence.xpos == ["_", "_"]
    assert found[0].forms is not found[1].forms
    found[0].forms[0] = "x"
    assert sentence.forms == ["a", "b"]
    whole.alternatives(sentence, 1)
    assert calls[5][3] == PLAIN


def test_alternatives_of_a_text_are_segmentations_and_each_sentence_is_parsed_once():
    whole, calls = everything()
    request = Request(scores=True)
    found = whole.alternatives_of("a . b", 4, request)
    assert whole.segmenter.calls[0] == ("alternatives_of", "a . b", 4, request)
    assert [[s.forms for s in sentences] for sentences in found] == [[["a", "."], ["b"]], [["a", ".", "b"]]] * 2
    assert [[s.score for s in sentences] for sentences in found] == [[0.0, 0.0], [-1.0], [-2.0, -2.0], [-3.0]]
    assert all(s.heads == list(range(len(s))) and s.lemmas == ["L"] * len(s) for sentences in found for s in sentences)
    assert sum(call[0] == "annotate" for call in calls) == 3  # by the lemmatizer
    found[0][0].upos[0] = "changed"
    assert found[2][0].upos == ["P", "P"]


def test_sentences_that_differ_in_place_tags_or_tree_are_not_the_same():
    class Several(Segmenter):
        def alternatives_of(self, text, count, request=PLAIN):
            sentences = [Sentence(["a"], upos=["A"], heads=[0], deprels=["root"]) for _ in range(6)]
            sentences[1].offsets = [(3, 4)]
            sentences[2].upos = ["B"]
            sentences[3].heads = [-1]
            sentences[4].deprels = ["other"]
            return [[sentence] for sentence in sentences]

    lemmatizer = Pretend(fills=("lemmas",))
    whole = made(Several(fills=()), Pretend(fills=()), lemmatizer=lemmatizer)
    assert len(whole.alternatives_of("a", 6)) == 6
    assert len(lemmatizer.calls) == 5


def test_a_parser_that_finds_words_is_not_asked_twice():
    weaver, lemmatizer = Weaver(fills=("heads",)), Pretend(fills=("lemmas",))
    whole = Pipeline(PipelineOptions(), weaver.segmenter, weaver, None, None, lemmatizer)
    (sentence,) = whole.segment("a b", Request(scores=True))
    assert weaver.calls == [("segment", "a b", Request(scores=True))]
    assert sentence.lemmas == ["X", "X"]
    whole.annotate(Sentence(["a"]))
    assert weaver.calls[1:] == [("annotate", ["a"])]
    header, arrays = whole.parts()
    assert sorted(header) == ["lemmatizer", "parser"]
    assert sorted(arrays) == ["lemmatizer.loudness", "parser.loudness"]


@pytest.fixture
def named(monkeypatch):
    systems = {kind.name: kind for kind in (Pretend, PretendSegmenter, Weaver)}
    monkeypatch.setattr(system_module, "find_system", systems.__getitem__)
    monkeypatch.setattr(system_module, "CrfSegmenter", Segmenter)
    monkeypatch.setattr(system_module, "Lemmatizer", Pretend)
    monkeypatch.setattr(system_module, "CrfTagger", type("Tagger", (Pretend,), {"name": "tagger", "tags": ["T"]}))


def test_the_parts_are_stored_and_opened_under_their_names(named):
    whole, _ = everything()
    whole.segmenter.options = PretendOptions(volume=2)
    header, arrays = whole.parts()
    assert {name: part.get("system") for name, part in header.items()} == {
        "segmenter": None, "parser": "pretend", "tagger": "pretend", "lemmatizer": "pretend",
    }  # fmt: skip
    assert sorted(arrays) == [f"{name}.loudness" for name in sorted(header)]
    opened = Pipeline._open(PipelineOptions(), {**header, "training": {"tagger": {"epochs": 3}}}, arrays)
    assert (opened.parser.mark, opened.tagger.mark, opened.lemmatizer.mark) == ("P", "T", "L")
    assert opened.segmenter.options == PretendOptions(volume=2)
    assert opened.tagger.training == {"epochs": 3}
    assert opened.agreement is None
    woven = Pipeline._open(PipelineOptions(), *made(parser=Weaver(fills=("heads",))).parts())
    assert (woven.parser.name, woven.segmenter) == ("weaver", Weaver._inside)
    small = Pipeline._open(PipelineOptions(), *made().parts())
    assert (small.tagger, small.lemmatizer, small.agreement) == (None, None, None)


def test_a_table_of_agreement_is_stored_and_needs_a_tagger(named, monkeypatch):
    tagger = system_module.CrfTagger(fills=("xpos",))
    monkeypatch.setattr(system_module, "find_system", {"pretend": Pretend, "tagger": type(tagger)}.__getitem__)
    whole = made(parser=Pretend(fills=("upos",)), tagger=tagger, agreement=Agreement({"N": ["T"]}))
    header, arrays = whole.parts()
    assert header["agreement"] == {"N": ["T"]}
    assert Pipeline._open(PipelineOptions(), header, arrays).agreement.finer == {"N": ("T",)}
    header["tagger"]["system"] = "pretend"
    with pytest.raises(ValueError, match=r"^an agreement table without a tagger$"):
        Pipeline._open(PipelineOptions(), header, arrays)


def test_the_options_of_a_whole_say_what_would_train_it():
    segmenter, parser = Segmenter(PretendOptions(volume=4)), Pretend(PretendOptions(volume=5))
    tagger, lemmatizer = Pretend(PretendOptions(tag="xpos")), Pretend(PretendOptions(volume=6))
    assert options_of(segmenter, parser, tagger, lemmatizer, 0.5) == PipelineOptions(
        parser="pretend", parser_options="volume=5", segmenter_options="volume=4", tagger="pretend",
        tagger_options="tag=xpos", lemmatizer="auto", lemmatizer_options="volume=6", lemma_weight=0.5,
    )  # fmt: skip
    assert options_of(segmenter, parser, None, None, 0.0) == PipelineOptions(
        parser="pretend", parser_options="volume=5", segmenter_options="volume=4", tagger="", lemmatizer="none"
    )


def test_only_a_parser_may_find_words(named):
    assert part_system("pretend", "tagger") is Pretend
    assert part_system("pretend") is Pretend
    assert part_system("weaver", "parser") is Weaver
    for name, part in (("weaver", "tagger"), ("weaver", ""), ("pretend-segmenter", "parser")):
        with pytest.raises(OptionError) as found:
            part_system(name, part)
        assert str(found.value) == (f'"{name}" segments raw text; expected a tagger or parser, such as easyfirst-joint')
    with pytest.raises(OptionError):
        part_system("weaver")


def test_the_segmenter_inside_a_parser_is_one(named):
    weaver = Weaver()
    assert segmenter_inside(weaver) is weaver.segmenter
    assert segmenter_inside(Pretend()) is None
    weaver._inside = Pretend()
    with pytest.raises(ValueError, match=r"^pretend cannot be the internal segmenter$"):
        segmenter_inside(weaver)
    weaver._inside = None
    assert segmenter_inside(weaver) is None


def test_agreement_is_learnt_for_a_tagger_that_can_decide_second(named, monkeypatch):
    train = [Sentence(["a"], upos=["N"], xpos=["T"])]
    tagger = system_module.CrfTagger(fills=("xpos",))
    tagger.columns = TagColumns("xpos")
    parser = Pretend(fills=("upos",))
    can = [True]
    monkeypatch.setattr(system_module, "can_be_joint", lambda system: can[0] and system is tagger)
    assert learn_agreement(train, parser, tagger).finer == {"N": ("T",)}
    assert learn_agreement(train, Pretend(fills=("heads",)), tagger) is None
    assert learn_agreement(train, parser, None) is None
    tagger.fills = ("upos", "xpos")
    assert learn_agreement(train, parser, tagger) is None
    tagger.fills = ("xpos",)
    can[0] = False
    assert learn_agreement(train, parser, tagger) is None
