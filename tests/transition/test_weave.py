"""transition-weave on tiny treebanks: raw text in three manners of writing, learnt, saved, bound, explained."""

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plait
from plait import Sentence
from plait.data.trees import is_tree
from plait.errors import DataError, ModelError, OptionError
from plait.pipeline import Model, train
from plait.system.request import Request
from plait.transition.options import TransitionJointOptions
from plait.transition.system import TransitionJoint

# a CRF tagger: surer of itself, a morph-tagger would leave no rival tags in so small a treebank
QUICK: dict[str, Any] = {"folds": 4, "beam": 8, "epochs": 12, "tagger": "crf", "tagger_epochs": 12, "check": True}
SEGMENTER = "structure=linear"
WHOLE = Request(single_sentence=True)


def tree(words: str, tags: str, heads: list[int], *, space: bool = False) -> Sentence:
    forms = words.split("|")
    misc = ["_"] * len(forms) if space else ["SpaceAfter=No"] * len(forms)
    labels = ["root" if head == 0 else "dep" for head in heads]
    return Sentence(forms, upos=tags.split(), heads=heads, deprels=labels, misc=misc)


CHINESE = [
    tree("我|爱|大学|生活|。", "PRON VERB NOUN NOUN PUNCT", [2, 0, 4, 2, 2]),
    tree("大|学生|爱|我|。", "ADJ NOUN VERB PRON PUNCT", [2, 3, 0, 3, 3]),
    tree("他|在|大学|工作|。", "PRON ADP NOUN VERB PUNCT", [4, 3, 4, 0, 4]),
    tree("学生|爱|工作|。", "NOUN VERB NOUN PUNCT", [2, 0, 2, 2]),
    tree("大|学生|工作|。", "ADJ NOUN VERB PUNCT", [2, 3, 0, 3]),
    tree("生活|很|大|。", "NOUN ADV ADJ PUNCT", [3, 3, 0, 3]),
    tree("我|在|北京|生活|。", "PRON ADP PROPN VERB PUNCT", [4, 3, 4, 0, 4]),
    tree("北京|大学|很|大|。", "PROPN NOUN ADV ADJ PUNCT", [2, 4, 4, 0, 4]),
    tree("他|学|生活|。", "PRON VERB NOUN PUNCT", [2, 0, 2, 2]),
]
# words with spaces inside, as Vietnamese has them
SPACED = [
    tree("tôi|đi|đại học|.", "PRON VERB NOUN PUNCT", [2, 0, 2, 2], space=True),
    tree("sinh viên|đi|học|.", "NOUN VERB VERB PUNCT", [2, 0, 2, 2], space=True),
    tree("sinh viên|đại học|học|.", "NOUN NOUN VERB PUNCT", [3, 1, 0, 3], space=True),
    tree("tôi|học|đại học|.", "PRON VERB NOUN PUNCT", [2, 0, 2, 2], space=True),
    tree("tôi|đi|học|.", "PRON VERB VERB PUNCT", [2, 0, 2, 2], space=True),
]


def text_of(sentence: Sentence, gap: str = "") -> str:
    return gap.join(sentence.forms)


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return 4 * CHINESE  # in all folds


@pytest.fixture(scope="module", params=["end", "start"])
def model(treebank: list[Sentence], request: pytest.FixtureRequest) -> Model:
    options = QUICK | {"tag_at": request.param}
    return train("transition-weave", train=treebank, dev=CHINESE, segmenter_options=SEGMENTER, **options)


def test_words_tags_and_trees_of_raw_text_are_learnt(model: Model) -> None:
    first = model.system.options.tag_at == "start"  # learns from nothing but whole sentences
    for gold in CHINESE:
        (found,) = model(text_of(gold), keep=("sentences",) if first else ())
        assert (found.forms, found.upos, found.heads) == (gold.forms, gold.upos, gold.heads)
        assert found.offsets is not None
        assert [text_of(gold)[a:b] for a, b in found.offsets] == gold.forms
        assert found.comment("text") == text_of(gold)
        assert found.score is not None
    scores = model.system.training["dev"]
    assert scores["candidates"] == scores["words"] == scores["tlas"] == 100.0


def test_sentences_of_running_text_come_from_the_segmenter(model: Model) -> None:
    text = text_of(CHINESE[0]) + text_of(CHINESE[3]) + "\n\n" + text_of(CHINESE[5])
    found = model(text)
    assert [s.forms for s in found] == [CHINESE[k].forms for k in (0, 3, 5)]
    assert [text[a:b] for s in found for a, b in s.offsets or ()] == [form for s in found for form in s.forms]
    assert len(model("")) == 0
    assert len(model(" \n\n ")) == 0


def test_given_words_are_analysed_as_transition_joint_does(model: Model) -> None:
    """The same weights in the other system: the same tags, trees, scores and transitions."""
    weave = model.system
    names = TransitionJointOptions.__dataclass_fields__
    options = TransitionJointOptions(**{name: getattr(weave.options, name) for name in names})
    weights = {group: weave.weights[group] for group in ("arcs", "tags")}
    joint = TransitionJoint(
        options, weave.features, weights, weave.labels, weave.filter, weave.tagger, weave.morphology
    )
    for forms in (["大", "学生", "爱", "我"], ["大学", "生活"], ["我"], ["unheard", "of"]):
        mine, theirs = Sentence(forms), Sentence(forms)
        weave.annotate(mine)
        joint.annotate(theirs)
        assert mine == theirs
        assert (mine.score, mine.trace) == (theirs.score, theirs.trace)
        assert mine.forms == forms


@pytest.mark.parametrize("tag_at", ["end", "start"])
def test_the_segmenter_sure_of_itself_leaves_transition_joint(treebank: list[Sentence], tag_at: str) -> None:
    options = QUICK | {"epochs": 3, "tag_at": tag_at}
    sure = train("transition-weave", train=treebank, segmenter_options=SEGMENTER, word_probability=1.0, **options)
    for gold in CHINESE:
        (found,) = sure(text_of(gold))
        given = Sentence(found.forms)
        sure.system.annotate(given)
        assert (found.upos, found.heads, found.trace) == (given.upos, given.heads, given.trace)
        assert found.score == pytest.approx(given.score)


@pytest.mark.parametrize("tag_at", ["end", "start"])
def test_data_without_trees_teaches_words_and_tags_alone(tag_at: str, tmp_path: Path) -> None:
    bare = [Sentence(s.forms, upos=s.upos, misc=s.misc) for s in CHINESE]
    options = QUICK | {"tag_at": tag_at}
    tagging = train("transition-weave", train=4 * bare, dev=bare, segmenter_options=SEGMENTER, **options)
    assert tagging.system.predicts == ("upos",)
    assert set(tagging.system.training["dev"]) >= {"tags", "words"}
    assert "las" not in tagging.system.training["dev"]
    tagging.save(tmp_path / "m.plait")
    for model in (tagging, plait.load(tmp_path / "m.plait")):
        for gold in bare:
            (found,) = model(text_of(gold))
            assert (found.forms, found.upos) == (gold.forms, gold.upos)
            assert set(found.heads) == {-1}
            assert set(found.trace or ()) <= {"SHIFT", "APPEND"}
    given = Sentence(CHINESE[0].forms, heads=CHINESE[0].heads, deprels=CHINESE[0].deprels)
    (kept,) = tagging(given, constrain=True)
    assert (kept.upos, kept.heads, kept.deprels) == (CHINESE[0].upos, given.heads, given.deprels)


def test_broken_trees_are_no_missing_trees() -> None:
    broken = [Sentence(s.forms, upos=s.upos, heads=[0] * len(s), deprels=s.deprels, misc=s.misc) for s in CHINESE]
    for system in ("transition-weave", "transition-joint"):
        with pytest.raises(DataError, match="no trees"):
            train(system, train=broken, **QUICK)
    bare = [Sentence(s.forms, upos=s.upos) for s in CHINESE]
    with pytest.raises(DataError, match="no trees"):
        train("transition-joint", train=bare, **QUICK)


def test_the_trace_has_an_append_for_each_further_piece(model: Model) -> None:
    (found,) = model(text_of(CHINESE[1]))
    assert found.trace is not None
    assert found.trace[0] == "SHIFT"
    assert found.trace.count("SHIFT") == len(found) + found.trace.count("SWAP")
    assert set(found.trace) - {"SHIFT", "SWAP", "APPEND"} <= {"LEFT-dep", "RIGHT-dep", "RIGHT-root"}


def test_saved_and_loaded_models_predict_the_same(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    pickled = pickle.loads(pickle.dumps(model))
    texts = [*map(text_of, CHINESE), "学生大生活在京"]
    expected = [model(text).sentences for text in texts]
    for other in (loaded, pickled):
        assert [other(text).sentences for text in texts] == expected
    assert [document.sentences for document in loaded.pipe(texts, threads=3)] == expected
    assert loaded.to_bytes() == model.to_bytes()
    assert loaded.system.options.tag_at == model.system.options.tag_at


def test_words_with_spaces_inside() -> None:
    spaced = train("transition-weave", train=6 * SPACED, segmenter_options=SEGMENTER, **QUICK)
    for gold in SPACED:
        text = text_of(gold, " ")
        (found,) = spaced(text)
        assert (found.forms, found.upos, found.heads) == (gold.forms, gold.upos, gold.heads)
        assert [text[a:b] for a, b in found.offsets or ()] == gold.forms


def test_multiword_tokens_are_split_by_the_segmenter(tmp_path: Path) -> None:
    lines = ["1-2\tdon't", "1\tdo\tAUX\t3\taux", "2\tn't\tPART\t3\tadvmod", "3\tgo\tVERB\t0\troot", "",
             "1\tthey\tPRON\t2\tnsubj", "2\tgo\tVERB\t0\troot", "",
             "1\tthey\tPRON\t4\tnsubj", "2-3\tdon't", "2\tdo\tAUX\t4\taux", "3\tn't\tPART\t4\tadvmod",
             "4\tgo\tVERB\t0\troot", ""]  # fmt: skip
    rows = []
    for line in lines:
        cells = line.split("\t")
        if len(cells) == 5:
            number, form, tag, head, label = cells
            rows.append(f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
        else:
            rows.append(line and f"{line}" + 8 * "\t_")
    file = tmp_path / "t.conllu"
    file.write_text("\n".join(rows) + "\n")
    gold = plait.read(file).sentences
    spoken = train("transition-weave", train=8 * gold, segmenter_options=SEGMENTER, **QUICK)
    for sentence in gold:
        (found,) = spoken(sentence.surface_text())
        assert (found.forms, found.upos, found.heads) == (sentence.forms, sentence.upos, sentence.heads)
        assert [tuple(r)[:3] for r in found.ranges] == [tuple(r)[:3] for r in sentence.ranges]
    for mode in ("force", "merge", "prefer"):  # words of a user's dictionary are not
        (found,) = spoken("they don't go", dictionary={"don't": "VERB"}, mode=mode, scores=True)
        assert (found.forms, found.upos[1], found.ranges) == (["they", "don't", "go"], "VERB", [])
        assert len(found.scores or ()) == 3
        assert spoken("they don't go", dictionary=["go"], mode=mode)[0].forms == ["they", "do", "n't", "go"]


def test_dictionaries_bind_the_words(model: Model) -> None:
    text = "我爱大学生活。"
    assert model(text, dictionary=["大学生"])[0].forms == ["我", "爱", "大学生", "活", "。"]
    assert model(text, dictionary=["爱大学", "学生"], mode="merge")[0].forms == ["我", "爱大学", "生活", "。"]
    preferred = model(text, dictionary=[("大学生", None, -1000)], mode="prefer")[0]
    assert "大学生" in preferred.forms
    assert is_tree(preferred.heads)
    assert model(text, dictionary=[("大学生", None, 0)], mode="prefer")[0].forms == model(text)[0].forms


def test_a_dictionary_tag_binds_too(model: Model) -> None:
    found = model("我爱大学生活。", dictionary={"大学": "VERB"})[0]
    assert dict(zip(found.forms, found.upos, strict=True))["大学"] == "VERB"
    odd = model("我爱大学生活。", dictionary={"大学": "nz"})[0]
    assert dict(zip(odd.forms, odd.upos, strict=True))["大学"] == "nz"
    assert is_tree(odd.heads)


def test_scores_are_probabilities_and_given_columns_stay(model: Model) -> None:
    found = model("我爱大学生活。", scores=True)[0]
    assert found.scores is not None
    assert len(found.scores) == len(found)
    assert all(0.0 < score <= 1.0 for score in found.scores)
    given = Sentence(["大", "学生", "爱", "我"], upos=["_", "VERB", "_", "_"], heads=[-1, -1, -1, 2])
    kept = model(given, constrain=True)[0]
    assert kept.upos[1] == "VERB"
    assert kept.heads[3] == 2
    assert is_tree(kept.heads)


def test_whole_lines_as_sentences(model: Model) -> None:
    text = text_of(CHINESE[0]) + text_of(CHINESE[3])
    (found,) = model(text, keep="sentences")
    assert found.forms == CHINESE[0].forms + CHINESE[3].forms
    assert is_tree(found.heads)


def test_nbest_analyses_are_distinct_and_ranked(model: Model) -> None:
    text = text_of(CHINESE[0]) + text_of(CHINESE[5])
    found = model.nbest(text, 5)
    assert 1 < len(found) <= 5
    assert found[0].sentences == model(text).sentences
    totals = [sum(sentence.score or 0.0 for sentence in document) for document in found]
    assert totals == sorted(totals, reverse=True)
    shown = {tuple((tuple(s.forms), tuple(s.upos), tuple(s.heads)) for s in document) for document in found}
    assert len(shown) == len(found)
    with pytest.raises(OptionError, match="one paragraph"):
        model.nbest("我。\n\n我。", 2)
    assert [list(document) for document in model.nbest("", 2)] == [[]]
    assert len(model.nbest(Sentence(["大学", "生活"]), 3)) == 3


def test_a_second_look_sees_the_found_words_as_given_ones(model: Model) -> None:
    """Tags, tree and transitions are those of the words alone; words and score those of the search among rivals."""
    system = model.system
    once = dataclasses.replace(system, options=dataclasses.replace(system.options, second_look=False))
    rivals = 0
    for text in [*map(text_of, CHINESE), "学生大生活在京", "大学生在大学生活很大", "我"]:
        (first,) = once.segment(text, WHOLE)
        (found,) = system.segment(text, WHOLE)
        given = Sentence(first.forms)
        system.annotate(given)
        assert found.forms == first.forms
        assert (found.upos, found.heads, found.deprels) == (given.upos, given.heads, given.deprels)
        assert [name for name in found.trace or () if name != "APPEND"] == given.trace
        assert (found.trace or []).count("APPEND") == (first.trace or []).count("APPEND")
        assert found.score == first.score
        rivals += "APPEND" in (found.trace or ())
    assert rivals > 3


def test_nbest_analyses_are_looked_at_again_by_their_words(model: Model) -> None:
    wide = dataclasses.replace(model.system.options, beam=64)
    system = dataclasses.replace(model.system, options=wide)
    once = dataclasses.replace(model.system, options=dataclasses.replace(wide, second_look=False))
    several = 0
    for text in ["大学生在大学生活。", "学生大生活在京", "大学生爱大学生"]:
        first, found = once.alternatives_of(text, 32, WHOLE), system.alternatives_of(text, 32, WHOLE)
        assert [(way[0].forms, way[0].score) for way in found] == [(way[0].forms, way[0].score) for way in first]
        by_words: dict[tuple[str, ...], list[Sentence]] = {}
        for way in found:
            by_words.setdefault(tuple(way[0].forms), []).append(way[0])
        several += len(by_words) > 1
        for forms, ways in by_words.items():
            alone = system.alternatives(Sentence(list(forms)), 32)[: len(ways)]
            assert [(way.upos, way.heads) for way in ways] == [(other.upos, other.heads) for other in alone]
    assert several


@pytest.mark.parametrize("text", ["\u200d", "🙂🙂", "x" * 300, "我" * 500, "\t。\u3000。", "Ａ１"])
def test_any_text_gets_words_and_trees(model: Model, text: str) -> None:
    for sentence in model(text):
        assert is_tree(sentence.heads)
        assert "_" not in sentence.upos
        assert [text[a:b] for a, b in sentence.offsets or ()] == sentence.forms


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"word_probability": 2.0}, "0.0 to 1.0"),
        ({"tag_at": "middle"}, "end, start"),
        ({"segmenter_options": "beam=3"}, "beam"),
        ({"word_templates": "none"}, "default"),
        ({"guide": "graph-parser"}, "--guide"),
        ({"direction": "right-to-left"}, "--direction"),
    ],
)
def test_faults_say_what_would_do(treebank: list[Sentence], options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        train("transition-weave", train=treebank, **(QUICK | options))


def test_templates_of_transitions_do_not_see_candidate_words(treebank: list[Sentence], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("set mine\n b0.prob\n")
    with pytest.raises(OptionError, match="only the templates of words"):
        train("transition-weave", train=treebank, templates=str(tmp_path / "t.txt"), **QUICK)
    (tmp_path / "t.txt").write_text("set mine\n b0.w delta\n")
    with pytest.raises(OptionError, match="cannot use delta"):
        train("transition-weave", train=treebank, word_templates=str(tmp_path / "t.txt"), **QUICK)


def test_forged_parts_are_refused(model: Model) -> None:
    system = model.system
    header, arrays = system.parts()
    without = {name: table for name, table in header["tables"].items() if name != "words"}
    wide = {**header["tables"], "words": header["tables"]["tags"]}
    tags = {name.replace("tags.", "words.", 1): array for name, array in arrays.items() if name.startswith("tags.")}
    forged: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"segmenter": {}}, {}),
        ({"tables": without}, {}),
        ({"tables": wide}, tags),
        ({"word_templates": ["b9.w"]}, {}),
        ({"word_templates": ["rank"]}, {}),
        ({"word_templates": 7}, {}),
        ({}, {"seen.keys": arrays["seen.keys"][::-1].copy()}),
        ({}, {"seen.keys": arrays["seen.keys"][1:].copy()}),
        ({}, {"seen.more": arrays["seen.keys"]}),
    ]
    for entries, changed in forged:
        with pytest.raises(ModelError, match="damaged"):
            type(system).from_parts(system.options, header | entries, arrays | changed)
    unseen = {name: array for name, array in arrays.items() if not name.startswith("seen.")}
    with pytest.raises(ModelError, match="damaged"):
        type(system).from_parts(system.options, header, unseen)


def test_models_without_seen_words_are_read_and_need_none(treebank: list[Sentence], tmp_path: Path) -> None:
    """As those are that were trained before there were any."""
    options = QUICK | {"epochs": 3, "word_templates": "characters"}
    plain = train("transition-weave", train=treebank, segmenter_options=SEGMENTER, **options)
    _, arrays = plain.system.parts()
    assert plain.system.seen_words is None
    assert not any(name.startswith("seen.") for name in arrays)
    plain.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    for gold in CHINESE:
        assert loaded(text_of(gold)).sentences == plain(text_of(gold)).sentences


def test_candidate_words_are_those_that_are_likely_enough(model: Model) -> None:
    segmenter = model.system.segmenter
    text = "我爱大学生活。"
    ((_, _, (few,)),) = segmenter.lattices(text, plait.system.request.PLAIN, 0.5)
    ((_, _, (many,)),) = segmenter.lattices(text, plait.system.request.PLAIN, 0.0)
    assert {text[w.start : w.end] for w in few.words} <= {text[w.start : w.end] for w in many.words}
    assert len(many.words) == len(text) * (len(text) + 1) // 2
    likely = {(a, b): p for a, b, p in segmenter.likely_words(text, 1e-6)}
    for word in many.words:
        assert word.probability == pytest.approx(likely.get((word.start, word.end), 0.0), abs=1e-6)
    assert np.isclose(sum(w.probability for w in many.words if w.start == 0), 1.0)
