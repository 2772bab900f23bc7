"""Training of the guide inside a parser, and jackknifing: trees of the training data as on new text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from plait.data.document import Sentence
from plait.data.tags import TagColumns
from plait.errors import OptionError
from plait.files.names import is_file
from plait.learn.jackknife import jackknife
from plait.learn.task import TrainingTask
from plait.options import written_options
from plait.system import System, find_system, find_trainer
from plait.system.modelfile import open_model
from plait.system.modelparts import open_system
from plait.trees.averaging import with_runs
from plait.trees.guide import GUIDES, Guide, GuideTree
from plait.trees.training.morphology import decided


class RememberingGuide(Guide):
    """Caches the tree of each sentence, since the development set is parsed after every epoch."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self._known: dict[tuple[str, ...], GuideTree] = {}

    def tree(self, sentence: Sentence) -> GuideTree:
        """The cached tree."""
        given = (column for name in sorted(self.system.takes) for column in getattr(sentence, name))
        key = (*sentence.forms, "", *given)
        if key not in self._known:
            self._known[key] = super().tree(sentence)
        return self._known[key]


@dataclasses.dataclass(frozen=True)
class GuidePlan:
    """The parsed option ``guide``: a system with options, and the trained one if a model file was given."""

    name: str
    options: Any
    trained: System | None = None


def plan_guide(text: str, *, dev: bool, prune: bool = True) -> GuidePlan | None:
    """``graph-joint epochs=5`` or a model file; systems that cannot be a guide are refused before training.

    Without ``prune`` a guide that is trained drops no weights, whatever its options; a model file stays as it is.
    """
    if not text:
        return None
    name, _, rest = text.strip().partition(" ")
    if name not in GUIDES and is_file(text):
        return _plan_of_model(text)
    if name not in GUIDES:
        raise OptionError(f'guide is "{text}"; expected a model file, or one of {", ".join(GUIDES)} with its options')
    options: Any = written_options(find_system(name).Options, rest, name, dev=dev, prune=prune)
    return _checked(GuidePlan(name, options))


def _plan_of_model(path: str) -> GuidePlan:
    header, arrays = open_model(path)
    name = header.get("system")
    if name not in GUIDES:
        raise OptionError(f"guide is {path}, a model of {name}; expected one of {', '.join(GUIDES)}")
    system = open_system(find_system(name), header, arrays)
    return _checked(GuidePlan(name, system.options, system))


def _checked(plan: GuidePlan) -> GuidePlan:
    if getattr(plan.options, "guide", ""):
        raise OptionError(f"guide: {plan.name} has a guide itself; expected one without")
    return plan


def fit_guide(
    task: TrainingTask, train: Sequence[Sentence], plan: GuidePlan | None, folds: int
) -> tuple[RememberingGuide | None, Sequence[GuideTree | None]]:
    """The guide, if any, and its trees for the training data, as they would be on new text."""
    if plan is None:
        return None, [None] * len(train)
    fit = find_trainer(plan.name)
    # decided here, by the whole treebank: the folds are smaller, and must be trained as the guide is
    options = plan.options
    if "feats" not in TagColumns(options.tag).columns:
        options = decided(options, train)
    if getattr(options, "order", 0) == 1:  # it takes no checkpoint, and has no runs
        task = dataclasses.replace(task, checkpoint=None)
    else:
        options = with_runs(options, train)
    # a finished guide or fold has its own checkpoint: when training is resumed, it is not trained again
    system = plan.trained or fit(task.part("guide").quietly(), options)
    guide = RememberingGuide(system)
    if len(train) < 2:
        return guide, [guide.tree(sentence) for sentence in train]
    made = 0

    def fit_fold(seen: list[Sentence]) -> Callable[[list[Sentence]], list[GuideTree]]:
        nonlocal made
        made += 1
        part = dataclasses.replace(task.part(f"guide{made}").quietly(), train=seen, dev=())
        fold = Guide(fit(part, _without_dev(options)))
        return lambda held_out: [fold.tree(sentence) for sentence in held_out]

    return guide, jackknife(train, train, folds, fit_fold, task.track)


def _without_dev(options: Any) -> Any:
    """The options of a fold, which has no development set for early stopping."""
    return dataclasses.replace(options, patience=0) if hasattr(options, "patience") else options
