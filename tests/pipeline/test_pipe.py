"""Streams of inputs, what goes along with them, and inputs that are not what they seem."""

import logging
import subprocess
import sys

import pytest

import plait
from plait.errors import DataError, OptionError
from plait.pipeline.streams import in_order


@pytest.fixture(scope="module")
def tagger(tiny_file):
    return plait.train("perceptron-tagger", train=tiny_file, epochs=2)


@pytest.mark.parametrize("threads", [1, 3])
def test_contexts_come_back_with_their_documents(tagger, threads):
    texts = [f"{word} ." for word in "abcdefg"]
    contexts = [object() for _ in texts]
    found = list(tagger.pipe(zip(texts, contexts, strict=True), as_tuples=True, threads=threads, batch_size=2))
    assert [document.text for document, _ in found] == texts
    assert [context for _, context in found] == contexts
    assert [document for document, _ in found] == list(tagger.pipe(texts))


def test_a_skipped_pair_takes_its_context_along(tagger):
    told = []
    pairs = [("a", 1), (7, 2), "b", ("c", 3)]
    found = tagger.pipe(pairs, as_tuples=True, errors="skip", on_error=lambda i, error: told.append((i, str(error))))
    assert [context for _, context in found] == [1, 3]
    assert [i for i, _ in told] == [1, 2]
    assert "pairs (text, context), not str" in told[1][1]


def test_long_texts_make_small_batches_with_a_context_too(tagger, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    submitted = []
    submit = ThreadPoolExecutor.submit
    monkeypatch.setattr(
        ThreadPoolExecutor,
        "submit",
        lambda self, function, items: submitted.append(len(items)) or submit(self, function, items),
    )
    texts = ["a " * 20_000] * 6
    for contexts in (range(6), ["x"] * 6, ["x" * 50_000] * 6):
        submitted.clear()
        assert len(list(tagger.pipe(zip(texts, contexts, strict=True), as_tuples=True, threads=2))) == 6
        assert submitted == [1] * 6
    submitted.clear()
    list(tagger.pipe((("a", "x" * 50_000) for _ in range(6)), as_tuples=True, threads=2))
    assert submitted == [6]


@pytest.mark.parametrize(("batch_size", "batches"), [(1, 7), (3, 3), (7, 1), (100, 1)])
def test_batches_have_the_size_that_was_asked_for(monkeypatch, batch_size, batches):
    from concurrent.futures import ThreadPoolExecutor

    submitted = []
    submit = ThreadPoolExecutor.submit
    monkeypatch.setattr(
        ThreadPoolExecutor,
        "submit",
        lambda self, function, items: submitted.append(len(items)) or submit(self, function, items),
    )
    assert list(in_order(str, range(7), 2, batch_size)) == list("0123456")
    assert len(submitted) == batches
    assert max(submitted) == min(batch_size, 7)


def test_a_batch_size_below_1_is_refused(tagger):
    with pytest.raises(OptionError, match="batch_size is 0"):
        tagger.pipe(["a"], batch_size=0)


@pytest.mark.parametrize("text", ["a string", b"bytes"])
def test_a_single_string_is_no_stream(tagger, text):
    with pytest.raises(DataError, match=r"nlp\.pipe\(\[text\]\)"):
        tagger.pipe(text)


@pytest.mark.parametrize(
    "texts",
    [
        ["Two sentences.", "Another."],
        ["Hello world", "Good morning"],
        ["Stop!", "Why?"],
        ["我爱北京。", "中国很大"],
        ["Dogs\nbark"],
        ["“Stop!”", "(Why?)"],
    ],
)
def test_a_list_of_texts_is_not_taken_for_words(tagger, texts):
    with pytest.raises(DataError, match=r"nlp\.pipe\(texts\)"):
        tagger(texts)
    with pytest.raises(DataError, match=r"nlp\.pipe\(texts\)"):
        next(tagger.pipe([texts]))
    assert [document.text for document in tagger.pipe(texts)] == texts
    assert tagger(plait.Sentence(texts))[0].forms == texts


@pytest.mark.parametrize(
    "words",
    [
        ["Dr.", "Smith", "left"],
        ["etc."],
        ["No.", "7"],
        ["10 000", "people"],
        ["Yahoo!"],
        ["học sinh", "đi", "học", "."],
        ["。"],
        ["...", "!"],
        [""],
        [],
        ["New", "York"],
        ("a", "tuple"),
    ],
)
def test_a_list_of_words_is_taken_as_it_is(tagger, words):
    assert tagger(words)[0].forms == list(words)


def test_the_library_logs_and_is_silent_until_someone_listens(tiny_file):
    code = f"""
import plait
nlp = plait.train("perceptron-tagger", train={str(tiny_file)!r}, epochs=1)
print(len(list(nlp.pipe(["a", 7], errors="skip"))))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_training_logs_its_epochs(tiny_file, caplog):
    with caplog.at_level(logging.INFO, logger="plait"):
        plait.train("perceptron-tagger", train=tiny_file, epochs=2)
    assert [(record.name, record.levelname) for record in caplog.records] == [("plait", "INFO")] * 2
    assert "perceptron-tagger: epoch   1" in caplog.text


def test_the_command_line_prints_notices(tiny_file, tmp_path):
    model = tmp_path / "m.plait"
    options = {"epochs": 1, "max_words": 2}
    plait.train("graph-parser", train=tiny_file, **options).save(model)
    done = subprocess.run(
        [sys.executable, "-m", "plait", "parse", "--model", model, "Dogs bark loudly ."],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == (
        'notice: "Dogs bark loudly ..." has 4 words, more than max_words (2); it is parsed by the first-order model\n'
    )
    assert done.stdout.count("\n") == 7


def test_names_of_the_api_are_there():
    assert plait.Model is type(plait.load("en"))
    assert {"Model", "Document", "Sentence", "Token"} <= set(plait.__all__)


@pytest.mark.parametrize("threads", [1, 4])
def test_what_comes_before_an_error_is_given_with_any_number_of_threads(threads):
    def work(number):
        if number == 70:
            raise ValueError("seventy")
        return number

    given = []

    def collect():
        for number in in_order(work, range(200), threads):
            given.append(number)

    with pytest.raises(ValueError, match="seventy"):
        collect()
    assert given == list(range(70))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threads": 0}, "threads is 0; expected at least 1"),
        ({"on_error": print}, 'on_error has no effect without errors="skip"'),
        ({"mode": "merge"}, 'mode "merge" has no effect without a dictionary'),
    ],
)
def test_options_without_effect_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        list(plait.load("en").pipe(["Hi"], **options))
