"""Word clusters in every system that takes them: read, used, kept in the model file, and checked there."""

from pathlib import Path

import numpy as np
import pytest

from plait.core._hashing import text_hash
from plait.data.document import Sentence
from plait.errors import FormatError, ModelError, OptionError
from plait.features._words import word_atoms
from plait.features.clusters import Clusters, present_atom
from plait.features.sequence import place_atom
from plait.features.word_resources import KNOWN_COLUMNS, NO_RESOURCES, WordResources
from plait.formats import read
from plait.pipeline import Model, train

SYSTEMS = {
    "perceptron-tagger": {"epochs": 4, "tag_dictionary": 100},
    "crf-tagger": {},
    "easyfirst-tagger": {"epochs": 4, "tag_dictionary": 100},
    "easyfirst-parser": {"epochs": 4, "folds": 2},
    "easyfirst-joint": {"epochs": 4, "tag_dictionary": 100},
    "graph-parser": {"epochs": 4, "folds": 2},
    "graph-joint": {"epochs": 4, "folds": 2},
    "transition-parser": {"epochs": 4, "folds": 2, "beam": 4},
    "transition-joint": {"epochs": 10, "folds": 4, "beam": 4},
}
NOUNS, VERBS = ("dog", "cat", "owl", "elk"), ("sees", "hears", "likes", "shuns")


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    """Nothing but its cluster tells a noun from a verb that training has not seen: the order is free."""
    found = []
    for i, (noun, verb) in enumerate((n, v) for n in NOUNS[:3] for v in VERBS[:3]):
        words = [noun, verb] if i % 2 else [verb, noun]
        sentence = Sentence(words)
        sentence.upos = ["NOUN" if word in NOUNS else "VERB" for word in words]
        at = words.index(verb) + 1
        sentence.set_tree([0 if j == at else at for j in (1, 2)], ["root" if j == at else "nsubj" for j in (1, 2)])
        found.append(sentence)
    return found


@pytest.fixture
def paths(tmp_path: Path) -> Path:
    """Clusters as programs write them; counts may be missing."""
    lines = [f"001101\t{noun}\t3" for noun in NOUNS] + [f"110\t{verb}" for verb in VERBS]
    (tmp_path / "paths").write_text("\n".join(lines) + "\n")
    return tmp_path / "paths"


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "transition-parser"])  # whose tagger has none
def test_clusters_tell_what_a_new_word_is_and_stay_in_the_model(
    treebank: list[Sentence], paths: Path, name: str
) -> None:
    model = train(name, train=treebank, clusters=str(paths), **SYSTEMS[name])
    paths.unlink()
    again = Model.from_bytes(model.to_bytes())
    for words in (["elk", "shuns"], ["shuns", "elk"]):
        expected = ["NOUN" if word in NOUNS else "VERB" for word in words]
        assert model(words)[0].upos == expected
        assert again(words)[0] == model(words)[0]


PARSERS = {
    "easyfirst-parser": {"epochs": 6, "gold_tags": True},
    "easyfirst-joint": {"epochs": 6},
    "graph-parser": {"epochs": 6, "gold_tags": True},
    "graph-joint": {"epochs": 6},
    "transition-parser": {"epochs": 6, "gold_tags": True, "beam": 4},
    "transition-joint": {"epochs": 10, "folds": 4, "beam": 4},
}


@pytest.mark.parametrize("name", PARSERS)
def test_clusters_tell_how_a_new_word_is_attached(paths: Path, name: str) -> None:
    """All words have one tag: the arcs must see for themselves what is alike."""
    found = []
    for first in (True, False):
        for noun in NOUNS[:3]:
            for verb in VERBS[:3]:
                words = [noun, verb] if first else [verb, noun]
                sentence = Sentence(words, upos=["X", "X"])
                heads, labels = ([2, 0], ["nsubj", "root"]) if first else ([0, 1], ["root", "nsubj"])
                sentence.set_tree(heads, labels)
                found.append(sentence)
    model = train(name, train=found, clusters=str(paths), **PARSERS[name])
    assert model(Sentence(["elk", "shuns"], upos=["X", "X"]))[0].heads == [2, 0]
    assert model(Sentence(["shuns", "elk"], upos=["X", "X"]))[0].heads == [0, 1]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_training_reads_the_file_once(
    treebank: list[Sentence], paths: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that all its parts, and what is stored, agree."""
    times = []
    read_file = Clusters.read.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Clusters, "read", classmethod(lambda cls, path: times.append(path) or read_file(cls, path)))
    train(name, train=treebank, clusters=str(paths), **SYSTEMS[name])
    assert len(times) == 1


def test_a_guide_inside_shares_the_clusters_of_its_model(treebank: list[Sentence], paths: Path) -> None:
    options = {"tag_templates": "guided+Syn", "folds": 2, **SYSTEMS["easyfirst-joint"]}
    model = train("easyfirst-joint", train=treebank, clusters=str(paths), **options)
    assert [key for key in model.system.parts()[1] if key.endswith("clusters.prints")] == ["clusters.prints"]
    again = Model.from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    assert [again(s.forms)[0] for s in treebank] == [model(s.forms)[0] for s in treebank]


def test_the_report_says_that_a_cluster_is_meant(treebank: list[Sentence], paths: Path) -> None:
    for name in ("perceptron-tagger", "crf-tagger", "easyfirst-tagger"):
        system = train(name, train=treebank, clusters=str(paths), **SYSTEMS[name]).system
        texts = [text for rows in system.training["heaviest"].values() for text, _ in rows]
        of_clusters = [part for text in texts for part in text.split() if part.startswith("bits")]
        assert of_clusters
        assert all("=~" in part for part in of_clusters)


@pytest.mark.parametrize("name", SYSTEMS)
def test_damaged_clusters_are_refused(treebank: list[Sentence], paths: Path, name: str) -> None:
    system = train(name, train=treebank, clusters=str(paths), **SYSTEMS[name]).system
    header, arrays = system.parts()
    prefix = next(key for key in arrays if key.endswith("clusters.prints")).removesuffix("prints")
    kept = {part: arrays[prefix + part] for part in ("starts", "prints", "values", "prefixes")}
    for changed in (
        {f"{prefix}starts": kept["starts"][::-1].copy()},
        {f"{prefix}prefixes": kept["prefixes"][:1]},
        {f"{prefix}prefixes": kept["prefixes"][:, :2].copy()},
        {f"{prefix}values": kept["values"] + np.uint16(9)},
        {f"{prefix}words": np.arange(3, dtype=np.uint64)},
    ):
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, header, arrays | changed)
    without = {key: array for key, array in arrays.items() if not key.startswith(prefix)}
    with pytest.raises(ModelError, match="damaged"):
        type(system).from_parts(system.options, header, without)


def test_clusters_of_older_models_are_read() -> None:
    bits = {"dog": "0010", "cat": "00110111", "tea": "0010"}
    rows = sorted((text_hash(w), [text_hash(b[:4]), text_hash(b[:6]), text_hash(b)]) for w, b in bits.items())
    words = np.array([word for word, _ in rows], dtype=np.uint64)
    older = {"words": words, "prefixes": np.array([row for _, row in rows], dtype=np.uint64)}
    probe = np.array([text_hash(word) for word in (*bits, "cow")], dtype=np.uint64)
    assert np.array_equal(Clusters.from_arrays(older).atoms(probe), Clusters.of(bits).atoms(probe))
    for damaged in ({"words": words[:1]}, {"prefixes": older["prefixes"][:, :2]}, {"words": words.astype(np.int64)}):
        with pytest.raises(ValueError, match="damaged"):
            Clusters.from_arrays(older | damaged)


def test_clusters_and_tables_may_come_from_windows(tiny_file: Path, tmp_path: Path) -> None:
    content = {"clusters": "0\tdogs\t2\n10\tbark\t1\n", "templates": "set mine\n    w0 | w-1\n"}
    found = []
    for dress in (str, lambda text: "\ufeff" + text.replace("\n", "\r\n")):
        options = {}
        for name, text in content.items():
            options[name] = str(tmp_path / name)
            Path(options[name]).write_bytes(dress(text).encode())
        model = train("perceptron-tagger", train=tiny_file, epochs=1, **options)
        found.append([str(model.system.features.templates), model(["dogs", "bark"])[0].upos])
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["crf-tagger", "easyfirst-joint", "transition-parser"])
@pytest.mark.parametrize("text", ["", "0010 cat 3\n", "002\tcat\t3\n", "01\t\t3\n"])
def test_what_are_no_clusters_is_refused(tiny_file: Path, tmp_path: Path, name: str, text: str) -> None:
    sentences = read(tiny_file).sentences[:4]
    (tmp_path / "paths").write_text(text)
    with pytest.raises(FormatError, match="cluster"):
        train(name, train=sentences, clusters=str(tmp_path / "paths"))
    with pytest.raises(FormatError, match=r"nothing: cannot read the clusters: No such .*; check the path"):
        train(name, train=sentences, clusters=str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("name", "line"),
    [("perceptron-tagger", "w0 bits6@-1"), ("crf-tagger", "bits6 t0"), ("easyfirst-tagger", "bits6 t-1"),
     ("easyfirst-parser", "p0.bits4 p+1.t"), ("transition-parser", "s0.bits4 b0.t"),
     ("graph-parser", "h.bits6 m.t dir"), ("crf-tagger", "c-1 t0"),
     ("easyfirst-parser", "p0.c6 p+1.t"), ("transition-parser", "s0.c b0.t")],
)  # fmt: skip
def test_templates_of_clusters_ask_for_them(treebank: list[Sentence], tmp_path: Path, name: str, line: str) -> None:
    (tmp_path / "t.txt").write_text(f"set mine\n {line}\n")
    with pytest.raises(OptionError, match="--clusters"):
        train(name, train=treebank, templates=str(tmp_path / "t.txt"))


def test_a_template_of_ones_own_that_looks_at_clusters_counts_once(
    treebank: list[Sentence], paths: Path, tmp_path: Path
) -> None:
    (tmp_path / "t.txt").write_text("set mine\n bits6 | w0 | bits | bits6@-1\n")
    templates = str(tmp_path / "t.txt")
    system = train("easyfirst-tagger", train=treebank, clusters=str(paths), templates=templates, epochs=1).system
    texts = system.parts()[0]["templates"]
    assert texts[:4] == ["bits6", "w0", "bits", "bits6@-1"]
    places = [tuple(place_atom(atom, KNOWN_COLUMNS) for atom in text.split()) for text in texts]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize(
    ("name", "former"),
    [("easyfirst-tagger", "c6 | w0 | c0 | c6@-1 | c+1"), ("easyfirst-parser", "p0.c6 | p0.c"),
     ("transition-parser", "s0.c6 | s0.c4 s0.t"), ("crf-tagger", "c6@-1 t0 | c t0")],
)  # fmt: skip
def test_a_template_in_the_former_spelling_counts_once_beside_the_present_one(
    treebank: list[Sentence], paths: Path, tmp_path: Path, name: str, former: str
) -> None:
    (tmp_path / "t.txt").write_text(f"set mine\n {former}\n")
    options = SYSTEMS[name] | {"templates": str(tmp_path / "t.txt"), "epochs": 1}
    header = train(name, train=treebank, clusters=str(paths), **options).system.parts()[0]
    texts = header.get("crf", header)["templates"]
    assert former.split(" | ") == texts[: former.count("|") + 1]
    spelled = [tuple(map(present_atom, text.split())) for text in texts]
    assert len(set(spelled)) == len(spelled)


def test_columns_of_clusters_stand_beside_those_of_words() -> None:
    clusters = Clusters.of({"dog": "0010", "cat": "00110111"})
    forms = ["dog", "cow", "cat"]
    atoms = WordResources(clusters).reader(("suf1", "bits6", "bits"), 1).atoms(forms)
    assert np.array_equal(atoms[:, :1], word_atoms(forms, ("suf1",), 1))
    assert (atoms[:, 1:] != 0).tolist() == [[False] * 2, [True] * 2, [False] * 2, [True] * 2, [False] * 2]
    assert atoms[1, 1] != atoms[3, 1]
    assert np.array_equal(NO_RESOURCES.reader(("w",), 1).atoms(forms), word_atoms(forms, ("w",), 1))


@pytest.mark.parametrize(
    ("atom", "column", "offset"),
    [
        ("bits6", "bits6", 0),
        ("bits@0", "bits", 0),
        ("bits6@-1", "bits6", -1),
        ("bits4@+2", "bits4", 2),
        ("w6", "w", 6),
        ("c6", "bits6", 0),
        ("c0", "bits", 0),
        ("c-1", "bits", -1),
        ("c6@-1", "bits6", -1),
        ("c4@+2", "bits4", 2),
    ],
)
def test_the_bits_of_a_cluster_are_not_a_distance(atom: str, column: str, offset: int) -> None:
    assert place_atom(atom, KNOWN_COLUMNS) == (column, offset)


def test_other_bits_than_those_known_are_no_distance_either() -> None:
    for atom in ("bits5", "c5"):
        with pytest.raises(OptionError, match=f'unknown atom "{atom}"'):
            place_atom(atom, KNOWN_COLUMNS)
    assert place_atom("c5", ("c",)) == ("c", 5)  # of characters, in the templates of texts


@pytest.mark.parametrize(
    ("name", "former", "present"),
    [("perceptron-tagger", "w0 c6@-1 | c+1 | c4", "w0 bits6@-1 | bits@+1 | bits4"),
     ("crf-tagger", "c t0 | c6@-1 t0", "bits t0 | bits6@-1 t0"),
     ("easyfirst-parser", "p0.c4 p+1.t | p0.c p+1.c", "p0.bits4 p+1.t | p0.bits p+1.bits"),
     ("transition-parser", "s0.c4 b0.t | s0.c b0.c6", "s0.bits4 b0.t | s0.bits b0.bits6")],
)  # fmt: skip
def test_tables_and_models_in_the_former_spelling_still_work(
    treebank: list[Sentence], paths: Path, tmp_path: Path, name: str, former: str, present: str
) -> None:
    def analyses(templates: str) -> list[Sentence]:
        (tmp_path / "t.txt").write_text(f"set mine\n {templates}\n")
        options = SYSTEMS[name] | {"templates": str(tmp_path / "t.txt")}
        model = train(name, train=treebank, clusters=str(paths), **options)
        again = Model.from_bytes(model.to_bytes())
        assert all(part in again.to_bytes().decode("latin-1") for part in templates.split(" | "))
        return [again(s.forms)[0] for s in treebank]

    assert analyses(former) == analyses(present)
