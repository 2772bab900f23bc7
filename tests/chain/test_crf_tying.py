"""Features that are tied and blocks that are shared change nothing but the time: against features one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from test_crf_objective import examples, objective_by_hand

from plait.chain._corpus import Encoder, seen_labels
from plait.chain.labels import hybrid_space, linear_space
from plait.chain.options import CrfOptions
from plait.chain.training.fitting import fit_crf
from plait.chain.training.likelihood import Likelihood
from plait.chain.training.problem import CrfProblem
from plait.data.schemes import BIES
from plait.features.label_templates import LabelTemplates
from plait.features.templates import Template
from plait.learn.lbfgs import LBFGS
from plait.learn.task import TrainingTask
from plait.learn.workers import start_workers

HYBRID = ("w0 s0", "p0 s0", "w-1 s0", "w0 t0", "p0 t0", "w+1 t0", "w0 p0 s0 t0", "w0 s0 t0", "w0 s-1 s0", "w0 t-1 t0",
          "p0 t-1 t0")  # fmt: skip
LINEAR = ("w0 t0", "p0 t0", "w-1 t0", "p-1 t0", "w-1 w0 t0", "w0 t-1 t0", "p0 t-1 t0")


def data_of(structure):
    # no hard constraints: where these leave one label, its gradient is rounding error, and AdaGrad takes a full step
    hybrid = hybrid_space(BIES.marks, ["A", "O"], BIES, hard=False)
    space = hybrid if structure == "hybrid" else linear_space(["A", "B", "C"])
    texts = HYBRID if structure == "hybrid" else LINEAR
    features = LabelTemplates([Template(tuple(text.split())) for text in texts], ("w", "p"))
    rng = np.random.default_rng(2)
    made = examples(space, features, count=9, seed=7)
    # some words come once, others often; p is a class of words
    words = [rng.integers(1, 9, size=len(e.atoms)).astype(np.uint64) for e in made]
    return (
        space,
        features,
        [replace(e, atoms=np.stack([w, w // 3 + 1], axis=1)) for e, w in zip(made, words, strict=True)],
    )


def problem_of(structure, **layout):
    space, features, made = data_of(structure)
    return CrfProblem(space, features, made, **layout), made


def by_key(problem, w):
    """The weights of every view by feature and label, and those of labels alone."""
    found = {name: table.tolist() for name, table in problem.label_tables(w).items()}
    for view, rows in problem.rows.items():
        for k, key in enumerate(rows.keys.tolist()):
            for at in range(rows.starts[k], rows.starts[k + 1]):
                found[view, key, int(rows.codes[at - rows.starts[0]])] = float(w[at])
    return found


def assert_equal(found, expected, tolerance):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, atol=tolerance, err_msg=str(name))


@pytest.mark.parametrize("unseen", [True, False])
@pytest.mark.parametrize("structure", ["hybrid", "linear"])
def test_the_objective_of_tied_features_is_that_of_all_weights(structure, unseen):
    problem, made = problem_of(structure, unseen=unseen, tie=True)
    assert problem.parameters < problem.size
    rng = np.random.default_rng(1)
    u = rng.normal(size=problem.parameters)
    with start_workers(2) as workers:
        likelihood = Likelihood(problem, 1.5, workers)
        value, gradient = likelihood(u)
        assert value == pytest.approx(objective_by_hand(problem, made, likelihood.weights(u), 1.5), rel=1e-10)
        for k in rng.choice(problem.parameters, size=min(60, problem.parameters), replace=False):
            step = np.zeros_like(u)
            step[k] = 1e-5
            slope = (likelihood(u + step)[0] - likelihood(u - step)[0]) / 2e-5
            assert gradient[k] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("structure", ["hybrid", "linear"])
def test_lbfgs_takes_the_same_steps_with_tied_features_as_without(structure):
    runs = []
    for tie in (False, True):
        problem, _ = problem_of(structure, tie=tie)
        with start_workers(1) as workers:
            likelihood = Likelihood(problem, 1.0, workers)
            minimizer = LBFGS(likelihood, np.zeros(problem.parameters), iterations=6, delta=0.0, weights=problem.size)
            records = []
            for record in minimizer.run(records):
                records.append(record)
            runs.append((records, by_key(problem, likelihood.weights(minimizer.w))))
    (untied, expected), (tied, found) = runs
    assert [r.features for r in tied] == [r.features for r in untied]
    assert [r.objective for r in tied] == pytest.approx([r.objective for r in untied], rel=1e-6)
    assert [r.gradient for r in tied] == pytest.approx([r.gradient for r in untied], rel=1e-3)
    assert_equal(found, expected, 1e-4)


@pytest.mark.parametrize("lasso", [0.0, 0.3])
@pytest.mark.parametrize("structure", ["hybrid", "linear"])
def test_adagrad_takes_the_same_steps_with_tied_features_as_without(structure, lasso):
    options = CrfOptions(optimizer="adagrad", epochs=3, batch=2, lasso=lasso)
    found = []
    for tie in (False, True):
        problem, _ = problem_of(structure, tie=tie, share=False)
        found.append(by_key(problem, fit_crf(problem, TrainingTask(train=[]), options).w))
    assert_equal(found[1], found[0], 1e-9)


@pytest.mark.parametrize("structure", ["hybrid", "linear"])
def test_shared_blocks_do_not_change_value_and_gradient(structure):
    model = problem_of(structure)[0]
    model = model.freeze(np.random.default_rng(3).normal(size=model.size), 32)
    results = []
    for share in (False, True):
        problem, _ = problem_of(structure, share=share)
        w = problem.start_from(model)  # rows may lie in another order
        for count in (1, 2, 3):
            with start_workers(count) as workers:
                likelihood = Likelihood(problem, 1.0, workers)
                likelihood(w + 1.0)  # sums of an evaluation must not reach the next
                value, gradient = likelihood(w)
                results.append((share, value, gradient, by_key(problem, gradient)))
    for share, value, gradient, named in results:
        assert value == pytest.approx(results[0][1], rel=1e-12)
        assert_equal(named, results[0][3], 1e-10)
        same = results[3 if share else 0]  # for any number of threads, to the last bit
        assert value == same[1]
        assert np.array_equal(gradient, same[2])


def test_tied_features_do_not_start_from_another_model():
    untied, _ = problem_of("linear")
    model = untied.freeze(np.ones(untied.size))
    tied, _ = problem_of("linear", tie=True)
    with pytest.raises(ValueError, match="tied"):
        tied.start_from(model)


def encoded(keys, segments, cutoff, tie, max_blocks):
    encoder = Encoder(segments)
    for part in np.array_split(keys, 3):
        encoder.add(np.ascontiguousarray(part))
    return encoder.finish(cutoff, tie, max_blocks)


def random_keys(seed, items=40):
    """Few words, so that blocks come again; templates 0 to 2 look at one word, 3 and 4 at its neighbour, 5 at both."""
    rng = np.random.default_rng(seed)
    words = rng.integers(1, 12, size=items + 1)
    table = np.zeros((items, 6), dtype=np.uint64)
    for i in range(items):
        a, b = int(words[i + 1]), int(words[i])
        table[i] = [100 + a, 200 + a // 2 if a > 3 else 0, 300 + a % 2, 400 + b, 500 + b // 3, 1000 + 20 * a + b]
    return table


@pytest.mark.parametrize("max_blocks", [0, 3, 1000])
@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("cutoff", [1, 3])
def test_items_keep_their_features_however_these_are_laid_out(cutoff, tie, max_blocks):
    keys = random_keys(cutoff)
    segments = [[0, 1, 2], [3, 4], [5]]
    found = encoded(keys, segments, cutoff, tie, max_blocks)
    names, members, times, ids, starts, block_of, block_ids, block_starts = found
    counts = Counter(keys[keys != 0].tolist())
    assert sorted(names.tolist()) == sorted(key for key, count in counts.items() if count >= cutoff)
    ends = np.cumsum(members)
    features_of = [names[end - size : end].tolist() for end, size in zip(ends, members, strict=True)]
    assert [counts[row[0]] for row in features_of] == times.tolist() == sorted(times.tolist(), reverse=True)
    for i, row in enumerate(keys.tolist()):
        rows = ids[starts[i] : starts[i + 1]].tolist()
        for b in block_of[i].tolist():
            rows += block_ids[block_starts[b] : block_starts[b + 1]].tolist() if b >= 0 else []
        made = sorted(key for r in rows for key in features_of[r])
        assert made == sorted(key for key in row if key and counts[key] >= cutoff)
    items_of = {key: frozenset(np.nonzero((keys == key).any(axis=1))[0].tolist()) for key in names.tolist()}
    together = Counter(items_of.values())
    if tie:
        assert len(members) == len(together) < len(names)
        assert all(len({items_of[key] for key in row}) == 1 for row in features_of)
    else:
        assert members.tolist() == [1] * len(names)
    used = Counter(block_of[block_of >= 0].tolist())
    assert len(used) == len(block_starts) - 1 <= max_blocks
    assert (max_blocks > 0) == bool(used)
    assert all(count > 1 for count in used.values())


def test_labels_seen_by_way_of_blocks_are_seen():
    keys = random_keys(4)
    codes = np.random.default_rng(1).integers(-1, 4, size=len(keys)).astype(np.int32)
    seen = []
    for max_blocks in (0, 3, 1000):
        names, members, _, *items = encoded(keys, [[0, 1, 2], [3, 4], [5]], 1, False, max_blocks)
        starts, labels = seen_labels(*items, codes, len(members), 4)
        seen.append({int(key): labels[starts[k] : starts[k + 1]].tolist() for k, key in enumerate(names)})
    expected = {
        int(key): sorted({int(c) for row, c in zip(keys, codes, strict=True) if key in row and c >= 0})
        for key in np.unique(keys[keys != 0])
    }
    assert seen == [expected] * 3


def test_keys_of_another_number_of_templates_are_refused():
    with pytest.raises(ValueError, match="expected 3"):
        Encoder([[0, 1], [2]]).add(np.ones((2, 2), dtype=np.uint64))
