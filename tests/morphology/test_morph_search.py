"""The search in use against plain versions of its steps: totals of tags, atoms, pruning, pairs of tags, best paths."""

from itertools import pairwise, product

import numpy as np
import pytest
from morph_data import Twin, treebank

import plait
from plait.core._frozen import freeze
from plait.features._words import word_atoms
from plait.morphology._decoder import LatticeDecoder
from plait.morphology._lattice import probabilities_of_edges
from plait.morphology._parts import TagParts
from plait.morphology.nbest import ranked_paths
from plait.pipeline.model import Model
from plait.system.modelfile import model_bytes, parse_model

WORDS = [
    *("der", "Hund", "die", "Katze", "sieht", "hört", "bellt", "laut", "den", "er", "!", "."),
    *("Hunde", "schläft", "bellen", "sie", "Katzen", "12", "ÄRGER", "猫", "न", "\u0301", "x-y"),
]
ODD = ["", "a", "İstanbul", "ΣΊΣΥΦΟΣ", "straße", "ǅ", "猫が", "न्द", "\u0301", "3,5", "x" * 300, "A-b", "😀"]


@pytest.fixture(scope="module", params=[0, 1, 2])
def model(request):
    options = {"tag": "upos+feats", "tag_dictionary": 0, "epochs": 3, "cutoff": 1, "order": request.param}
    return plait.train("morph-tagger", train=treebank(), **options).system.models[0]


def decoder(model, order, threshold, margin=1e6):
    return LatticeDecoder(
        model.decoder.tag_parts, model.features, model.tables, model.dictionary, model.open_tags, order, threshold,
        threshold, margin,
    )  # fmt: skip


def test_tags_are_added_up_from_their_halves():
    random = np.random.default_rng(3)
    for _ in range(20):
        parts = int(random.integers(1, 12))
        tags = [sorted(random.permutation(parts)[: random.integers(1, parts + 1)].tolist()) for _ in range(30)]
        starts = np.cumsum([0, *map(len, tags)]).astype(np.int32)
        labels = np.array([part for tag in tags for part in tag], dtype=np.uint16)
        made = TagParts(parts, starts, labels, np.zeros(len(tags), np.uint16))
        scores = random.integers(-1000, 1000, parts).astype(np.float32)  # whole numbers: any order gives the same sum
        expected = np.array([sum(scores[part] for part in tag) for tag in tags])
        assert made.totals(scores).tolist() == expected.tolist()
        assert len(made.tree) <= 1 + len(labels)
        of_tags = random.integers(-1000, 1000, len(tags)).astype(np.float32)
        for count in range(1, 20):  # few are added up by themselves
            some = random.integers(0, len(tags), count)
            assert made.totals(scores, some, of_tags, by_tag=True).tolist() == (of_tags + expected)[some].tolist()
            assert made.totals(scores, some, of_tags[:count]).tolist() == (of_tags[:count] + expected[some]).tolist()
    with pytest.raises(ValueError, match="scores for"):
        made.totals(np.zeros(parts + 1, np.float32))
    with pytest.raises(ValueError, match="tags \\[30\\] of 30"):
        made.totals(scores, [30])
    with pytest.raises(ValueError, match="1 for 2 tags"):
        made.totals(scores, [0, 1], of_tags[:1])


def test_the_atoms_of_forms_are_those_of_the_word_table(model):
    features = model.features
    plain = [column for column in features.columns if column in features._plain]
    lower = features._lower
    forms = ODD + WORDS
    expected = word_atoms(forms, plain, 0, len(features.columns) - len(plain))
    expected[:, len(plain) : len(plain) + len(lower)] = word_atoms([form.lower() for form in forms], lower, 0)
    features.classes.fill(expected, len(plain) + len(lower))
    assert np.array_equal(features.form_atoms(forms), expected)
    assert features.form_atoms([]).shape == (0, len(features.columns))


@pytest.mark.parametrize("count", [1, 7, 8, 9, 16, 17, 23])
def test_every_candidate_has_the_score_of_its_features(model, count):
    forms = WORDS[-count:]
    lattice = decoder(model, 0, 0.0).lattice(forms)
    assert np.diff(lattice["first"]).tolist() == [len(model.tags)] * count
    assert lattice["score"].reshape(count, -1) == pytest.approx(Twin(model).emissions(forms), abs=1e-4)


@pytest.mark.parametrize("threshold", [0.5, 0.1, 0.01, 1e-4, 1e-12])
def test_candidates_stay_as_far_as_their_share_reaches_the_threshold(model, threshold):
    emission = Twin(model).emissions(WORDS)
    shares = np.exp(emission - np.logaddexp.reduce(emission, axis=1)[:, None])
    lattice = decoder(model, 0, threshold).lattice(WORDS)
    first = lattice["first"]
    for i, row in enumerate(shares):
        expected = set(np.flatnonzero(row >= threshold).tolist()) or {int(row.argmax())}
        assert set(lattice["tag"][first[i] : first[i + 1]].tolist()) == expected


def test_a_margin_drops_candidates_by_their_form_alone(model):
    tables, forms = model.tables, WORDS
    lattice = decoder(model, 0, 1e-30, margin=1.0).lattice(forms)
    parts = model.decoder.tag_parts
    for i, row in enumerate(model.features.form_atoms(forms)):
        keys = model.features.form.keys(row, 0)
        of_parts, of_tags = np.split(tables["form"].scores(keys), [parts.parts])
        scores = of_tags + parts.totals(of_parts)
        expected = np.flatnonzero(scores >= scores.max() - 1.0).tolist()
        assert lattice["tag"][lattice["first"][i] : lattice["first"][i + 1]].tolist() == expected


@pytest.mark.parametrize("order", [1, 2])
def test_a_model_with_a_table_of_whole_tags_is_analysed_as_before(order):
    """Older files have the weights of whole tags apart from those of parts."""
    made = plait.train("morph-tagger", train=treebank(), epochs=3, tag_dictionary=0, cutoff=1, order=order)
    header, arrays = parse_model(made.to_bytes())
    (inner,), form = header["models"], made.system.models[0].tables["form"]
    parts = made.system.models[0].decoder.tag_parts.parts
    keys = np.array(sorted(form_keys(made.system.models[0], treebank())), dtype=np.uint64)
    rows = np.array([form.scores(np.array([key])) for key in keys])
    apart = {"form": rows[:, :parts], "whole": rows[:, parts:]}
    arrays = {name: array for name, array in arrays.items() if not name.startswith("0.form.")}
    for name, own in apart.items():
        row, label = np.nonzero(own)
        counts = np.bincount(row, minlength=len(keys))
        table = freeze(keys, np.append(0, counts.cumsum()), label.astype(np.uint16), own[row, label], own.shape[1], 32)
        inner["tables"][name] = table.header()
        arrays |= {f"0.{name}.{key}": array for key, array in table.arrays().items()}
    assert header.pop("format") == inner.pop("needs_format") == 4
    content = model_bytes(header, arrays)
    assert parse_model(content)[0]["format"] < 4
    older = Model.from_bytes(content)
    assert set(older.system.models[0].tables) == {*made.system.models[0].tables, "whole"}
    for forms in (WORDS[:5], WORDS[5:], [form for s in treebank() for form in s.forms], ODD):
        (a, b) = (model.system.models[0].decoder for model in (made, older))
        assert a.decode(forms)[0].tolist() == b.decode(forms)[0].tolist()
        assert a.decode(forms)[1] == pytest.approx(b.decode(forms)[1], abs=1e-4)
        assert a.marginals(forms)[3] == pytest.approx(b.marginals(forms)[3], abs=1e-4)
    assert Model.from_bytes(older.to_bytes()).to_bytes() == older.to_bytes()


def form_keys(model, sentences):
    """The keys of the forms of some sentences and of odd ones."""
    forms = [*(form for s in sentences for form in s.forms), *WORDS, *ODD]
    atoms = model.features.form_atoms(forms)
    return {int(key) for row in atoms for key in model.features.form.keys(np.ascontiguousarray(row), 0) if key}


def enumerated(counts, scores, edges):
    """The probability of each edge, path by path; edges stand by target and then by source."""
    first = np.cumsum([0, *counts])
    place = {}
    for i in range(1, len(counts)):
        for s, r in product(range(counts[i]), range(counts[i - 1])):
            place[i, r, s] = len(place)
    ways = list(product(*map(range, counts)))
    values = [
        sum(scores[first[i] + s] for i, s in enumerate(way))
        + sum(edges[place[i + 1, r, s]] for i, (r, s) in enumerate(pairwise(way)))
        for way in ways
    ]
    p = np.exp(np.array(values) - np.logaddexp.reduce(values))
    found = np.zeros(len(place))
    for way, share in zip(ways, p, strict=True):
        for i, (r, s) in enumerate(pairwise(way)):
            found[place[i + 1, r, s]] += share
    return found


@pytest.mark.parametrize("spread", [0.1, 3.0, 30.0, 300.0, 1000.0])
def test_edges_are_as_probable_as_their_paths(spread):
    random = np.random.default_rng(int(spread))
    for counts in ([1], [3], [1, 1], [1, 4], [4, 1], [2, 3, 2], [5, 1, 1, 5], [3, 3, 3, 3], [1, 2, 9, 2, 1]):
        edges = sum(a * b for a, b in pairwise(counts))
        scores = random.normal(0, spread, sum(counts)).astype(np.float32)
        between = random.normal(0, spread, edges).astype(np.float32)
        expected = enumerated(counts, scores.astype(float), between.astype(float))
        assert probabilities_of_edges(counts, scores, between) == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_scores_too_far_apart_for_products_are_found_by_their_logarithms():
    scores = np.array([0, -300, 0], np.float32)  # the better state has only a worse way to go on
    assert probabilities_of_edges([2, 1], scores, np.array([-300, 0], np.float32)) == pytest.approx([0.5, 0.5])
    for apart in (79, 81):
        steps, scores = np.array([0, -apart, 0, -apart], np.float32), np.zeros(4, np.float32)
        expected = enumerated([2, 2], scores.tolist(), steps.tolist())
        assert probabilities_of_edges([2, 2], scores, steps) == pytest.approx(expected, rel=1e-5, abs=1e-40)


def test_nothing_vanishes_in_a_long_sentence():
    words = 500  # the same step over and over: at its worst at every word
    steps = np.tile(np.array([0, -70, -70, -1], np.float32), words - 1)
    p = probabilities_of_edges([2] * words, np.zeros(2 * words, np.float32), steps).reshape(-1, 4)
    assert p.sum(axis=1) == pytest.approx(np.ones(words - 1), rel=1e-5)
    assert p[:, 0] == pytest.approx(np.ones(words - 1), rel=1e-5)


def test_pairs_of_tags_stay_as_far_as_their_probability_reaches_the_threshold(model):
    if model.decoder.order < 2:
        pytest.skip("has no pairs")
    threshold = 0.02
    for forms in (WORDS[:3], WORDS[4:9], ["Hund", "猫"], WORDS):
        one = decoder(model, 1, threshold).lattice(forms)
        p = probabilities_of_edges(np.diff(one["first"]), one["score"], one["edge"])
        best = decoder(model, 1, threshold).decode(forms)[0].tolist()
        two = decoder(model, 2, threshold).lattice(forms)
        for i in range(1, len(forms)):
            expected = []
            for s in range(one["first"][i], one["first"][i + 1]):
                for e in range(one["into"][s], one["into"][s + 1]):
                    pair = int(one["tag"][one["source"][e]]), int(one["tag"][s])
                    if p[e] >= threshold or list(pair) == best[i - 1 : i + 1]:
                        expected.append(pair)
            states = range(two["first"][i], two["first"][i + 1])
            assert [int(two["tag"][s]) for s in states] == [b for _, b in expected]
            for s, (a, _) in zip(states, expected, strict=True):
                sources = two["source"][two["into"][s] : two["into"][s + 1]]
                assert set(two["tag"][sources].tolist()) <= {a}


@pytest.mark.parametrize("threshold", [0.0, 0.02, 0.3])
def test_the_best_path_is_the_first_of_the_n_best(model, threshold):
    order = model.decoder.order
    for forms in (["Hund"], ["die", "Katze"], WORDS[:4]):
        found = decoder(model, order, threshold)
        tags, score = next(ranked_paths(found.lattice(forms)))
        best, its_score = found.decode(forms)
        assert (best.tolist(), its_score) == (tags, pytest.approx(score, abs=1e-4))
        values = [f"tag{t}" for t in range(len(model.tags))], range(len(model.tags))
        found_values, again = found.best_values(forms, [tuple(own) for own in values])
        assert found_values == [[f"tag{t}" for t in tags], tags]
        assert again == its_score


def test_sentences_of_any_length_and_script_are_searched(model):
    values = [tuple(range(len(model.tags)))]
    assert model.decoder.best_values([], values) == ([[]], 0.0)
    assert model.decoder.decode([])[0].tolist() == []
    long = [WORDS[k * k % len(WORDS)] for k in range(2000)]
    (tags,), score = model.decoder.best_values(long, values)
    assert len(tags) == 2000
    assert np.isfinite(score)
    assert model.decoder.decode(long)[0].tolist() == tags
    assert [len(model.decoder.decode([form])[0]) for form in ODD] == [1] * len(ODD)
    with pytest.raises(ValueError, match="1 values for"):
        model.decoder.best_values(long, [("x",)])


def test_a_form_is_the_same_whether_it_is_new_or_known(model):
    forms = [f"wort{k}" for k in range(30)] * 2
    known = decoder(model, model.decoder.order, 0.003)
    values = [tuple(range(len(model.tags)))]
    assert known.best_values(forms, values) == known.best_values(forms, values)
    for form in forms:
        fresh = decoder(model, model.decoder.order, 0.003)
        assert known.best_values([form], values) == fresh.best_values([form], values)


def test_a_model_keeps_the_pruning_of_its_search():
    made = plait.train("morph-tagger", train=treebank(), dev=treebank(), epochs=2, order=2)
    assert made.system.models[0].pruning == (0.003, 0.02, 8.0)
    assert Model.from_bytes(made.to_bytes()).system.models[0].pruning == (0.003, 0.02, 8.0)
    header, arrays = parse_model(made.to_bytes())
    for inner in header["models"]:
        del inner["margin"], inner["search_threshold"]
    assert Model.from_bytes(model_bytes(header, arrays)).system.models[0].pruning == (0.003, 0.003, 12.0)


@pytest.mark.parametrize(("threshold", "search"), [(0.0, 0.0), (0.001, 0.02), (0.05, 0.05)])
def test_the_search_for_the_best_tags_prunes_at_least_as_much_as_probabilities(threshold, search):
    made = plait.train("morph-tagger", train=treebank(), epochs=1, threshold=threshold).system.models[0]
    assert (made.decoder.threshold, made.decoder.search_threshold) == (threshold, search)


def test_best_tags_and_n_best_lists_prune_alike_and_more_than_probabilities(model):
    forms = ["Hunde", "xyz", "bellen", "abc"]
    loose = LatticeDecoder(
        model.decoder.tag_parts, model.features, model.tables, model.dictionary, model.open_tags, 0, 1e-6, 0.2, 1e6
    )
    _, starts, _, _ = loose.marginals(forms)
    lattice = loose.lattice(forms)
    assert len(lattice["tag"]) < starts[-1]
    assert next(ranked_paths(lattice))[0] == loose.decode(forms)[0].tolist()
    strict = decoder(model, 0, 0.2).lattice(forms)
    assert lattice["tag"].tolist() == strict["tag"].tolist()
