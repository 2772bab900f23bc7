"""The two systems on a tiny treebank of our own: learnt by heart, saved, loaded, constrained, forged."""

import pickle

import numpy as np
import pytest

import plait
from plait.data.document import Sentence
from plait.data.projectivity import projectivize
from plait.data.trees import is_tree
from plait.errors import DataError, ModelError, OptionError
from plait.features.templates import load_templates
from plait.graph.pruning import keep_arcs
from plait.graph.training.pruning_report import PruningReport
from plait.pipeline import Model, train

CASES = {
    "first": ("graph-parser", {"order": 1, "gold_tags": True, "arc_epochs": 20, "arc_rate": 0.1}),
    "spanning": ("graph-parser", {"order": 1, "projective": False, "gold_tags": True, "arc_epochs": 20}),
    "second": ("graph-parser", {"gold_tags": True, "epochs": 6, "prune_arcs": 0.0}),
    "unlabelled": ("graph-parser", {"gold_tags": True, "labeled": False, "epochs": 10, "learner": "perceptron"}),
    "joint": ("graph-joint", {"epochs": 6, "prune_tags": 0.1}),
    "joint-first": ("graph-joint", {"epochs": 12, "order": 1, "learner": "pa", "prune_tags": 0.1}),
}
SMALL = {"folds": 2, "tagger_epochs": 4, "arc_epochs": 3}


@pytest.fixture(scope="module")
def treebank(tiny_file) -> list[Sentence]:
    return plait.read(tiny_file).sentences


@pytest.fixture(scope="module")
def models(treebank) -> dict[str, Model]:
    return {case: train(name, train=treebank, **(SMALL | options)) for case, (name, options) in CASES.items()}


def analyse(model: Model, gold: Sentence) -> Sentence:
    given = Sentence(gold.forms, upos=gold.upos) if getattr(model.system.options, "gold_tags", False) else gold.forms
    return model(given)[0]


@pytest.mark.parametrize("case", CASES)
def test_a_tiny_treebank_is_learnt_by_heart(models, treebank, case):
    for gold in treebank:
        found = analyse(models[case], gold)
        assert found.upos == gold.upos
        if case == "unlabelled":  # without labels there are no marks by which lifted arcs could come down again
            assert found.heads == projectivize(gold.heads, gold.deprels)[0]
        else:
            assert found.heads == gold.heads
            if case != "joint-first":  # arcs alone cannot tell some labels of so little data apart
                assert found.deprels == gold.deprels


@pytest.mark.parametrize("case", CASES)
def test_saved_loaded_and_pickled_models_predict_the_same(models, treebank, case, tmp_path):
    models[case].save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    again = pickle.loads(pickle.dumps(models[case]))
    for gold in treebank[:5]:
        one = models[case](gold.forms)[0]
        assert one == loaded(gold.forms)[0] == again(gold.forms)[0]
    assert loaded.to_bytes() == models[case].to_bytes()


@pytest.mark.parametrize("case", ["first", "joint"])
def test_the_same_data_and_seed_give_the_same_bytes(models, treebank, case):
    name, options = CASES[case]
    assert train(name, train=treebank, **(SMALL | options)).to_bytes() == models[case].to_bytes()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("forms", [[], ["unheard-of"], ["x"] * 25, ["🙂", "的", "\u200d"]])
def test_any_words_get_one_rooted_tree(models, case, forms):
    for found in models[case](Sentence(forms)):
        if forms:
            assert "_" not in found.upos
            assert is_tree(found.heads)


@pytest.mark.parametrize("case", ["second", "joint"])
def test_threads_give_what_one_thread_gives(models, treebank, case):
    forms = [s.forms for s in treebank] * 3
    assert list(models[case].pipe(forms, threads=3)) == list(models[case].pipe(forms))


@pytest.mark.parametrize("case", CASES)
def test_scores_are_probabilities_and_high_for_what_was_learnt(models, treebank, case):
    found = models[case](Sentence(treebank[0].forms, upos=treebank[0].upos), scores=True)[0]
    assert found.scores is not None
    assert all(0.0 <= p <= 1.0 + 1e-9 for p in found.scores)
    assert [token.score for token in found] == found.scores
    assert np.mean(found.scores) > 0.3


@pytest.mark.parametrize("case", CASES)
def test_given_heads_tags_and_labels_stay_and_the_rest_follows(models, treebank, case):
    gold = treebank[2]  # A small cat sees the dog.
    labelled = case != "unlabelled"
    asked = Sentence(
        gold.forms,
        upos=["_", "_", "VERB", *["_"] * (len(gold) - 3)],
        heads=[2, 3, 0, *[-1] * (len(gold) - 3)],
        deprels=["det", *["_"] * (len(gold) - 1)],
    )
    found = models[case](asked, constrain=True)[0]
    assert found.heads[:3] == [2, 3, 0]
    assert found.upos[2] == "VERB"
    assert is_tree(found.heads)
    if labelled:
        assert found.deprels[0] == "det"
    if case == "joint":
        assert models[case](asked)[0].heads == gold.heads


def test_given_heads_that_leave_no_tree_are_refused(models):
    crossing = Sentence(["a", "b", "c", "d"], heads=[3, 4, -1, -1])
    for case in ("first", "second", "joint"):
        with pytest.raises(DataError, match="no projective tree"):
            models[case](crossing, constrain=True)
    found = models["spanning"](crossing, constrain=True)[0]
    assert found.heads[:2] == [3, 4]
    with pytest.raises(DataError, match="does not occur"):
        models["joint"](Sentence(["a"], deprels=["nonsense"]), constrain=True)
    with pytest.raises(DataError, match="does not occur"):
        models["joint"](Sentence(["a"], upos=["NONSENSE"]), constrain=True)


def test_long_sentences_fall_back_to_the_first_order_model_with_a_notice(treebank, caplog):
    model = train("graph-parser", train=treebank, epochs=1, max_words=8, **SMALL)
    with caplog.at_level("WARNING", logger="plait"):
        found = model(["dogs"] * 9)[0]
    assert "has 9 words, more than max_words (8)" in caplog.text
    assert is_tree(found.heads)


def test_a_system_without_constraints_refuses_them(treebank):
    chunked = [Sentence(["dogs"], extra={"chunk": ["B-NP"]}), Sentence(["bark"], extra={"chunk": ["B-VP"]})]
    chunker = train("crf-chunker", train=chunked, epochs=1)
    with pytest.raises(OptionError, match="constrain"):
        chunker(["dogs"], constrain=True)


def test_crossing_trees_come_back_whole():
    crossing = [
        Sentence(
            ["a", "cat", "saw", "the", "dog", "loudly", "old"],
            upos=["DET", "NOUN", "VERB", "DET", "NOUN", "ADV", "ADJ"],
            heads=[2, 3, 0, 5, 3, 3, 2],
            deprels=["det", "nsubj", "root", "det", "obj", "advmod", "amod"],
        )
    ]
    for options in ({"order": 1}, {"order": 1, "projective": False}, {"epochs": 3}):
        model = train("graph-parser", train=crossing * 2, gold_tags=True, folds=2, **options)
        assert model(crossing[0])[0].heads == crossing[0].heads


def test_the_training_record_tells_what_pruning_leaves(models, treebank):
    lines = []
    train("graph-parser", train=treebank, epochs=1, on_epoch=lambda record: lines.append(record.line()), **SMALL)
    assert lines[0].startswith("pruning leaves 1.00 tags a word")
    report = models["joint"].system.training["pruning"]
    assert report["tags_per_word"] >= 1
    assert 0 < report["arcs_kept"] <= 100
    assert 0 < report["arc_oracle"] <= 100


def test_pruning_counts_by_hand():
    p = np.array([[0, 0.6, 0.01], [0, 0, 0.99], [0, 0.4, 0]])
    keep = keep_arcs(p, 0.1, np.array([0, 0, 1], dtype=np.int32))
    assert keep.tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert keep_arcs(p, 0.0, np.array([0, 0, 1], dtype=np.int32), limit=1).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    report = PruningReport()
    report.add([[0, 1], [2]], [1, 0], keep, np.array([0, 2, 0], dtype=np.int32))
    assert report.to_dict() == {"tags_per_word": 1.5, "tag_oracle": 50.0, "arcs_kept": 75.0, "arc_oracle": 50.0}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h, a: h.pop("labels"), "labels"),
        (lambda h, a: h["labels"].update(at_root=[999]), "not in the list"),
        (lambda h, a: h["labels"]["names"].append("more"), "weights a row"),
        (lambda h, a: h.update(templates=["h.nonsense"]), "unknown atom"),
        (lambda h, a: h.update(pos_templates=["t+1"]), "other than t-1"),
        (lambda h, a: h["tables"].pop("pos"), "pos"),
        (lambda h, a: h["tagger"].pop("options"), "options"),
        (lambda h, a: a.update({"syn.packed": a["syn.packed"][:3]}), "damaged"),
    ],
)
def test_forged_models_are_refused(models, change, words):
    model = models["joint"]
    header, arrays = model.system.parts()
    change(header, arrays)
    with pytest.raises(ModelError, match=words):
        type(model.system).from_parts(model.system.options, header, arrays)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"templates": "li2013"}, "unknown template set"),
        ({"learner": "mira"}, "expected one of perceptron, pa, spa"),
        ({"order": 3}, "expected one of 1, 2"),
    ],
)
def test_options_that_do_not_exist_are_refused(treebank, options, words):
    with pytest.raises(OptionError, match=words):
        train("graph-parser", train=treebank, **options)


def test_training_data_without_trees_is_refused():
    with pytest.raises(DataError, match="no trees"):
        train("graph-parser", train=[Sentence(["a"], upos=["X"])])


def test_a_first_order_parser_refuses_checkpoints(tiny_file, tmp_path):
    with pytest.raises(OptionError, match="checkpoint"):
        plait.train("graph-parser", train=tiny_file, order=1, checkpoint=tmp_path / "state")


@pytest.mark.parametrize("name", ["graph-parser", "graph-joint"])
def test_losses_are_added_in_training_by_default(treebank, name):
    def updates(**options):
        model = train(name, train=treebank, epochs=6, prune_arcs=0.0, **(SMALL | options))
        return [epoch["updates"] for epoch in model.system.training["epochs"]]

    plain = updates(augment=False)
    assert updates() == updates(augment=True) != plain
    # without losses nothing moves once the data is right; with them gold has to win by a margin, which takes longer
    assert plain[-1] < updates()[-1]


def test_the_loss_that_is_added_counts_tags_as_well_as_arcs(treebank, monkeypatch):
    """Under weights of 0 the analysis of highest loss has no tag and no head of the gold one."""
    from plait.graph.training.chart import POS, SYN, ChartInTraining

    first = []
    violation = ChartInTraining.violation

    def recorded(self, example):
        found = violation(self, example)
        if not first:
            first.append((len(example.tags), found.errors))
        return found

    monkeypatch.setattr(ChartInTraining, "violation", recorded)
    train("graph-joint", train=treebank, epochs=1, prune_tags=0.0, prune_arcs=0.0, **SMALL)
    ((words, errors),) = first
    assert words > 2
    assert (errors[POS], errors[SYN]) == (words, words)


def test_the_pruner_is_trained_with_the_decay_that_was_asked_for(treebank, monkeypatch):
    from plait.graph.training import first_order

    asked = []

    class Recording(first_order.ArcCrfTrainer):
        def __init__(self, options, *arguments):
            asked.append(options.arc_decay)
            super().__init__(options, *arguments)

    monkeypatch.setattr(first_order, "ArcCrfTrainer", Recording)
    train("graph-joint", train=treebank, epochs=1, arc_decay=0.25, **SMALL)
    assert asked == [0.25] * 3  # all of the data, and two folds


def test_a_mark_of_lifting_is_no_label_that_can_be_given(treebank):
    crossing = Sentence(["a", "b", "c", "d"], upos=["X"] * 4, heads=[3, 4, 0, 3], deprels=["u", "v", "root", "w"])
    model = train("graph-parser", train=[crossing] * 3, order=1, arc_epochs=2, folds=2)
    assert "v↑w" in model.system.labels.names
    with pytest.raises(DataError, match='"v↑w" does not occur'):
        model(Sentence(crossing.forms, deprels=["_", "v↑w", "_", "_"]), constrain=True)


@pytest.mark.parametrize(("forms", "chosen"), [(["中国", "人", "a"], "zh"), (["dogs", "bark", "中"], "li2012-en")])
def test_the_template_set_follows_the_script_unless_one_is_named(forms, chosen):
    tree = Sentence(forms, upos=["N", "V", "X"], heads=[2, 0, 2], deprels=["a", "root", "b"])
    for name, options in (("graph-parser", {"order": 1}), ("graph-joint", {"epochs": 1})):
        for named in ("", "li2012"):
            model = train(name, train=[tree] * 3, templates=named, **(SMALL | options))
            features = model.system.crf.features if model.system.chart is None else model.system.chart.features
            assert features.templates == load_templates(named or chosen, "graph")
