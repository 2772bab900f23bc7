"""Label spaces: the segmentation labels and tags of a chain, and the allowed transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.arrays import BoolArray
from plait.chain._chart import Chart
from plait.data.schemes import OUTSIDE, Scheme


@dataclass(frozen=True, eq=False, repr=False)
class LabelSpace:
    """Segmentation labels ``marks`` (one, empty, in a linear chain), tags ``types``, and the hard constraints."""

    marks: tuple[str, ...]
    types: tuple[str, ...]
    begin: BoolArray  # [S][T]: allowed at the first item
    end: BoolArray  # [S][T]: allowed at the last item
    pair: BoolArray  # [S'][S]: s' may be followed by s
    triple: BoolArray  # [S][T'][T]: after t' may come t with s

    def chart(self) -> Chart:
        """An empty chart over these labels."""
        return Chart(self.begin, self.end, self.pair, self.triple)

    @property
    def widths(self) -> dict[str, int]:
        """Weights in a row, by view."""
        S, T = len(self.marks), len(self.types)
        return {"s": S, "t": T, "st": S * T, "ss": S * S, "tt": T * T}


def linear_space(labels: Sequence[str], scheme: Scheme | None = None, *, finals: str = "") -> LabelSpace:
    """A first-order chain over any labels; with a scheme, only its legal sequences.

    A mark may have the suffix ``finals``: it then follows the rules of the mark without it.

    >>> from plait.data.schemes import BIO
    >>> linear_space(["B-NP", "I-NP", "O"], BIO).begin.tolist()
    [[True, False, True]]
    """
    T = len(labels)
    parts = [label.partition("-") for label in labels]
    plain = [f"{mark.removesuffix(finals)}{hyphen}{type}" for mark, hyphen, type in parts]
    follows = np.ones((T + 1, T + 1), dtype=bool) if scheme is None else np.array(scheme.transitions(plain))
    return LabelSpace(
        marks=("",),
        types=tuple(labels),
        begin=follows[T:, :T].copy(),
        end=follows[:T, T].reshape(1, T).copy(),
        pair=np.ones((1, 1), dtype=bool),
        triple=follows[:T, :T].reshape(1, T, T).copy(),
    )


def hybrid_space(
    marks: Sequence[str], types: Sequence[str], scheme: Scheme, *, hard: bool = True, finals: str = ""
) -> LabelSpace:
    """Virtual nodes over the marks of a scheme, items over types; type O only occurs with spans of length one.

    Hard constraints enforce one type within a span and legal marks; without them both are learnt, as in Qian et al.
    (2010). A mark may have the suffix ``finals``: it then follows the rules of the mark without it.
    """
    S, T = len(marks), len(types)
    if not hard:
        free = np.ones((S, T), dtype=bool)
        return LabelSpace(
            tuple(marks), tuple(types), free, free.copy(), np.ones((S, S), dtype=bool), np.ones((S, T, T), dtype=bool)
        )
    plain = [mark.removesuffix(finals) for mark in marks]
    follows = np.array(scheme.transitions(plain))
    begins = np.array([scheme.may_follow("", mark) for mark in plain])
    fits = np.ones((S, T), dtype=bool)
    if OUTSIDE in types:
        fits[:, list(types).index(OUTSIDE)] = [mark == (scheme.single or "B") for mark in plain]
    triple = np.where(begins[:, None, None], np.ones((T, T), dtype=bool), np.eye(T, dtype=bool)) & fits[:, None, :]
    return LabelSpace(
        marks=tuple(marks),
        types=tuple(types),
        begin=follows[S, :S, None] & fits,
        end=follows[:S, S, None] & fits,
        pair=follows[:S, :S].copy(),
        triple=triple,
    )
