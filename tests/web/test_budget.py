"""How much a request may ask for: what is too much is refused before it is done, with the limit that it broke."""

import os
import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from hostile_requests import hostile_requests
from waiting_model import WaitingModel, in_background, until
from web_client import Client

pytest.importorskip("starlette", reason="plait serve needs starlette; pip install 'plait[web]'")

from plait.web.catalogue import Catalogue
from plait.web.limits import Limits

SMALL = Limits(max_words=100, max_characters=400, max_sentence=30)


@pytest.fixture(scope="module")
def small(start, tiny_models, graph_pipeline):
    return start(Catalogue([*tiny_models.items(), ("graph-pipeline", graph_pipeline)]), SMALL)


@pytest.fixture(scope="module")
def graph_pipeline(tiny_models):
    """Raw text to trees by a parser whose time grows with the cube of the length."""
    from plait.pipeline.combining import combine

    return combine(tiny_models["crf-segmenter"], tiny_models["graph-joint"])


LINE = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
# what is asked, and the code and limit of the answer; one less of each is done
TOO_MUCH = [
    ({"text": "a " * 101}, "too_many_words", 100),
    ({"text": ["a"] * 101}, "too_many_words", 100),
    ({"words": [["a"] * 10] * 10 + [["a"]]}, "too_many_words", 100),
    ({"sentences": [{"forms": ["a"]}] * 101}, "too_many_words", 100),
    ({"conllu": LINE * 101}, "too_many_words", 100),
    ({"text": "a\n" * 401, "model": "pipeline"}, "too_many_characters", 400),
    ({"text": ["a" * 200, "b" * 201], "model": "pipeline"}, "too_many_characters", 400),
    ({"text": "a b c", "nbest": 5, "model": "pipeline"}, "too_much_work", 20),
    ({"text": "a", "dictionary": [str(n) for n in range(21)], "model": "pipeline"}, "too_much_work", 20),
    ({"text": "a", "dictionary": ["b" * 101], "model": "pipeline"}, "too_much_work", 100),
    ({"text": "a" * 350, "dictionary": ["a", "aa", "aaa"], "model": "pipeline"}, "too_much_work", 1600),
    ({"words": [["a"] * 10] * 2 + [["a"]], "format": "svg"}, "too_many_words_to_draw", 20),
    ({"words": [["a"] * 10] * 2 + [["a"]], "format": "html"}, "too_many_words_to_draw", 20),
    ({"words": [["a"] * 10] * 2 + [["a"]], "format": "tree"}, "too_many_words_to_draw", 20),
]


@pytest.mark.parametrize(("fields", "code", "limit"), TOO_MUCH, ids=range(len(TOO_MUCH)))
def test_too_much_is_refused_with_the_limit(small, fields, code, limit):
    error = small.post("/v1/parse", fields).error
    assert (error["status"], error["code"], error["limit"]) == (413, code, limit)


ENOUGH = [
    {"text": "a " * 30},
    {"text": ["a"] * 100},
    {"words": [["a"] * 10] * 10},
    {"sentences": [{"forms": ["a"]}] * 100},
    {"conllu": LINE * 100},
    {"text": "a\n\n" * 100, "model": "pipeline"},
    {"text": "a b c", "nbest": 4, "model": "pipeline"},
    {"text": "a", "dictionary": [str(n) for n in range(20)], "model": "pipeline"},
    {"text": "a", "dictionary": ["b" * 100], "model": "pipeline"},
    {"text": "ab\n\n" * 75, "dictionary": ["a", "ab", "abb"], "model": "pipeline"},
    {"words": [["a"] * 10] * 2, "format": "svg"},
]


@pytest.mark.parametrize("fields", ENOUGH, ids=range(len(ENOUGH)))
def test_as_much_as_allowed_is_done(small, fields):
    assert small.post("/v1/parse", fields).status == 200


@pytest.mark.parametrize("model", ["easyfirst-joint", "pipeline", "crf-segmenter"])
def test_a_long_sentence_is_refused(small, model):
    assert small.parse(words=["a"] * 30, model=model).status == 200
    error = small.parse(words=["a"] * 31, model=model).error
    assert (error["status"], error["code"], error["longest"]) == (422, "long_sentence", 30)
    letters = small.parse(words=["a" * 301], model=model)
    assert letters.status == (200 if model == "easyfirst-joint" else 422)


def test_a_long_sentence_found_in_raw_text_is_refused(small, start, tiny_models, graph_pipeline):
    error = small.parse(text="a " * 31, model="pipeline").error
    assert (error["code"], error["longest"]) == ("long_sentence", 30)
    client = start(Catalogue([("graph", graph_pipeline)]))
    assert client.get("/v1/models").json["models"][0]["longest_sentence"] == 1000
    error = client.parse(text="a " * 401, scores=True).error  # with scores a chart of words is filled
    assert (error["code"], error["longest"]) == ("long_sentence", 400)
    error = client.parse(words=["a"] * 1001).error
    assert (error["code"], error["longest"]) == ("long_sentence", 1000)
    found = client.parse(text="a " * 1001).json["sentences"]  # the segmenter ends sentences before that
    assert [len(sentence["forms"]) for sentence in found] == [1000, 1]


def test_one_document_of_a_batch_that_is_too_long_does_not_harm_the_others(small):
    documents = small.parse(text=["Dogs bark .", "a " * 31], model="pipeline").json["documents"]
    assert documents[0]["sentences"]
    assert documents[1]["error"]["code"] == "long_sentence"


def test_drawings_of_long_sentences_are_refused_by_convert(small):
    given = {"sentences": [{"forms": ["a"] * 21}], "format": "svg"}
    assert small.post("/v1/convert", given).error["code"] == "too_many_words_to_draw"
    assert small.post("/v1/convert", {**given, "format": "conllu"}).status == 200


def test_watch_is_called_before_every_step_and_ends_the_work(tiny_models):
    seen = []
    model = tiny_models["pipeline"]
    model("Dogs bark .\n\nCats sleep .", on_step=seen.append)
    assert seen.count(3) == 6  # internal tagger, search and lemmatizer, for either sentence
    assert 0 in seen

    class EnoughError(Exception):
        pass

    def on_step(words):
        if words:
            raise EnoughError

    for call in (
        lambda: model("Dogs bark .", on_step=on_step),
        lambda: model(["Dogs", "bark"], on_step=on_step),
        lambda: model.nbest("Dogs bark .", 2, on_step=on_step),
        lambda: tiny_models["easyfirst-joint"](["Dogs"], on_step=on_step),
    ):
        with pytest.raises(EnoughError):
            call()


def test_work_on_raw_text_stops_when_time_is_up(start, tiny_models, monkeypatch):
    model = tiny_models["pipeline"]
    done = []
    search = model.system.parser._search_and_write

    def slow(read, request):
        done.append(len(read.sentence))
        time.sleep(0.05)
        search(read, request)

    client = start(Catalogue([("m", model)]), Limits(timeout=0.3))
    monkeypatch.setattr(model.system.parser, "_search_and_write", slow)
    assert client.parse(text="Dogs bark .\n\n" * 200).error["status"] == 504
    until(lambda: client.get("/health").json["requests"] == 0)
    assert len(done) < 20


def test_drawing_stops_when_time_is_up(start, tiny_models, monkeypatch):
    import plait.draw.svg

    drawn = []
    body = plait.draw.svg._body

    def slow(sentence, *arguments):
        drawn.append(sentence)
        time.sleep(0.05)
        return body(sentence, *arguments)

    client = start(Catalogue([("m", tiny_models["easyfirst-joint"])]), Limits(timeout=0.3))
    monkeypatch.setattr(plait.draw.svg, "_body", slow)
    given = {"sentences": [{"forms": ["a"]}] * 200, "format": "svg"}
    assert client.post("/v1/convert", given).error["status"] == 504
    until(lambda: client.get("/health").json["requests"] == 0)
    assert len(drawn) < 20


class WaitingSegmenter(WaitingModel):
    """The same for raw text."""

    def __init__(self):
        super().__init__()
        self.system.segments = True

    def __call__(self, input, *, on_step=None, **options):
        return super().__call__(input, **options)


def test_small_requests_do_not_wait_for_large_ones(start):
    model = WaitingSegmenter()
    client = start(Catalogue([("m", model)]), Limits(threads=1, concurrency=4, timeout=20))
    texts = ["wait " + "a" * size for size in (20_000, 40_000)]
    large = [in_background(partial(client.parse, text=text)) for text in texts]
    until(lambda: client.get("/health").json["requests"] == 2)
    assert client.parse(text="small").status == 200
    reply = client.parse(text="wait " + "a" * 20_000)
    assert (reply.status, reply.error["code"], reply.headers["retry-after"]) == (503, "busy", "5")
    model.go.set()
    for thread, replies in large:
        thread.join()
        assert replies[0].status == 200
    assert client.get("/health").json["requests"] == 0


def peak_megabytes(process):
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_hostile_requests_are_answered_well_in_bounded_memory(tiny_models, tmp_path):
    path = tmp_path / "tiny.plait"
    tiny_models["pipeline"].save(path)
    command = [sys.executable, "-m", "plait", "serve", "--model", str(path), "--port", "0", "--timeout", "20",
               "--max-words", "20000", "--max-characters", "50000", "--max-sentence", "1000"]  # fmt: skip
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "MALLOC_ARENA_MAX": "2"}
    ) as server:
        client = Client(re.search(r"http:\S+", server.stderr.readline())[0])
        faults = []
        try:
            before = peak_megabytes(server.pid)
            for hostile in hostile_requests("tiny"):
                begun = time.monotonic()
                reply = client.send("POST", hostile.path, hostile.body, hostile.headers)
                seconds = time.monotonic() - begun
                if reply.status not in hostile.statuses or seconds > 20:
                    faults.append((hostile.name, reply.status, seconds, reply.body[:100]))
            grown = peak_megabytes(server.pid) - before
            assert client.parse(text="Dogs bark .").status == 200
        finally:
            server.terminate()
            assert server.wait(20) == 0
    assert faults == []
    assert grown < 200  # of which a body of 4 MB of empty lists takes half
