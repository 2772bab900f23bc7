"""How honest token.score is: words by their score, and how many of them are right (word and tag).

python benchmarks/crf/calibration.py MODEL GOLD.conllu
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np

from plait import load, read
from plait.evaluation import align
from plait.formats.text import write_text

model, gold = load(sys.argv[1]), read(sys.argv[2]).sentences
predicted = model("".join(write_text(gold)), scores=True).sentences
pairing = align(gold, predicted)
scores = np.array([score for s in predicted for score in s.scores])
tags, found = (np.array([tag for s in part for tag in s.upos]) for part in (gold, predicted))
right = (pairing.reverse >= 0) & (tags[np.maximum(pairing.reverse, 0)] == found)
print("| score | words | mean score | correct % |")
print("|---|---|---|---|")
edges = [0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.01]
error = 0.0
for low, high in pairwise(edges):
    inside = (scores >= low) & (scores < high)
    if inside.any():
        gap = abs(scores[inside].mean() - right[inside].mean())
        error += gap * inside.mean()
        print(
            f"| {low}–{min(high, 1)} | {inside.sum():,} | {100 * scores[inside].mean():.1f} "
            f"| {100 * right[inside].mean():.1f} |"
        )
print(f"\nexpected calibration error {100 * error:.2f} points over {len(scores):,} words")
