"""Which parts of a pipeline are trained, on what and with which options, without training any."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from pretend import Pretend, PretendSegmenter

from plait import Sentence
from plait.errors import DataError, OptionError
from plait.learn.records import EpochRecord
from plait.learn.task import TrainingTask
from plait.options import DEV, option
from plait.pipeline import fitting
from plait.pipeline.agreement import Agreement
from plait.pipeline.fitting import fit_pipeline, raw_text_scores
from plait.pipeline.system import PipelineOptions

PLAIN_DATA = [Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])]
RICH = [
    Sentence(
        ["dogs", "bark"], upos=["NOUN", "VERB"], feats=["N=P", "_"], xpos=["NN", "VB"], lemmas=["dog", "bark"],
        heads=[2, 0],
    )
]  # fmt: skip


@dataclass(frozen=True)
class PartOptions:
    tag: str = option("upos", "the column")
    volume: int = option(3, "how loud")
    beam: int = option(40, "how wide")
    epochs: int = option(20, "how often")
    prune: bool = option(True, "drop")
    prune_below: float = option(0.5, "drop below")
    patience: int = option(0, "wait", needs=DEV)
    segmenter_options: str = option("", "of the segmenter inside")


class Parser(Pretend):
    name = "transition-joint"
    Options = PartOptions


class Tagger(Pretend):
    name = "morph-tagger"
    Options = PartOptions


class OtherTagger(Pretend):
    name = "crf-tagger"
    Options = PartOptions


class Lemmas(Pretend):
    name = "lemmatizer"
    Options = PartOptions


class Segmenter(PretendSegmenter):
    name = "crf-segmenter"
    Options = PartOptions
    folding = SimpleNamespace(words=lambda forms: None)
    conventions = SimpleNamespace(spaces=True)


class Weaver(Segmenter):
    name = "weaver"
    finds_words = True
    segmenter = Segmenter(fills=())


FILLS = {
    "transition-joint": ("upos", "heads", "deprels"), "morph-tagger": ("xpos", "feats"), "crf-tagger": ("feats",),
    "lemmatizer": ("lemmas",),
    "crf-segmenter": (), "weaver": ("upos", "heads"),
}  # fmt: skip


PARTS = ("parser", "tagger", "lemmatizer")  # all that work on given words


@pytest.fixture
def trained(monkeypatch):
    """What was trained: name, task and options."""
    seen = []
    systems = {kind.name: kind for kind in (Parser, Tagger, OtherTagger, Lemmas, Segmenter, Weaver)}

    def trainer(name):
        def fit(task, options):
            seen.append((name, task, options))
            system = systems[name](options, fills=FILLS[name])
            system.training = {"of": name}
            return system

        return fit

    monkeypatch.setattr(fitting, "find_system", systems.__getitem__)
    monkeypatch.setattr(fitting, "part_system", lambda name, part: systems[name] if part in PARTS else None)
    monkeypatch.setattr(fitting, "find_trainer", trainer)
    monkeypatch.setattr(fitting, "CrfSegmenter", Segmenter)
    monkeypatch.setattr("plait.pipeline.system.CrfSegmenter", Segmenter)
    monkeypatch.setattr(fitting, "learn_agreement", lambda train, parser, tagger: None)
    return seen


def options_of(trained):
    return {name: options for name, _, options in trained}


def fit(train=PLAIN_DATA, dev=(), checkpoint=None, **options):
    told = {"segmenter_options": "", **options}
    return fit_pipeline(TrainingTask(train, dev, checkpoint=checkpoint), PipelineOptions(**told))


def test_a_plain_treebank_needs_a_segmenter_and_a_parser(trained):
    whole = fit(parser_options="volume=5", segmenter_options="volume=6")
    assert [name for name, _, _ in trained] == ["crf-segmenter", "transition-joint"]
    assert [options.volume for _, _, options in trained] == [6, 5]
    assert (whole.tagger, whole.lemmatizer, whole.agreement) == (None, None, None)
    assert whole.training == {"segmenter": {"of": "crf-segmenter"}, "parser": {"of": "transition-joint"}}
    assert whole.options.parser == "transition-joint"
    assert whole.options.parser_options == "volume=5 beam=8 epochs=12"  # a file says what was trained


def test_what_the_user_says_replaces_the_defaults_of_the_parser(trained, monkeypatch):
    monkeypatch.setattr(fitting, "raw_text_scores", lambda pipeline, gold: {})
    fit(dev=PLAIN_DATA, parser_options="epochs=2")
    fit(parser_options="beam=3")
    fit(parser="transition-joint", parser_options="epochs=2")  # the parser's own defaults
    found = [options for name, _, options in trained if name == "transition-joint"]
    assert [(options.beam, options.epochs, options.patience) for options in found] == [
        (8, 2, 3),
        (3, 12, 0),
        (40, 2, 0),
    ]


@pytest.mark.parametrize(
    ("columns", "tag"),
    [({"xpos": ["NN", "VB"], "feats": ["N=P", "_"]}, "xpos"), ({"feats": ["_", "N=P"]}, "feats")],
)
def test_without_upos_the_tags_of_the_parser_are_those_that_there_are(trained, caplog, columns, tag):
    whole = fit([Sentence(["dogs", "bark"], heads=[2, 0], **columns)], parser_options="volume=5")
    assert options_of(trained)["transition-joint"].tag == tag
    assert whole.options.parser_options == f"tag={tag} volume=5 beam=8 epochs=12"
    assert f"no UPOS; the tags of the parser are {tag.upper()}" in caplog.text


def test_without_trees_a_tagger_takes_the_place_of_the_parser(trained, caplog, monkeypatch):
    monkeypatch.setitem(FILLS, "morph-tagger", ("upos", "xpos"))
    bare = Sentence(["dogs", "bark"], upos=["NOUN", "VERB"], xpos=["NN", "VB"], lemmas=["dog", "bark"])
    whole = fit([bare], parser_options="volume=5")
    assert [name for name, _, _ in trained] == ["crf-segmenter", "morph-tagger", "lemmatizer"]
    assert (whole.options.parser, whole.options.parser_options) == ("morph-tagger", "volume=5")
    assert "no word of the training data has a head; training a tagger" in caplog.text
    assert fit([bare, *PLAIN_DATA]).options.parser == "transition-joint"  # some trees are enough


def test_words_alone_are_no_data_for_a_pipeline(trained):
    for sentence in (Sentence(["dogs", "bark"]), Sentence(["dogs", "bark"], heads=[2, 0])):
        with pytest.raises(DataError, match="no word of the training data has UPOS, XPOS or FEATS"):
            fit([sentence])
    assert not trained


def test_columns_and_lemmas_of_the_treebank_get_parts_of_their_own(trained):
    whole = fit(RICH, tagger_options="volume=7", lemmatizer_options="volume=8")
    assert [name for name, _, _ in trained] == ["crf-segmenter", "transition-joint", "morph-tagger", "lemmatizer"]
    chosen = options_of(trained)
    assert (chosen["morph-tagger"].tag, chosen["morph-tagger"].volume) == ("xpos+feats", 7)
    assert chosen["lemmatizer"].volume == 8
    assert list(whole.training) == ["segmenter", "parser", "tagger", "lemmatizer"]
    assert (whole.tagger.name, whole.lemmatizer.name) == ("morph-tagger", "lemmatizer")


def test_parts_that_are_not_wanted_are_left_out(trained):
    whole = fit(RICH, tagger="", lemmatizer="none")
    assert (whole.tagger, whole.lemmatizer) == (None, None)
    assert len(trained) == 2


def test_a_tagger_of_the_users_choice_keeps_its_column(trained):
    for tagger in ("morph-tagger", "crf-tagger"):
        whole = fit(RICH, tagger=tagger, tagger_options="tag=feats", lemmatizer="none")
        assert whole.tagger.name == tagger
        assert options_of(trained)[tagger].tag == "feats"


def test_lemmas_of_another_part_are_enough(trained, monkeypatch):
    monkeypatch.setitem(FILLS, "morph-tagger", ("lemmas",))
    whole = fit(RICH, tagger="morph-tagger")
    assert whole.lemmatizer is None
    assert "lemmatizer" not in options_of(trained)


def test_every_part_has_a_checkpoint_of_its_own(trained, tmp_path):
    fit(RICH, checkpoint=tmp_path / "c")
    assert [task.checkpoint.name for _, task, _ in trained] == ["c.segmenter", "c.parser", "c.tagger", "c.lemmatizer"]


def test_dev_data_without_a_column_is_not_used_for_it(trained, monkeypatch):
    monkeypatch.setattr(fitting, "raw_text_scores", lambda pipeline, gold: {"las": 1.0})
    whole = fit(RICH, dev=[*PLAIN_DATA, *RICH], parser_options="patience=3")
    assert options_of(trained)["transition-joint"].patience == 3
    sizes = {name: len(task.dev) for name, task, _ in trained}
    assert sizes == {"crf-segmenter": 2, "transition-joint": 2, "morph-tagger": 1, "lemmatizer": 1}
    assert whole.training["dev"] == {"las": 1.0}
    assert "dev" not in fit(dev=[Sentence([])]).training
    trained.clear()
    without_feats = [Sentence(["dogs"], upos=["NOUN"], xpos=["NN"], lemmas=["dog"], heads=[0])]
    fit(RICH, dev=without_feats)
    sizes = {name: len(task.dev) for name, task, _ in trained}
    assert sizes == {"crf-segmenter": 1, "transition-joint": 1, "morph-tagger": 0, "lemmatizer": 1}


def test_the_progress_names_the_part(trained, tmp_path):
    told = []
    bars = []
    task = TrainingTask(
        RICH, on_epoch=lambda record: told.append(record.line()), track=lambda items, label: bars.append(label)
    )
    fit_pipeline(task, PipelineOptions(segmenter_options=""))
    for _, own, _ in trained:
        own.on_epoch(EpochRecord(1, 1, 0, 0.0, 7))
        own.track([], "epoch 1/2")
    assert [line.partition("  ")[0] for line in told] == ["segmenter", "parser", "tagger", "lemmatizer"]
    assert told[1].startswith("parser  epoch   1  updates ")
    assert bars[1] == "parser, epoch 1/2"


def test_the_lemmatizer_reads_the_columns_that_other_parts_fill(trained, monkeypatch):
    asked = []

    def columns(tag):
        asked.append(tag)
        return {"upos": True, "xpos": True, "feats": False, "lemmas": True}

    monkeypatch.setattr(fitting, "tag_columns", columns)
    fit(RICH, lemmatizer_options="tag=xpos")
    assert options_of(trained)["lemmatizer"].tag == "upos+xpos"
    assert asked == ["xpos"]
    fit(RICH, tagger="")
    assert options_of(trained)["lemmatizer"].tag == "upos"


def test_no_part_drops_weights_where_the_whole_may_not(trained):
    fit(RICH, prune=False, parser_options="volume=5 prune=true prune_below=0.3")
    assert options_of(trained)["transition-joint"].volume == 5
    assert {(options.prune, options.prune_below) for _, _, options in trained} == {(False, 0.0)}
    trained.clear()
    fit(RICH, parser_options="prune_below=0.3")
    assert {(options.prune, options.prune_below) for _, _, options in trained} == {(True, 0.5), (True, 0.3)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parser_options": "size=1"}, 'transition-joint has no option "size"'),
        ({"segmenter_options": "size=1"}, 'crf-segmenter has no option "size"'),
        ({"lemmatizer_options": "size=1"}, 'lemmatizer has no option "size"'),
        ({"tagger_options": "size=1"}, 'morph-tagger has no option "size"'),
        ({"tagger_options": "volume"}, "the options of morph-tagger contain 'volume'"),
        ({"parser_options": "patience=3"}, "patience has no effect without development data"),
    ],
)
def test_all_options_are_looked_at_before_the_first_training(trained, options, words):
    with pytest.raises(OptionError, match=words):
        fit(RICH, **options)
    assert not trained


def test_a_weight_of_lemmas_needs_both_parts(trained, monkeypatch):
    monkeypatch.setattr("plait.pipeline.system.JointLemmas", lambda *parts: parts)
    monkeypatch.setattr(fitting, "can_be_joint", lambda tagger: tagger is not None)
    fit(RICH, lemma_weight=0.5)
    for data, options in ((PLAIN_DATA, {}), (RICH, {"tagger": ""}), (RICH, {"lemmatizer": "none"})):
        trained.clear()
        with pytest.raises(OptionError) as found:
            fit(data, lemma_weight=0.5, **options)
        assert not trained  # it is refused before the first training
        assert str(found.value) == (
            "pipeline: option lemma_weight has no effect without a morph-tagger and lemmas; leave it out"
        )


def test_what_goes_together_is_learnt_from_the_training_data(trained, monkeypatch):
    asked, learnt = [], Agreement({"N": ["T"]})
    monkeypatch.setattr(fitting, "learn_agreement", lambda *given: asked.append(given) or learnt)
    whole = fit(RICH)
    assert asked == [(RICH, whole.parser, whole.tagger)]
    assert whole.agreement is learnt
    whole = fit()
    assert asked[1] == (PLAIN_DATA, whole.parser, None)


def test_a_parser_with_a_segmenter_inside_is_told_its_options(trained):
    whole = fit(parser="weaver", segmenter_options="volume=9")
    assert [name for name, _, _ in trained] == ["weaver"]
    assert trained[0][2].segmenter_options == "volume=9"
    assert whole.segmenter is Weaver.segmenter
    fit(parser="weaver", parser_options="segmenter_options=tag=x", segmenter_options="volume=9")
    assert trained[1][2].segmenter_options == "tag=x"


def test_tags_that_a_parser_takes_are_left_open():
    parser = Pretend(fills=("upos", "heads"))
    assert fitting._left_open(RICH, parser) == ["xpos", "feats"]
    assert fitting._left_open([*RICH, *PLAIN_DATA], Pretend(fills=("xpos",))) == ["upos", "feats"]
    assert fitting._left_open(PLAIN_DATA, Pretend(fills=())) == ["upos"]
    parser.options = SimpleNamespace(gold_tags=True, tag="upos")
    assert fitting._left_open(RICH, parser) == ["upos", "xpos", "feats"]


def test_the_whole_is_scored_on_running_text_for_the_columns_it_predicts(monkeypatch):
    gold = [
        Sentence(["a", "b", "."], upos=["X", "Y", "X"], heads=[2, 0, 2]),
        Sentence([]),
        Sentence(["c", "."], upos=["X", "X"], xpos=["Y", "Y"], feats=["N=P", "_"], lemmas=["c", "_"]),
    ]
    segmenter = Segmenter(SimpleNamespace(sentences=True), fills=())
    asked = []
    plain = fitting.passages

    def watched(sentences, columns, *, running, spaces):
        asked.append((len(sentences), columns, running, spaces))
        return plain(sentences, columns, running=running, spaces=spaces)

    monkeypatch.setattr(fitting, "passages", watched)

    whole = PretendSegmenter(fills=("upos", "heads"))
    whole.segmenter = segmenter
    scores = raw_text_scores(whole, gold)
    assert asked == [(2, None, True, True)]
    assert list(scores) == ["words", "sentences", "upos", "uas", "las"]
    assert (scores["words"], scores["upos"]) == (100.0, 80.0)
    whole.fills = ("xpos", "feats", "lemmas", "misc")
    assert list(raw_text_scores(whole, gold)) == ["words", "sentences", "xpos", "ufeats", "lemmas"]
    assert list(raw_text_scores(whole, gold[:2])) == ["words", "sentences"]  # gold has no such columns
    whole.fills = ("upos", "heads")
    assert list(raw_text_scores(whole, gold[2:])) == ["words", "sentences", "upos"]
