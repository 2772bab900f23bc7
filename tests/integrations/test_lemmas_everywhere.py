"""What a pipeline finds for lemmas and features reaches tables and rows for other packages."""

from __future__ import annotations

import pytest

import plait
from plait.data.document import Document
from plait.integrations.annotator import Annotator

QUICK = {
    "parser_options": "epochs=3", "segmenter_options": "structure=linear optimizer=adagrad epochs=5",
    "tagger_options": "epochs=3",
}  # fmt: skip


@pytest.fixture(scope="module")
def nlp(tiny_file):
    treebank = plait.read(tiny_file)
    for sentence in treebank:
        sentence.feats = ["Number=Plur" if form.endswith("s") else "_" for form in sentence.forms]
    return plait.train("pipeline", train=treebank, **QUICK)


def test_rows_for_other_packages_have_them(nlp):
    rows = Annotator(nlp, output="tokens")({"text": ["Dogs bark."]})["tokens"][0]
    assert [row["lemma"] for row in rows] == ["dogs", "bark", "."]
    assert [row["feats"] for row in rows] == ["Number=Plur", None, None]


def test_data_frames_have_them(nlp):
    pytest.importorskip("pandas", reason="needs pandas")
    frame = nlp("Dogs bark.").to_pandas()
    assert frame["lemma"].tolist() == ["dogs", "bark", "."]
    assert frame["feats"].tolist()[0] == "Number=Plur"


def test_spacy_has_them(nlp):
    pytest.importorskip("spacy", reason="needs spaCy")
    doc = nlp("Dogs bark.").to_spacy()
    assert [token.lemma_ for token in doc] == ["dogs", "bark", "."]
    assert str(doc[0].morph) == "Number=Plur"
    assert isinstance(nlp("Dogs bark."), Document)


def test_spacy_gets_the_features_that_it_can_hold(tiny_file, tmp_path):
    spacy = pytest.importorskip("spacy", reason="needs spaCy")
    treebank = plait.read(tiny_file)
    for sentence in treebank:
        sentence.feats = ["sg|Number=Plur|A=b=c|X=" if form.endswith("s") else "nom" for form in sentence.forms]
    tagger = plait.train("morph-tagger", train=treebank, epochs=3)
    assert "sg" in tagger(["Dogs"])[0].feats[0]
    assert str(tagger(["Dogs"]).to_spacy()[0].morph) == "Number=Plur"
    tagger.save(tmp_path / "tagger.plait")
    component = spacy.blank("en")
    component.add_pipe("plait", config={"model": str(tmp_path / "tagger.plait")})
    assert str(component("Dogs")[0].morph) == "Number=Plur"
    assert "token.lemma" in component.get_pipe_meta("plait").assigns
