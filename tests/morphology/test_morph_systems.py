"""``morph-tagger`` as a system: learning, storing, constraints, probabilities, alternatives, bad models and data."""

import numpy as np
import pytest
from morph_data import treebank

import plait
from plait import Sentence
from plait.errors import DataError, ModelError, OptionError
from plait.morphology import _decoder, training
from plait.pipeline.agreement import Agreement
from plait.pipeline.model import Model
from plait.system.modelfile import model_bytes, parse_model
from plait.system.request import Request

SMALL = {"epochs": 6, "tag_dictionary": 0, "cutoff": 1, "order": 1}


@pytest.fixture(scope="module")
def tagger():
    return plait.train("morph-tagger", train=treebank(), dev=treebank(), **SMALL)


def columns(sentence):
    return sentence.upos, sentence.xpos, sentence.feats


@pytest.mark.parametrize("more", [{}, {"apart": True}, {"order": 2}, {"order": 0}, {"unseen": 20}, {"threshold": 0.0}])
def test_a_tiny_treebank_is_learnt_by_heart_and_kept_in_the_file(more):
    options = SMALL | {"epochs": 12} | more
    model = plait.train("morph-tagger", train=treebank(), **options)
    again = Model.from_bytes(model.to_bytes())
    right = 0
    for gold in treebank():
        found = model(gold.forms)[0]
        assert columns(found) == columns(again(gold.forms)[0])
        right += columns(found) == columns(gold)
    assert right >= (3 if more.get("order") == 0 else 5)
    assert model.system.predicts == ("upos", "xpos", "feats")
    assert model.to_bytes() == plait.train("morph-tagger", train=treebank(), **options).to_bytes()


@pytest.mark.parametrize(
    ("small", "l1", "used"), [(1000, -1.0, 0.003), (4, -1.0, 0.0), (4, 0.1, 0.1), (1000, 0.0, 0.0)]
)
def test_small_treebanks_have_an_l1_penalty(monkeypatch, small, l1, used):
    monkeypatch.setattr("plait.morphology.training.SMALL_DATA", small)
    data = [Sentence(["a", "b"], upos=["X", "Y"]), Sentence(["c", "b", "a"], upos=["Y", "Y", "X"])]
    told = plait.train("morph-tagger", train=data, epochs=3, l1=used)
    assert plait.train("morph-tagger", train=data, epochs=3, l1=l1).to_bytes() == told.to_bytes()
    assert told.header["options"]["l1"] == used


@pytest.mark.parametrize(("few", "cutoff", "used"), [(1000, 0, 1), (4, 0, 2), (4, 1, 1), (1000, 3, 3)])
def test_small_treebanks_keep_features_seen_once(monkeypatch, few, cutoff, used):
    """By default; the model says what was used, and jackknifed taggers, which see less, do the same."""
    monkeypatch.setattr(training, "FEW_WORDS", few)
    data = treebank()
    assert few == 4 or sum(map(len, data)) < few
    told = plait.train("morph-tagger", train=data, epochs=1, cutoff=used)
    assert plait.train("morph-tagger", train=data, epochs=1, cutoff=cutoff).to_bytes() == told.to_bytes()
    assert told.header["options"]["cutoff"] == used


def test_the_columns_are_those_that_the_treebank_fills():
    data = [Sentence(["a", "b"], upos=["X", "Y"]), Sentence(["b"], upos=["Y"])]
    assert plait.train("morph-tagger", train=data, epochs=2).system.predicts == ("upos",)
    assert plait.train("morph-tagger", train=treebank(), tag="feats+upos", epochs=2).system.predicts == (
        "feats",
        "upos",
    )


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ([Sentence(["a"])], {}, "neither UPOS, XPOS nor FEATS"),
        ([Sentence(["a"], upos=["X"])], {"tag": "xpos"}, 'no "xpos" tags'),
        ([Sentence(["a", "b"], upos=["X", "_"])], {}, "1 word has no UPOS in the training data, first in sentence"),
        ([Sentence(["a"], upos=["X"])], {"tag": "lemma"}, "predicts upos, xpos and feats"),
        ([Sentence(["a"], upos=["X"])], {"unseen": 5}, "option unseen has no effect on upos"),
        (treebank(), {"l1": -0.5}, "option l1 is -0.5; expected -1 or 0 to 10"),
        (treebank(), {"tag": "upos", "coarse_weight": 1.0}, "coarse_weight has no effect without several columns"),
        (treebank(), {"apart": True, "coarse_weight": 1.0}, "coarse_weight has no effect without several columns"),
    ],
)
def test_data_without_tags_is_refused(data, options, words):
    with pytest.raises((DataError, OptionError), match=words):
        plait.train("morph-tagger", train=data, epochs=1, **options)


def test_scores_are_probabilities_of_the_tags(tagger):
    sentence = tagger(["die", "Katze", "bellt"], scores=True)[0]
    chances = tagger.system.tag_probabilities(["die", "Katze", "bellt"])
    assert chances.sum(axis=1) == pytest.approx([1.0] * 3)
    numbers = tagger.system.tag_numbers(["die", "Katze", "bellt"])
    assert sentence.scores == pytest.approx(chances[np.arange(3), numbers].tolist())


def test_what_is_given_stays_and_guides_its_neighbours(tagger):
    free = tagger(["die", "Katze"])[0]
    cases = {feats.split("|")[0] for feats in free.feats}
    assert len(cases) == 1
    other = "Case=Acc" if "Case=Nom" in cases else "Case=Nom"
    given = Sentence(["die", "Katze"], feats=[f"Gender=Fem|{other}", "_"])
    found = tagger(given, constrain=True)[0]
    assert found.feats == [f"Gender=Fem|{other}", f"{other}|Gender=Fem"]
    assert found.upos == ["DET", "NOUN"]


def test_a_given_tag_that_the_model_does_not_know_is_kept(tagger):
    found = tagger(Sentence(["die", "Katze"], upos=["NEW", "_"]), constrain=True, scores=True)[0]
    assert found.upos == ["NEW", "NOUN"]


def test_alternatives_come_best_first(tagger):
    sentence = Sentence(["die", "Katze", "bellt"])
    found = tagger.system.alternatives(sentence, 4)
    assert columns(found[0]) == columns(tagger(sentence)[0])
    scores = [twin.score for twin in found]
    assert scores == sorted(scores, reverse=True)
    assert len({str(columns(twin)) for twin in found}) == len(found) > 1
    assert len(tagger.system.alternatives(Sentence([]), 3)) == 1


def test_models_for_each_column_have_no_common_tags():
    model = plait.train("morph-tagger", train=treebank(), apart=True, epochs=2).system
    with pytest.raises(OptionError, match="--apart"):
        model.alternatives(Sentence(["a"]), 2)
    with pytest.raises(OptionError, match="--apart"):
        _ = model.tags


def test_empty_odd_and_long_sentences(tagger):
    assert len(tagger(Sentence([]))[0]) == 0
    assert tagger(Sentence([]), scores=True)[0].scores == []
    for forms in (["\U0001f600", "İ", "ß" * 400, "\u0301"], ["die", "Katze"] * 3000):
        assert len(tagger(Sentence(forms))[0].feats) == len(forms)


def test_the_order_of_features_makes_no_other_tag():
    data = treebank()
    for sentence in data[::2]:
        sentence.feats = ["|".join(reversed(feats.split("|"))) for feats in sentence.feats]
    model = plait.train("morph-tagger", train=data, **SMALL)
    assert model.system.tags == plait.train("morph-tagger", train=treebank(), **SMALL).system.tags
    assert data[0].feats[0] == "Gender=Masc|Case=Nom"  # the data itself is left alone


def test_too_many_tags_are_refused_before_training(monkeypatch):
    monkeypatch.setattr(_decoder, "MAX_PAIR_SCORES", 100)
    with pytest.raises(DataError, match=r'"upos\+xpos\+feats" has \d+ different tags of \d+ parts, too many'):
        plait.train("morph-tagger", train=treebank(), **SMALL)
    assert plait.train("morph-tagger", train=treebank(), tag="upos", **SMALL).system.tags


def test_the_limit_of_megabytes_is_that_of_all_columns():
    model = plait.train("morph-tagger", train=treebank() * 4, apart=True, megabytes=0.006, epochs=4)
    weights = ("form", "context", "pairs", "tag_pairs", "triples", "skips")
    sizes = [a.nbytes for name, a in model.system.parts()[1].items() if name.split(".")[1] in weights]
    assert 0 < sum(sizes) <= 6000
    assert model.header["options"]["megabytes"] == 0.006


def test_the_progress_of_separate_models_names_the_column():
    lines = []
    plait.train("morph-tagger", train=treebank(), apart=True, epochs=1, on_epoch=lambda r: lines.append(r.line()))
    assert [line.split()[0] for line in lines] == ["upos", "xpos", "feats"]


def test_unseen_tags_can_be_found():
    data = treebank()
    data[3].upos[1] = "ADJ"  # the only feminine in the accusative
    model = plait.train("morph-tagger", train=data, unseen=50, **SMALL)
    new = set(model.system.tags) - set(plait.train("morph-tagger", train=data, **SMALL).system.tags)
    assert new
    given = next(iter(new)).split("\t")
    found = model(Sentence(["Xyz"], upos=[given[0]], feats=[given[2]]), constrain=True)[0]
    assert found.xpos == [given[1]]


def test_forms_are_forgotten_when_they_are_many(tagger):
    first = columns(tagger(["die", "Katze"])[0])
    for k in range(40):
        tagger([f"w{k}x{j}" for j in range(500)])
    assert columns(tagger(["die", "Katze"])[0]) == first


@pytest.fixture(scope="module")
def with_classes():
    """A model that has words frequent enough for classes."""
    return plait.train("morph-tagger", train=treebank() * 2, dev=treebank(), **SMALL)


def drop(container, key):
    del container[key]


@pytest.mark.parametrize(
    "change",
    [
        lambda h, a: h.update(models=[]),
        lambda h, a: h.update(models=7),
        lambda h, a: drop(h, "models"),
        lambda h, a: h["models"].append(h["models"][0]),
        lambda h, a: h["models"][0]["tags"].pop(),
        lambda h, a: h["models"][0].update(tags=7),
        lambda h, a: h["models"][0].update(tag="upos"),
        lambda h, a: h["models"][0].update(tag=7),
        lambda h, a: h["models"][0]["tags"].__setitem__(0, "X"),
        lambda h, a: h["models"][0]["tags"].__setitem__(0, h["models"][0]["tags"][1]),
        lambda h, a: h["models"][0].update(templates=["no-such-atom"]),
        lambda h, a: h["models"][0].update(templates=["t-1"]),
        lambda h, a: h["models"][0]["templates"].append("w0"),
        lambda h, a: h["models"][0]["templates"].append("bits6"),
        lambda h, a: drop(h["models"][0]["tables"], "pairs"),
        lambda h, a: h["models"][0]["tables"]["form"].update(bits=7),
        lambda h, a: h["models"][0]["tables"].update(form=h["models"][0]["tables"]["context"]),
        lambda h, a: h["models"][0]["tables"].update(whole=h["models"][0]["tables"]["form"]),
        lambda h, a: drop(a, "0.rare"),
        lambda h, a: a["0.rare"].fill(60000),
        lambda h, a: a.update({"0.rare": a["0.rare"][::-1].copy()}),
        lambda h, a: a.update({"0.rare": a["0.rare"][:0]}),
        lambda h, a: a.update({"0.rare": a["0.rare"].astype(np.int64)}),
        lambda h, a: a.update({"0.classes.words": np.array([2, 1], np.uint64)}),
        lambda h, a: drop(a, "0.classes.symbols"),
        lambda h, a: a["0.classes.kinds"].fill(4),
        lambda h, a: a.update({"0.classes.kinds": a["0.classes.kinds"][1:]}),
        lambda h, a: a.update({"0.dictionary.starts": np.zeros(1, dtype=np.int32)}),
        lambda h, a: a["0.form.packed"].fill(0xFE),
        lambda h, a: h["models"][0].update(search_threshold=0.001),
        lambda h, a: h["models"][0].update(search_threshold=0.6),
        lambda h, a: h["models"][0].update(search_threshold="0.01"),
        lambda h, a: h["models"][0].update(margin=0.5),
        lambda h, a: h["models"][0].update(margin="10"),
        lambda h, a: h["models"][0].update(margin=1e9),
        lambda h, a: h["options"].update(order=2),
        lambda h, a: h["options"].update(threshold=7.0),
    ],
)
def test_a_forged_model_is_refused_before_use(with_classes, change):
    header, arrays = parse_model(with_classes.to_bytes())
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    with pytest.raises(ModelError):
        Model.from_bytes(model_bytes(header, arrays))


def test_training_goes_on_from_a_checkpoint(tmp_path):
    def fit(epochs, **more):
        return plait.train("morph-tagger", train=treebank(), dev=treebank()[:2], epochs=epochs, **more)

    whole = fit(5)
    fit(3, checkpoint=tmp_path / "c")
    assert fit(5, checkpoint=tmp_path / "c", resume=True).to_bytes() == whole.to_bytes()
    with pytest.raises(ModelError, match="more epochs than requested"):
        fit(2, checkpoint=tmp_path / "c", resume=True)
    content = bytearray((tmp_path / "c").read_bytes())
    content[-5] ^= 0xFF
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(ModelError):
        fit(6, checkpoint=tmp_path / "c", resume=True)


def test_a_small_model_is_trained_to_be_small(tmp_path):
    def fit(epochs, megabytes=0.004, **more):
        options = {"epochs": epochs, "megabytes": megabytes, "cutoff": 1, **more}
        return plait.train("morph-tagger", train=treebank(), dev=treebank(), **options)

    small, full = fit(8), plait.train("morph-tagger", train=treebank(), dev=treebank(), epochs=8, cutoff=1)

    def size(model):
        return sum(a.nbytes for t in model.system.models[0].tables.values() for a in t.arrays().values())

    assert size(small) <= 4_000 < size(full)
    assert small.system.training["best_epoch"] > 3
    weights = [record["features"] for record in small.system.training["epochs"]]
    assert weights[2] > 1.2 * weights[3] == 1.2 * weights[7]
    fit(5, checkpoint=tmp_path / "c")
    assert fit(8, checkpoint=tmp_path / "c", resume=True).to_bytes() == small.to_bytes()
    with pytest.raises(ModelError, match="belongs to --megabytes"):
        fit(9, checkpoint=tmp_path / "c", resume=True, megabytes=0.1)


def test_clusters_are_looked_at(tmp_path):
    path = tmp_path / "clusters"
    path.write_text("0010\tHund\t3\n0011\tKatze\t2\n", encoding="utf-8")
    model = plait.train("morph-tagger", train=treebank(), clusters=str(path), epochs=3)
    assert any("bits6" in template.text for template in model.system.models[0].features.templates)
    assert columns(Model.from_bytes(model.to_bytes())(["die", "Katze"])[0]) == columns(model(["die", "Katze"])[0])


def test_a_lexicon_is_looked_at(tmp_path):
    path = tmp_path / "lexicon.tsv"
    path.write_text("form\ttag\nHund\tNOUN\nZug\tNOUN\nbellt\tVERB\n", encoding="utf-8")
    model = plait.train("morph-tagger", train=treebank(), lexicon=str(path), epochs=6)
    again = Model.from_bytes(model.to_bytes())
    assert again.system.models[0].features.resources.lexicon.describe("Zug") == "NOUN"
    assert columns(again(["die", "Zug"])[0]) == columns(model(["die", "Zug"])[0])
    plain = plait.train("morph-tagger", train=treebank(), epochs=6)
    noun = [t.startswith("NOUN") for t in model.system.tags]
    chance = [m.system.tag_probabilities(["die", "Zug", "."])[1][noun].sum() for m in (model, plain)]
    assert chance[0] > chance[1]


def test_the_heaviest_features_are_told_in_words(tagger):
    heaviest = tagger.header["training"]["heaviest"]
    assert any("Hund" in text for text, _ in heaviest["upos=NOUN"])


def test_a_bound_word_keeps_to_the_tags_that_training_saw_it_with():
    # "run" is frequent: the dictionary gives it X=1 and X=2; "Y" occurs with another word alone
    data = [Sentence(["run", "on"], xpos=["A", "B"], feats=["X=1", "Y=1"])] * 4
    data += [Sentence(["run", "up"], xpos=["A", "B"], feats=["X=2", "Z=1"])] * 3
    system = plait.train("morph-tagger", train=data, tag="xpos+feats", tag_dictionary=2, cutoff=1, epochs=4).system
    model = system.models[0]
    every = tuple(range(len(model.tags)))
    usual = {model.number["A\tX=1"], model.number["A\tX=2"]}
    other = tuple(tag for tag in every if tag not in usual)
    for bound in (every, list(every)):
        lattice = model.probabilities(["run", "on"], [bound, ()])
        assert set(lattice[0]) <= usual
        assert model.best(["run", "on"], [bound, bound]) == model.best(["run", "on"])
    for _ in range(2):  # made, then remembered
        assert set(model.probabilities(["run"], [other])[0]) <= set(other)  # it can have none of these: so any
        one = model.number["A\tX=2"]
        assert model.best(["run", "on"], [(one,), ()])[0][0] == one
    with pytest.raises(ValueError, match="tags"):
        model.best(["run"], [(len(every),)])


def test_tags_under_those_of_a_parser_are_as_good_as_free_ones():
    sentences = treebank()
    free = plait.train("morph-tagger", train=sentences, tag="xpos+feats", tag_dictionary=1, cutoff=1, epochs=12)
    agreement = Agreement.learn(sentences, free.system.columns, free.system.tags)
    right = 0
    for gold in sentences:
        twin = gold.bare()
        twin.upos = gold.upos
        free.system.annotate_with(twin, Request(allowed=tuple(agreement.allowed(gold.upos))))
        right += (twin.xpos, twin.feats) == (gold.xpos, gold.feats)
    assert right == len(sentences)
