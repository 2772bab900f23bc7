"""What is given stays, the rest is a valid analysis under it: for every system that says it can."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plait
from plait.data.given import fitted
from plait.data.trees import is_tree, tree_fault
from plait.errors import DataError, OptionError
from plait.system.request import Request

SMALL = {
    "crf-tagger": {"epochs": 4, "optimizer": "adagrad"},
    "perceptron-tagger": {"epochs": 3},
    "easyfirst-tagger": {"epochs": 3},
    "easyfirst-parser": {"epochs": 3, "folds": 2, "tagger_epochs": 2},
    "easyfirst-joint": {"epochs": 3},
    "transition-parser": {"epochs": 3, "beam": 4, "folds": 2, "tagger_epochs": 2},
    "transition-joint": {"epochs": 3, "beam": 4, "folds": 2, "tagger_epochs": 2},
    "pipeline": {"parser": "transition-joint", "parser_options": "epochs=3 beam=4 folds=2 tagger_epochs=2",
                 "segmenter_options": "structure=linear optimizer=adagrad epochs=4"},
}  # fmt: skip
PARSERS = [name for name in SMALL if "tagger" not in name]


@pytest.fixture(scope="module")
def models(treebank):
    return {name: plait.train(name, train=treebank, **options) for name, options in SMALL.items()}


def random_given(rng, n, share):
    """A random forest of given heads: no cycle, one root at most."""
    order = rng.sample(range(1, n + 1), n)
    heads = [-1] * n
    for k, word in enumerate(order):
        if rng.random() < share:
            heads[word - 1] = 0 if k == 0 else rng.choice(order[:k])
    return heads


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("request_", [Request(), Request(scores=True), Request(constrain=True)], ids=str)
def test_blocks_are_analysed_as_single_sentences_are(models, treebank, name, request_):
    system = models[name].system
    if request_.scores and "scores" not in system.supports:
        pytest.skip(f"{name} has no scores")
    rng = random.Random(4)
    given = [plait.Sentence([]), *(plait.Sentence(list(s.forms)) for s in treebank), plait.Sentence(["new"])]
    if request_.constrain:
        for sentence in given:
            sentence.upos = [rng.choice(("_", "NOUN", "VERB")) for _ in sentence.forms]
            if name in PARSERS:
                sentence.heads = random_given(rng, len(sentence), 0.3)
    singly, together = ([s.copy() for s in given * 3] for _ in range(2))
    for sentence in singly:
        system.annotate_with(sentence, request_)
    system.annotate_each(together, request_)
    assert together == singly
    assert [(s.score, s.scores) for s in together] == [(s.score, s.scores) for s in singly]
    once = given[1].copy()
    system.annotate_each([once, once], request_)
    assert once == singly[1]


@pytest.mark.parametrize("name", SMALL)
def test_given_tags_stay_and_the_rest_is_tagged(models, treebank, name):
    rng = random.Random(1)
    tags = sorted({tag for s in treebank for tag in s.upos})
    for sentence in treebank:
        bare = plait.Sentence(sentence.forms)
        bare.upos = [rng.choice([*tags, "NEW"]) if rng.random() < 0.4 else "_" for _ in bare.forms]
        found = models[name](bare, keep="upos")[0]
        assert all(g in ("_", f) for g, f in zip(bare.upos, found.upos, strict=True))
        assert "_" not in found.upos
        if name in PARSERS:
            assert is_tree(found.heads)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_given_heads_and_labels_stay_and_the_tree_is_one(models, treebank, name, share):
    rng = random.Random(2)
    for sentence in treebank:
        bare = plait.Sentence(sentence.forms, heads=random_given(rng, len(sentence), share))
        bare.deprels = [rng.choice(["obj", "new:label", "_"]) for _ in bare.forms]
        found = models[name](bare, keep=["heads", "deprels"])[0]
        assert is_tree(found.heads)
        assert all(g in (-1, f) for g, f in zip(bare.heads, found.heads, strict=True))
        assert all(g in ("_", f) for g, f in zip(bare.deprels, found.deprels, strict=True))
        assert "_" not in found.upos


@pytest.mark.parametrize("name", PARSERS)
def test_what_is_right_and_given_does_no_harm(models, treebank, name):
    found = models[name](treebank, keep=True)
    assert found.to_conllu() == treebank.to_conllu()
    free = models[name](treebank)
    half = plait.Document([s.copy() for s in treebank])
    for sentence in half:
        sentence.heads = [h if i % 2 else -1 for i, h in enumerate(sentence.heads)]
    filled = models[name](half, keep="heads")
    assert plait.evaluate(treebank, filled).uas >= plait.evaluate(treebank, free).uas


@pytest.mark.parametrize("name", PARSERS)
def test_what_is_not_kept_is_found_anew(models, treebank, name):
    wrong = plait.Document([s.copy() for s in treebank])
    for sentence in wrong:
        sentence.upos = ["X"] * len(sentence)
        sentence.heads = [0] * len(sentence)  # several roots: no fault, since heads are not kept
    assert models[name](wrong, keep="deprels")[0].upos != wrong[0].upos
    assert models[name](wrong).to_conllu() == models[name](treebank).to_conllu()


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(
    ("heads", "words"), [([2, 1, -1], "cycle"), ([0, 0, -1], "second root"), ([1, -1, -1], "its own head"),
                         ([9, -1, -1], "3 words")]
)  # fmt: skip
def test_heads_that_cannot_stay_are_a_clear_error(models, name, heads, words):
    with pytest.raises(DataError, match=words):
        models[name](plait.Sentence(["dogs", "bark", "."], heads=heads), keep="heads")


@pytest.mark.parametrize("name", ["easyfirst-joint", "transition-joint"])
def test_a_given_head_guides_its_neighbours(models, name):
    sentence = plait.Sentence(["Mary", "sees", "the", "old", "house", "."])
    free = models[name](sentence)[0]
    sentence.heads[4] = 0
    found = models[name](sentence, keep="heads")[0]
    assert free.heads[4] != 0 == found.heads[4]
    assert found.deprels[4] == "root"
    assert found.heads[1] != 0


def test_unknown_names_are_refused(models):
    with pytest.raises(OptionError, match='cannot keep "colour"'):
        models["pipeline"]("Dogs bark.", keep="colour")


def test_borders_of_sentences_stay(models, treebank):
    nlp = models["pipeline"]
    text = "Dogs bark. Mary reads.\nDogs"
    assert len(nlp("Dogs bark. Mary reads.")) == 2
    found = nlp(text, keep="sentences")
    assert [s.text for s in found] == ["Dogs bark. Mary reads.", "Dogs"]
    assert all(text[t.start : t.end] == t.form for s in found for t in s)
    again = nlp(found, keep="sentences")
    assert again.to_conllu() == found.to_conllu()
    assert [s.offsets for s in again] == [s.offsets for s in found]
    joined = plait.Document([plait.Sentence(["Dogsbark."])])
    assert len(nlp(joined, keep="sentences")) == 1
    streamed = list(nlp.annotate([s.copy() for s in joined], keep="sentences"))
    assert [s.forms for s in streamed] == [s.forms for s in nlp(joined, keep="sentences")] == [["Dogsbark", "."]]
    tagger = models["transition-joint"]  # which does not segment: the words stay
    assert [s.forms for s in tagger.annotate([s.copy() for s in joined], keep="sentences")] == [["Dogsbark."]]


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_fitted_heads_are_a_tree_with_the_given_ones(data):
    n = data.draw(st.integers(1, 8))
    rng = random.Random(data.draw(st.integers(0, 10**6)))
    given_heads = random_given(rng, n, rng.random())
    found = random_given(rng, n, 1.0)
    heads = fitted(found, given_heads)
    assert tree_fault(heads) is None
    assert all(g in (-1, h) for g, h in zip(given_heads, heads, strict=True))
    assert fitted(found, found) == found


def test_the_command_line_keeps_columns(models, tmp_path, capsys):
    from plait.cli.main import main

    model, given = tmp_path / "m.plait", tmp_path / "given.conllu"
    models["transition-joint"].save(model)
    given.write_text("1\tDogs\t_\tX\t_\t_\t0\tdep\t_\t_\n2\tbark\t_\tX\t_\t_\t1\tdep\t_\t_\n\n")
    assert main(["parse", "--model", str(model), "--keep", "heads", "--input", str(given)]) == 0
    found = plait.read(capsys.readouterr().out.encode(), "conllu")[0]
    assert found.heads == [0, 1]
    assert "X" not in found.upos
    assert main(["parse", "--model", str(model), "--constrain", "--input", str(given)]) == 0
    told = f"# generator = plait {plait.__version__}, model m.plait\n# plait_columns = none\n"
    assert capsys.readouterr().out == told + given.read_text()
    for unknown in ("colour", ""):
        assert main(["parse", "--model", str(model), "--keep", unknown, "--input", str(given)]) == 2
        assert f'cannot keep "{unknown}"' in capsys.readouterr().err
        assert main(["parse", "--model", str(model), "--keep", unknown, "Dogs bark"]) == 2
        assert "raw text has no annotation" in capsys.readouterr().err
    assert main(["parse", "--model", str(model), "--keep", "heads", "Dogs bark"]) == 2
    assert "raw text has no annotation" in capsys.readouterr().err


def test_features_of_a_few_words_that_have_no_other_tags_do_not_make_the_column_copied():
    nlp = plait.load("en")
    given = plait.Sentence(["Dogs", "bark", "."], feats=["Foo=Bar", "_", "_"])
    found = nlp(given, keep="feats")
    assert found[0].feats[0] == "Foo=Bar"
    assert found[0].feats[1] != "_"
    assert "feats" in found.predicted_columns


@pytest.mark.parametrize(
    ("feats", "columns"),
    [(["Foo=Bar", "Foo=Baz", "_"], {"lemmas", "heads"}), (["_", "_", "_"], {"feats", "lemmas", "heads"})],
)
def test_given_features_are_not_called_predicted(feats, columns):
    """Words without features are common: they do not mean that the column is missing."""
    nlp = plait.load("en")
    given = plait.Sentence(["Dogs", "bark", "."], upos=["NOUN", "VERB", "PUNCT"], feats=feats)
    for keep in (["feats"], ["upos", "feats"], True):
        found = nlp.predicted_columns(given, keep=keep)
        assert columns <= found
        assert ("feats" in found) == ("feats" in columns)
        assert ("upos" in found) == (keep == ["feats"])
