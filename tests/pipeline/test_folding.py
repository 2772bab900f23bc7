"""Full-width characters: read as ASCII where the training data has none, and written as they were."""

import pytest

import plait
from plait.data.document import Range, Sentence
from plait.data.folding import ASCII, Folding

WIDE = {ascii: wide for wide, ascii in ASCII.items()}


def wide(text: str) -> str:
    return "".join(WIDE.get(character, character) for character in text)


def sentences() -> list[Sentence]:
    found = []
    for name in ("Mary", "John", "Kim", "Lee"):
        found.append(
            Sentence(
                [name, "does", "n't", "sleep", "."], lemmas=[name, "do", "not", "sleep", "."],
                upos=["PROPN", "AUX", "PART", "VERB", "PUNCT"], heads=[4, 4, 4, 0, 4],
                deprels=["nsubj", "aux", "advmod", "root", "punct"], misc=["_", "_", "_", "SpaceAfter=No", "_"],
                ranges=[Range(2, 3, "doesn't")],
            )
        )  # fmt: skip
        found.append(
            Sentence(
                [name, "sings", "."], lemmas=[name, "sing", "."], upos=["PROPN", "VERB", "PUNCT"], heads=[2, 0, 2],
                deprels=["nsubj", "root", "punct"], misc=["_", "SpaceAfter=No", "_"],
            )
        )  # fmt: skip
    return found


@pytest.fixture(scope="module")
def model() -> plait.Model:
    return plait.train("pipeline", train=sentences() * 3, seed=1, parser_options="epochs=5")


def columns(sentence: Sentence) -> list[object]:
    return [sentence.lemmas, sentence.upos, sentence.heads, sentence.deprels, sentence.misc, sentence.offsets]


@pytest.mark.parametrize("text", ["Mary doesn't sleep.", "John sings. Kim doesn't sleep."])
def test_wide_text_is_analysed_like_ascii_and_written_as_it_was(model, text):
    expected = model(text)
    found = model(wide(text))
    assert len(expected) == text.count(".")
    for a, b in zip(expected, found, strict=True):
        assert columns(a) == columns(b)
        assert [wide(form) for form in a.forms] == b.forms
        assert [wide(r.form) for r in a.ranges] == [r.form for r in b.ranges]
        assert b.comment("text") == wide(a.comment("text") or "")
    assert any(r.form == wide("doesn't") for sentence in found for r in sentence.ranges)


def test_given_words_and_alternatives(model):
    plain, other = (model(Sentence([write(w) for w in ("Mary", "sings", ".")]))[0] for write in (str, wide))
    assert other.forms == [wide(form) for form in plain.forms]
    assert columns(plain) == columns(other)
    for analysis in model.nbest(wide("Mary sings."), 2):
        assert "".join(form for sentence in analysis for form in sentence.forms) == wide("Marysings.")


def test_forms_are_restored_after_an_error(model):
    sentence = Sentence([wide("Mary"), "sings"], heads=[2, 1])  # a cycle cannot be kept
    with pytest.raises(plait.PlaitError):
        model(sentence, constrain=True)
    assert sentence.forms[0] == wide("Mary")


def test_it_is_stored_with_the_model(model, tmp_path):
    model.save(tmp_path / "m.plait")
    assert plait.load(tmp_path / "m.plait").system.segmenter.folding.characters == "".join(sorted(ASCII))


def test_characters_of_the_training_data_stay():
    folding = Folding.learn(["你好，世界！"])
    assert folding.text("Ａ，！１") == "A，！1"
    assert folding.words(["plain", "words"]) is None
    assert folding.words(["Ａ", "b"]) == ["A", "b"]
    assert Folding().text("Ａ") == "Ａ"


def test_only_full_width_characters_can_be_folded():
    with pytest.raises(ValueError, match="full-width"):
        Folding("x")
