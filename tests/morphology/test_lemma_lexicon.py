"""A lexicon of lemmas: known words favour a lemma, irregular forms are remembered, sources stay in the model."""

import pytest

import plait
from plait.data.document import Sentence
from plait.errors import FormatError, OptionError
from plait.morphology.lemma_lexicon import ListedLemma
from plait.morphology.lemma_problem import LeaveOneOutLemmas

LEXICON = "# source: WordNet\n# licence: its own\nform\ttag\tlemma\n"
# "-ved" comes of "-ve" and of "-v" alike in the training data: only a lexicon can tell which one a new word has
ROOTS = ["mo", "lo", "sa", "ra", "ca", "da"]


def training() -> list[Sentence]:
    made = []
    for k, root in enumerate(ROOTS):
        lemma = f"{root}ve" if k % 2 else f"{root}v"
        for form in (f"{root}ved", lemma):
            made.append(Sentence([form], lemmas=[lemma], upos=["VERB"], xpos=["V"], feats=["_"]))
    return made


def lemma(model: plait.Model, form: str, upos: str = "VERB") -> str | None:
    return model(Sentence([form], upos=[upos], xpos=["V"]))[0][0].lemma


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "words.txt"
    # those of the training data, so that it is learnt that known words are likely, and new ones
    known = [f"{root}{'ve' if k % 2 else 'v'}" for k, root in enumerate(ROOTS)]
    rows = [f"{w}\tVERB\t{w}" for w in [*known, "nuve", "tiv"]]
    path.write_text(LEXICON + "\n".join([*rows, "forsook\tVERB\tforsake", "forsook\tNOUN\tforsook"]) + "\n")
    return path


def test_listed_words_decide_between_edits(lexicon):
    model = plait.train("lemmatizer", train=training(), lexicon=str(lexicon), epochs=20, seed=1)
    assert (lemma(model, "nuved"), lemma(model, "tived")) == ("nuve", "tiv")
    without = plait.train("lemmatizer", train=training(), epochs=20, seed=1)
    assert (lemma(without, "nuved"), lemma(without, "tived")) != ("nuve", "tiv")


def test_irregular_forms_and_sources_are_stored(lexicon, tmp_path):
    model = plait.train("lemmatizer", train=training(), lexicon=str(lexicon), seed=1)
    model.save(tmp_path / "m.plait")
    loaded = plait.load(tmp_path / "m.plait")
    assert lemma(loaded, "forsook") == "forsake"
    assert lemma(loaded, "forsook", "NOUN") == "forsook"
    assert [(s.name, s.licence, s.entries) for s in loaded.system.sources] == [("WordNet", "its own", 10)]


def test_training_data_goes_before_the_lexicon(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(LEXICON + "moved\tVERB\twrong\n")
    model = plait.train("lemmatizer", train=training(), lexicon=str(path), seed=1)
    assert lemma(model, "moved") == "mov"


def test_the_lexicon_is_never_the_word_at_hand():
    other = LeaveOneOutLemmas({}, [ListedLemma("dogs", "NOUN", "dog")])
    assert other.levels("dogs", ["dog", "dogs"], ("NOUN", "_", "_")) == ([3, 1], [2, 3])
    assert other.levels("dog", ["dog"], ("VERB", "_", "_")) == ([2], [1])


def test_a_lexicon_without_lemmas_is_refused(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("dog 3 n\n")
    with pytest.raises(OptionError, match="no lemmas"):
        plait.train("lemmatizer", train=training(), lexicon=str(path))
    with pytest.raises(FormatError, match="nowhere"):
        plait.train("lemmatizer", train=training(), lexicon=str(tmp_path / "nowhere"))
