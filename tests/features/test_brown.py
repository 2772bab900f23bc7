"""Clusters against the definition: at each step the merger that keeps the most mutual information."""

from itertools import combinations, pairwise
from math import log
from pathlib import Path
from random import Random

import pytest

from plait.cli.main import main
from plait.errors import DataError
from plait.features.brown import cluster_words
from plait.features.clusters import Clusters


def information(clusters: list[set[int]], pairs: dict[tuple[int, int], int], total: int) -> float:
    """Average mutual information of neighbouring clusters; margins are those of the whole text."""
    left = [sum(n for (a, _), n in pairs.items() if a in c) for c in clusters]
    right = [sum(n for (_, b), n in pairs.items() if b in c) for c in clusters]
    value = 0.0
    for i, c in enumerate(clusters):
        for j, d in enumerate(clusters):
            n = sum(pairs.get((a, b), 0) for a in c for b in d)
            if n:
                value += n / total * log(n * total / (left[i] * right[j]))
    return value


def slowly(text: list[list[int]], words: int, k: int) -> set[frozenset[int]]:
    pairs: dict[tuple[int, int], int] = {}
    for line in text:
        for pair in pairwise(line):
            pairs[pair] = pairs.get(pair, 0) + 1
    total = sum(pairs.values())
    clusters: list[set[int]] = []
    for word in range(words):
        clusters.append({word})
        if len(clusters) > k:
            a, b = max(
                combinations(clusters, 2),
                key=lambda ab: information([c for c in clusters if c not in ab] + [ab[0] | ab[1]], pairs, total),
            )
            clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    return {frozenset(c) for c in clusters}


@pytest.mark.parametrize("seed", range(4))
def test_clusters_equal_those_of_the_definition(seed: int) -> None:
    random = Random(seed)
    text = [[min(int(random.expovariate(0.25)), 11) for _ in range(12)] for _ in range(60)]
    count = {w: sum(line.count(w) for line in text) for w in range(12)}
    order = sorted((w for w in count if count[w]), key=lambda w: (-count[w], f"w{w}"))
    rank = {w: i for i, w in enumerate(order)}
    expected = slowly([[rank[w] for w in line] for line in text], len(order), 4)
    found: dict[str, set[int]] = {}
    for bits, word, times in cluster_words([[f"w{w}" for w in line] for line in text], 4):
        found.setdefault(bits, set()).add(rank[int(word[1:])])
        assert times == count[int(word[1:])]
    assert {frozenset(c) for c in found.values()} == expected
    for a, b in combinations(found, 2):  # paths in one tree: none is the beginning of another
        assert not a.startswith(b)
        assert not b.startswith(a)


def test_fewer_words_than_clusters_and_rare_words() -> None:
    found = cluster_words([["a", "b", "a"], ["c"]], 10)
    assert sorted(word for _, word, _ in found) == ["a", "b", "c"]
    assert len({bits for bits, _, _ in found}) == 3
    assert cluster_words([["a", "b", "a"]], 10, 2) == [("0", "a", 2)]
    with pytest.raises(DataError, match="--min-count"):
        cluster_words([["a"]], 10, 2)


def test_the_command_reads_text_and_treebanks_and_writes_the_usual_file(tmp_path: Path, tiny_file: Path) -> None:
    (tmp_path / "t.txt").write_text("a dog runs a cat runs\n")
    output = tmp_path / "paths"
    assert main(["cluster", str(tmp_path / "t.txt"), "--from", "lines", "--clusters", "3", "--min-count", "1",
                 "--output", str(output)]) == 0  # fmt: skip
    rows = [line.split("\t") for line in output.read_text().splitlines()]
    bits = {word: b for b, word, _ in rows}
    assert bits["dog"] == bits["cat"]
    assert len(Clusters.read(output).table) == 4
    assert main(["cluster", str(tiny_file), "--clusters", "5", "--min-count", "1", "--output", str(output)]) == 0
    assert main(["cluster", str(tiny_file), "--min-count", "999", "--output", str(output)]) == 2
