"""Lexicons: the table against a plain dict, matches against a slow twin, files right and wrong, damage."""

import random

import numpy as np
import pytest

from plait.errors import FormatError, OptionError
from plait.features._lexicon_table import WordTable, build_table
from plait.features.word_lexicon import LEXICON_COLUMNS, MATCH_COLUMNS, Lexicon, parse_lexicon

LETTERS = "abcde中国人民"


def words(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    return sorted({"".join(rng.choices(LETTERS, k=rng.randint(1, 6))) for _ in range(count)})


@pytest.mark.parametrize("count", [0, 1, 2, 5, 3000])
def test_every_word_is_found_with_its_number(count):
    listed = words(count)
    table = build_table(listed, list(range(len(listed))))
    assert len(table) >= len(listed) - 2  # words that cannot be told apart are one
    wrong = sum(table.get(word) != i for i, word in enumerate(listed))
    assert wrong <= 2
    assert table.words(listed).tolist() == [table.get(word) for word in listed]


def test_words_that_are_not_listed_are_hardly_ever_found():
    listed = [f"w{i}" for i in range(50_000)]
    table = build_table(listed, [0] * len(listed))
    found = sum(table.get(f"x{i}") >= 0 for i in range(100_000))
    assert found < 25  # 0.00005 each


def test_suffixes():
    table = build_table(["ing", "walking", "国人"], [0, 1, 2])
    assert table.suffixes(["walking", "talking", "中国人", "ing", ""], 2).tolist() == [
        [0, 3], [0, 3], [2, 2], [-1, 0], [-1, 0],
    ]  # fmt: skip


def twin(listed: dict[str, int], text: str, starts: list[int], ends: list[int]) -> list[list[list[int]]]:
    n = len(starts)
    found = [[[0, -1] for _ in range(3)] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            if any(starts[k] != ends[k - 1] for k in range(i + 1, j + 1)) or text[starts[i] : ends[j]] not in listed:
                continue
            length, number = j - i + 1, listed[text[starts[i] : ends[j]]]
            places = [(i, 0), (j, 2), *((k, 1) for k in range(i + 1, j))]
            for k, side in places:
                if length > found[k][side][0]:
                    found[k][side] = [length, number]
    return found


@pytest.mark.parametrize("seed", range(30))
def test_matches_are_those_of_a_slow_twin(seed):
    rng = random.Random(seed)
    listed = {word: i for i, word in enumerate(words(60, seed))}
    text = "".join(rng.choices(LETTERS + " ", k=30))
    places = [i for i, c in enumerate(text) if c != " "]
    starts, ends, at = [], [], 0
    while at < len(places):  # units of one or two characters
        size = 2 if rng.random() < 0.2 and at + 1 < len(places) and places[at + 1] == places[at] + 1 else 1
        starts.append(places[at])
        ends.append(places[at] + size)
        at += size
    table = build_table(list(listed), list(listed.values()))
    assert table.matches(text, starts, ends).tolist() == twin(listed, text, starts, ends)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("dog\ncat\n", [("dog", "", 0), ("cat", "", 0)]),
        ("dog 3 n\ncat 5\nrun v\n", [("dog", "n", 3), ("cat", "", 5), ("run", "v", 0)]),
        ("run\tran\tV;PST\n", [("ran", "V;PST", 0)]),
        ("dog\tNOUN\n", [("dog", "NOUN", 0)]),
        ("form\tcount\ttag\tfeats\na\t2\tNOUN\tCase=Acc\nb\t1\tX\t_\n", [("a", "NOUN+Case=Acc", 2), ("b", "X", 1)]),
        ("\ufeff# source: mine\n# licence: MIT\r\n\ndog 1 n\r\n", [("dog", "n", 1)]),
        ("form\n#\n", [("#", "", 0)]),
    ],
)
def test_files(content, expected):
    entries = list(parse_lexicon(content.encode(), "f", {}))
    assert [(entry.form, entry.tag, entry.count) for entry in entries] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("run\tran\tV;PST\nrun\trunning\tV.PTCP;PRS\n", [("run", "VERB"), ("run", "VERB")]),
        ("form\ttag\tlemma\n_\tSYM\t_\nran\tVERB\trun\n", [("", "SYM"), ("run", "VERB")]),
        ("form\tlemma\tfeats\nran\trun\tTense=Past\n", [("run", "")]),
        ("ran 3 v\n", [("", "")]),
    ],
)
def test_lemmas_of_files(content, expected):
    assert [(entry.lemma, entry.upos) for entry in parse_lexicon(content.encode(), "f", {})] == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no entries"),
        (b"# source: x\n", "no entries"),
        (b"dog 1 n x\n", "f:1"),
        (b"dog 1 n\ncat  2\n", "f:2"),
        (b"run\tran\tV\nrun\tran\n", "f:2"),
        (b"form\tcolour\n", "unknown or repeated"),
        (b"form\tform\n", "unknown or repeated"),
        (b"form\tcount\na\tmany\n", "f:2"),
        (b"form\tcount\na\t-1\n", "f:2"),
        (b"\xff\xfe", "UTF-8"),
        (b"a" * 65, "64 characters"),
    ],
)
def test_bad_files_are_reported_with_file_and_line(content, message):
    with pytest.raises(FormatError) as error:
        list(parse_lexicon(content, "f", {}))
    assert message in str(error.value)


def test_a_form_on_several_lines_has_all_its_tags_the_most_frequent_first(tmp_path):
    (tmp_path / "a.txt").write_text("# source: A\n# licence: MIT\nrun 3 n\nrun 5 v\nrun 1 n\n")
    (tmp_path / "b.txt").write_text("run 9 a\ndog\n")
    lexicon = Lexicon.read([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert lexicon.describe("run") == "a|v|n"
    assert [(s.name, s.licence, s.entries) for s in lexicon.sources] == [("A", "MIT", 2), ("b.txt", "", 2)]
    assert lexicon.classes[lexicon.table.get("run")][1] == 5  # 18 in all


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(FormatError, match="nowhere"):
        Lexicon.read([tmp_path / "nowhere"])


def test_atoms_tell_words_apart_by_what_is_listed():
    lexicon = Lexicon.of({"walk": (["v", "n"], 4), "talk": (["v", "n"], 4), "sing": (["v"], 4), "walkman": (["n"], 0)})
    atoms = lexicon.atoms(["walk", "talk", "sing", "walkman", "Walk", "sidewalk", "x"], LEXICON_COLUMNS)
    walk, talk, sing, walkman, upper, sidewalk, other = atoms.tolist()
    lex, tag, count, low, suffix = range(5)
    assert walk == talk
    assert walk[lex] != sing[lex]
    assert walk[tag] == sing[tag] != walkman[tag]
    assert walk[count] == sing[count] != walkman[count] != 0
    assert (upper[lex], upper[low]) == (0, walk[lex])
    assert sidewalk[suffix] != 0
    assert sidewalk[lex] == 0
    assert other == [0] * 5


def test_a_lexicon_is_stored_and_read_back():
    lexicon = Lexicon.of({word: (["a"] if i % 2 else ["b"], i) for i, word in enumerate(words(300))})
    again = Lexicon.from_parts(lexicon.header(), lexicon.arrays())
    probe = [*words(300), "nothing"]
    assert np.array_equal(again.atoms(probe, LEXICON_COLUMNS), lexicon.atoms(probe, LEXICON_COLUMNS))
    size = sum(array.nbytes for array in lexicon.arrays().values())
    assert size / len(lexicon) < 6.5


@pytest.mark.parametrize(
    "change",
    [
        lambda h, a: h["classes"].clear(),
        lambda h, a: h["classes"].__setitem__(0, ["a", 99]),
        lambda h, a: h["classes"].__setitem__(0, [1, 1]),
        lambda h, a: h.__setitem__("longest", -1),
        lambda h, a: h.__setitem__("longest", 10**6),
        lambda h, a: a.__setitem__("starts", a["starts"][:-1]),
        lambda h, a: a.__setitem__("starts", a["starts"][::-1].copy()),
        lambda h, a: a.__setitem__("starts", a["starts"] + np.uint32(1)),
        lambda h, a: a.__setitem__("values", a["values"][:-1]),
        lambda h, a: a.__setitem__("values", a["values"] + np.uint16(500)),
        lambda h, a: a.__setitem__("prints", a["prints"].astype(np.int32)),
        lambda h, a: a.pop("prints"),
        lambda h, a: h["sources"].append({}),
    ],
)
def test_damage_is_refused(change):
    lexicon = Lexicon.of({word: (["a"], i) for i, word in enumerate(words(100))})
    header, arrays = lexicon.header(), dict(lexicon.arrays())
    change(header, arrays)
    with pytest.raises((ValueError, KeyError)):
        Lexicon.from_parts(header, arrays)


def test_too_many_sets_of_tags_are_refused():
    with pytest.raises(OptionError, match="at most"):
        Lexicon.of({f"w{i}": ([f"t{i}"], 0) for i in range(65_536)})


def test_units_know_what_begins_and_ends_there():
    lexicon = Lexicon.of({"中国": (["ns"], 1), "国人": (["n"], 1), "中国人": (["n"], 1)})
    atoms = np.zeros((4, len(MATCH_COLUMNS)), dtype=np.uint64)
    lexicon.fill_units(atoms, MATCH_COLUMNS, "中国人民", [0, 1, 2, 3], [1, 2, 3, 4])
    assert atoms[:, :3].tolist() == [[3, 0, 0], [2, 3, 2], [0, 0, 3], [0, 0, 0]]
    assert (atoms[:, 3] != 0).tolist() == [True, True, False, False]


def test_an_empty_table_knows_nothing():
    table = WordTable(np.zeros(2, np.uint32), np.zeros(0, np.uint16), np.zeros(0, np.uint16), 0)
    assert table.get("x") == -1
