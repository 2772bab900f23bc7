"""The second-order and joint chart against every tree, label and tagging of sentences up to five words."""

from itertools import pairwise, product

import numpy as np
import pytest
from graph_bruteforce import arcs, trees

from plait.errors import ModelError
from plait.graph._chart import best_parse
from plait.graph._factors import ArrayFactors, factor_table


class Problem:
    """Random scores for n words with some tags each."""

    def __init__(self, n, tags, labels, seed, *, kept=1.0, second=True, given=0.0):
        random = np.random.default_rng([n, labels, seed])
        q = [1, *(int(k) for k in random.integers(1, tags + 1, n))]
        self.n, self.labels = n, labels
        self.starts = np.concatenate([[0], np.cumsum(q)]).astype(np.int32)
        N = self.starts[-1]

        def scores(*shape):
            return random.normal(0, 1, shape).astype(np.float32)

        self.arc = scores(N, N, labels)
        self.sib = scores(N, N, N + 1, labels) * second
        self.grd = scores(N, N, N, labels) * second
        self.pu = scores(N)
        self.pairs = [scores(a, b) for a, b in pairwise(q)]
        self.keep = (random.random((n + 1, n + 1)) < kept).astype(np.uint8)
        self.mask = np.zeros((2, labels), dtype=np.float32)
        if labels > 1:
            self.mask[0, 1:] = -np.inf
            self.mask[1, 0] = -np.inf
        self.fixed = np.where(random.random(n + 1) < given, random.integers(0, labels, n + 1), -1).astype(np.int32)

    def best(self):
        factors = ArrayFactors(self.arc, self.sib, self.grd)
        pb = np.concatenate([p.reshape(-1) for p in self.pairs])
        return best_parse(factors, self.starts, self.keep, self.mask, self.fixed, self.pu, pb)

    def label_scores(self, nodes, heads):
        """[word][label] of one tagging and tree: labels are chosen word by word."""
        table = factor_table(np.array(nodes, dtype=np.int32), np.array([-1, *heads], dtype=np.int32))
        rows = []
        for m, (h, v, s, left, right) in enumerate(table[1:].tolist(), 1):
            row = self.arc[h, v] + self.sib[h, v, s if s >= 0 else len(self.pu)]
            for g in (left, right):
                if g >= 0:
                    row = row + self.grd[h, v, g]
            row = row + self.mask[0 if heads[m - 1] == 0 else 1]
            if self.fixed[m] >= 0:
                row = np.where(np.arange(self.labels) == self.fixed[m], row, -np.inf)
            rows.append(row)
        return np.array(rows)

    def tag_score(self, nodes):
        local = [v - self.starts[w] for w, v in enumerate(nodes)]
        total = sum(self.pu[v] for v in nodes[1:])
        return total + sum(p[local[w], local[w + 1]] for w, p in enumerate(self.pairs))

    def enumerate(self):
        top, argument = -np.inf, None
        candidates = [range(self.starts[w], self.starts[w + 1]) for w in range(self.n + 1)]
        for heads in trees(self.n):
            if not all(self.keep[h, m] for h, m in arcs(heads)):
                continue
            for nodes in product(*candidates):
                rows = self.label_scores(nodes, heads)
                score = rows.max(axis=1).sum() + self.tag_score(nodes)
                if score > top:
                    top, argument = score, (nodes, heads, rows.argmax(axis=1))
        return top, argument


@pytest.mark.parametrize("second", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("labels", [1, 3], ids=["unlabelled", "labelled"])
@pytest.mark.parametrize(
    ("n", "tags", "kept", "given"),
    [
        (n, *case)
        for n in range(1, 6)
        for case in [(1, 1.0, 0.0), (1, 0.6, 0.0), (2, 1.0, 0.0), (2, 0.7, 0.3), (3, 0.8, 0.0)]
        if n < 5 or case[0] < 3  # three tags and five words would take long and show the same
    ],
)
def test_the_best_analysis_is_the_best_of_all(n, tags, kept, given, labels, second):
    for seed in range(2 if n == 5 else 6):
        problem = Problem(n, tags, labels, seed, kept=kept, second=second, given=given)
        top, argument = problem.enumerate()
        nodes, heads, chosen, score = problem.best()
        if argument is None or not np.isfinite(top):
            assert score == -np.inf
            continue
        assert score == pytest.approx(top, abs=1e-4)
        assert nodes.tolist() == list(argument[0])
        assert heads[1:].tolist() == list(argument[1])
        assert chosen[1:].tolist() == argument[2].tolist()


@pytest.mark.parametrize("labels", [7, 8, 9, 16, 25, 37, 61])
def test_any_number_of_labels_is_searched(labels):
    for seed in range(4):
        problem = Problem(3, 2, labels, seed)
        problem.arc[:, :, labels - 1] += seed % 2 * 3  # the last label is not the last number of a row
        top, argument = problem.enumerate()
        nodes, heads, chosen, score = problem.best()
        assert score == pytest.approx(top, abs=1e-4)
        assert (nodes.tolist(), heads[1:].tolist()) == (list(argument[0]), list(argument[1]))
        assert chosen[1:].tolist() == argument[2].tolist()


def test_where_all_scores_are_negative_no_other_label_wins():
    problem = Problem(4, 2, 5, 1)
    for scores in (problem.arc, problem.sib, problem.grd):
        scores -= 50
    top, argument = problem.enumerate()
    _, heads, chosen, score = problem.best()
    assert score == pytest.approx(top, abs=1e-3)
    assert (heads[1:].tolist(), chosen[1:].tolist()) == (list(argument[1]), argument[2].tolist())


def test_arrays_of_wrong_size_are_refused():
    problem = Problem(3, 2, 2, 0)
    problem.fixed = problem.fixed[:-1]
    with pytest.raises(ValueError, match="size"):
        problem.best()
    problem = Problem(3, 2, 2, 0)
    problem.starts[-1] += 1
    with pytest.raises(ValueError, match="nodes"):
        problem.best()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3.4e38, -3.4e38])
@pytest.mark.parametrize("share", [0.02, 0.3, 1.0])
def test_no_score_leads_the_search_out_of_its_chart(value, share):
    random = np.random.default_rng(4)
    errors = []
    for seed in range(30):
        problem = Problem(4, 2, 3, seed)
        for scores in (problem.arc, problem.sib, problem.grd, problem.pu):
            scores[random.random(scores.shape) < share] = value
        try:
            _, heads, _, score = problem.best()
        except ModelError as error:
            errors.append(str(error))
            continue
        assert np.isfinite(score) or score == -np.inf
        assert score == -np.inf or tuple(heads[1:].tolist()) in set(map(tuple, trees(4)))
    assert all("finite" in error for error in errors)
    assert errors or not value > 0 or share < 1
