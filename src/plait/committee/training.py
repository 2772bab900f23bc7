"""Training a committee: its members one after the other, then the weights of their votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.committee.options import CommitteeOptions
from plait.committee.reliability import ARCS, LABELS, Rates, Reliability
from plait.committee.system import TAG_COLUMNS, Committee, member_system
from plait.data.document import UNKNOWN, UNSPECIFIED, Sentence
from plait.errors import OptionError
from plait.evaluation import evaluate
from plait.learn.task import TrainingTask
from plait.options import written_options
from plait.system import System, find_trainer


def fit_committee(task: TrainingTask, options: CommitteeOptions) -> Committee:
    """Train the members, and learn the weights of their votes on the development set."""
    chosen = [_member(text, dev=bool(task.dev)) for text in options.members.split(";")]
    if len(chosen) < 2:
        raise OptionError(f'members is "{options.members}"; expected at least two systems separated by ;')
    _check_weights(options, task.dev)
    members = [
        find_trainer(system.name)(task.part(f"member{number}").named(f"member {number}"), member_options)
        for number, (system, member_options) in enumerate(chosen, 1)
    ]
    return make_committee(options, members, task.dev)


def make_committee(options: CommitteeOptions, members: Sequence[System], dev: Sequence[Sentence]) -> Committee:
    """A committee of trained members, their votes weighted as the options say, with its scores on dev."""
    _check_weights(options, dev)
    held_out = [sentence for sentence in dev if len(sentence)]
    weighted = options.weights != "equal" and bool(held_out)
    committee = Committee(options, members, [learn_reliability(m, held_out) if weighted else None for m in members])
    committee.training = {f"member{number}": member.training for number, member in enumerate(members, 1)}
    if held_out:
        committee.training["dev"] = dev_scores(committee, held_out)
    return committee


def _check_weights(options: CommitteeOptions, dev: Sequence[Sentence]) -> None:
    if options.weights == "accuracy" and not any(map(len, dev)):
        raise OptionError("votes weighted by accuracy need a development set; give --dev, or --weights equal")


def learn_reliability(member: System, dev: Sequence[Sentence]) -> Reliability:
    """The accuracy of a member on the development set: of tags by predicted tag, of arcs and labels by gold tag."""
    outcomes: dict[str, list[tuple[str, bool]]] = {column: [] for column in member.predicts}
    known = {c for c in outcomes if any(v not in (UNSPECIFIED, UNKNOWN) for s in dev for v in getattr(s, c))}
    for gold in dev:
        found = gold.copy() if member.takes else gold.bare()
        member.annotate(found)
        tags = gold.upos if any(tag != UNSPECIFIED for tag in gold.upos) else gold.xpos
        for column in member.predicts:
            right, said = getattr(gold, column), getattr(found, column)
            keys = said if column in TAG_COLUMNS else tags
            for i, key in enumerate(keys):
                if right[i] == UNKNOWN or column not in known:
                    continue
                if column == LABELS and found.heads[i] != gold.heads[i]:
                    continue  # whether a label is right is asked among those who found the head
                outcomes[column].append((key, right[i] == said[i]))
    return {column: Rates.count(seen) for column, seen in outcomes.items()}


def dev_scores(committee: Committee, gold: Sequence[Sentence]) -> dict[str, float]:
    """Accuracies of the vote on the development set."""
    found = [sentence.copy() if committee.takes else sentence.bare() for sentence in gold]
    for sentence in found:
        committee.annotate(sentence)
    scores = evaluate(gold, found).to_dict()
    names = {"upos": ("upos",), "xpos": ("xpos",), "feats": ("feats",), "lemmas": ("lemmas",), ARCS: ("uas", "las")}
    return {name: scores[name] for column in committee.predicts for name in names.get(column, ()) if name in scores}


def _member(text: str, *, dev: bool) -> tuple[type[System], Any]:
    """``transition-joint beam=16`` → the system and its options, both checked."""
    name, _, options = text.strip().partition(" ")
    if not name:
        raise OptionError("a member without a name; expected systems separated by ;, such as graph-joint")
    system = member_system(name)
    return system, written_options(system.Options, options, name, dev=dev)
