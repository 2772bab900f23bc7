"""What a model makes of its input before the system sees it, and of the result; every refusal in its own words."""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from pretend import HEADER, Pretend, PretendOptions, PretendSegmenter, pretend_model

import plait
from plait import Document, Sentence
from plait.errors import DataError, ModelError, OptionError, PlaitError
from plait.pipeline import model as model_module
from plait.pipeline.model import Model, as_document, make_request
from plait.system import SYSTEMS
from plait.system.request import PLAIN, Request

TEXT = "a b . c\nd . e"


def message(error, call):
    with pytest.raises(error) as found:
        call()
    return str(found.value)


def test_a_model_is_shown_with_its_system_and_columns():
    assert repr(pretend_model(Pretend(fills=("upos", "heads")))) == "<Model pretend, predicts upos, heads>"


def test_the_header_of_a_model_is_its_own():
    header = dict(HEADER)
    nlp = Model(Pretend(), header)
    nlp.header["seed"] = 7
    assert header["seed"] == 1


def test_a_plain_call_asks_for_nothing_and_an_option_is_passed_on():
    nlp = pretend_model()
    nlp(["a", "b"])
    nlp(["a"], scores=True)
    nlp(["a"], constrain=True)
    nlp(["a"], keep="heads")
    assert nlp.system.calls == [
        ("annotate", ["a", "b"]),
        ("annotate_with", ["a"], Request(scores=True)),
        ("annotate_with", ["a"], Request(constrain=True)),
        ("annotate_with", ["a"], Request(constrain=True)),
    ]


def test_user_words_are_passed_on_with_their_mode():
    nlp = pretend_model(PretendSegmenter())
    for mode in ("force", "merge", "prefer"):
        nlp("a b", dictionary=["ab"], mode=mode)
    nlp("a b", dictionary=["ab"])
    dictionaries = [request.dictionary for _, _, request in nlp.system.calls]
    assert [d.mode for d in dictionaries] == ["force", "merge", "prefer", "force"]
    assert all(list(d.entries) == ["ab"] for d in dictionaries)
    assert message(OptionError, lambda: nlp("a", mode="hard")) == (
        'unknown dictionary mode "hard"; expected force, merge, prefer'
    )
    assert make_request(True, None, "force") == Request(scores=True)


def test_the_work_is_announced_before_each_sentence_and_can_be_ended():
    steps = []
    nlp = pretend_model()
    nlp(Document([Sentence(["a"]), Sentence(["b", "c"])]), on_step=steps.append)
    assert steps == [1, 2]

    def end(words):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        nlp(["a"], on_step=end)
    for system, input in ((Pretend(), ["a", "b"]), (PretendSegmenter(), "a b")):
        pretend_model(system).nbest(input, 2, on_step=end)
        assert system.calls[0][-1].on_step is end


def test_columns_that_stay_are_not_predicted():
    nlp = pretend_model(Pretend(fills=("upos", "heads")))
    given = Sentence(["a"], upos=["N"])
    assert nlp.predicted_columns(["a"]) == {"upos", "heads"}
    assert nlp.predicted_columns(given) == {"upos", "heads"}
    assert nlp.predicted_columns(given, keep="upos") == {"heads"}
    assert nlp.predicted_columns(given, keep=True) == {"heads"}
    assert nlp.predicted_columns(Document([given]), keep=["upos", "heads"]) == {"heads"}
    reader = Pretend(fills=("upos", "heads"))
    reader.columns = SimpleNamespace(columns=("upos",))
    reader.options = SimpleNamespace(gold_tags=True)
    nlp = pretend_model(reader)
    assert nlp.predicted_columns(given) == {"heads"}
    assert nlp.predicted_columns(["a"]) == {"upos", "heads"}


def test_words_and_sentences_are_predicted_where_a_text_is_cut():
    nlp = pretend_model(PretendSegmenter())
    given = Sentence(["a"])
    assert nlp.predicted_columns("a") == {"upos", "forms", "sentences"}
    assert nlp.predicted_columns("a", keep="sentences") == {"upos", "forms"}
    assert nlp.predicted_columns(given, keep="sentences") == {"upos", "forms"}
    assert nlp.predicted_columns(given) == {"upos"}
    assert nlp.predicted_columns(given, keep=["sentences", "upos"]) == {"upos"}
    assert pretend_model().predicted_columns("a") == {"upos"}


def test_a_document_knows_what_this_model_and_those_before_it_found():
    tagger, parser = pretend_model(), pretend_model(Pretend(fills=("heads",)))
    tagged = tagger(["a", "b"])
    assert tagged.predicted_columns == {"upos"}
    assert parser(tagged).predicted_columns == {"upos", "heads"}
    assert tagger(Document([Sentence(["a"])])).predicted_columns == {"upos"}


def test_text_goes_to_a_system_that_segments_and_is_split_for_others():
    nlp = pretend_model(PretendSegmenter())
    document = nlp("a b . c")
    assert nlp.system.calls == [("segment", "a b . c", PLAIN)]
    assert [s.forms for s in document] == [["a", "b", "."], ["c"]]
    assert document.source_text == "a b . c"
    nlp = pretend_model()
    document = nlp("a b . c\nd")
    assert nlp.system.calls == [("annotate", ["a", "b", ".", "c"]), ("annotate", ["d"])]
    assert document.source_text == "a b . c\nd"


def test_a_text_may_hold_what_is_to_be_kept():
    nlp = pretend_model(PretendSegmenter())
    nlp("a b", constrain=True)
    assert nlp.system.calls == [("segment", "a b", Request(constrain=True))]


def test_lines_are_sentences_where_sentences_are_kept():
    nlp = pretend_model(PretendSegmenter())
    document = nlp(TEXT, keep="sentences", scores=True)
    assert nlp.system.calls == [
        ("segment", "a b . c", Request(scores=True, single_sentence=True)),
        ("segment", "d . e", Request(scores=True, single_sentence=True)),
    ]
    assert [s.forms for s in document] == [["a", "b", ".", "c"], ["d", ".", "e"]]
    assert all(document.source_text[t.start : t.end] == t.form for s in document for t in s)
    assert document.source_text == TEXT


def test_lines_of_a_system_without_offsets_have_none():
    class Bare(PretendSegmenter):
        def segment(self, text, request=PLAIN):
            return [Sentence([text])]

    assert [(s.forms, s.offsets) for s in pretend_model(Bare())("a\nb", keep="sentences")] == [
        (["a"], None), (["b"], None),
    ]  # fmt: skip


def test_the_sentences_of_a_document_are_cut_into_words_anew():
    nlp = pretend_model(PretendSegmenter())
    text = "  ab  c\nd."
    placed = Sentence(["ab  c", "d."], comments=["# sent_id = 7"])
    placed.offsets = [(2, 7), (8, 10)]
    document = nlp(Document([placed], text=text), keep="sentences")
    assert document.source_text == text
    assert document[0].forms == ["ab", "c", "d."]
    assert document[0].offsets == [(2, 4), (6, 7), (8, 10)]
    assert document[0].comments == ["# sent_id = 7", "# text = ab c d."]
    assert nlp.system.calls == [("segment", "ab  c d.", Request(single_sentence=True))]
    assert placed.forms == ["ab  c", "d."]


def test_a_sentence_without_a_place_is_cut_by_its_own_text():
    nlp = pretend_model(PretendSegmenter())
    plain = Sentence(["ab", "c"], comments=["# text = ab\nc", "# x = y"])
    plain.offsets = [(2, 4), (5, 6)]  # in no text
    for source in (Document([plain]), plain):
        found = nlp(source, keep="sentences")[0]
        assert (found.forms, found.offsets) == (["ab", "c"], None)
        assert found.comments == ["# text = ab\nc", "# x = y"]
    unplaced = Document([Sentence(["ab", "c"])], text="something else")
    assert nlp(unplaced, keep="sentences")[0].forms == ["ab", "c"]
    empty = nlp(Document([Sentence([], comments=["# empty"])]), keep="sentences")
    assert [s.comments for s in empty] == [["# empty"]]


def test_what_is_not_kept_is_cleared_before_the_system_sees_it():
    seen = []

    class Watching(Pretend):
        def annotate_with(self, sentence, request):
            seen.append((sentence.upos, sentence.heads, sentence.lemmas))

    given = Sentence(["a"], upos=["N"], heads=[0], lemmas=["a"])
    nlp = pretend_model(Watching(fills=("upos", "heads")))
    nlp(given, keep="upos")
    list(nlp.annotate([given.copy()], keep="heads"))
    list(nlp.annotate([given.copy()], constrain=True))
    assert seen == [(["N"], [-1], ["a"]), (["_"], [0], ["a"]), (["N"], [0], ["a"])]
    assert given.heads == [0]


def test_sentences_are_annotated_as_they_pass_by():
    taken = []
    stream = pretend_model().annotate(taken.append(form) or Sentence([form]) for form in "abc")
    assert next(stream).upos == ["X"]
    assert taken == ["a"]


def test_sentences_are_annotated_in_place():
    nlp = pretend_model()
    sentences = [Sentence(["a"], upos=["N"]), Sentence(["b"])]
    found = list(nlp.annotate(sentences))
    assert all(a is b for a, b in zip(found, sentences, strict=True))
    assert nlp.system.calls == [("annotate", ["a"]), ("annotate", ["b"])]
    (scored,) = nlp.annotate([Sentence(["a"])], scores=True, threads=2)
    assert scored.scores == [0.5]


def test_analyses_of_one_sentence_or_one_text():
    nlp = pretend_model()
    found = nlp.nbest("a b", 2)
    assert [(d[0].forms, d[0].score, d.source_text) for d in found] == [
        (["a", "b"], 0.0, "a b"), (["a", "b"], -1.0, "a b"),
    ]  # fmt: skip
    assert nlp.system.calls == [("alternatives", ["a", "b"], 2, PLAIN)]
    assert message(OptionError, lambda: nlp.nbest(["a"], 0)) == "count is 0; expected at least 1"
    assert len(nlp.nbest(["a"], 1)) == 1
    assert message(OptionError, lambda: nlp.nbest("a\nb", 2)) == ("n-best analyses are limited to one sentence, not 2")
    nlp = pretend_model(PretendSegmenter())
    found = nlp.nbest("a . b", 2)
    assert [([s.forms for s in d], d.source_text) for d in found] == [
        ([["a", "."], ["b"]], "a . b"), ([["a", ".", "b"]], "a . b"),
    ]  # fmt: skip
    assert nlp.system.calls[0] == ("alternatives_of", "a . b", 2, PLAIN)
    assert nlp.nbest(["a"], 1)[0].source_text is None


def test_options_of_a_stream_are_those_of_a_call():
    nlp = pretend_model(Pretend(fills=("upos", "heads")))
    (document,) = nlp.pipe([Sentence(["a"], upos=["N"])], keep="upos", scores=True)
    assert document.predicted_columns == {"heads"}
    assert nlp.system.calls == [("annotate_with", ["a"], Request(scores=True, constrain=True))]
    nlp = pretend_model(PretendSegmenter())
    list(nlp.pipe(["a"], dictionary=["a"], mode="merge"))
    assert nlp.system.calls[0][-1].dictionary.mode == "merge"
    ((document, context),) = nlp.pipe([["a", 7]], as_tuples=True, scores=True, keep="sentences")
    assert (document.predicted_columns, context) == ({"upos", "forms"}, 7)


def test_a_stream_does_not_read_ahead_unless_threads_are_asked_for():
    taken = []
    stream = pretend_model().pipe(taken.append(form) or form for form in "abc")
    assert next(stream)[0].forms == ["a"]
    assert taken == ["a"]
    assert len(list(pretend_model().pipe(["a"], batch_size=1, threads=2))) == 1


def test_threads_and_batches_of_a_stream_are_passed_on(monkeypatch):
    asked = []
    monkeypatch.setattr(model_module, "in_order", lambda work, inputs, *more: asked.append(more) or iter(()))
    nlp = pretend_model()
    nlp.pipe(["a"])
    nlp.pipe([("a", 1)], as_tuples=True, threads=3, batch_size=7)
    assert asked == [(1, model_module.BATCH, model_module.size_of), (3, 7, model_module._size_without_context)]


def test_a_stream_refuses_what_it_cannot_do():
    nlp = pretend_model()
    for call, words in (
        (lambda: nlp.pipe("a"), "pipe expects several inputs, not a single string; call nlp(text) or nlp.pipe([text])"),
        (lambda: nlp.pipe(["a"], errors="ignore"), 'errors is "ignore"; expected raise or skip'),
        (lambda: nlp.pipe(None), "pipe expects several inputs, such as a list of texts, not NoneType"),
        (lambda: nlp.pipe(["a"], batch_size=0), "batch_size is 0; expected at least 1"),
        (lambda: nlp.pipe(["a"], batch_size="8"), "batch_size is '8'; expected an integer"),
        (lambda: nlp.pipe(["a"], threads=1.5), "threads is 1.5; expected an integer"),
        (lambda: nlp.pipe(["a"], threads=True), "threads is True; expected an integer"),
        (lambda: nlp.nbest(["a"], None), "count is None; expected an integer"),
        (lambda: nlp("a", keep=5), 'keep is 5; expected True or names of columns, such as ["upos", "heads"]'),
        (lambda: nlp("a", dictionary=5), "the dictionary is 5; expected a file, or words as a list or dict"),
        (lambda: plait.train("pipeline", train=5),
         "cannot train on int; expected a file, a Document or a list of Sentences"),
        (lambda: plait.train("pipeline", train=[5]),
         "cannot train on int; expected a file, a Document or a list of Sentences"),
        (lambda: plait.train(5, train=[]), f"the system is 5; expected a name, one of {', '.join(SYSTEMS)}"),
        (lambda: plait.evaluate(5, 6), "cannot evaluate int; expected a file, a Document or a list of Sentences"),
        (lambda: list(nlp.pipe(["a"], as_tuples=True)),
         "with as_tuples the inputs must be pairs (text, context), not str"),
        (lambda: list(nlp.pipe([("a", 1, 2)], as_tuples=True)),
         "with as_tuples the inputs must be pairs (text, context), not tuple"),
    ):  # fmt: skip
        assert message(PlaitError, call) == words


def test_an_error_in_a_stream_tells_which_document_it_was():
    nlp = pretend_model()
    stream = nlp.pipe(["a", "?", "b"])
    assert next(stream)[0].forms == ["a"]
    with pytest.raises(DataError) as found:
        next(stream)
    assert found.value.__notes__ == ["in document 1 of the stream, counted from 0"]
    told = []
    found = nlp.pipe(["a", "?", "b"], errors="skip", on_error=lambda index, error: told.append((index, str(error))))
    assert [d[0].forms for d in found] == [["a"], ["b"]]
    assert told == [(1, "a question")]


def test_a_skipped_document_is_logged(caplog):
    assert len(list(pretend_model().pipe(["?"], errors="skip"))) == 0
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("plait", "WARNING")
    assert record.getMessage() == "document 0 was skipped: DataError: a question"


@pytest.mark.parametrize(
    ("numbered", "size"),
    [((0, ("abc", "x" * 9)), 3), ((0, ["abc", 1]), 3), ((0, "abcd"), 4), ((0, ()), 100), ((0, (7, 1)), 100)],
)
def test_contexts_do_not_count_as_text(numbered, size):
    assert model_module._size_without_context(numbered) == size


def test_any_layer_becomes_a_document_of_its_own():
    given = Document([Sentence(["a"], upos=["N"])], text="a", name="n")
    made = as_document(given)
    assert (made.source_text, made.name) == ("a", "n")
    made[0].upos = ["X"]
    single = as_document(given[0])
    single[0].upos = ["X"]
    assert given[0].upos == ["N"]
    assert as_document(("a", "b"))[0].forms == ["a", "b"]
    assert [s.forms for s in as_document("a b\nc")] == [["a", "b"], ["c"]]


def test_what_cannot_be_analysed_is_described():
    long = "x " * 20 + "y"
    for texts, shown in ((["One. Two", "b"], "'One. Two'"), ([long, "b"], repr(long[:40] + "…")),
                         (["ab " * 13 + "a"], repr("ab " * 13 + "a"))):  # fmt: skip
        assert message(DataError, lambda texts=texts: as_document(texts)) == (
            f"a list must contain the words of one sentence, but {shown} is a text; for several texts "
            "use nlp.pipe(texts), for words with spaces plait.Sentence(words)"
        )
    for several in ([Sentence(["a"]), Sentence(["b"])], [["a", "b"], ["c"]], [Document([])]):
        assert message(DataError, lambda several=several: as_document(several)) == (
            "a list must contain the words of one sentence; for several inputs use nlp.pipe(inputs), for several "
            "sentences plait.Document(sentences)"
        )
    for wrong, kind in ((7, "int"), (["a", 7], "list"), ({"a"}, "set"), (None, "NoneType")):
        assert message(PlaitError, lambda wrong=wrong: as_document(wrong)) == (
            f"cannot analyse input of type {kind}; expected a str, a list of words, a Sentence or a Document"
        )


@pytest.fixture
def findable(monkeypatch):
    """The pretended system has a name."""

    def find(name):
        if name != "pretend":
            raise OptionError(f"unknown system {name}")
        return Pretend

    monkeypatch.setattr(model_module, "find_system", find)


def test_a_model_file_comes_back(findable, tmp_path):
    nlp = pretend_model(Pretend(PretendOptions(volume=5), mark="Y"), options={"volume": 5}, licence="mine")
    nlp.save(tmp_path / "m.plait")
    for again in (Model.from_bytes(nlp.to_bytes()), model_module.load(tmp_path / "m.plait")):
        assert (again.system.mark, again.system.options.volume) == ("Y", 5)
        assert again.header == {**HEADER, "options": {"volume": 5}, "licence": "mine"}
        assert again.to_bytes() == nlp.to_bytes()
    function, arguments = nlp.__reduce__()
    assert function(*arguments).to_bytes() == nlp.to_bytes()


def test_large_tables_are_unpacked_while_the_system_is_opened(findable, monkeypatch):
    asked = []

    @contextmanager
    def opening(header, arrays):
        asked.append((header["mark"], list(arrays)))
        yield

    monkeypatch.setattr(model_module, "opening_ahead", opening)
    Model.from_bytes(pretend_model(Pretend(mark="Y")).to_bytes())
    assert asked == [("Y", ["loudness"])]


NEWER = "the model may come from a newer plait: upgrade or retrain"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"checkpoint": {}}, "a training checkpoint, not a model; continue with plait train --resume"),
        ({"system": "other"}, f"unknown system other; {NEWER}"),
        ({"options": {"size": 1}}, f'pretend has no option "size"; it has tag, volume; {NEWER}'),
        ({"seed": "x"},
         "the header's seed is 'x'; expected a whole number; train or download the model again"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_model_for_this_version_is_described(findable, header, words, tmp_path):
    content = Model(Pretend(), {**HEADER, **header}).to_bytes()
    assert message(ModelError, lambda: Model.from_bytes(content)) == f"model: {words}"
    assert message(ModelError, lambda: Model.from_bytes(content, "m")) == f"m: {words}"
    (tmp_path / "f.plait").write_bytes(content)
    path = tmp_path / "f.plait"
    assert message(ModelError, lambda: model_module.load(path)) == f"{path}: {words}"
    assert message(ModelError, lambda: Model.from_bytes(b"", "m")).startswith("m: a file of 0 bytes")


def test_what_the_system_keeps_wins_over_the_header():
    class Telling(Pretend):
        def parts(self):
            return {"mark": "Z", "seed": 9}, {"loudness": np.arange(3)}

    header, _ = model_module.parse_model(pretend_model(Telling()).to_bytes())
    assert (header["seed"], header["mark"]) == (9, "Z")


def test_the_package_has_three_names():
    import plait.pipeline

    assert message(AttributeError, lambda: plait.pipeline.test) == "module 'plait.pipeline' has no attribute 'test'"
    assert plait.pipeline.train.__name__ == "train"
