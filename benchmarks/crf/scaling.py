"""Memory and time of one evaluation of the objective against the number of features and of labels, on made-up data.

    python benchmarks/crf/scaling.py      # prints Markdown

Each row runs in a process of its own, so that peak memory is its own. 2,000 sequences of 25 items, two threads.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from plait.chain.labels import hybrid_space, linear_space
from plait.chain.training.likelihood import Likelihood
from plait.chain.training.problem import CrfProblem, Example
from plait.data.schemes import BIES
from plait.features.label_templates import LabelTemplates
from plait.features.templates import Template
from plait.learn.workers import start_workers


def row(structure: str, types: int, templates: int, unseen: bool) -> None:
    rng = np.random.default_rng(0)
    names = [f"T{k}" for k in range(types)]
    labels = ["s0", "t0"] if structure == "hybrid" else ["y0"]
    texts = [
        Template((f"w{o:+d}" if o else "w0", label)) for o in range(-templates // 2, templates // 2) for label in labels
    ]
    features = LabelTemplates(texts, ("w",))
    if structure == "hybrid":
        space = hybrid_space(BIES.marks, names, BIES)
    else:
        space = linear_space([f"{mark}-{name}" for name in names for mark in BIES.marks], BIES)
    single = list(BIES.marks).index("S")

    def examples():
        for _ in range(2000):
            atoms = (rng.zipf(1.3, size=(25 + 2 * features.pad, 1)) % 50_000 + 1).astype(np.uint64)
            t = rng.integers(types, size=25).astype(np.int32)
            if structure == "hybrid":
                yield Example(atoms, np.full(25, single, np.int32), t)
            else:
                yield Example(atoms, np.zeros(25, np.int32), t * 4 + single)

    problem = CrfProblem(space, features, examples(), unseen=unseen)
    with start_workers(2) as workers:
        likelihood = Likelihood(problem, 1.0, workers)
        w = np.zeros(problem.size)
        likelihood(w)
        begin, cpu = time.perf_counter(), time.process_time()
        for _ in range(3):
            likelihood(w)
    seconds, cpu = (time.perf_counter() - begin) / 3, (time.process_time() - cpu) / 3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"| {structure} | {types} | {templates} | {'all' if unseen else 'seen'} | {problem.size:,} | {seconds:.2f} "
        f"| {cpu:.2f} | {peak:,.0f} |"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        row(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "all")
    else:
        print("| structure | types | templates | weights kept | weights | s an evaluation | CPU s | peak MB |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        plan = [(s, t, 8, k) for s in ("hybrid", "cross-product") for t in (5, 10, 20, 40) for k in ("seen",)]
        plan += [("hybrid", 10, f, k) for f in (2, 4, 16, 32) for k in ("seen", "all")]
        for structure, types, templates, kept in plan:
            subprocess.run([sys.executable, __file__, structure, str(types), str(templates), kept], check=True)
