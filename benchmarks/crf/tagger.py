"""crf-tagger on UD: accuracy, and the speed of Viterbi and of all tag probabilities (what a parser prunes with).

python benchmarks/crf/tagger.py SET [OPTION=VALUE ...]     # SET: a folder of ud/, with train, dev and test
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from plait import read, train
from workbench import UD, value

folder = UD / sys.argv[1]
options = {k: value(v) for k, v in (o.split("=", 1) for o in sys.argv[2:])}
begin = time.process_time()
model = train("crf-tagger", train=folder / "train.conllu", dev=folder / "dev.conllu", threads=2, **options)
cpu = time.process_time() - begin
gold = read(folder / "test.conllu").sentences
column = options.get("tag", "upos")
predicted = [s.bare() for s in gold]
begin = time.process_time()
for s in predicted:
    model.system.annotate(s)
viterbi = time.process_time() - begin
begin = time.process_time()
tables = [model.system.tag_probabilities(s.forms) for s in gold]
sums = time.process_time() - begin
words = sum(map(len, gold))
right = sum(a == b for g, p in zip(gold, predicted, strict=True)
            for a, b in zip(getattr(g, column), getattr(p, column), strict=True))  # fmt: skip
number = {tag: i for i, tag in enumerate(model.system.tags)}
kept = oracle = 0
for s, table in zip(gold, tables, strict=True):
    keep = table >= 0.01 * table.max(axis=1, keepdims=True)  # tags within a hundredth of the best
    kept += int(keep.sum())
    oracle += sum(keep[i, number[t]] for i, t in enumerate(getattr(s, column)) if t in number)
print("| set | column | test accuracy | training CPU s | Viterbi words/s | probabilities words/s | kept | oracle |")
print("|---" * 8 + "|")
print(
    f"| {sys.argv[1]} | {column} | {100 * right / words:.2f} | {cpu:.0f} | {words / viterbi:,.0f} "
    f"| {words / sums:,.0f} | {kept / words:.2f} | {100 * oracle / words:.2f} |"
)
assert np.allclose([t.sum() for t in tables], [len(t) for t in tables])
