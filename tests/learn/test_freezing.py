"""A stored model is the trained one: what may be dropped, and what must not, on data small enough to see through."""

import numpy as np
import pytest

from plait.core.tables import freeze_arrays, open_table, pruned
from plait.learn.freezing import CHANGES, SHARES, Freezer, Stored
from plait.learn.outcome import MEASURES, Outcome
from plait.system.modelfile import model_bytes
from plait.system.modelparts import table_parts

WORDS = 20_000  # so many that a change of 0.2 % can be told from none


def weights(values):
    """A table with one key for each value, and the other labels at 0."""
    values = np.asarray(values, dtype=np.float32)
    n = len(values)
    return {
        "keys": np.arange(1, n + 1, dtype=np.uint64),
        "starts": np.arange(n + 1, dtype=np.int64),
        "labels": np.ones(n, dtype=np.uint16),
        "values": values,
    }


class Columns(Outcome):
    """An outcome whose columns are arrays: all words are compared at once, where ``Outcome`` takes them one by one."""

    def __init__(self, words, length=10, **found):
        super().__init__("las", "accuracy")
        self.lengths = [length] * (words // length)
        self.found = {"tags": np.zeros(words), "heads": np.zeros(words), "labels": np.zeros(words)} | found

    def right(self, measure):
        return np.all([self.found[column] == 0 for column in MEASURES.get(measure, (measure,))], axis=0)

    def changed(self, other):
        return np.any([found != other.found[column] for column, found in self.found.items()], axis=0)


def outcome(wrong_tags=(), wrong_heads=(), *, words=WORDS):
    """Every tag and head is right but for these words."""
    tags, heads = np.zeros(words), np.zeros(words)
    tags[list(wrong_tags)] = 1
    heads[list(wrong_heads)] = 1
    return Columns(words, tags=tags, heads=heads)


def tagged(*first):
    """The same for the tags of the first words of all sentences, and for those of the second words."""
    tags = np.zeros((WORDS // 10, 10))
    tags[:, : len(first)] = np.transpose(first)
    return Columns(WORDS, tags=tags.reshape(-1))


@pytest.mark.parametrize("kind", [Outcome, Columns])
def test_an_outcome_tells_what_is_right_and_what_has_changed(kind):
    """Also that the twin of this file does what ``Outcome`` does."""
    random = np.random.default_rng(3)
    found = [{name: random.integers(0, 2, 12) for name in ("tags", "heads", "labels")} for _ in range(2)]
    if kind is Columns:
        one, other = (Columns(12, 3, **columns) for columns in found)
    else:
        one, other = Outcome("las", "accuracy"), Outcome("las", "accuracy")
        for outcome, columns in zip((one, other), found, strict=True):
            for at in range(0, 12, 3):
                outcome.add(**{name: ([0] * 3, column[at : at + 3].tolist()) for name, column in columns.items()})
    assert one.lengths == [3] * 4
    first, second = found
    assert one.right("accuracy").tolist() == (first["tags"] == 0).tolist()
    assert one.right("las").tolist() == ((first["heads"] == 0) & (first["labels"] == 0)).tolist()
    assert one.right("tlas").tolist() == (first["tags"] + first["heads"] + first["labels"] == 0).tolist()
    different = [any(first[name][k] != second[name][k] for name in first) for k in range(12)]
    assert one.changed(other).tolist() == other.changed(one).tolist() == different
    assert set(different) == {True, False}
    assert [half.tolist() for half in one.halves()] == [[k // 3 % 2 == odd for k in range(12)] for odd in (0, 1)]
    assert one.scores == {name: pytest.approx(100 * one.right(name).mean()) for name in ("las", "accuracy")}


def test_columns_of_different_lengths_are_no_outcome():
    for columns in ({"tags": ([1, 2], [1])}, {"tags": ([1], [1]), "heads": ([0, 1], [0, 1])}):
        with pytest.raises(ValueError, match="gold and predicted columns of different lengths"):
            Outcome("accuracy").add(**columns)


def freezer(measure, values=None):
    random = np.random.default_rng(1)
    values = random.uniform(0.5, 100.0, 4000) if values is None else values
    return Freezer({"all": weights(values)}, {"all": 3}, measure)


def rows(tables):
    return len(tables["all"])


def by_rows(judge):
    """A measure that depends on how many of the 4,000 rows are left, in 16 or 32 bits; 8 bits are never enough."""
    return lambda tables: outcome(range(WORDS)) if tables["all"].bits == 8 else judge(rows(tables))


def test_rows_are_dropped_when_nothing_changes():
    tables, scores = freezer(lambda tables: outcome()).freeze(prune=True)
    assert rows(tables) < 0.1 * 4000
    assert tables["all"].bits == 8
    assert scores == {"las": 100.0, "accuracy": 100.0}


def test_nothing_is_dropped_unless_pruning_is_asked_for():
    assert rows(freezer(lambda tables: outcome()).freeze()[0]) == 4000


@pytest.mark.parametrize("column", ["wrong_tags", "wrong_heads"])
def test_a_loss_in_any_measure_stops_pruning(column):
    """The measure that chooses the epoch is not the only one that is guarded."""
    worse = outcome(**{column: range(0, WORDS, 50)})
    tables, _ = freezer(by_rows(lambda left: outcome() if left > 2900 else worse)).freeze(prune=True)
    assert 2900 < rows(tables) < 4000


def test_words_may_not_change_even_when_gains_make_up_for_losses():
    """A score that stays the same is no proof: here one word is lost for each that is won."""
    before, after = outcome(wrong_tags=range(0, WORDS, 40)), outcome(wrong_tags=range(20, WORDS, 40))
    assert before.scores == after.scores
    tables, _ = freezer(by_rows(lambda left: before if left > 2900 else after)).freeze(prune=True)
    assert rows(tables) > 2900


def test_a_loss_in_the_half_that_confirms_stops_pruning():
    """Sentences of 10 words take turns; all the harm is done in every second one."""
    second = [k for k in range(WORDS) if k // 10 % 2 == 1 and k % 10 == 0]
    worse = outcome(wrong_tags=second)
    choose, confirm = worse.halves()
    assert worse.right("accuracy")[choose].all()
    assert not worse.right("accuracy")[confirm].all()
    tables, _ = freezer(by_rows(lambda left: outcome() if left > 2900 else worse)).freeze(prune=True)
    assert rows(tables) > 2900


def test_slack_is_what_a_measure_may_lose_in_points():
    """With a slack of x points, a loss of x is taken, and one of 1.5 x is not; changes are few enough in both."""
    for slack in (0.1, 0.5, 1.0):
        for part, pruned_away in ((1.0, True), (1.5, False)):
            lost = int(part * slack / 100 * WORDS)
            # spread evenly over both halves
            wrong = [10 * k for k in range(lost)]
            worse = outcome(wrong_tags=wrong)
            measure = by_rows(lambda left, worse=worse: outcome() if left > 2900 else worse)
            tables, _ = freezer(measure).freeze(slack=slack, prune=True)
            assert (rows(tables) <= 2900) == pruned_away, (slack, part)


def test_four_times_as_many_words_may_change_as_a_measure_may_lose():
    """Changes that cost nothing: a wrong tag becomes another wrong tag."""
    for part, pruned_away in ((0.6, True), (1.1, False)):
        slack = 0.5
        changed = int(part * CHANGES * slack / 100 * WORDS)

        def measure(left, changed=changed):
            return tagged([2 if left <= 2900 and k < changed else 1 for k in range(WORDS // 10)])

        tables, _ = freezer(by_rows(measure)).freeze(slack=slack, prune=True)
        assert (rows(tables) <= 2900) == pruned_away


def left_over(share):
    """Rows of the freezer's table of which this share is dropped."""
    return len(pruned(freezer(None).weights["all"], share)["keys"])


@pytest.mark.parametrize("k", [1, 2, 6, 11, len(SHARES) - 1])
def test_as_many_rows_are_dropped_as_do_no_harm(k):
    enough = left_over(SHARES[k])
    measure = by_rows(lambda left: outcome() if left >= enough else outcome(range(0, WORDS, 50)))
    assert rows(freezer(measure).freeze(prune=True)[0]) == enough


def test_rows_that_the_half_that_confirms_needs_are_kept_but_no_others():
    """The half that chooses could do with fewer."""
    enough, second = left_over(SHARES[4]), [k for k in range(WORDS) if k // 10 % 2 == 1 and k % 10 == 0]

    def measure(left):
        if left >= enough:
            return outcome()
        return outcome(second) if left >= left_over(SHARES[5]) else outcome(range(0, WORDS, 50))

    assert rows(freezer(by_rows(measure)).freeze(prune=True)[0]) == enough


def test_the_half_that_confirms_has_no_margin_for_chance():
    """190 of the 200 words that may change do: too many to choose by, but not to confirm what was chosen."""
    for half, pruned_away in ((1, True), (0, False)):

        def measure(left, half=half):
            return tagged([2 if left <= 2900 and k % 2 == half and k < 380 else 1 for k in range(WORDS // 10)])

        tables, _ = freezer(by_rows(measure)).freeze(slack=0.5, prune=True)
        assert (rows(tables) <= 2900) == pruned_away


@pytest.mark.parametrize(("half", "bits"), [(0, 16), (1, 8)])
def test_8_bits_are_confirmed_without_a_margin_for_chance(half, bits):
    """As many words change as above, by rounding alone."""

    def measure(tables):
        rounded = tables["all"].bits == 8
        return tagged([2 if rounded and k % 2 == half and k < 380 else 1 for k in range(WORDS // 10)])

    assert freezer(measure).freeze(slack=0.5)[0]["all"].bits == bits


@pytest.mark.parametrize(
    ("words", "changed", "slack", "margin", "kept"),
    [
        (4, 3, 50.0, True, True),  # 3 + 1 + 2 √4, of four times two words that may be lost
        (3, 3, 50.0, True, False),
        (4, 4, 25.0, False, True),
        (4, 4, 24.0, False, False),
    ],
)
def test_words_may_change_up_to_the_limit(words, changed, slack, margin, kept):
    """They are wrong before and after, so that no measure moves."""
    tags = np.ones(words)
    tags[:changed] = 2
    of = Freezer({}, {}, None)
    of.full = Columns(words, words, tags=np.ones(words))
    found = Stored({}, Columns(words, words, tags=tags))
    assert of._keeps(found, np.ones(words, dtype=bool), slack, margin=margin) == kept


def test_a_small_development_set_proves_nothing():
    small = lambda tables: outcome(words=400)  # noqa: E731
    tables, _ = freezer(small).freeze(prune=True)
    assert (rows(tables), tables["all"].bits) == (4000, 16)


def test_the_fewest_bits_are_taken_that_change_nothing():
    for enough in (8, 16, 32):
        measure = lambda tables, enough=enough: outcome(() if tables["all"].bits >= enough else range(0, WORDS, 5))  # noqa: E731
        assert freezer(measure).freeze()[0]["all"].bits == enough


@pytest.mark.parametrize(
    ("changed", "lost", "bits"),
    [
        (200, 0, 16),  # 1 % of the words are wrong in another way
        (201, 0, 32),
        (100, 28, 16),  # a slack of 10 words, and 20 that 100 changes may lose by chance
        (100, 34, 32),
    ],
)
def test_16_bits_need_no_proof_but_may_be_refuted(changed, lost, bits):
    """A word of every sentence is wrong in full precision."""

    def measure(tables):
        rounded = tables["all"].bits < 32
        sentences = range(WORDS // 10)
        return tagged(
            [2 if rounded and k < changed - lost else 1 for k in sentences],
            [1 if rounded and k < lost else 0 for k in sentences],
        )

    tables, _ = freezer(measure).freeze(slack=0.05, prune=True)
    assert (rows(tables), tables["all"].bits) == (4000, bits)


def test_without_slack_nothing_may_change():
    for changed, bits in ((0, 16), (1, 32)):
        measure = lambda tables, changed=changed: outcome(range(changed if tables["all"].bits < 32 else 0))  # noqa: E731
        tables, _ = freezer(measure).freeze(slack=0.0, prune=True)
        assert (rows(tables), tables["all"].bits) == (4000, bits)


def test_8_bits_that_harm_the_half_that_confirms_are_not_taken():
    second = [k for k in range(WORDS) if k // 10 % 2 == 1 and k % 10 == 0]
    tables, _ = freezer(lambda tables: outcome(second if tables["all"].bits == 8 else ())).freeze()
    assert tables["all"].bits == 16


def test_bits_that_are_asked_for_are_given():
    for bits in (8, 16, 32):
        tables, _ = freezer(lambda tables: outcome(range(rows(tables) % 7))).freeze(bits, prune=True)
        assert tables["all"].bits == bits


def test_without_development_data_all_rows_are_kept_in_16_bits():
    tables, scores = freezer(None).freeze(prune=True)
    assert (rows(tables), tables["all"].bits, scores) == (4000, 16, {})


def test_megabytes_are_kept_to_whatever_changes():
    tables, _ = freezer(lambda tables: outcome(range(WORDS)) if rows(tables) < 4000 else outcome()).freeze(
        megabytes=0.01
    )
    assert 0.008e6 < Stored(tables, None).size <= 0.01e6


def test_where_nothing_fits_the_row_with_the_largest_weight_is_left():
    values = np.array([3.0, 9.0, 5.0])
    tables, _ = freezer(None, values).freeze(megabytes=1e-9)
    assert rows(tables) == 1
    assert tables["all"].scores(np.array([2], dtype=np.uint64)).argmax() == 1


def test_tables_that_just_fit_are_taken():
    half = Stored(freezer(None)._tables(8, 0.5), None).size
    assert freezer(None)._squeezed(8, half).size == half


def test_a_megabyte_has_a_million_bytes_and_none_are_asked_for_by_default(monkeypatch):
    monkeypatch.setattr(Stored, "size", 1_000_001)
    assert rows(freezer(None).freeze()[0]) == 4000
    assert rows(freezer(None).freeze(megabytes=1.0)[0]) == 1
    monkeypatch.setattr(Stored, "size", 1_000_000)
    assert rows(freezer(None).freeze(megabytes=1.0)[0]) == 4000


@pytest.mark.parametrize("megabytes", [0.1, 0.25])
def test_the_megabytes_are_those_of_the_file(megabytes):
    """All of it: the tables as they are stored, and their few numbers in the header."""
    random = np.random.default_rng(2)
    n = 60_000
    arrays = {
        "keys": np.arange(1, n + 1, dtype=np.uint64),
        "starts": np.arange(0, 3 * n + 1, 3, dtype=np.int64),
        "labels": np.sort(np.argsort(random.random((n, 20)), axis=1)[:, :3], axis=1).astype(np.uint16).reshape(-1),
        "values": random.normal(0, 10, 3 * n).astype(np.float32),
    }
    tables, _ = Freezer({"all": arrays}, {"all": 20}, None).freeze(8, megabytes=megabytes)
    stored = Stored(tables, None).size
    assert 0.99e6 * megabytes < stored <= 1e6 * megabytes
    assert stored <= len(model_bytes(*table_parts(tables))) <= stored + 800
    again = open_table(tables["all"].header(), tables["all"].arrays())
    keys = arrays["keys"][::100]
    assert all(np.array_equal(again.scores(keys[i : i + 1]), tables["all"].scores(keys[i : i + 1])) for i in range(600))


def test_pruning_drops_the_rows_with_the_smallest_sums_and_small_weights_of_the_others():
    """The twin of ``pruned`` in plain Python, on 21 rows: quantiles fall on values, which are kept."""
    random = np.random.default_rng(5)
    values = random.permutation(np.geomspace(0.1, 50.0, 42)).astype(np.float32) * random.choice([-1, 1], 42)
    pairs = values.reshape(21, 2).astype(np.float32).tolist()
    arrays = {
        "keys": np.arange(1, 22, dtype=np.uint64),
        "starts": np.arange(0, 43, 2, dtype=np.int64),
        "labels": np.tile(np.array([0, 2], dtype=np.uint16), 21),
        "values": values.astype(np.float32),
    }
    sums = sorted(abs(a) + abs(b) for a, b in pairs)
    sizes = sorted(abs(v) for pair in pairs for v in pair)
    small_in_kept_rows = 0
    for share in (0.25, 0.5, 0.75):
        least = sums[int(share * 20)]
        smallest = 0.5 * np.quantile(np.array(sizes, dtype=np.float32), share)
        expected = {}
        for key, pair in enumerate(pairs, 1):
            row = {label: v for label, v in zip((0, 2), pair, strict=True) if abs(v) >= smallest}
            if row and sum(map(abs, pair)) >= least:
                expected[key] = row
                small_in_kept_rows += 2 - len(row)
        left = pruned(arrays, share)
        ends = zip(left["starts"].tolist(), left["starts"][1:].tolist(), strict=False)
        found = {
            int(key): dict(zip(left["labels"][a:b].tolist(), left["values"][a:b].tolist(), strict=True))
            for key, (a, b) in zip(left["keys"], ends, strict=True)
        }
        assert found == expected
        freeze_arrays(left, 3, 16)  # sound arrays
    assert small_in_kept_rows > 3
