"""Two systems on one gold document: scores side by side, the significance of their difference, and the errors of each.

Differences are A − B throughout: positive scores and negative error counts favour A.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plait.errors import DataError
from plait.evaluation.breakdown import error_patterns, value_f1
from plait.evaluation.pairing import Pairing, copied_by_any, pair_all
from plait.evaluation.scores import Scores, Source, document, score, shared_measures, training_vocabulary
from plait.evaluation.significance import Bootstrap, McNemar, mcnemar, paired_bootstrap, paired_permutation
from plait.evaluation.tables import ABOUT_WORDS, TITLES, Cell, Table

PATTERN_COLUMNS = {"upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "lemmas": "lemmas", "deprels": "labels"}


class Difference(NamedTuple):
    """One measure of both systems, in per cent, with the p-values of three tests."""

    measure: str
    a: float
    b: float
    mcnemar: McNemar
    bootstrap: Bootstrap
    permutation_p: float

    @property
    def difference(self) -> float:
        """A − B in per cent points."""
        return self.a - self.b

    def to_dict(self) -> dict[str, Any]:
        """Numbers by name, for JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "interval": [self.bootstrap.low, self.bootstrap.high],
            "bootstrap_p": self.bootstrap.p,
            "permutation_p": self.permutation_p,
            "mcnemar_p": self.mcnemar.exact_p,
            "mcnemar_chi2": self.mcnemar.chi2,
            "mcnemar_chi2_p": self.mcnemar.chi2_p,
            "only_a": self.mcnemar.only_a,
            "only_b": self.mcnemar.only_b,
        }


class Pattern(NamedTuple):
    """An error pattern: how often either system gave ``predicted`` to a word whose gold value is ``gold``."""

    gold: str
    predicted: str
    a: int
    b: int
    f1_a: float  # of the gold value, over all its words
    f1_b: float

    @property
    def name(self) -> str:
        """The pattern as the papers write it."""
        return f"{self.gold} → {self.predicted}"


@dataclass(frozen=True)
class Comparison:
    """The result of ``compare``."""

    a: Scores
    b: Scores
    differences: tuple[Difference, ...]
    patterns: dict[str, tuple[Pattern, ...]]  # by column, the most frequent first
    pairings: tuple[Pairing, Pairing]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Plain values for JSON; ``top`` limits the error patterns of each column."""
        return {
            "measures": {row.measure: row.to_dict() for row in self.differences},
            "errors": {
                column: [row._asdict() | {"change": row.a - row.b} for row in rows[:top]]
                for column, rows in self.patterns.items()
            },
        }

    def to_text(self, names: tuple[str, str] = ("A", "B"), top: int = 15) -> str:
        """The comparison as tables; ``names`` are shown in a line each for A and B."""
        who = "".join(f"{letter}  {name}\n" for letter, name in zip("AB", names, strict=True) if letter != name)
        for letter, scores in (("A", self.a), ("B", self.b)):
            if scores.copied:
                who += f"{letter}  has copied from its input, and is not scored on: {', '.join(scores.copied)}\n"
        tables = [self.table(), *(self.pattern_table(column, top) for column, rows in self.patterns.items() if rows)]
        return "\n".join([*([who] if who else []), *(table.to_text() for table in tables)])

    def table(self) -> Table:
        """Measures with differences and p-values."""
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (
                TITLES[row.measure],
                row.a,
                row.b,
                f"{row.difference:+.2f}",
                f"{row.bootstrap.low:+.2f} … {row.bootstrap.high:+.2f}",
                *map(_shown_p, (row.bootstrap.p, row.permutation_p, row.mcnemar.exact_p)),
            )
            for row in self.differences
            if self.a.conll18 is not None or row.measure not in (*ABOUT_WORDS, "seg_f1")
        )
        columns = ("measure", "A", "B", "A − B", "95 % interval", "p bootstrap", "p permutation", "p McNemar")
        return Table(f"{self.a.sentences} sentences, {self.a.tokens} tokens", columns, rows)

    def pattern_table(self, column: str, top: int = 15) -> Table:
        """The most frequent error patterns of a column, with the change in per cent and the F1 of the gold value."""
        rows = tuple(
            (
                row.name,
                row.a,
                row.b,
                f"{row.a - row.b:+d}",
                f"{100 * (row.a - row.b) / row.b:+.0f} %" if row.b else "",
                row.f1_a,
                row.f1_b,
            )
            for row in self.patterns[column][:top]
        )
        return Table(
            f"Errors in {PATTERN_COLUMNS[column]}, gold → predicted, with the F1 of the gold value",
            ("pattern", "A", "B", "A − B", "change", "F1 A", "F1 B"),
            rows,
        )


def compare(
    gold: Source,
    a: Source,
    b: Source,
    *,
    punct: bool = True,
    train: Source | Iterable[str] | Iterable[Source] | None = None,
    seed: int = 0,
    samples: int = 10_000,
) -> Comparison:
    """Compare two predicted documents with one gold document and with each other.

    If one of them has different words, both are aligned by characters, so that their scores are comparable.

    samples: number of samples of bootstrap and permutation tests; more give finer p-values and take longer.
    seed: random seed; the same seed gives the same p-values.
    Other parameters as for ``evaluate``.
    """
    gold, a, b = document(gold), document(a), document(b)
    of_a, of_b = pairings = pair_all(gold, [a, b])
    vocabulary = None if train is None else training_vocabulary(train)
    scores_a, scores_b = (score(pairing, punct=punct, vocabulary=vocabulary) for pairing in pairings)
    return Comparison(
        a=scores_a,
        b=scores_b,
        differences=tuple(_differences(scores_a, scores_b, seed, samples)),
        patterns={column: tuple(_patterns(pairings, column)) for column in pattern_columns(*pairings)},
        pairings=(of_a, of_b),
    )


def pattern_columns(*pairings: Pairing) -> tuple[str, ...]:
    """The columns with error patterns: tags and labels that gold has and all systems predict."""
    copied = copied_by_any(pairings)
    return tuple(column for column in PATTERN_COLUMNS if pairings[0].gold.has(column) and column not in copied)


def _differences(a: Scores, b: Scores, seed: int, samples: int) -> list[Difference]:
    keys = shared_measures([a, b])
    if not keys:
        raise DataError(
            "no measure applies to both systems; the other columns were copied from the input, not predicted"
        )
    counts_a, counts_b = (np.stack([s.tallies[key].counts for key in keys.values()]) for s in (a, b))
    bootstraps = paired_bootstrap(counts_a, counts_b, samples=samples, seed=seed)
    permutations = paired_permutation(counts_a, counts_b, samples=samples, seed=seed)
    return [
        Difference(
            name,
            a.tallies[key].f1,
            b.tallies[key].f1,
            mcnemar(a.tallies[key].right, b.tallies[key].right),
            bootstrap,
            permutation,
        )
        for (name, key), bootstrap, permutation in zip(keys.items(), bootstraps, permutations, strict=True)
    ]


def _patterns(pairings: Sequence[Pairing], column: str) -> list[Pattern]:
    in_a, in_b = (error_patterns(pairing, column) for pairing in pairings)
    f1_a, f1_b = (value_f1(pairing, column) for pairing in pairings)
    order = sorted({*in_a, *in_b}, key=lambda pattern: (-in_a[pattern] - in_b[pattern], pattern))
    return [Pattern(x, y, in_a[x, y], in_b[x, y], f1_a.get(x, 0.0), f1_b.get(x, 0.0)) for x, y in order]


def _shown_p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"
