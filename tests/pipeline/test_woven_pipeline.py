"""A pipeline whose parser finds the words itself."""

from pathlib import Path

import pytest

import plait
from plait import Sentence
from plait.errors import OptionError
from plait.pipeline.combining import combine
from plait.pipeline.cutting import Cutter

WORDS = [["我", "爱", "大学", "生活"], ["大", "学生", "爱", "我"], ["学生", "爱", "生活"], ["我", "爱", "大学"]]
TAGS = [["PRON", "VERB", "NOUN", "NOUN"], ["ADJ", "NOUN", "VERB", "PRON"], ["NOUN", "VERB", "NOUN"],
        ["PRON", "VERB", "NOUN"]]  # fmt: skip
HEADS = [[2, 0, 4, 2], [2, 3, 0, 3], [2, 0, 2], [2, 0, 2]]
QUICK = "folds=4 beam=4 epochs=8 tagger=crf tagger_epochs=8"  # a morph-tagger needs more than so few sentences


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return 4 * [
        Sentence(
            words,
            upos=tags,
            xpos=[tag[0] for tag in tags],
            heads=heads,
            deprels=["dep" if h else "root" for h in heads],
            lemmas=words,
        )
        for words, tags, heads in zip(WORDS, TAGS, HEADS, strict=True)
    ]


@pytest.fixture(scope="module")
def model(treebank: list[Sentence]) -> plait.Model:
    return plait.train(
        "pipeline", train=treebank, dev=treebank, parser="transition-weave", parser_options=QUICK,
        segmenter_options="structure=linear sentences=false", tagger="crf-tagger", tagger_options="tag=xpos",
    )  # fmt: skip


def test_words_come_from_the_parser_and_other_columns_from_the_other_parts(model: plait.Model) -> None:
    for words, tags, heads in zip(WORDS, TAGS, HEADS, strict=True):
        (found,) = model("".join(words))
        assert (found.forms, found.upos, found.heads) == (words, tags, heads)
        assert found.xpos == [tag[0] for tag in tags]
        assert found.lemmas == words
        assert found.trace is not None
        (given,) = model(words)
        assert (given.forms, given.heads) == (words, heads)
    assert model.system.parser.segmenter is model.system.segmenter
    assert model.system.segmenter.options.sentences is False
    assert model.system.training["dev"]["words"] == 100.0


def test_the_segmenter_is_stored_once(model: plait.Model, tmp_path: Path) -> None:
    header, arrays = model.system.parts()
    assert "segmenter" not in header
    assert not any(name.startswith("segmenter.") for name in arrays)
    model.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    assert loaded.to_bytes() == model.to_bytes()
    assert loaded("我爱大学生活").sentences == model("我爱大学生活").sentences


def test_analyses_of_a_text_are_those_of_the_parser(model: plait.Model) -> None:
    found = model.nbest("我爱大学生活", 4)
    assert len(found) == 4
    assert found[0].sentences == model("我爱大学生活").sentences
    assert len({(*s.forms, *s.upos, *map(str, s.heads)) for d in found for s in d}) == 4
    assert all(s.xpos[0] != "_" for d in found for s in d)


def test_models_are_combined_with_their_own_segmenter(model: plait.Model, treebank: list[Sentence]) -> None:
    weave = plait.train("transition-weave", train=treebank, folds=4, beam=4, epochs=4,
                        segmenter_options="structure=linear sentences=false")  # fmt: skip
    combined = combine(weave, weave, model)
    assert combined("我爱大学生活")[0].forms == weave("我爱大学生活")[0].forms
    assert combined("我爱大学生活")[0].xpos[0] == "P"
    with pytest.raises(OptionError, match="its own segmenter"):
        combine(model, weave)
    with pytest.raises(OptionError, match="segments raw text"):
        combine(weave, weave, weave)


def test_only_a_parser_can_find_words(treebank: list[Sentence]) -> None:
    with pytest.raises(OptionError, match="segments raw text"):
        plait.train("pipeline", train=treebank, tagger="transition-weave")
    with pytest.raises(OptionError, match="segments raw text"):
        plait.train("pipeline", train=treebank, parser="crf-segmenter")


def test_words_in_the_manner_of_jieba_are_those_of_the_model(model: plait.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.plait")
    mine = Cutter(str(tmp_path / "m.plait"))
    text = "我爱大学生活"
    assert mine.lcut(text) == model(text)[0].forms
    assert mine.lcut(text, dictionary=["学生活"]) == model(text, dictionary=["学生活"])[0].forms
    by_character = Sentence([*text])
    by_character.offsets = [(k, k + 1) for k in range(len(text))]
    mine.pipeline.parser.segment = lambda text, request: [by_character]  # type: ignore[method-assign]
    assert mine.lcut(text) == [*text]
