import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.core._frozen import freeze
from plait.core._hashing import key_of
from plait.core._kernel import HashKernel
from plait.core._templates import Templates
from plait.core._weights import Weights
from plait.errors import FormatError, OptionError
from plait.features.templates import Template, load_templates, parse_table, spread, stored_templates


def texts(templates):
    return [template.text for template in templates]


def test_a_table_reads_sets_comments_and_inheritance():
    sets = parse_table("# top\nset a  # first\n  w0 | w-1 w0  # two\n\nset b : a\n  suf2 | w0\n")
    assert texts(sets["a"]) == ["w0", "w-1 w0"]
    assert texts(sets["b"]) == ["w0", "w-1 w0", "suf2"]


def test_loops_run_over_values_and_over_groups():
    sets = parse_table("set a\n for k in 1 2: pre<k> | suf<k>\n for p q in (0 +1) (-1 0): w@<p> t@<q>\n")
    assert texts(sets["a"]) == ["pre1", "suf1", "pre2", "suf2", "w@0 t@+1", "w@-1 t@0"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("w0", ["<templates>:1", "before any set"]),
        ("", ["no template set"]),
        ("set a\nset a", [":2", "defined twice"]),
        ("set b : a", [":1", '"a"', "defined above"]),
        ("set a\nfor k in 1 2", [":2", "loop"]),
        ("set a\nfor p q in (1): w@<p>", [":2", "1 values for 2"]),
        ("set a\nw@<k>", [":2", "loop"]),
    ],
)
def test_a_faulty_table_says_where_and_what(table, words):
    with pytest.raises(FormatError) as caught:
        parse_table(table)
    for word in words:
        assert word in str(caught.value)


def test_a_user_file_gives_its_last_or_its_named_set(tmp_path):
    table = tmp_path / "mine.txt"
    table.write_text("set first\n w0\nset second\n w-1\n")
    assert texts(load_templates(str(table), "tagging")) == ["w-1"]
    assert texts(load_templates(f"{table}:first", "tagging")) == ["w0"]
    with pytest.raises(OptionError, match="it has first, second"):
        load_templates(f"{table}:third", "tagging")


def test_an_unknown_set_is_answered_with_the_nearest():
    with pytest.raises(OptionError, match="did you mean general"):
        load_templates("generl", "tagging")


def test_a_file_that_is_not_text_is_refused(tmp_path):
    table = tmp_path / "mine.txt"
    table.write_bytes(b"\xff\xfe set")
    with pytest.raises(FormatError, match="UTF-8"):
        load_templates(str(table), "tagging")


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=4), max_size=6),
    st.lists(st.integers(0, 5), min_size=7, max_size=7),
)
def test_keys_equal_the_slow_twin(places, atoms):
    seeds = [1000 + k for k in range(len(places))]
    compiled = Templates(seeds, places)
    expected = [key_of(seed, [atoms[3 + p] for p in place]) for seed, place in zip(seeds, places, strict=True)]
    assert compiled.keys(np.array(atoms, dtype=np.uint64), 3).tolist() == expected


def test_templates_never_look_outside_their_atoms():
    compiled = Templates([1], [[-1, 2]])
    with pytest.raises(IndexError):
        compiled.keys(np.ones(3, dtype=np.uint64), 0)
    with pytest.raises(IndexError):
        compiled.table(np.ones(8, dtype=np.uint64), 1, 2, 4)


@pytest.mark.parametrize("kind", ["exact", "frozen", "hash"])
@pytest.mark.parametrize(("templates", "items"), [(1, 700), (3, 400), (600, 3)])
def test_the_scores_of_many_items_are_those_of_each_alone(kind, templates, items):
    random = np.random.default_rng(items)
    compiled = Templates(range(1, templates + 1), [[k % 3 - 1] for k in range(templates)])
    atoms = random.integers(0, 5, size=(items + 2, 1)).astype(np.uint64)
    table = HashKernel(4, 12) if kind == "hash" else Weights(4)
    keys = compiled.table(atoms.reshape(-1), 1, 1, items)
    for key in np.unique(keys).tolist()[1::2]:
        table.update(key, key % 4, float(key % 7))
    if kind == "frozen":
        table = freeze(*table.export(averaged=False)[:4], 4, 16)
    expected = [table.scores(row).tolist() for row in keys]
    assert compiled.scores(table, atoms, 1).tolist() == expected


def test_different_templates_over_the_same_atoms_have_different_keys():
    one, two = Template(("w0",)), Template(("low",))
    assert one.seed != two.seed


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("set a\n" + "for k in 1: " * 1500 + "w0", [":2", "loops"]),
        ("set a\n" + "for k in 1 2 3 4 5 6 7 8: " * 7 + "w0", [":2", "loops"]),
        ("set a\n" + "for k in 1 2 3 4 5 6 7 8: " * 7, [":2", "loops"]),
        ("set a\n" + "for k in aaaaaaaa: " + "for j in <k><k><k><k>: " * 2 + "<j>" * 3000, [":2", "too long"]),
        ("set a\n" + "\n".join(f"w0 suf{k}" for k in range(100_000)), [":4098", "too many templates", "4096"]),
        ("set a\n" + " ".join(["w0"] * 40), [":2", "40 atoms"]),
        ("set a\n for " + "a in " * 20_000, [":2"]),
    ],
)
def test_a_table_beyond_all_bounds_is_refused_at_once(table, words):
    started = time.perf_counter()
    with pytest.raises(FormatError) as caught:
        parse_table(table)
    assert time.perf_counter() - started < 2
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("texts", ["w0", ["w0", 7], [""], ["w0 " * 40], ["w0"] * 5000, {"w0": 1}, None])
def test_invalid_stored_templates_are_refused(texts):
    with pytest.raises(ValueError, match="template"):
        stored_templates(texts)


def test_a_template_does_not_stand_for_millions():
    with pytest.raises(OptionError, match="more than 4096"):
        spread(Template(("x",) * 5), {"x": [str(k) for k in range(8)]})
