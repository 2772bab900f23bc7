"""How much of the non-projective trees survives lifting and lowering, for each scheme of Nivre & Nilsson (2005).

python benchmarks/projectivity.py > benchmarks/results/projectivity.md
"""

from __future__ import annotations

import time

from plait.data.projectivity import deprojectivize, is_projective, nonprojective_arcs, projectivize
from plait.formats import read
from workbench import DATA

FILES = ("ud/eu_bdt1/train.conllu", "ud/eu_bdt1/test.conllu", "ud/cs_cac/train.conllu.xz", "ud/cs_cac/test.conllu")


def main() -> None:
    print("# Lifting and lowering non-projective trees\n")
    print("    python benchmarks/projectivity.py > benchmarks/results/projectivity.md\n")
    print("Gold trees are made projective and restored from their labels alone, without a parser in between.")
    print("Restored: share of the non-projective sentences that come back whole, and of their non-projective arcs")
    print("(head and label). Seconds: lifting and lowering the whole file, one core.\n")
    print("| file | words | non-projective sentences / arcs | scheme | labels before → after", end=" ")
    print("| sentences restored | arcs restored | test, s | lift + lower, s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in FILES:
        if not (DATA / name).exists():
            print(f"| {name} | skipped: not in the data folder |")
            continue
        trees = [(s.heads, s.deprels) for s in read(DATA / name)]
        start = time.perf_counter()
        crossing = [i for i, (heads, _) in enumerate(trees) if not is_projective(heads)]
        testing = time.perf_counter() - start
        arcs = {i: nonprojective_arcs(trees[i][0]) for i in crossing}
        words = sum(len(heads) for heads, _ in trees)
        arc_count = sum(map(len, arcs.values()))
        shares = f"{len(crossing) / len(trees):.1%} / {arc_count / words:.1%}"
        before = len({label for _, labels in trees for label in labels})
        for scheme in ("head", "path", "head+path"):
            start = time.perf_counter()
            lifted = [projectivize(heads, labels, scheme) for heads, labels in trees]
            lowered = [deprojectivize(heads, labels) for heads, labels in lifted]
            seconds = time.perf_counter() - start
            after = len({label for _, labels in lifted for label in labels})
            whole = sum(lowered[i] == (list(trees[i][0]), list(trees[i][1])) for i in crossing)
            right = sum(
                lowered[i][0][d - 1] == trees[i][0][d - 1] and lowered[i][1][d - 1] == trees[i][1][d - 1]
                for i in crossing
                for d in arcs[i]
            )
            print(f"| {name} | {words:,} | {shares} | {scheme} | {before} → {after}", end=" ")
            print(f"| {whole / len(crossing):.2%} | {right / arc_count:.2%} | {testing:.2f} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
