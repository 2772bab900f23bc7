"""Three online learners. Each uses only Δf, the gold features minus the predicted ones, per feature group.

With e the errors of a group (Li et al. 2012, Eq. 5 to 9; BN12's passive-aggressive is the one-step case):

    perceptron   step 1 for every group
    pa           τ   = (Σ e − w·Δf) / ‖Δf‖²          one step for the whole vector
    spa          τ_g = (e_g − w_g·Δf_g) / ‖Δf_g‖²    a step of its own for each group

A negative step is 0, and so is the step of a group in which nothing differs. A violation may set groups apart: under pa
these take steps of their own, too, and the whole vector is that of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from plait.core._delta import Delta
from plait.core._weights import Trainable


@dataclass(frozen=True)
class Violation:
    """Where a prediction went wrong: Δf and the number of errors, by feature group.

    Groups that share one step may still count their errors separately. ``rates`` scale the step of a group, to make its
    scores smaller or larger than those of another. Groups in ``apart`` never share a step.
    """

    delta: Mapping[str, Delta]
    errors: Mapping[str, float]
    rates: Mapping[str, float] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()


Steps = dict[str, float]
Learner = Callable[[Mapping[str, Trainable], Violation], Steps]


def perceptron_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Collins (2002): always step size 1."""
    return dict.fromkeys(violation.delta, 1.0)


def passive_aggressive_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Crammer et al. (2006): the smallest step after which gold wins by a margin of the number of errors."""
    shared = [group for group in violation.delta if group not in violation.apart]
    errors = sum(count for group, count in violation.errors.items() if group not in violation.apart)
    steps = dict.fromkeys(shared, _step(tables, violation, shared, errors))
    for group in violation.delta:
        if group in violation.apart:
            steps[group] = _step(tables, violation, [group], violation.errors.get(group, 0.0))
    return steps


def separately_passive_aggressive_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Li et al. (2012): a separate step for each group, by its own errors."""
    return {group: _step(tables, violation, [group], violation.errors.get(group, 0.0)) for group in violation.delta}


def _step(tables: Mapping[str, Trainable], violation: Violation, groups: Sequence[str], errors: float) -> float:
    """One step for several groups, by their errors."""
    norm2 = sum(violation.delta[group].norm2() for group in groups)
    margin = sum(violation.delta[group].dot(tables[group]) for group in groups)
    return max(0.0, (errors - margin) / norm2) if norm2 > 0 else 0.0


LEARNERS: dict[str, Learner] = {
    "perceptron": perceptron_steps,
    "pa": passive_aggressive_steps,
    "spa": separately_passive_aggressive_steps,
}


def apply_update(learner: Learner, tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """w += τ·Δf in every group, at the group's rate; the steps are returned."""
    steps = learner(tables, violation)
    for group, delta in violation.delta.items():
        steps[group] *= violation.rates.get(group, 1.0)
        if steps[group] != 0.0:
            delta.apply(tables[group], steps[group])
    return steps
