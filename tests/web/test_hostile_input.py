"""Whatever is sent: a valid analysis with right offsets, or a clear error; never a crash."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web_client import JSON

MODELS = ("easyfirst-joint", "transition-joint", "crf-segmenter", "pipeline")

TEXTS = {
    "empty": "",
    "spaces": " \t \n\n \r\n \u3000\u2003 ",
    "nul": "a\0b \0 c",
    "controls": "a\x01\x1b[31mb\x7f\x85\u2028\u2029c",
    "replacement": "\ufffd\ufffd a\ufffdb",
    "noncharacters": "\uffff\ufdd0 \U0010ffff",
    "zero-width": "a\u200bb\u200c\u200d\u2060\ufeffc \u200b",
    "bidi": "\u202eabc\u202c \u2066def\u2069 שלום abc עולם",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇨🇳 1️⃣",
    "combining": "e" + "\u0301" * 500 + " Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘",
    "repeated": "的" * 13_000,
    "repeated words": "的 " * 13_000,
    "repeated dots": "." * 13_000,
    "mixed": "Dogs 狗 بارك כלב Собака 犬が吠える 개 สุนัข कुत्ता 🐕.",
    "markup": "<script>alert(1)</script> &amp; </svg> ]]> {{7*7}} %s \\",
    "no spaces": "ab的c" * 4_000,
    "newlines": "\n".join(["a"] * 3_000),
}


def check(text, answer):
    """The answer is a whole document over this text."""
    assert answer["text"] == text
    end = 0
    for sentence in answer["sentences"]:
        n = len(sentence["forms"])
        assert n > 0
        assert all(len(sentence[name]) == n for name in ("upos", "heads", "deprels", "offsets"))
        if sentence["heads"] != [None] * n:
            assert sentence["heads"].count(0) == 1
        covered = {i for first, last, *_ in sentence["ranges"] for i in range(first, last + 1)}
        for i, (form, (start, stop)) in enumerate(zip(sentence["forms"], sentence["offsets"], strict=True), 1):
            assert 0 <= start <= stop <= len(text)
            if i not in covered:
                assert text[start:stop] == form
                assert start >= end
                end = stop


LONG = [name for name, text in TEXTS.items() if len(text) > 5000]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (name, model)
        for name in TEXTS
        for model in MODELS
        if name not in LONG or model in ("easyfirst-joint", "pipeline")
    ],
)
def test_hostile_texts(client, model, name):
    reply = client.parse(text=TEXTS[name], model=model)
    if reply.status == 200:
        check(TEXTS[name], reply.json)
    else:
        assert reply.error["status"] == 422


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts_in_other_formats(client, name):
    for format in ("conllu", "svg", "tree", "html"):
        reply = client.parse(text=TEXTS[name][:1000], format=format)
        if reply.status == 200:
            reply.body.decode()
        else:
            assert reply.error["status"] == 422, (format, reply.error)


@pytest.mark.parametrize("model", ["easyfirst-joint", "transition-joint"])
def test_a_megabyte_without_spaces(client, model):
    text = "ab的c" * (1 << 18)
    reply = client.parse(text=text, model=model)
    check(text, reply.json)


def test_a_megabyte_for_the_segmenter_is_told_to_send_less(client):
    reply = client.parse(text="x" * (1 << 20), model="crf-segmenter")
    assert (reply.status, reply.error["code"], reply.error["limit"]) == (413, "too_many_characters", 250_000)
    text = "x" * 250_000
    check(text, client.parse(text=text, model="crf-segmenter").json)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8")), model=st.sampled_from(MODELS))
def test_any_text(client, text, model):
    reply = client.parse(text=text, model=model)
    if reply.status == 200:
        check(text, reply.json)
    else:
        assert reply.error["status"] == 422


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010), min_size=1))
def test_half_surrogate_pairs_are_told_and_whole_ones_taken(client, text):
    body = json.dumps({"text": text})
    whole = json.loads(body)["text"]  # escapes that follow each other may make a pair
    halves = any("\ud800" <= c <= "\udfff" for c in whole)
    reply = client.send("POST", "/v1/parse", body, JSON)
    assert (reply.status == 422 and reply.error["code"] == "lone_surrogate") if halves else reply.status == 200


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["forms", "heads", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = ("text", "words", "conllu", "sentences", "model", "format", "scores", "trace", "nbest", "keep", "dictionary")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4))
def test_any_object_gets_an_answer_or_is_told_what_is_wrong(client, record):
    reply = client.post("/v1/parse", record)
    assert reply.status == 200 or (reply.status in (404, 422) and reply.error["message"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=60))
def test_any_bytes(client, body):
    assert client.send("POST", "/v1/parse", body, JSON).error["status"] in (400, 422)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="1234.-\t\n _ab#=|", max_size=60))
def test_any_conllu(client, text):
    reply = client.parse(conllu=text, model="graph-joint", keep=True)
    assert reply.status == 200 or reply.error["status"] == 422
