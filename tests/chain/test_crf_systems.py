"""The CRF systems from training to raw text: tiny data learnt by heart, dictionaries, scores, n-best, resuming."""

from __future__ import annotations

import io

import numpy as np
import pytest

import plait
from plait.chain.options import TWO_STAGES
from plait.data.document import Range, Sentence
from plait.errors import FormatError, OptionError, PlaitError

CHINESE = [
    (["我", "爱", "北京", "天安门", "。"], ["PRON", "VERB", "PROPN", "PROPN", "PUNCT"]),
    (["他", "在", "北京", "工作", "。"], ["PRON", "ADP", "PROPN", "VERB", "PUNCT"]),
    (["我", "的", "工作", "在", "上海", "。"], ["PRON", "PART", "NOUN", "ADP", "PROPN", "PUNCT"]),
    (["研究", "生命", "的", "起源", "。"], ["VERB", "NOUN", "PART", "NOUN", "PUNCT"]),
    (["研究生", "爱", "工作", "。"], ["NOUN", "VERB", "NOUN", "PUNCT"]),
]
CHUNKS = [
    ("He PRP B-NP|reckons VBZ B-VP|the DT B-NP|current JJ I-NP|deficit NN I-NP|. . O"),
    ("The DT B-NP|dog NN I-NP|will MD B-VP|bark VB I-VP|in IN B-PP|May NNP B-NP|. . O"),
]
STRUCTURES = ["hybrid", "cross-product", "pipeline", "rerank", "linear"]


def chinese():
    return [Sentence(forms, upos=upos, misc=["SpaceAfter=No"] * len(forms)) for forms, upos in CHINESE]


def english():
    """Running text with multiword tokens and sentences inside a paragraph."""
    first = Sentence(
        ["I", "do", "n't", "know", "Mr.", "Smith", "."],
        upos=["PRON", "AUX", "PART", "VERB", "PROPN", "PROPN", "PUNCT"],
        misc=["_", "_", "_", "_", "_", "SpaceAfter=No", "_"],
        ranges=[Range(2, 3, "don't")],
        comments=["# newpar"],
    )
    second = Sentence(
        ["It", "is", "n't", "Anna", "'s", "dog", "!"],
        upos=["PRON", "AUX", "PART", "PROPN", "PART", "NOUN", "PUNCT"],
        misc=["_", "_", "_", "_", "_", "SpaceAfter=No", "_"],
        ranges=[Range(2, 3, "isn't"), Range(4, 5, "Anna's")],
    )
    return [first, second] * 3


def chunked():
    made = []
    for text in CHUNKS:
        rows = [row.split() for row in text.split("|")]
        forms, xpos, chunk = map(list, zip(*rows, strict=True))
        made.append(Sentence(forms, xpos=xpos, extra={"chunk": chunk}))
    return made


@pytest.fixture(scope="module")
def segmenter():
    return plait.train("crf-segmenter", train=chinese() * 2, sigma=10.0, sentences=False)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_segmenter_learns_tiny_text_by_heart_in_every_structure(structure):
    model = plait.train("crf-segmenter", train=chinese() * 2, structure=structure, sigma=10.0)
    for sentence in chinese():
        text = "".join(sentence.forms)
        found = model(text)[0]
        assert found.forms == sentence.forms
        assert [text[t.start : t.end] for t in found] == sentence.forms
        if structure != "linear":
            assert found.upos == sentence.upos
            assert model(sentence.bare())[0].upos == sentence.upos
    again = plait.pipeline.Model.from_bytes(model.to_bytes())
    assert again("我爱上海。")[0] == model("我爱上海。")[0]


@pytest.mark.parametrize("structure", ["hybrid", "cross-product", "pipeline"])
def test_spaces_sentences_and_multiword_tokens_are_learnt(structure):
    tagger = {"tag_templates": "general"} if structure in TWO_STAGES else {}
    model = plait.train("crf-segmenter", train=english(), structure=structure, sigma=10.0, **tagger)
    text = "I don't know Mr. Smith. It isn't Anna's dog!\n\nI don't  know Anna."
    doc = model(text)
    assert [s.forms for s in doc][:2] == [english()[0].forms, english()[1].forms]
    assert doc[0].upos == english()[0].upos
    assert [(r.start, r.end, r.form) for r in doc[1].ranges] == [(2, 3, "isn't"), (4, 5, "Anna's")]
    assert doc[0].misc[5] == "SpaceAfter=No"
    assert doc[0].text == "I don't know Mr. Smith."
    assert [text[t.start : t.end] for t in doc[1]] == ["It", "is", "n't", "Anna", "'s", "dog", "!"]
    assert "".join(s.to_conllu() for s in doc).count("# text") == 3
    assert plait.formats.read(doc.to_conllu().encode(), "conllu").sentences[0].forms == doc[0].forms


def test_a_linear_segmenter_splits_known_multiword_tokens():
    model = plait.train("crf-segmenter", train=english(), structure="linear", sigma=10.0)
    assert model("I don't know Mr. Smith.")[0].forms == ["I", "do", "n't", "know", "Mr.", "Smith", "."]


@pytest.mark.parametrize("structure", STRUCTURES[:4])
def test_soft_constraints_and_six_labels_work_too(structure):
    model = plait.train(
        "crf-segmenter", train=chinese() * 2, structure=structure, hard=False, scheme="six", sigma=10.0, epochs=40
    )
    assert model("研究生爱工作。")[0].forms == ["研究生", "爱", "工作", "。"]


def test_hard_constraints_hold_on_random_text(segmenter):
    rng = np.random.default_rng(0)
    letters = list("我爱北京天安门。研究生命的起源a1 \n中")
    labels = segmenter.system.labels
    for _ in range(300):
        text = "".join(rng.choice(letters, size=int(rng.integers(1, 40))))
        for sentence in segmenter(text):
            for token in sentence:
                assert text[token.start : token.end] == token.form
                assert not any(c.isspace() for c in token.form)
            assert sentence.offsets == sorted(sentence.offsets)
    assert labels.structure == "hybrid"


class TestDictionary:
    def test_force_cuts_the_word_wherever_it_matches(self, segmenter):
        text = "我爱北京天安门。他爱北京。"
        doc = segmenter(text, dictionary=["爱北京"], mode="force")
        assert [s.forms.count("爱北京") for s in doc] == [2]
        assert [text[t.start : t.end] for t in doc[0]] == doc[0].forms

    def test_a_forced_word_has_its_tag_known_to_the_model_or_not(self, segmenter):
        assert segmenter("我爱北京", dictionary={"爱北京": "NOUN"})[0].upos[1] == "NOUN"
        assert segmenter("我爱北京", dictionary={"爱北京": "XYZ"})[0].upos[1] == "XYZ"

    def test_force_cuts_inside_a_run_of_letters(self, segmenter):
        assert segmenter("iphonex", dictionary=["phone"])[0].forms[1:-1] == ["phone"]

    def test_a_longer_word_at_the_end_of_the_text_does_not_hide_a_shorter_one(self, segmenter):
        assert segmenter("我爱", dictionary=["爱", "爱我"])[0].forms == ["我", "爱"]
        assert [t.end for t in segmenter("我爱", dictionary=["爱", "爱我"])[0]] == [1, 2]

    def test_force_takes_words_with_spaces(self, segmenter):
        assert segmenter("new york", dictionary=["new york"])[0].forms == ["new york"]

    def test_merge_joins_words_of_the_model_and_cuts_none(self, segmenter):
        plain = segmenter("我爱北京天安门。")[0].forms
        assert plain == ["我", "爱", "北京", "天安门", "。"]
        assert segmenter("我爱北京天安门。", dictionary=["北京天安门"], mode="merge")[0].forms[2] == "北京天安门"
        assert segmenter("我爱北京天安门。", dictionary=["京天安"], mode="merge")[0].forms == plain

    def test_prefer_wins_when_its_gain_is_large_and_not_when_small(self, segmenter):
        text = "我爱北京天安门。"
        dear = segmenter(text, dictionary=[("京天安", None, -1000)], mode="prefer")[0].forms
        assert "京天安" in dear
        cheap = segmenter(text, dictionary=[("京天安", None, -0.001)], mode="prefer")[0].forms
        assert cheap == segmenter(text)[0].forms

    def test_all_sources_give_the_same(self, segmenter, tmp_path):
        path = tmp_path / "words.txt"
        path.write_text("# mine\n爱北京\tNOUN\t-3\n\n起源", encoding="utf-8")
        sources = [
            path, str(path), io.StringIO(path.read_text("utf-8")), io.BytesIO(path.read_bytes()),
            [("爱北京", "NOUN", -3), "起源"], {"爱北京": ("NOUN", -3), "起源": None},
        ]  # fmt: skip
        results = [segmenter("我爱北京。研究起源", dictionary=source)[0] for source in sources]
        assert all(result == results[0] for result in results)

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ([""], "empty"),
            ([("a", "N", 3)], "cost"),
            ([("a", "N", "x")], "number"),
            ([("a", "N", -1, 4)], "optional"),
            ("no/such/file", "check the path"),
        ],
    )
    def test_bad_dictionaries_are_explained(self, segmenter, source, words):
        with pytest.raises(OptionError, match=words):
            segmenter("我", dictionary=source)

    def test_a_bad_line_is_named(self, segmenter):
        with pytest.raises(FormatError, match=":2:"):
            segmenter("我", dictionary=io.StringIO("好\n坏\tN\tx\n"))

    def test_unknown_modes_and_other_systems_are_refused(self, segmenter):
        with pytest.raises(OptionError, match="force, merge, prefer"):
            segmenter("我", dictionary=["我"], mode="soft")
        tagger = plait.train("crf-tagger", train=chinese(), epochs=2)
        with pytest.raises(OptionError, match="dictionary"):
            tagger(["我"], dictionary=["我"])


def test_scores_are_probabilities_of_words_with_their_tags(segmenter):
    doc = segmenter("我爱北京天安门。", scores=True)
    scores = [token.score for token in doc[0]]
    assert all(0 < score <= 1 for score in scores)
    assert min(scores) > 0.5  # learnt by heart
    assert segmenter("我爱北京天安门。")[0][0].score is None
    given = segmenter(chinese()[0].bare(), scores=True)[0]
    assert all(0 < token.score <= 1 for token in given)


def test_n_best_is_in_order_and_begins_with_the_best(segmenter):
    found = segmenter.nbest("我爱北京天安门。", 5)
    assert found[0][0].forms == segmenter("我爱北京天安门。")[0].forms
    scores = [doc[0].score for doc in found]
    assert scores == sorted(scores, reverse=True)
    assert len({(tuple(doc[0].forms), tuple(doc[0].upos)) for doc in found}) == 5
    assert sum(np.exp(scores)) <= 1 + 1e-6


def test_very_long_text_is_decoded_in_windows_with_right_offsets(segmenter):
    text = "我爱北京天安门。" * 1500
    sentence = segmenter(text)[0]
    assert "".join(sentence.forms) == text
    assert all(text[t.start : t.end] == t.form for t in sentence)
    assert sentence.forms.count("北京") == 1500


@pytest.mark.parametrize(
    "text", ["", " \n\n ", "\u200b", "🙂‍↔️ é", "\ufeffHi", "a" * 3000, "é́", "Привет, мир", "สวัสดีครับ"]
)
def test_any_text_of_any_script_keeps_its_characters(segmenter, text):
    doc = segmenter(text)
    kept = [text[t.start : t.end] for s in doc for t in s]
    assert "".join(kept) == "".join(text.split())


@pytest.mark.parametrize("structure", STRUCTURES)
def test_chunker_learns_tiny_data_by_heart(structure):
    model = plait.train("crf-chunker", train=chunked() * 2, structure=structure, sigma=10.0)
    for sentence in chunked():
        bare = sentence.bare()
        bare.xpos = list(sentence.xpos)
        assert model(bare)[0].extra["chunk"] == sentence.extra["chunk"]
        assert model(bare, scores=True)[0].scores is not None
        assert model.nbest(bare, 3)[0][0].extra["chunk"] == sentence.extra["chunk"]
    assert plait.pipeline.Model.from_bytes(model.to_bytes())(bare)[0].extra == model(bare)[0].extra


def test_chunker_tags_bare_words_itself():
    model = plait.train("crf-chunker", train=chunked() * 2, sigma=10.0)
    for sentence in chunked():
        found = model(sentence.forms)[0]
        assert found.extra["chunk"] == sentence.extra["chunk"]
        assert found.xpos == ["_"] * len(found)


def test_chunker_says_what_it_lacks():
    model = plait.train("crf-chunker", train=chunked(), epochs=2, tagger=False)
    with pytest.raises(PlaitError, match="xpos"):
        model(["He", "reckons"])
    with pytest.raises(PlaitError, match="chunks"):
        plait.train("crf-chunker", train=chinese())


def test_tagger_gives_probabilities_that_sum_to_one():
    model = plait.train("crf-tagger", train=chinese() * 2, sigma=10.0)
    table = model.system.tag_probabilities(["我", "爱", "北京"])
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-9)
    doc = model(["我", "爱", "北京"], scores=True)
    assert doc[0].upos == ["PRON", "VERB", "PROPN"]
    np.testing.assert_allclose(doc[0].scores, table.max(axis=1))
    assert model.nbest(["我", "爱", "北京"], 4)[0][0].upos == doc[0].upos


@pytest.mark.parametrize("optimizer", ["lbfgs", "adagrad"])
def test_resumed_training_gives_the_same_model(tmp_path, optimizer):
    data = chunked() * 3
    options = {"optimizer": optimizer, "structure": "hybrid"}
    whole = plait.train("crf-chunker", train=data, epochs=6, **options).system.crf
    checkpoint = tmp_path / "state"
    plait.train("crf-chunker", train=data, epochs=3, checkpoint=checkpoint, **options)
    resumed = plait.train("crf-chunker", train=data, epochs=6, checkpoint=checkpoint, resume=True, **options)
    for name, array in whole.parts()[1].items():
        assert np.array_equal(array, resumed.system.crf.parts()[1][name]), name
    assert len(resumed.system.training["epochs"]) == 6


@pytest.mark.parametrize("optimizer", ["lbfgs", "adagrad"])
def test_any_number_of_threads_trains_the_same_bytes(optimizer):
    made = [
        plait.train("crf-chunker", train=chunked() * 5, threads=n, epochs=5, optimizer=optimizer).to_bytes()
        for n in (1, 3)
    ]
    assert made[0] == made[1]


def test_warm_start_begins_near_the_optimum(tmp_path):
    cold = plait.train("crf-chunker", train=chunked())
    cold.save(tmp_path / "m.plait")
    warm = plait.train("crf-chunker", train=chunked(), warm_start=str(tmp_path / "m.plait"))
    first = warm.system.training["epochs"][0]["objective"]
    assert first == pytest.approx(cold.system.training["epochs"][-1]["objective"], rel=1e-2)
    with pytest.raises(OptionError, match="warm start"):
        plait.train("crf-tagger", train=chinese(), warm_start=str(tmp_path / "m.plait"))


def test_cut_off_and_prune_make_models_smaller():
    sizes = [
        len(plait.train("crf-chunker", train=chunked() * 2, epochs=5, **options).to_bytes())
        for options in ({}, {"cutoff": 3}, {"prune_below": 0.2}, {"optimizer": "adagrad", "lasso": 1.0})
    ]
    assert max(sizes[1:]) < sizes[0]
    with pytest.raises(OptionError, match="adagrad"):
        plait.train("crf-chunker", train=chunked(), lasso=1.0)


def test_records_have_objective_gradient_and_dev_score():
    seen = []
    plait.train("crf-chunker", train=chunked(), dev=chunked(), epochs=4, dev_every=2, on_epoch=seen.append)
    assert [record.objective for record in seen] == sorted((r.objective for r in seen), reverse=True)
    assert set(seen[1].dev) == {"chunk_f1"}
    assert "gradient" in seen[0].line()
