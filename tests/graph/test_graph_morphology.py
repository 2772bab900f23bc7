"""--morphology in the graph-based parsers: FEATS, agreement and lemmas as atoms, found inside the parser."""

from pathlib import Path

import numpy as np
import pytest

from case_treebank import case_treebank
from plait.core._hashing import key_of, text_hash
from plait.core._kernel import HashKernel
from plait.data.document import Sentence
from plait.errors import DataError, ModelError, OptionError
from plait.features.templates import Template
from plait.graph._factors import PAIR_ATOMS
from plait.graph.features import GraphFeatures
from plait.pipeline import Model, train
from plait.trees.morphology import SeenMorphology

QUICK = {"epochs": 4, "folds": 4, "arc_epochs": 2, "morphology": "on", "prune": False}


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return case_treebank()


def test_atoms_equal_a_plain_reading() -> None:
    words = Sentence(
        ["neska", "mendira", "du", "."],
        lemmas=["neska", "mendi", "_", "."],
        feats=["Case=Erg|Number=Sing", "Case=All|Number=Plur", "Mood=Ind|Number[erg]=Plur", "_"],
    )
    templates = [
        Template(("h.lemma", "m.lemma")),
        Template(("h.feat:Mood", "m.feat:Case", "dir")),
        Template(("m.feats", "dir")),
        Template(("agree", "dir")),
        Template(("agree", "h.feat:Number", "m.t")),
    ]
    seen = SeenMorphology(tuple(words.feats), True)
    features = GraphFeatures(templates, ["X"], morphology=seen, second=False)
    encoded = features.encode(words.forms, np.zeros(4, dtype=np.int64), None, words)
    factors = features.one_best(encoded, HashKernel(2, 8))
    root = text_hash("<root>")

    def slots(i: int) -> dict[str, str]:
        """What a word answers in Case, Number and Number[erg]."""
        pairs = dict(p.split("=") for p in words.feats[i - 1].split("|")) if i and words.feats[i - 1] != "_" else {}
        erg = pairs.get("Number[erg]", pairs.get("Number", "") if pairs.get("Case") == "Erg" else "")
        return {"Case": pairs.get("Case", ""), "Number": pairs.get("Number", ""), "Number[erg]": erg}

    def of(i: int, name: str) -> int:
        if i == 0:
            return root
        if name == "lemma":
            return 0 if words.lemmas[i - 1] == "_" else text_hash(words.lemmas[i - 1])
        feats = [] if words.feats[i - 1] == "_" else words.feats[i - 1].split("|")
        kept = [f for f in feats if name == "feats" or f.split("=")[0].split("[")[0] == name]
        return text_hash("|".join(kept)) if kept else 0

    agreements = {}
    for h in range(5):
        for m in range(1, 5):
            if h == m:
                continue
            direction = 3 if h == 0 else 1 if h < m else 2
            found = factors.keys_of(h, m)
            plain = [
                key_of(templates[0].seed, [of(h, "lemma"), of(m, "lemma")]),
                key_of(templates[1].seed, [of(h, "Mood"), of(m, "Case"), direction]),
                key_of(templates[2].seed, [of(m, "feats"), direction]),
            ]
            assert {key for key in plain if key} <= set(found)
            a, b = slots(h), slots(m)
            compared = tuple((name, a[name] == b[name]) for name in a if a[name] and b[name])
            rest = set(found) - set(plain)
            assert bool(rest) == bool(compared)
            agreements.setdefault((compared, direction), set()).add(len(rest))
    assert len({compared for compared, _ in agreements}) == 3  # nothing; case and number; the ergative alone
    assert "agree" in PAIR_ATOMS


@pytest.mark.parametrize(
    ("name", "options"), [("graph-joint", {}), ("graph-parser", {}), ("graph-parser", {"order": 1})]
)
def test_feats_and_lemmas_are_found_used_and_stored(
    treebank: list[Sentence], name: str, options: dict[str, int]
) -> None:
    quick = {k: v for k, v in QUICK.items() if options.get("order") != 1 or k != "epochs"}
    model = train(name, train=treebank, dev=treebank, **quick, **options)
    assert model.system.predicts == ("upos", "feats", "lemmas", "heads", "deprels")
    again = Model.from_bytes(model.to_bytes())
    for sentence in treebank:
        found = again(sentence.forms)[0]
        assert (found.feats, found.lemmas) == (sentence.feats, sentence.lemmas)
        assert (found.heads, found.deprels) == (sentence.heads, sentence.deprels)
    assert again.to_bytes() == model.to_bytes()
    given = Sentence(["kato", "vidas"], feats=["Case=Voc", "_"], lemmas=["cato", "_"])
    kept = again(given, keep=["feats", "lemmas"])[0]
    assert kept.feats[0] == "Case=Voc"
    assert kept.lemmas == ["cato", "vidi"]
    header, arrays = model.system.parts()
    with pytest.raises(ModelError, match="damaged"):
        type(model.system).from_parts(
            model.system.options, {k: v for k, v in header.items() if k != "morphology"}, arrays
        )


def test_what_cannot_be_is_refused(treebank: list[Sentence], tmp_path: Path) -> None:
    bare = [Sentence(s.forms, upos=s.upos, heads=s.heads, deprels=s.deprels) for s in treebank]
    with pytest.raises(DataError, match="no FEATS"):
        train("graph-joint", train=bare, **QUICK)
    with pytest.raises(OptionError, match="both predict FEATS"):
        train("graph-joint", train=treebank, tag="upos+feats", **QUICK)
    table = tmp_path / "t.txt"
    for line, words in (("h.feat:Csae m.t", "Csae"), ("h.feat: m.t", "unknown atom"), ("x.feats", "unknown atom")):
        table.write_text(f"set mine\n {line}\n")
        with pytest.raises(OptionError, match=words):
            train("graph-joint", train=treebank, templates=str(table), **QUICK)
    for line in ("agree dir", "h.feat:Case m.t", "h.lemma"):
        table.write_text(f"set mine\n {line}\n")
        with pytest.raises(OptionError, match="--morphology on"):
            train("graph-joint", train=treebank, templates=str(table), epochs=1)
