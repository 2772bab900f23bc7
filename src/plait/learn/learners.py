"""Three online learners. Each uses only Δf, the gold features minus the predicted ones, per feature group.

With e the errors of a group (Li et al. 2012, Eq. 5 to 9; BN12's passive-aggressive is the one-step case):

    perceptron   step 1 for every group
    pa           τ   = (Σ e − w·Δf) / ‖Δf‖²          one step for the whole vector
    spa          τ_g = (e_g − w_g·Δf_g) / ‖Δf_g‖²    a step of its own for each group

A negative step is 0, and so is the step of a group in which nothing differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from plait.core._delta import Delta
from plait.core._weights import Trainable


@dataclass(frozen=True)
class Violation:
    """Where a prediction went wrong: Δf and the number of errors, by feature group.

    Groups that share one step may still count their errors separately. ``rates`` scale the step of a group, to make its
    scores smaller or larger than those of another.
    """

    delta: Mapping[str, Delta]
    errors: Mapping[str, float]
    rates: Mapping[str, float] = field(default_factory=dict)


Steps = dict[str, float]
Learner = Callable[[Mapping[str, Trainable], Violation], Steps]


def perceptron_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Collins (2002): always step size 1."""
    return dict.fromkeys(violation.delta, 1.0)


def passive_aggressive_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Crammer et al. (2006): the smallest step after which gold wins by a margin of the number of errors."""
    norm2 = sum(delta.norm2() for delta in violation.delta.values())
    margin = sum(delta.dot(tables[group]) for group, delta in violation.delta.items())
    step = max(0.0, (sum(violation.errors.values()) - margin) / norm2) if norm2 > 0 else 0.0
    return dict.fromkeys(violation.delta, step)


def separately_passive_aggressive_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Li et al. (2012): a separate step for each group, by its own errors."""
    steps: Steps = {}
    for group, delta in violation.delta.items():
        norm2 = delta.norm2()
        margin = delta.dot(tables[group])
        steps[group] = max(0.0, (violation.errors.get(group, 0.0) - margin) / norm2) if norm2 > 0 else 0.0
    return steps


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
