"""All labellings of a short sequence, one by one: what the charts are measured against."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from plait.chain._chart import Chart

Arrays = dict[str, Any]


def random_problem(seed: int, n: int, S: int, T: int, *, hard: bool, spread: float = 1.0) -> tuple[Arrays, Arrays]:
    """(constraints and label-only scores, scores of the items); ``hard`` forbids about a third of the steps."""
    rng = np.random.default_rng(seed)
    allow = (lambda *shape: rng.random(shape) < 0.7) if hard else (lambda *shape: np.ones(shape, dtype=bool))
    labels = {"begin": allow(S, T), "end": allow(S, T), "pair": allow(S, S), "triple": allow(S, T, T)}
    if hard:  # one label that keeps the tag, as the inside of a segment does
        labels["triple"][0] = np.eye(T, dtype=bool)
    labels |= {"start": rng.normal(size=(S, T)), "sts": rng.normal(size=(S, S, T)), "tst": rng.normal(size=(S, T, T))}
    shapes = {"s": (n, S), "t": (n, T), "st": (n, S, T), "ss": (n, S, S), "tt": (n, T, T)}
    return labels, {name: spread * rng.normal(size=shape) for name, shape in shapes.items()}


def chart_of(labels: Arrays) -> Chart:
    """The compiled chart with these constraints and label-only scores."""
    chart = Chart(labels["begin"], labels["end"], labels["pair"], labels["triple"])
    chart.set_scores(labels["start"], labels["sts"], labels["tst"])
    return chart


def all_labellings(labels: Arrays, x: Arrays) -> list[tuple[float, tuple[int, ...], tuple[int, ...]]]:
    """(score, s labels, t labels) of everything that is allowed, best first."""
    n, S = x["s"].shape
    T = x["t"].shape[1]
    found = []
    for s in itertools.product(range(S), repeat=n):
        for t in itertools.product(range(T), repeat=n):
            score = score_of(labels, x, s, t)
            if score > -math.inf:
                found.append((score, s, t))
    return sorted(found, key=lambda item: -item[0])


def score_of(labels: Arrays, x: Arrays, s: tuple[int, ...], t: tuple[int, ...]) -> float:
    """The sum of everything that looks at this labelling."""
    n = len(s)
    if not labels["begin"][s[0], t[0]] or not labels["end"][s[-1], t[-1]]:
        return -math.inf
    total = labels["start"][s[0], t[0]]
    for i in range(n):
        total += x["s"][i, s[i]] + x["t"][i, t[i]]
        total += x["st"][i, s[i], t[i]] if "st" in x else 0.0
        if i == 0:
            continue
        if not labels["pair"][s[i - 1], s[i]] or not labels["triple"][s[i], t[i - 1], t[i]]:
            return -math.inf
        total += labels["sts"][s[i - 1], s[i], t[i - 1]] + labels["tst"][s[i], t[i - 1], t[i]]
        total += x["ss"][i, s[i - 1], s[i]] if "ss" in x else 0.0
        total += x["tt"][i, t[i - 1], t[i]] if "tt" in x else 0.0
    return float(total)


def log_sum(values: list[float]) -> float:
    """log of the sum of exponentials."""
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values))
