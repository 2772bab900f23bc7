"""The three learners against their formulas in plain Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core._delta import Delta
from plait.core._weights import Weights
from plait.learn.learners import LEARNERS, Violation, apply_update
from plait.system import shared_options

vectors = st.dictionaries(st.tuples(st.integers(1, 4), st.integers(0, 2)), st.sampled_from([-2.0, -1.0, 1.0, 3.0]))


def build(groups):
    tables, deltas, slow_w = {}, {}, {}
    for name, (weights, features) in groups.items():
        tables[name], deltas[name] = Weights(3), Delta()
        for (key, label), value in weights.items():
            tables[name].update(key, label, value)
        for (key, label), value in features.items():
            deltas[name].add(key, label, value)
        slow_w[name] = dict(weights)
    return tables, deltas, slow_w


def dot(w, f):
    return sum(value * w.get(place, 0.0) for place, value in f.items())


def slow_steps(learner, w, f, errors):
    norm = {g: sum(v * v for v in f[g].values()) for g in f}
    margin = {g: dot(w[g], f[g]) for g in f}
    if learner == "perceptron":
        return dict.fromkeys(f, 1.0)
    if learner == "pa":
        total = sum(norm.values())
        step = max(0.0, (sum(errors.values()) - sum(margin.values())) / total) if total else 0.0
        return dict.fromkeys(f, step)
    return {g: max(0.0, (errors[g] - margin[g]) / norm[g]) if norm[g] else 0.0 for g in f}


@pytest.mark.parametrize("learner", list(LEARNERS))
@given(vectors, vectors, vectors, vectors, st.sampled_from([0.0, 0.5, 1.0, 4.0]), st.sampled_from([0.0, 1.5]))
def test_updates_equal_the_slow_twin(learner, w_pos, f_pos, w_syn, f_syn, e_pos, e_syn):
    features = {"pos": f_pos, "syn": f_syn}
    tables, deltas, w = build({"pos": (w_pos, f_pos), "syn": (w_syn, f_syn)})
    errors = {"pos": e_pos, "syn": e_syn}
    expected = slow_steps(learner, w, features, errors)
    steps = apply_update(LEARNERS[learner], tables, Violation(deltas, errors))
    assert steps == pytest.approx(expected)
    for group, f in features.items():
        for place in {*f, *w[group]}:
            moved = w[group].get(place, 0.0) + expected[group] * f.get(place, 0.0)
            assert tables[group].get(*place) == pytest.approx(moved, abs=1e-4)


@given(vectors, vectors, vectors, vectors, st.sampled_from([0.0, 1.0, 4.0]), st.sampled_from([0.0, 1.5]))
def test_groups_apart_take_steps_of_their_own(w_pos, f_pos, w_seg, f_seg, e_pos, e_seg):
    features = {"pos": f_pos, "seg": f_seg, "syn": f_pos}
    tables, deltas, w = build({"pos": (w_pos, f_pos), "seg": (w_seg, f_seg), "syn": (w_seg, f_pos)})
    errors = {"pos": e_pos, "seg": e_seg, "syn": 0.5}
    together = {name: features[name] for name in ("pos", "syn")}
    expected = slow_steps("pa", w, together, {name: errors[name] for name in together})
    expected |= slow_steps("spa", w, {"seg": f_seg}, errors)
    violation = Violation(deltas, errors, apart=frozenset({"seg"}))
    assert apply_update(LEARNERS["pa"], tables, violation) == pytest.approx(expected)
    tables, deltas, _ = build({"pos": (w_pos, f_pos), "seg": (w_seg, f_seg), "syn": (w_seg, f_pos)})
    violation = Violation(deltas, errors, apart=frozenset({"seg"}))
    assert apply_update(LEARNERS["spa"], tables, violation) == pytest.approx(slow_steps("spa", w, features, errors))


def test_after_a_passive_aggressive_step_gold_wins_by_the_errors():
    tables, deltas, _ = build({"pos": ({(1, 0): -1.0}, {(1, 0): 1.0, (2, 1): -2.0})})
    apply_update(LEARNERS["pa"], tables, Violation(deltas, {"pos": 3.0}))
    assert deltas["pos"].dot(tables["pos"]) == pytest.approx(3.0, abs=1e-5)


def test_separate_steps_leave_a_group_without_errors_alone_when_it_already_wins():
    tables, deltas, _ = build({"pos": ({(1, 0): 1.0}, {(1, 0): 1.0}), "syn": ({}, {(1, 0): 1.0})})
    steps = apply_update(LEARNERS["spa"], tables, Violation(deltas, {"pos": 0.0, "syn": 1.0}))
    assert steps == {"pos": 0.0, "syn": 1.0}


def test_a_group_that_is_not_named_among_the_errors_has_none():
    tables, deltas, _ = build({"pos": ({(1, 0): -0.25}, {(1, 0): 1.0}), "syn": ({}, {(1, 0): 1.0})})
    assert apply_update(LEARNERS["spa"], tables, Violation(deltas, {"syn": 1.0})) == {"pos": 0.25, "syn": 1.0}
    tables, deltas, _ = build({"pos": ({(1, 0): -0.25}, {(1, 0): 1.0}), "syn": ({}, {(1, 0): 1.0})})
    apart = Violation(deltas, {"syn": 1.0}, apart=frozenset({"pos"}))
    assert apply_update(LEARNERS["pa"], tables, apart) == {"pos": 0.25, "syn": 1.0}


@pytest.mark.parametrize(
    ("learner", "steps", "nothing"),
    [
        ("perceptron", {"pos": 1.0, "syn": 1.0}, 1.0),
        ("pa", {"pos": 0.375, "syn": 0.375}, 0.0),  # (2 − ½) / ‖(2, 0)‖²
        ("spa", {"pos": 0.375, "syn": 0.0}, 0.0),
    ],
)
def test_steps_where_one_group_differs_and_where_none_does(learner, steps, nothing):
    groups = {"pos": ({(1, 0): 0.25}, {(1, 0): 2.0}), "syn": ({}, {})}
    tables, deltas, _ = build(groups)
    assert apply_update(LEARNERS[learner], tables, Violation(deltas, {"pos": 2.0})) == steps
    assert tables["pos"].get(1, 0) == 0.25 + 2 * steps["pos"]
    tables, deltas, _ = build({"pos": ({}, {})})
    assert apply_update(LEARNERS[learner], tables, Violation(deltas, {"pos": 2.0})) == {"pos": nothing}


def test_a_rate_shortens_the_step_of_its_group():
    tables, deltas, _ = build({"pos": ({}, {(1, 0): 1.0}), "syn": ({}, {(1, 0): 1.0})})
    violation = Violation(deltas, {"pos": 1.0, "syn": 1.0}, rates={"pos": 0.25})
    assert apply_update(LEARNERS["perceptron"], tables, violation) == {"pos": 0.25, "syn": 1.0}
    assert (tables["pos"].get(1, 0), tables["syn"].get(1, 0)) == (0.25, 1.0)


def test_the_names_that_options_offer_are_those_of_the_learners():
    assert tuple(LEARNERS) == shared_options.LEARNERS
