"""Crossing arcs and tag confusions of two analyses of one file, as in Bohnet & Nivre (2012), Tables 5 and 6.

    python benchmarks/transition/errors.py GOLD BASELINE JOINT [--column upos] [--rows 20]

Precision, recall and F1 are of labelled arcs that are non-projective in the tree they come from.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import plait
from plait.data._projectivity import nonprojective_arcs
from plait.data.document import Document
from plait.evaluation import error_patterns, pair
from plait.evaluation.breakdown import value_f1


def crossing(document: Document) -> set[tuple[int, int, int, str]]:
    """(sentence, dependent, head, label) of the non-projective arcs."""
    return {
        (number, d, sentence.heads[d - 1], sentence.deprels[d - 1])
        for number, sentence in enumerate(document)
        for d in nonprojective_arcs(sentence.heads)
    }


def crossing_rows(gold: Document, systems: dict[str, Document]) -> Iterator[str]:
    yield "| system | crossing arcs, gold | found | right | precision | recall | F1 |"
    yield "|---|---|---|---|---|---|---|"
    wanted = crossing(gold)
    for name, document in systems.items():
        found = crossing(document)
        right = len(wanted & found)
        precision, recall = 100 * right / max(len(found), 1), 100 * right / max(len(wanted), 1)
        f1 = 200 * right / max(len(found) + len(wanted), 1)
        yield f"| {name} | {len(wanted)} | {len(found)} | {right} | {precision:.1f} | {recall:.1f} | {f1:.1f} |"


def confusion_rows(gold: Document, systems: dict[str, Document], column: str, rows: int) -> Iterator[str]:
    yield "| gold → predicted | " + " | ".join(f"{name} | F1 of gold" for name in systems) + " |"
    yield "|---|" + "---|---|" * len(systems)
    patterns = {name: error_patterns(pair(gold, document), column) for name, document in systems.items()}
    f1 = {name: value_f1(pair(gold, document), column) for name, document in systems.items()}
    first = next(iter(patterns.values()))
    for (tag, other), _ in first.most_common(rows):
        cells = " | ".join(f"{patterns[name][tag, other]} | {f1[name].get(tag, 0.0):.1f}" for name in systems)
        yield f"| {tag} → {other} | {cells} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("gold", "baseline", "joint"):
        arguments.add_argument(name)
    arguments.add_argument("--column", default="upos")
    arguments.add_argument("--rows", type=int, default=20)
    chosen = arguments.parse_args()
    gold = plait.read(chosen.gold)
    systems = {"baseline": plait.read(chosen.baseline), "joint": plait.read(chosen.joint)}
    for line in (*crossing_rows(gold, systems), "", *confusion_rows(gold, systems, chosen.column, chosen.rows)):
        print(line)


if __name__ == "__main__":
    main()
