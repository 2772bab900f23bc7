"""Weights of a model of the first column, added to those of whole tags."""

import numpy as np
import pytest
from morph_data import Twin, treebank

import plait
from plait import Sentence
from plait.core.tables import freeze_arrays
from plait.data.tags import TagColumns
from plait.features.templates import load_templates
from plait.features.word_resources import NO_RESOURCES
from plait.morphology.coarse import class_numbers, coarse_problem, first_values, spread_weights
from plait.morphology.features import MorphFeatures, WordClasses
from plait.morphology.options import MorphOptions
from plait.morphology.problem import MorphProblem
from plait.morphology.training import MorphTrainer, make_model

SENTENCES = [["die", "Katze", "bellt"], ["Hund"], ["er", "Hund", "laut"]]


def problem(order=1, spec="upos+feats", sentences=None, **more):
    columns = TagColumns(spec)
    train = [(s.forms, columns.read(s)) for s in (treebank()[:3] if sentences is None else sentences)]
    classes = WordClasses.build((forms, first_values(tags)) for forms, tags in train)
    features = MorphFeatures(load_templates("morphology", "morphology"), classes, NO_RESOURCES)
    options = MorphOptions(order=order, threshold=0.0, **({"tag_dictionary": 0, "cutoff": 1} | more))
    made = MorphProblem(columns, train, features, options)
    return made, coarse_problem(made, train, options), options


def model_of(made, values, options):
    trained = {"form": made.parts.parts + len(made.tags), "context": made.parts.parts}
    trained |= {"pairs": made.parts.parts, "tag_pairs": len(made.tags)}
    if made.order == 2:
        trained |= {"triples": made.parts.classes, "skips": made.parts.parts}
    arrays = made.arrays(values)
    return make_model(made, {name: freeze_arrays(arrays[name], n, 32) for name, n in trained.items()}, options)


@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_every_tagging_scores_what_its_first_columns_do(order, cutoff):
    made, coarse, options = problem(order, cutoff=cutoff)
    assert coarse.order == order
    values = np.random.default_rng(order).normal(0, 1, coarse.learner.size).astype(np.float32)
    if order == 0:
        values[coarse.learner.pairs_at :] = 0
    whole = model_of(made, spread_weights(coarse, values, made), options)
    alone = model_of(coarse, values, options)
    number = {tag: k for k, tag in enumerate(coarse.tags)}
    of_tag = [number[tag] for tag in first_values(made.tags)]
    assert len(coarse.tags) < len(made.tags)
    for forms in SENTENCES:
        scores = Twin(alone).taggings(forms, order)
        assert len({round(score, 3) for score in scores.values()}) > len(forms)
        for way, score in Twin(whole).taggings(forms, order).items():
            assert score == pytest.approx(scores[tuple(of_tag[tag] for tag in way)], abs=1e-3)


def test_the_sum_of_two_models_is_their_product():
    made, coarse, options = problem(1)
    random = np.random.default_rng(3)
    own = random.normal(0, 1, made.learner.size).astype(np.float32)
    added = spread_weights(coarse, random.normal(0, 1, coarse.learner.size).astype(np.float32), made)
    both, first, second = (Twin(model_of(made, v, options)) for v in (own + added, own, added))
    forms = SENTENCES[0]
    a, b = first.taggings(forms, 1), second.taggings(forms, 1)
    for way, score in both.taggings(forms, 1).items():
        assert score == pytest.approx(a[way] + b[way], abs=1e-3)


@pytest.mark.parametrize("spec", ["upos", "feats", "feats+upos"])
def test_there_is_none_without_a_coarse_first_column(spec):
    assert problem(1, spec)[1] is None


@pytest.mark.parametrize(("upos", "feats"), [("XY", ["A=1", "_"]), ("XX", ["A=1", "_"])])
def test_there_is_none_if_the_first_column_is_all_or_nothing(upos, feats):
    assert problem(1, sentences=[Sentence(["a", "b"], upos=list(upos), feats=feats)] * 3)[1] is None


def test_there_is_none_for_positional_tags():
    """Their parts are positions, none of which is a whole value."""
    tags = [f"{a}{b}---" for a in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for b in "0123456789"]
    feats = ["A=1" if k % 3 else "_" for k in range(260)]
    sentences = [Sentence([f"w{k}" for k in range(260)], xpos=tags, feats=f) for f in (feats, feats[::-1])]
    made, coarse, _ = problem(1, "xpos+feats", sentences)
    assert made.names.positional[0]
    assert coarse is None


def test_there_is_none_if_first_columns_have_several_parts():
    """FEATS as the first column, and by chance as many parts as tags."""
    sentences = [Sentence(["a", "b", "c", "b"], feats=["A=1|B=1", "A=1", "B=1", "A=1"], upos=["X", "X", "X", "Y"])]
    alone = problem(1, "feats", sentences)[0]
    assert alone.parts.parts == len(alone.tags)
    assert problem(1, "feats+upos", sentences)[1] is None


def test_tags_in_common_classes_have_no_triples():
    """With too many classes for order 2, one class holds several values of the first column."""
    pairs = [(f"A{k}", f"Case={case}") for k in range(20) for case in range(14)]
    tags, feats = map(list, zip(*pairs, strict=True))
    made, coarse, _ = problem(2, sentences=[Sentence([f"w{k}" for k in range(280)], upos=tags, feats=feats)])
    assert class_numbers(coarse, made) is None
    assert (made.order, coarse.order) == (2, 1)
    values = np.ones(coarse.learner.size, np.float32)
    added = spread_weights(coarse, values, made)
    assert not added[made.learner.triples_at :].any()
    assert added[: made.learner.triples_at].any()


@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_trained_model_is_the_product_of_two(order):
    options = {
        "order": order,
        "threshold": 0.0,
        "tag_dictionary": 0,
        "epochs": 3,
        "bits": 32,
        "prune": False,
        "seed": 4,
    }
    data = treebank()[:3]

    def trained(weight, tag="upos+feats"):
        model = plait.train("morph-tagger", train=data, tag=tag, coarse_weight=weight, **options).system.models[0]
        return model, Twin(model)

    (whole, own), (_, both), (alone, coarse) = trained(0.0), trained(0.5), trained(0.0, "upos")
    of_tag = [alone.number[tag] for tag in first_values(whole.tags)]
    for forms in SENTENCES:
        a, b = own.taggings(forms, order), coarse.taggings(forms, order)
        for way, score in both.taggings(forms, order).items():
            assert score == pytest.approx(a[way] + 0.5 * b[tuple(of_tag[tag] for tag in way)], abs=1e-3)


def test_progress_names_the_model_and_the_weight_is_used():
    lines = []
    kept = {}
    for weight in (0.0, 0.5):
        told = []
        kept[weight] = plait.train(
            "morph-tagger",
            train=treebank(),
            coarse_weight=weight,
            epochs=2,
            on_epoch=lambda r, t=told: t.append(str(r)),
        ).to_bytes()
        lines.append(told)
    assert [len(told) for told in lines] == [2, 4]
    assert all("upos" in line for line in lines[1][:2])
    assert not any("upos" in line for line in lines[0])
    assert kept[0.0] != kept[0.5]


@pytest.mark.parametrize("options", [{}, {"megabytes": 0.004, "shrink": 2}])
def test_training_goes_on_from_a_checkpoint_of_either_model(tmp_path, options):
    options = {"train": treebank(), "epochs": 4, "seed": 3, "prune": False, "bits": 32, **options}
    expected = plait.train("morph-tagger", **options).to_bytes()

    class StopError(Exception):
        pass

    for last in range(1, 8):
        seen = []

        def stop(record, seen=seen, last=last):
            seen.append(record)
            if len(seen) == last:
                raise StopError

        checkpoint = tmp_path / f"{last}"
        with pytest.raises(StopError):
            plait.train("morph-tagger", checkpoint=checkpoint, on_epoch=stop, **options)
        resumed = plait.train("morph-tagger", checkpoint=checkpoint, resume=True, **options)
        assert resumed.to_bytes() == expected


@pytest.mark.parametrize("dev", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"coarse_weight": 0.0}, {"megabytes": 0.004, "shrink": 2}, {"megabytes": 0.004, "coarse_weight": 0.0}],
)
def test_more_epochs_give_what_they_would_have_given_at_once(tmp_path, options, dev):
    options = {"train": treebank(), "seed": 3, **({"dev": treebank()[1:]} if dev else {}), **options}
    for first in (1, 2, 3):
        checkpoint = tmp_path / f"{first}"
        plait.train("morph-tagger", checkpoint=checkpoint, epochs=first, **options)
        resumed = plait.train("morph-tagger", checkpoint=checkpoint, resume=True, epochs=5, **options)
        assert resumed.to_bytes() == plait.train("morph-tagger", epochs=5, **options).to_bytes()


def test_a_weight_that_is_dropped_for_size_stays_dropped_in_what_is_added():
    made, coarse, options = problem(1, sentences=treebank(), megabytes=0.004, shrink=2, epochs=4)
    values = np.random.default_rng(1).normal(0, 1, coarse.learner.size).astype(np.float32)
    added = spread_weights(coarse, values, made)
    trainer = MorphTrainer(made, options, added, epochs=4, seed=3)
    *_, last = trainer.run()
    dropped = made.learner.state()[1] < 0
    assert last.epoch == 4
    assert added[dropped].any()
    assert not trainer.best[dropped].any()
    assert trainer.best[~dropped].any()


@pytest.mark.parametrize(("weight", "margin"), [(0.0, 8.0), (0.5, 8.0), (1.0, 12.0), (2.0, 20.0)])
def test_a_larger_weight_leaves_more_candidates_to_the_search(weight, margin):
    """A margin of 8 with a weight of 1 cost 0.26 AllTags on English."""
    model = plait.train("morph-tagger", train=treebank(), coarse_weight=weight, epochs=2).system.models[0]
    assert model.pruning.margin == margin
    assert model.decoder.margin == margin
