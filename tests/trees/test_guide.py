"""The guide of a parser: jackknifed, stored in the parser's file, found by name; what could not guide is refused."""

import dataclasses
from pathlib import Path
from typing import ClassVar

import pytest

import plait
from plait.data.document import Sentence
from plait.errors import ModelError, OptionError
from plait.learn.task import TrainingTask
from plait.pipeline import Model, train
from plait.system import System
from plait.trees import averaging
from plait.trees.guide import GUIDES, GuideTree, open_guide
from plait.trees.training import guide as training
from plait.trees.training import morphology
from plait.trees.training.guide import RememberingGuide, fit_guide, plan_guide

TINY = Path(__file__).parents[2] / "examples" / "tiny.conllu"
QUICK = {
    "transition-parser": {"beam": 2, "folds": 2},
    "transition-joint": {"beam": 2, "folds": 2},
    "graph-parser": {"folds": 2, "arc_folds": 2},
    "graph-joint": {"folds": 2, "arc_folds": 2},
}
GUIDE = "easyfirst-joint epochs=2"


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return plait.read(TINY).sentences


@pytest.fixture(scope="module")
def models(treebank: list[Sentence]) -> dict[str, Model]:
    return {
        name: train(name, train=treebank, epochs=2, guide=GUIDE, guide_folds=2, **options)
        for name, options in QUICK.items()
    }


@pytest.mark.parametrize("name", QUICK)
def test_a_guided_model_file_is_complete(models: dict[str, Model], treebank: list[Sentence], name: str) -> None:
    model = models[name]
    again = Model.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert again.system.guide.system.name == "easyfirst-joint"
    assert model.system.training["guide"]["epochs"]
    for sentence in treebank:
        assert again(sentence.forms)[0] == model(sentence.forms)[0]
    assert again.nbest(treebank[0].forms, 2)[0][0] == again(treebank[0].forms)[0]


@pytest.mark.parametrize("name", QUICK)
def test_what_the_guide_says_matters(models: dict[str, Model], treebank: list[Sentence], name: str) -> None:
    system = Model.from_bytes(models[name].to_bytes()).system
    asked = []

    class Watched(type(system.guide)):  # type: ignore[misc]
        def tree(self, sentence: Sentence) -> GuideTree:
            asked.append(sentence.forms)
            return super().tree(sentence)

    watched = Watched(system.guide.system)
    system.guide = watched
    if hasattr(system, "_reader"):
        system._reader.guide = watched
    twin = treebank[0].bare()
    system.annotate(twin)
    assert asked == [treebank[0].forms]
    assert twin.heads.count(0) == 1


@pytest.mark.parametrize("name", ["transition-joint", "graph-joint"])
def test_given_arcs_stay_whatever_the_guide_says(models: dict[str, Model], name: str) -> None:
    given = Sentence(["dogs", "chase", "cats"], heads=[3, -1, -1])
    assert models[name](given, keep=["heads"])[0].heads[0] == 3


class Fake:
    """A system that remembers what it was trained on, and refuses to parse that."""

    takes: frozenset[str] = frozenset()
    name = "easyfirst-joint"
    training: ClassVar[dict[str, object]] = {}
    made: ClassVar[list["Fake"]] = []

    def __init__(self, task: TrainingTask, options: object) -> None:
        self.task, self.seen, self.options = task, [tuple(s.forms) for s in task.train], options
        self.made.append(self)

    def annotate(self, sentence: Sentence) -> None:
        assert tuple(sentence.forms) not in self.seen
        assert set(sentence.upos) == {"_"}  # gold tags are not for it
        assert set(sentence.deprels) == {"_"}
        n = len(sentence)
        sentence.set_tree([0] + [1] * (n - 1), ["root"] + [str(len(self.seen))] * (n - 1))


def test_no_fold_has_seen_its_own_sentences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = [Sentence([f"w{i}", "x"], upos=["X", "X"], heads=[0, 1], deprels=["root", "dep"]) for i in range(7)]
    task = TrainingTask(data, dev=data[:1], checkpoint=tmp_path / "c", resume=True)
    monkeypatch.setattr(training, "find_trainer", lambda name: Fake)
    monkeypatch.setattr(Fake, "made", [])
    guide, trees = fit_guide(task, data, plan_guide("easyfirst-joint patience=2", dev=True), 3)
    whole, *folds = Fake.made
    assert guide is not None
    assert guide.system is whole  # type: ignore[comparison-overlap]
    assert (len(whole.seen), len(whole.task.dev)) == (7, 1)
    assert [len(fold.seen) for fold in folds] == [4, 5, 5]
    assert all(not fold.task.dev for fold in folds)
    assert [made.options.patience for made in Fake.made] == [2, 0, 0, 0]  # type: ignore[attr-defined]
    assert len(trees) == 7
    sizes = [str(len(folds[i % 3].seen)) for i in range(7)]
    for tree, size in zip(trees, sizes, strict=True):
        sentence = Sentence(["a", "b"])
        sentence.set_tree([0, 1], ["root", size])
        assert tree is not None
        assert tree.labels.tolist() == GuideTree.of(sentence).labels.tolist()
        assert tree.heads.tolist() == [-1, 0, 1]
    files = [fold.task.checkpoint for fold in Fake.made]
    assert len({*files, task.checkpoint}) == 5  # each its own


@pytest.mark.parametrize(("most", "runs"), [(100, 3), (12, 1)])  # 14 words, in folds 8 to 10
def test_folds_are_trained_as_the_guide_is(most: int, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What options leave to the size and the tags of the treebank is decided by the whole of it."""
    data = [Sentence([f"w{i}", "x"], upos=["X", "X"], heads=[0, 1], deprels=["root", "dep"]) for i in range(7)]
    monkeypatch.setattr(averaging, "FEWEST_WORDS", 14 if runs == 3 else 1)
    monkeypatch.setattr(averaging, "MOST_WORDS", most)
    monkeypatch.setattr(morphology, "feats_bits", lambda sentences: 9.0 * (len(sentences) == 7))
    monkeypatch.setattr(morphology, "has_feats", lambda sentences: True)
    monkeypatch.setattr(training, "find_trainer", lambda name: Fake)
    monkeypatch.setattr(Fake, "made", [])
    fit_guide(TrainingTask(data), data, plan_guide("easyfirst-parser", dev=False), 3)
    assert len(Fake.made) == 4
    options = [made.options for made in Fake.made]
    assert [(o.runs, o.morphology) for o in options] == [(runs, "on")] * 4  # type: ignore[attr-defined]


def test_dev_is_parsed_once(treebank: list[Sentence], monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    class Counting:
        takes = frozenset({"upos"})

        def annotate(self, sentence: Sentence) -> None:
            calls.append(sentence.upos)
            sentence.set_tree([0] + [1] * (len(sentence) - 1), ["root"] + ["dep"] * (len(sentence) - 1))

    guide = RememberingGuide(Counting())  # type: ignore[arg-type]
    other = treebank[0].copy()
    other.upos = ["X"] * len(other)
    for sentence in (treebank[0], treebank[0].copy(), other):  # with other tags it is another sentence to this guide
        guide.tree(sentence)
    assert calls == [treebank[0].upos, other.upos]


def test_a_resumed_training_does_not_repeat_its_guides(
    treebank: list[Sentence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = {"train": treebank, "epochs": 2, "beam": 1, "folds": 2, "guide": GUIDE, "guide_folds": 2}
    first = train("transition-joint", checkpoint=tmp_path / "c", **quick)
    assert {file.name for file in tmp_path.iterdir()} == {"c", "c.guide", "c.guide1", "c.guide2"}
    for name in ("violation", "violations"):
        monkeypatch.setattr(
            f"plait.easyfirst.training.model.EasyFirstInTraining.{name}", lambda *_: pytest.fail("again")
        )
    again = train("transition-joint", checkpoint=tmp_path / "c", resume=True, **quick)
    assert again.to_bytes() == first.to_bytes()


def test_a_first_order_guide_needs_no_checkpoint(treebank: list[Sentence], tmp_path: Path) -> None:
    guide = "graph-parser order=1 arc-epochs=1 folds=2 tagger-epochs=1"
    model = train(
        "transition-parser", train=treebank, epochs=1, beam=1, folds=2, guide=guide, guide_folds=2,
        checkpoint=tmp_path / "c",
    )  # fmt: skip
    assert model.system.guide.system.options.order == 1
    assert [file.name for file in tmp_path.iterdir()] == ["c"]


def test_one_sentence_cannot_be_jackknifed(treebank: list[Sentence]) -> None:
    model = train("transition-joint", train=treebank[:1], epochs=1, beam=1, guide=GUIDE)
    assert model(treebank[0].forms)[0].heads.count(0) == 1


def test_a_model_names_system_and_options_and_is_the_guide_itself(treebank: list[Sentence], tmp_path: Path) -> None:
    guide = train("easyfirst-joint", train=treebank[::2], epochs=3)  # other data: it is not trained again
    guide.save(tmp_path / "g.plait")
    plan = plan_guide(str(tmp_path / "g.plait"), dev=False)
    assert plan is not None
    assert (plan.name, plan.options) == ("easyfirst-joint", guide.system.options)
    model = train("transition-joint", train=treebank, epochs=1, beam=1, guide=str(tmp_path / "g.plait"), guide_folds=2)
    inside = model.system.guide.system
    (tmp_path / "g.plait").unlink()  # not needed any more
    again = Model.from_bytes(model.to_bytes())
    for sentence in treebank:
        assert again(sentence.forms)[0] == model(sentence.forms)[0]
        one, other = sentence.bare(), sentence.bare()
        inside.annotate(one)
        guide.system.annotate(other)
        assert one == other


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("crf-tagger", "expected a model file, or one of easyfirst-parser"),
        ("no-such-file.plait", "expected a model file"),
        ("committee", "expected a model file"),
        ("easyfirst-joint beam", "expected NAME=VALUE"),
        ("easyfirst-joint epoch=2", "did you mean epochs"),
        ("easyfirst-joint epochs=0", "expected at least 1"),
        ("graph-joint patience=3", "has no effect without"),
        ("graph-joint guide=easyfirst-joint", "has a guide itself"),
    ],
)
@pytest.mark.parametrize("system", ["transition-joint", "graph-joint"])
def test_what_cannot_guide_is_refused_at_once(
    treebank: list[Sentence], monkeypatch: pytest.MonkeyPatch, system: str, text: str, words: str
) -> None:
    for module in ("plait.transition.training.systems", "plait.graph.training.first_order"):
        monkeypatch.setattr(f"{module}.fit_tagger", lambda *_: pytest.fail("the work has begun"))
    with pytest.raises(OptionError, match=words):
        train(system, train=treebank, guide=text)


def test_a_model_that_is_no_parser_is_refused(treebank: list[Sentence], tmp_path: Path) -> None:
    train("perceptron-tagger", train=treebank, epochs=1).save(tmp_path / "t.plait")
    with pytest.raises(OptionError, match="a model of perceptron-tagger"):
        plan_guide(str(tmp_path / "t.plait"), dev=False)


def test_guide_options_without_effect_are_refused(treebank: list[Sentence]) -> None:
    with pytest.raises(OptionError, match="guide_folds has no effect without --guide"):
        train("transition-joint", train=treebank, guide_folds=3)
    with pytest.raises(OptionError, match="guide has no effect without --order 2"):
        train("graph-parser", train=treebank, guide=GUIDE, order=1)


@pytest.mark.parametrize("name", ["transition-joint", "graph-joint"])
def test_a_damaged_guide_is_refused(models: dict[str, Model], name: str) -> None:
    system: System = models[name].system
    header, arrays = system.parts()
    inner = header["guide"]
    changes = [None, inner | {"system": "committee"}, inner | {"options": {"guide": "graph-joint"}}, {"system": 3}]
    for changed in changes:
        damaged = {key: value for key, value in header.items() if key != "guide"}
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, damaged | ({"guide": changed} if changed else {}), arrays)


def test_without_a_guide_none_is_stored(treebank: list[Sentence]) -> None:
    model = train("transition-joint", train=treebank, epochs=1, beam=1)
    header, arrays = model.system.parts()
    assert "guide" not in header
    assert not any(name.startswith("guide") for name in arrays)
    assert not any("guide" in template for template in header["templates"])
    assert open_guide(model.system.options, header, arrays) is None


def test_all_guides_are_parsers() -> None:
    for name in GUIDES:
        plan = plan_guide(name, dev=False)
        assert plan is not None
        assert dataclasses.is_dataclass(plan.options)
