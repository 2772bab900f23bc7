"""Three online learners. Each sees only Δf, the gold features minus the predicted ones, per feature group.

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

    Groups whose features must share one step may still count their errors apart. ``rates`` shorten or lengthen the
    step of a group, where the model wants its scores smaller or larger than those of another. Groups that are ``apart``
    never share a step.
    """

    delta: Mapping[str, Delta]
    errors: Mapping[str, float]
    rates: Mapping[str, float] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()


Steps = dict[str, float]
Learner = Callable[[Mapping[str, Trainable], Violation], Steps]


def perceptron_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Collins (2002): always one whole step."""
    return dict.fromkeys(violation.delta, 1.0)


def passive_aggressive_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Crammer et al. (2006): the smallest step after which gold wins by as much as there were errors."""
    shared = [group for group in violation.delta if group not in violation.apart]
    errors = sum(count for group, count in violation.errors.items() if group not in violation.apart)
    steps = dict.fromkeys(shared, _step(tables, violation, shared, errors))
    for group in violation.delta:
        if group in violation.apart:
            steps[group] = _step(tables, violation, [group], violation.errors.get(group, 0.0))
    return steps


def separately_passive_aggressive_steps(tables: Mapping[str, Trainable], violation: Violation) -> Steps:
    """Li et al. (2012): each group answers for its own errors, so that no group drowns another."""
    return {group: _step(tables, violation, [group], violation.errors.get(group, 0.0)) for group in violation.delta}


def _step(tables: Mapping[str, Trainable], violation: Violation, groups: Sequence[str], errors: float) -> float:
    """The step that some groups take together, for their errors."""
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
