"""``committee``: systems of several families that analyse the same words and vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from plait.committee.options import CommitteeOptions
from plait.committee.reliability import ARCS, LABELS, Reliability, reliability_from_header, weight
from plait.committee.voting import elect, elect_tree
from plait.data.document import Sentence
from plait.errors import OptionError
from plait.options import shown_options
from plait.system import Arrays, Parts, System, find_system
from plait.system.base import BEAM
from plait.system.modelparts import joined_parts, nested_parts, open_nested
from plait.system.request import Request

MIN_MEMBERS, MAX_MEMBERS = 2, 16  # members
TAG_COLUMNS = ("upos", "xpos", "feats", "lemmas")  # in the order in which they are voted on
RELIABILITY = "reliability"  # in the header


@dataclass(eq=False, repr=False)
class Committee(System):
    """Several systems analyse the words and vote on tags, heads and labels."""

    name = "committee"
    Options = CommitteeOptions
    supports = frozenset({"scores", "constrain"})

    members: Sequence[System]
    reliabilities: Sequence[Reliability | None]

    def __post_init__(self) -> None:
        check_members(self.members)

    @property
    def predicts(self) -> tuple[str, ...]:
        """All columns that a member predicts, tags before trees."""
        found = {column for member in self.members for column in member.predicts}
        return tuple(column for column in (*TAG_COLUMNS, ARCS, LABELS) if column in found)

    @property
    def takes(self) -> frozenset[str]:
        """The columns that all members use from the input."""
        return frozenset.intersection(*(member.takes for member in self.members))

    def with_beam(self, width: int) -> Self:
        """The same with another beam width of the members that search with a beam."""
        searching = [hasattr(member.options, BEAM) for member in self.members]
        if not any(searching):
            return super().with_beam(width)  # which says that there is none
        members = [m.with_beam(width) if s else m for m, s in zip(self.members, searching, strict=True)]
        return replace(self, members=members, options=replace(self.options, members=members_text(members)))

    def annotate_with(self, sentence: Sentence, request: Request) -> None:
        """Let the members analyse the words, and write the result of the vote.

        With ``request.scores`` every token gets the share of votes for its head and label (or its tag). With
        ``request.constrain`` every member keeps what is given, so that none votes against it.
        """
        self._annotate_block([sentence], request)

    def _annotate_block(self, sentences: Sequence[Sentence], request: Request) -> None:
        """One member after the other."""
        request.refuse(self.name, "dictionary")
        words = [sentence for sentence in sentences if len(sentence) > 0]
        ballots = [self._ballots(member, words, request) for member in self.members]
        for sentence, *of_sentence in zip(words, *ballots, strict=True):
            self._elect(sentence, of_sentence, request)

    def _elect(self, sentence: Sentence, ballots: Sequence[Sentence], request: Request) -> None:
        shares = self._elect_tags(sentence, ballots)
        if ARCS in self.predicts:
            shares = self._elect_trees(sentence, ballots)
        sentence.scores = shares if request.scores else None
        sentence.score = None
        sentence.trace = None

    def _ballots(self, member: System, sentences: Sequence[Sentence], request: Request) -> list[Sentence]:
        asked = request.only(member.supports & {"constrain"})
        if request.constrain and not asked.constrain:
            asked = replace(asked, constrain=True)  # one that cannot keep what is given says so
        if self.options.weights == "probability" and member.arc_probabilities:
            asked = replace(asked, scores=True)
        twins = [sentence.copy() for sentence in sentences]
        for twin in twins:
            twin.scores = None
        member.annotate_each(twins, asked)
        return twins

    def _elect_tags(self, sentence: Sentence, ballots: Sequence[Sentence]) -> list[float]:
        """Vote on tag columns, the coarsest first; on finer ones among the members that agreed so far, if any."""
        shares = [1.0] * len(sentence)
        columns = [column for column in TAG_COLUMNS if column in self.predicts]
        in_favour: list[list[int]] = [list(range(len(ballots))) for _ in range(len(sentence))]
        for column in columns:
            voters = {k for k, member in enumerate(self.members) if column in member.predicts}
            values = [getattr(ballot, column) for ballot in ballots]
            elected = []
            for i, agreeing in enumerate(in_favour):
                voting = [k for k in agreeing if k in voters] or sorted(voters)
                found = [values[k][i] for k in voting]
                weights = [weight(self.reliabilities[k], column, value) for k, value in zip(voting, found, strict=True)]
                value, share = elect(found, weights)
                elected.append(value)
                if column == columns[0]:
                    shares[i] = share
                agreed = [k for k in agreeing if k not in voters or values[k][i] == value]
                in_favour[i] = agreed or agreeing
            setattr(sentence, column, elected)
        return shares

    def _elect_trees(self, sentence: Sentence, ballots: Sequence[Sentence]) -> list[float]:
        voters = [k for k, member in enumerate(self.members) if ARCS in member.predicts]
        tags = next((getattr(sentence, c) for c in TAG_COLUMNS if c in self.predicts), [""] * len(sentence))
        weights = np.array([self._arc_weights(k, ballots[k], tags) for k in voters])
        heads = elect_tree([ballots[k].heads for k in voters], weights, projective=self.options.projective)
        labels, shares = [], []
        for i, head in enumerate(heads):
            right = [at for at, k in enumerate(voters) if ballots[k].heads[i] == head]
            voting = right or list(range(len(voters)))  # a projective tree may need an arc that no member has
            found = [ballots[voters[at]].deprels[i] for at in voting]
            behind = [weights[at, i] * weight(self.reliabilities[voters[at]], LABELS, tags[i]) for at in voting]
            label, share = elect(found, behind)
            labels.append(label)
            total = weights[:, i].sum()
            shares.append(float(share * weights[right, i].sum() / total) if right and total > 0 else 0.0)
        sentence.set_tree(heads, labels)
        return shares

    def _arc_weights(self, k: int, ballot: Sentence, tags: Sequence[str]) -> list[float]:
        if ballot.scores is not None and self.options.weights == "probability":
            return [float(p) for p in ballot.scores]
        return [weight(self.reliabilities[k], ARCS, tag) for tag in tags]

    def parts(self) -> Parts:
        """All members; the model file stores once what they have in common."""
        nested = (nested_parts(f"member{k}", member, with_system=True) for k, member in enumerate(self.members, 1))
        rates = [
            None if reliability is None else {column: rate.header() for column, rate in reliability.items()}
            for reliability in self.reliabilities
        ]
        return joined_parts(*nested, ({RELIABILITY: rates}, {}))

    @classmethod
    def _open(cls, options: Any, header: Mapping[str, Any], arrays: Arrays) -> Self:
        count = len(header[RELIABILITY])
        if not MIN_MEMBERS <= count <= MAX_MEMBERS:
            raise ValueError(f"{count} members")
        members, reliabilities = [], []
        for number, rates in enumerate(header[RELIABILITY], 1):
            name = f"member{number}"
            member = open_nested(name, member_system(str(header[name]["system"])), header, arrays)
            members.append(member)
            reliabilities.append(reliability_from_header(rates, member.predicts))
        return cls(options, members, reliabilities)


def members_text(members: Sequence[System]) -> str:
    """The option ``members`` that would train them."""
    return "; ".join(f"{member.name} {shown_options(member.options)}".strip() for member in members)


def member_system(name: str) -> type[System]:
    """The class of a member, by the name of its system; an OptionError if it cannot be a member."""
    system = find_system(name)
    if system.segments or name == Committee.name:
        raise OptionError(f'"{name}" cannot vote; expected taggers and parsers of given words, such as graph-joint')
    return system


def check_members(members: Sequence[System]) -> None:
    """An OptionError if there is nothing to vote on."""
    if not MIN_MEMBERS <= len(members) <= MAX_MEMBERS:
        raise OptionError(f"a committee of {len(members)}; expected {MIN_MEMBERS} to {MAX_MEMBERS} members")
    for member in members:
        member_system(member.name)
        if not set(member.predicts) <= {*TAG_COLUMNS, ARCS, LABELS}:
            raise OptionError(f"{member.name} predicts {', '.join(member.predicts)}, which cannot be voted on")
