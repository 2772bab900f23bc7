"""The chart against all labellings of short sequences: partition, probabilities, Viterbi, n-best, bonuses."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest
from crf_bruteforce import all_labellings, chart_of, log_sum, random_problem, score_of

from plait.chain._chart import Chart
from plait.chain._nbest import Ranking
from plait.chain._search import best, labelling_score, probabilities

SHAPES = [(1, 3), (2, 2), (3, 2), (4, 1), (2, 3)]
CASES = [(seed, n, S, T, hard) for seed in range(4) for n in (1, 2, 4) for S, T in SHAPES for hard in (False, True)]


def single(x):
    return {name: array.astype(np.float32) for name, array in x.items()}


@pytest.mark.parametrize("left_out", [(), ("st",), ("ss", "tt"), ("st", "ss", "tt")])
@pytest.mark.parametrize("logs", [False, True])
def test_partition_and_probabilities_equal_enumeration(logs, left_out):
    for seed, n, S, T, hard in CASES:
        labels, x = random_problem(seed, n, S, T, hard=hard)
        for name in left_out:
            del x[name]
        listed = all_labellings(labels, x)
        chart = chart_of(labels)
        log_z, p = probabilities(chart, x, logs=logs)
        if not listed:
            assert log_z == -math.inf
            continue
        assert log_z == pytest.approx(log_sum([score for score, _, _ in listed]), abs=1e-9)
        expected = {name: np.zeros_like(array) for name, array in p.items() if name != "spans"}
        for score, s, t in listed:
            weight = math.exp(score - log_z)
            expected["start"][s[0], t[0]] += weight
            for i in range(n):
                expected["s"][i, s[i]] += weight
                expected["t"][i, t[i]] += weight
                expected["st"][i, s[i], t[i]] += weight
                if i > 0:
                    expected["ss"][i, s[i - 1], s[i]] += weight
                    expected["tt"][i, t[i - 1], t[i]] += weight
                    expected["sts"][s[i - 1], s[i], t[i - 1]] += weight
                    expected["tst"][s[i], t[i - 1], t[i]] += weight
        for name, array in expected.items():
            np.testing.assert_allclose(p[name], array, atol=1e-9, err_msg=name)
        alone = probabilities(chart, x, logs=logs, pairs=False)[1]
        assert set(alone) == {"s", "t", "st", "start", "spans"}
        assert all(np.array_equal(alone[name], p[name]) for name in alone)


def test_viterbi_finds_the_best_labelling():
    for seed, n, S, T, hard in CASES:
        labels, x = random_problem(seed, n, S, T, hard=hard)
        listed = all_labellings(labels, x)
        s, t, score = best(chart_of(labels), single(x))
        if not listed:
            assert score == -math.inf
            continue
        assert (tuple(s), tuple(t)) == listed[0][1:]
        assert score == pytest.approx(listed[0][0], abs=1e-4)


def test_n_best_is_the_sorted_list_of_all():
    for seed, n, S, T, hard in CASES:
        labels, x = random_problem(seed, n, S, T, hard=hard)
        listed = all_labellings(labels, x)
        chart = chart_of(labels)
        found = list(islice(Ranking(chart, x), 25))
        assert [(tuple(s), tuple(t)) for s, t, _ in found] == [(s, t) for _, s, t in listed[:25]]
        for (s, t, score), (right, _, _) in zip(found, listed, strict=False):
            assert score == pytest.approx(right, abs=1e-9)
            assert labelling_score(chart, s, t, x) == pytest.approx(right, abs=1e-9)


def test_bonus_is_gained_by_exactly_the_labellings_that_hold_it():
    # labels: 0 begins, 1 goes on, 2 ends, 3 is alone; ends and begins differ, as the door asks
    pair = np.zeros((4, 4), dtype=bool)
    pair[[0, 0, 1, 1], [1, 2, 1, 2]] = True
    pair[2:, [0, 3]] = True
    patterns = np.array([[mark * 2 + tag for mark in (3, 1, 2, 0)] for tag in range(2)])
    for seed in range(60):
        labels, x = random_problem(seed, 5, 4, 2, hard=False)
        labels["pair"] = pair
        labels["begin"][1:3] = False
        labels["end"][:2] = False
        labels["triple"][1:3] = np.eye(2, dtype=bool)
        rng = np.random.default_rng(seed)
        if seed % 3 == 0:  # an item that may not be inside
            x["s"][int(rng.integers(1, 4)), 1] = -np.inf
        bonuses = []
        for start, length in [(0, 2), (1, 3), (2, 1), (1, 2), (0, 4), (0, 5)]:
            tag = int(rng.integers(2))
            tags = (0, 2) if rng.random() < 0.3 else (tag, tag + 1)
            bonuses.append((start, start + length, *tags, float(rng.uniform(-1, 4))))

        def total(item, bonuses=bonuses):
            score, s, t = item
            for start, end, first, past, value in bonuses:
                marks = [3] if end - start == 1 else [0, *[1] * (end - start - 2), 2]
                for tag in range(first, past):
                    if list(s[start:end]) == marks and set(t[start:end]) == {tag}:
                        score += max(value, 0)
            return score

        right = max(all_labellings(labels, x), key=total)
        columns = tuple(map(list, zip(*bonuses, strict=True)))
        s, t, score = best(chart_of(labels), single(x), patterns=patterns, bonuses=columns)
        assert (tuple(s), tuple(t)) == right[1:]
        assert score == pytest.approx(total(right), abs=1e-4)


@pytest.mark.parametrize(
    ("patterns", "bonuses"),
    [
        ([[8, 0, 0, 0]], ([0], [1], [0], [1], [1.0])),
        ([[0, 0, 0, 0]], ([0], [3], [0], [1], [1.0])),
        ([[0, 0, 0, 0]], ([1], [1], [0], [1], [1.0])),
        ([[0, 0, 0, 0]], ([0], [1], [0], [2], [1.0])),
        ([[0, 0, 0, 0]], ([0], [1], [0], [1], [math.inf])),
        ([[0, 0, 0, 0]], ([0], [1, 2], [0], [1], [1.0])),
    ],
)
def test_bonuses_that_point_outside_are_refused(patterns, bonuses):
    labels, x = random_problem(0, 2, 4, 2, hard=False)
    with pytest.raises(ValueError, match=r"patterns|bonus"):
        best(chart_of(labels), single(x), patterns=np.array(patterns), bonuses=bonuses)


def test_scaled_and_log_sums_agree_on_5000_items():
    labels, x = random_problem(3, 5000, 3, 4, hard=True)
    labels["begin"][:] = labels["end"][:] = True
    chart = chart_of(labels)
    log_z, p = probabilities(chart, x)
    safe_z, safe = probabilities(chart, x, logs=True)
    assert log_z == pytest.approx(safe_z, rel=1e-12)
    np.testing.assert_allclose(p["st"], safe["st"], atol=1e-8)
    np.testing.assert_allclose(p["s"].sum(axis=1), 1, atol=1e-9)


def test_scores_thousands_apart_fall_back_to_logs_and_stay_right():
    labels, x = random_problem(5, 6, 2, 2, hard=False, spread=3000.0)
    log_z, p = probabilities(chart_of(labels), x)
    top, s, t = all_labellings(labels, x)[0]
    assert log_z == pytest.approx(top, rel=1e-9)
    assert all(p["st"][i, s[i], t[i]] == pytest.approx(1, abs=1e-9) for i in range(6))


def test_forbidden_label_at_one_item_has_no_probability():
    labels, x = random_problem(6, 4, 2, 3, hard=False)
    x["s"][2, 0] = -math.inf
    _, p = probabilities(chart_of(labels), x)
    assert p["s"][2, 0] == 0
    assert p["s"][2, 1] == pytest.approx(1)
    assert best(chart_of(labels), single(x))[0][2] == 1


def test_empty_and_single_item_sequences():
    labels, x = random_problem(7, 1, 2, 2, hard=False)
    chart = chart_of(labels)
    assert score_of(labels, x, (0,), (0,)) == pytest.approx(
        labelling_score(chart, np.zeros(1, np.int32), np.zeros(1, np.int32), x)
    )
    empty = {name: array[:0] for name, array in x.items()}
    assert best(chart, single(empty))[2] == 0
    assert probabilities(chart, empty)[0] == 0
    assert len(list(Ranking(chart, empty))) == 1


@pytest.mark.parametrize("logs", [False, True])
def test_probability_of_a_span_equals_enumeration(logs):
    for seed in range(6):
        labels, x = random_problem(seed, 4, 2, 2, hard=seed % 2 == 0)
        listed = all_labellings(labels, x)
        if not listed:
            continue
        top = listed[len(listed) // 2]
        spans = [(a, [(top[1][k], top[2][k]) for k in range(a, b)]) for a in range(4) for b in range(a + 1, 5)]
        log_z, p = probabilities(chart_of(labels), x, logs=logs, spans=spans)
        for (a, path), found in zip(spans, p["spans"], strict=True):
            right = sum(
                math.exp(score - log_z)
                for score, s, t in listed
                if all((s[a + k], t[a + k]) == label for k, label in enumerate(path))
            )
            assert found == pytest.approx(right, abs=1e-9)


def test_label_scores_beyond_the_exponential_are_summed_in_logs():
    """exp(800) is no number: what the fast sums would make of it is not asked for."""
    chart = Chart(np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 2, 2)))
    tst = np.array([[[800.0, 0.0], [0.0, -800.0]]])
    chart.set_scores(np.zeros((1, 2)), np.zeros((1, 1, 2)), tst)
    log_z, p = probabilities(chart, {"s": np.zeros((3, 1)), "t": np.zeros((3, 2))})
    assert log_z == pytest.approx(1600.0)
    assert p["t"][:, 0] == pytest.approx([1.0, 1.0, 1.0])


def test_a_chart_without_labels_is_refused():
    with pytest.raises(ValueError, match="no labels"):
        Chart(np.ones((1, 0)), np.ones((1, 0)), np.ones((1, 1)), np.ones((1, 0, 0)))
