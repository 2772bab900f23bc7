"""--morphology in the easy-first parsers: FEATS, agreement and lemmas as atoms, found inside the parser."""

from pathlib import Path

import pytest

from case_treebank import CASES, case_treebank
from plait.data.document import Sentence
from plait.errors import DataError, ModelError, OptionError
from plait.pipeline import Model, train

QUICK = {"epochs": 4, "folds": 4, "morphology": "on", "prune": False}


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return case_treebank()


@pytest.mark.parametrize(
    ("name", "options"), [("easyfirst-joint", {}), ("easyfirst-parser", {}), ("easyfirst-joint", {"beam": 4})]
)
def test_feats_and_lemmas_are_found_used_and_stored(
    treebank: list[Sentence], name: str, options: dict[str, int]
) -> None:
    model = train(name, train=treebank, dev=treebank, **QUICK, **options)
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
    if "beam" in options:
        assert model.nbest(["katon", "vidas"], 2)[0][0].feats[0] == "Case=Acc|Number=Sing"
    features = [name for names in model.header["training"]["heaviest"].values() for name, _ in names]
    assert any("feat:Case=Case=Acc" in name for name in features)


def test_the_tagger_of_feats_guides_the_choice_of_tags(treebank: list[Sentence]) -> None:
    model = train("easyfirst-joint", train=treebank, **QUICK)
    assert model.system.guide is None
    assert model.system.features.is_guided
    guided = train("easyfirst-joint", train=treebank, **QUICK, tag_templates="guided+Syn")
    assert guided.system.guide is None  # one guide is enough
    other = [sentence.copy() for sentence in treebank]
    for sentence in other:
        sentence.xpos = list(sentence.upos)
    apart = train("easyfirst-joint", train=other, **QUICK, tag="xpos")
    assert not apart.system.features.is_guided
    header, arrays = model.system.parts()
    plain = {**header, "tag_templates": apart.system.parts()[0]["tag_templates"]}
    with pytest.raises(ModelError, match="damaged"):
        type(model.system).from_parts(model.system.options, plain, arrays)


def test_with_gold_tags_the_features_of_the_input_are_used(treebank: list[Sentence]) -> None:
    same = [s.copy() for s in treebank]
    for sentence in same:
        sentence.forms = ["vidas" if tag == "VERB" else "kato" for tag in sentence.upos]
        sentence.lemmas = ["vidi" if tag == "VERB" else "kato" for tag in sentence.upos]
    model = train("easyfirst-parser", train=same, gold_tags=True, **QUICK)
    for case, label in CASES.items():
        feats = [f"Case={case}|Number=Sing", "Number=Sing|VerbForm=Fin"]
        found = model(Sentence(["kato", "vidas"], upos=["NOUN", "VERB"], feats=feats))[0]
        assert (found.feats, found.deprels) == (feats, [label, "root"])


def test_what_cannot_be_is_refused(treebank: list[Sentence], tmp_path: Path) -> None:
    bare = [Sentence(s.forms, upos=s.upos, heads=s.heads, deprels=s.deprels) for s in treebank]
    with pytest.raises(DataError, match="no FEATS"):
        train("easyfirst-joint", train=bare, **QUICK)
    with pytest.raises(OptionError, match="both predict FEATS"):
        train("easyfirst-parser", train=treebank, tag="upos+feats", **QUICK)
    table = tmp_path / "t.txt"
    for line, words in (
        ("p0.feat:Csae p+1.t", "Csae"),
        ("p0.feat: p0.t", "unknown atom"),
        ("p0.feature", "unknown atom"),
    ):
        table.write_text(f"set mine\n {line}\n")
        with pytest.raises(OptionError, match=words):
            train("easyfirst-joint", train=treebank, templates=str(table), **QUICK)
    for line in ("agree(p0,p+1)", "p0.feat:Case p+1.t", "p0.lemma"):
        table.write_text(f"set mine\n {line}\n")
        with pytest.raises(OptionError, match="--morphology on"):
            train("easyfirst-joint", train=treebank, templates=str(table), epochs=1)
