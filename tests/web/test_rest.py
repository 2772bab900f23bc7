"""The REST interface: what goes in and comes out, and what every kind of wrong request is told."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from web_client import JSON

import plait
from plait.data.provenance import mark
from plait.formats import FORMATS

CONLLU = "# sent_id = a\n1\tDogs\t_\t_\t_\t_\t_\t_\t_\tk=v\n2\tbark\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
STATIC = [Path(plait.__file__).parent / package / "static" for package in ("web", "draw")]


def test_text_gives_sentences_as_the_model_does(client, tiny_models):
    answer = client.parse(text="Mary sees the old house .\nDogs bark .", model="easyfirst-joint").json
    document = tiny_models["easyfirst-joint"]("Mary sees the old house .\nDogs bark .")
    assert answer["model"] == "easyfirst-joint"
    assert answer["text"] == "Mary sees the old house .\nDogs bark ."
    assert answer["milliseconds"] >= 0
    marks = [f"# generator = plait {plait.__version__}, model easyfirst-joint", "# plait_columns = upos head deprel"]
    expected = json.loads(json.dumps(document.to_dict()["sentences"]))
    expected[0]["comments"] = marks
    assert [{**sentence, "text": None} for sentence in answer["sentences"]] == [{**s, "text": None} for s in expected]


def test_first_model_is_the_default(client):
    assert client.parse(text="Dogs bark .").json["model"] == "easyfirst-joint"


def test_the_script_of_a_text_chooses_between_en_and_zh(start, tiny_models):
    from plait.web.catalogue import Catalogue

    client = start(Catalogue((name, tiny_models["crf-tagger"]) for name in ("other", "zh", "en")))
    for fields, model in [
        ({"text": "Dogs bark ."}, "en"),
        ({"text": "狗 叫 。"}, "zh"),
        ({"words": ["狗", "叫"]}, "zh"),
        ({"text": ["狗", "a"]}, "zh"),
        ({"text": ["", "123", "狗"]}, "zh"),
        ({"words": [["1"], ["狗"]]}, "zh"),
        ({"text": "Собака"}, "other"),
        ({"text": ""}, "other"),
        ({"text": []}, "other"),
        ({"text": "狗 叫 。", "model": "en"}, "en"),
    ]:
        assert client.parse(**fields).json["model"] == model


def test_text_in_a_script_of_no_model_is_refused_as_on_the_command_line(start, tiny_models):
    from plait.web.catalogue import Catalogue

    client = start(Catalogue((name, tiny_models["crf-tagger"]) for name in ("en", "zh")))
    for fields in ({"text": "Собака"}, {"text": ["", "Собака"]}, {"words": ["犬", "が"]}):
        error = client.parse(**fields).error
        assert (error["status"], error["code"], error["models"]) == (422, "no_model_for_script", ["en", "zh"])
        assert client.parse(**fields, model="en").status == 200
    for text in ("", "12345", "🙂", []):
        assert client.parse(text=text).json["model"] == "en"
    alone = start(Catalogue([("en", tiny_models["crf-tagger"])]))
    assert alone.parse(text="Собака").json["model"] == "en"


def test_words_of_one_and_of_several_sentences(client):
    one = client.parse(words=["Dogs", "bark", "."]).json["sentences"]
    two = client.parse(words=[["Dogs", "bark", "."], ["Cats", "sleep"]]).json["sentences"]
    assert [s["forms"] for s in one] == [["Dogs", "bark", "."]]
    assert [s["forms"] for s in two] == [["Dogs", "bark", "."], ["Cats", "sleep"]]
    assert two[0] == one[0]


def test_conllu_keeps_what_the_model_does_not_predict(client):
    text = client.parse(conllu=CONLLU, format="conllu").text
    comments, sentence = text[: text.index("# sent_id")], text[text.index("# sent_id") :]
    assert comments.endswith("model easyfirst-joint\n# plait_columns = upos head deprel\n")
    assert sentence.startswith("# sent_id = a\n1\tDogs\t_\tNOUN\t")
    assert sentence.splitlines()[1].endswith("\tk=v")


def test_an_answer_can_be_sent_back_as_sentences(client):
    answer = client.parse(text="Dogs bark .", model="graph-joint", scores=True).json["sentences"]
    again = client.parse(sentences=answer, model="graph-joint", keep=True).json["sentences"]
    assert again[0]["heads"] == answer[0]["heads"]


def test_a_list_of_texts_gives_a_list_of_documents(client):
    answer = client.parse(text=["Dogs bark .", "", "Cats sleep ."], model="pipeline").json["documents"]
    assert [[s["forms"] for s in document["sentences"]] for document in answer] == [
        [["Dogs", "bark", "."]], [], [["Cats", "sleep", "."]],
    ]  # fmt: skip


def test_a_fault_in_one_text_of_a_batch_is_reported_with_it_alone(client):
    answer = client.parse(text=["Dogs bark .", "a\u00a0b"], format="segmented").json["documents"]
    assert answer[0] == {"output": "Dogs_NOUN bark_VERB ._PUNCT\n"}
    assert set(answer[1]) <= {"output", "error"}
    answer = client.parse(text=["Dogs bark .", "a\0b"], format="conllu").json["documents"]
    assert "bark" in answer[0]["output"]
    assert answer[1]["error"]["status"] == 422


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("json", "conll2000")])
def test_every_format_can_be_asked_for(client, tiny_models, format):
    reply = client.parse(text="Dogs bark .", format=format)
    document = tiny_models["easyfirst-joint"]("Dogs bark .")
    mark(document, "easyfirst-joint")
    expected = "".join(FORMATS[format].write(document))
    assert reply.status == 200
    assert reply.text == expected
    kinds = {"svg": "image/svg+xml", "html": "text/html; charset=utf-8"}
    assert reply.headers["content-type"] == kinds.get(format, "text/plain; charset=utf-8")


def test_scores_and_trace(client):
    scored = client.parse(text="Dogs bark .", model="graph-joint", scores=True).json["sentences"][0]
    assert all(0 <= score <= 1 for score in scored["scores"])
    notes = [f"Score={score:.4f}" for score in scored["scores"]]
    for text in ("Dogs bark .", ["Dogs bark ."]):
        reply = client.parse(text=text, model="graph-joint", scores=True, format="conllu")
        rows = reply.text if isinstance(text, str) else reply.json["documents"][0]["output"]
        assert [line.split("\t")[9] for line in rows.splitlines() if line[:1].isdigit()] == notes
    steps = client.parse(text="Dogs bark .", model="easyfirst-joint", trace=True).json["sentences"][0]["trace"]
    assert steps[-1]["action"] == "set_root"
    assert {step["word"] for step in steps} == {1, 2, 3}
    names = client.parse(text="Dogs bark .", model="transition-joint", trace=True).json["sentences"][0]["trace"]
    assert names.count("SHIFT") >= 3
    refused = client.parse(text="Dogs bark .", model="crf-tagger", trace=True)
    assert (refused.status, refused.json["error"]["field"]) == (422, "trace")
    assert refused.json["error"]["message"] == "trace: this model does not support traces"


def test_nbest_is_given_best_first(client):
    found = client.parse(text="Dogs bark.", model="crf-segmenter", nbest=3).json["alternatives"]
    scores = [document["sentences"][0]["score"] for document in found]
    assert len(found) == 3
    assert scores == sorted(scores, reverse=True)
    assert all("# plait_columns = sentences words upos" in document["sentences"][0]["comments"] for document in found)
    assert client.parse(text="", model="crf-segmenter", nbest=3).json["alternatives"] == []


def test_what_is_to_be_kept_stays_and_the_rest_is_found_under_it(client):
    given = {"forms": ["Dogs", "bark", "."], "heads": [0, -1, -1], "upos": ["VERB", "_", "_"]}
    for model in ("graph-joint", "easyfirst-joint", "transition-joint", "pipeline"):
        found = client.parse(sentences=[given], keep=True, model=model).json["sentences"][0]
        assert (found["heads"][0], found["upos"][0]) == (0, "VERB"), model
        assert sorted(found["heads"])[0] == 0
        assert "_" not in found["deprels"], model
    free = client.parse(sentences=[given], keep=["heads"], model="graph-joint").json["sentences"][0]
    assert free["heads"][0] == 0


def test_keeping_sentences_makes_every_line_one(client):
    text = "Dogs bark. Cats sleep.\nMary reads."
    found = client.parse(text=text, model="pipeline", keep=["sentences"]).json["sentences"]
    assert [sentence["text"] for sentence in found] == text.split("\n")


def test_dictionary_binds(client):
    found = client.parse(text="Dogs bark .", model="crf-segmenter", dictionary={"Dogs bark": "X"}).json["sentences"][0]
    assert found["forms"][0] == "Dogs bark"
    assert found["upos"][0] == "X"
    listed = client.parse(text="Dogs bark .", model="crf-segmenter", dictionary=["bark ."]).json["sentences"][0]
    assert "bark ." in listed["forms"]


def test_bare_text_and_conllu_with_the_fields_in_the_address(client):
    plain = {"content-type": "text/plain; charset=utf-8"}
    reply = client.send("POST", "/v1/parse?format=conllu&model=graph-joint", b"Dogs bark .", plain)
    assert reply.text.split("\n", 2)[2].startswith("1\tDogs\t_\tNOUN")
    reply = client.send("POST", "/v1/parse?scores=true&model=graph-joint&trace=0", b"Dogs bark .", plain)
    assert len(reply.json["sentences"][0]["scores"]) == 3
    reply = client.send("POST", "/v1/parse?keep=heads&format=conllu&model=graph-joint",
                        CONLLU.replace("_\t_\t_\tk", "0\t_\t_\tk"), {"content-type": "text/x-conllu"})  # fmt: skip
    lines = reply.text.splitlines()
    assert lines[1] == "# plait_columns = upos head deprel"  # not all heads were given
    assert lines[3].split("\t")[6] == "0"
    assert client.send("POST", "/v1/parse?nbest=x", b"Hi", plain).error["field"] == "nbest"
    assert client.send("POST", "/v1/parse?text=Yo", b"Hi", plain).error["field"] == "text"
    marked = client.send("POST", "/v1/parse?format=segmented&model=graph-joint", "\ufeffDogs bark .".encode(), plain)
    assert marked.body.startswith(b"Dogs_")
    given = b"1\tDogs\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tbark\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    kept = client.send("POST", "/v1/parse?format=conllu&model=easyfirst-joint&keep=true", given,
                       {"Content-Type": "text/x-conllu"})  # fmt: skip
    assert kept.body.endswith(given)
    assert client.send("POST", "/v1/parse?scores=perhaps", b"Hi", plain).error["field"] == "scores"
    assert client.send("POST", "/v1/parse", b"\xff", plain).error["code"] == "not_utf8"


def test_convert_between_formats(client):
    sentences = client.post("/v1/convert", {"conllu": CONLLU}).json["sentences"]
    assert sentences[0]["misc"] == ["k=v", None]
    assert client.post("/v1/convert", {"sentences": sentences, "format": "conllu"}).text == CONLLU
    assert client.post("/v1/convert", {"sentences": sentences, "format": "svg"}).text.startswith("<svg")
    assert client.post("/v1/convert", {"text": "Hi"}).error["code"] == "unknown_field"


def test_models_are_described(client):
    models = {model["name"]: model for model in client.get("/v1/models").json["models"]}
    assert next(iter(models)) == "easyfirst-joint"
    assert models["pipeline"]["segments"]
    assert set(models["graph-joint"]["abilities"]) >= {"scores", "keep"}
    assert "trace" in models["easyfirst-joint"]["abilities"]
    assert set(models["crf-segmenter"]["abilities"]) >= {"scores", "nbest", "dictionary"}
    assert "keep" not in models["crf-segmenter"]["abilities"]
    assert models["easyfirst-joint"]["predicts"] == ["upos", "heads", "deprels"]
    assert models["easyfirst-joint"]["data"]["train"]["sentences"] == 24


def test_health(client):
    health = client.get("/health").json
    assert health["status"] == "ok"
    assert health["version"] == plait.__version__


# body, status, code, words of the message
WRONG = [
    ("", 400, "bad_json", "not valid JSON"),
    ("{", 400, "bad_json", "line 1"),
    ('{"text": "a",\n}', 400, "bad_json", "line 2"),
    ('{"text": "a"} x', 400, "bad_json", "Extra data"),
    ('{"text": NaN}', 400, "bad_json", "NaN"),
    ('{"nbest": ' + "9" * 5000 + "}", 400, "bad_json", "digits"),
    ("[" * 100_000, 400, "bad_json", "recursion"),
    (b'{"text": "\xff"}', 400, "not_utf8", "UTF-8"),
    ('"text"', 422, "bad_input", "a string"),
    ("[]", 422, "bad_input", "a list"),
    ("null", 422, "bad_input", "null"),
    ("{}", 422, "bad_input", "exactly one of text"),
    ('{"text": "a", "words": ["a"]}', 422, "bad_input", "text and words"),
    ('{"text": 3}', 422, "bad_field", "a number"),
    ('{"text": ["a", null]}', 422, "bad_field", "text[1]: is null"),
    ('{"words": "a b"}', 422, "bad_field", "list of words"),
    ('{"words": ["a", ""]}', 422, "bad_field", "words[1]: is empty"),
    ('{"words": [["a"], 3]}', 422, "bad_field", "words[1]: is a number"),
    ('{"words": [["a"], ["b", {}]]}', 422, "bad_field", "words[1][1]: is an object"),
    ('{"text": "a", "scores": "yes"}', 422, "bad_field", "true or false"),
    ('{"text": "a", "scores": 1}', 422, "bad_field", "true or false"),
    ('{"text": "a", "model": 3}', 422, "bad_field", "a string"),
    ('{"text": "a", "model": "klingon"}', 404, "unknown_model", "easyfirst-joint"),
    ('{"text": "a", "model": "graph-join"}', 404, "unknown_model", "did you mean 'graph-joint'"),
    ('{"text": "a", "format": "pdf"}', 422, "bad_field", "available: conllu"),
    ('{"text": "a", "format": "conlu"}', 422, "bad_field", "did you mean 'conllu'"),
    ('{"text": "a", "fromat": "json"}', 422, "unknown_field", "did you mean 'format'"),
    ('{"text": "a", "nbest": 0}', 422, "bad_field", "1 to 100"),
    ('{"text": "a", "nbest": 101}', 422, "bad_field", "1 to 100"),
    ('{"text": ["a"], "nbest": 2}', 422, "bad_field", "one text"),
    ('{"text": "a b", "nbest": 2}', 422, "unsupported", "does not support n-best"),
    ('{"text": "a", "nbest": 2, "format": "conllu", "model": "crf-segmenter"}', 422, "bad_field", "json"),
    ('{"text": "a", "scores": true}', 422, "unsupported", "scores"),
    ('{"text": "a", "dictionary": ["a"]}', 422, "unsupported", "dictionar"),
    ('{"text": "a", "dictionary": "/etc/passwd"}', 422, "bad_field", "list of words"),
    ('{"text": "a", "dictionary": [["a", 1]]}', 422, "bad_field", "list of words"),
    ('{"text": "a", "dictionary": {"a": 1}}', 422, "bad_field", "list of words"),
    ('{"text": "a", "dictionary": [" "], "model": "crf-segmenter"}', 422, "unsupported", "whitespace"),
    ('{"text": "a", "dictionary_mode": "x"}', 422, "bad_field", "force, merge, prefer"),
    ('{"text": "a", "dictionary_mode": "merge"}', 422, "bad_field", "requires dictionary"),
    ('{"text": "a", "scores": true, "format": "tree", "model": "graph-joint"}', 422, "bad_field", "conllu, json, svg"),
    ('{"text": "a", "trace": true, "format": "conllu"}', 422, "bad_field", "requires the format json"),
    ('{"text": "a", "nbest": 2, "scores": true, "model": "crf-segmenter"}', 422, "bad_field", "scores, keep or"),
    ('{"text": "a", "keep": ["heads"]}', 422, "bad_field", "conllu or sentences"),
    ('{"sentences": [{"forms": ["a"]}], "keep": "colour"}', 422, "bad_field", "cannot keep"),
    ('{"sentences": [{"forms": ["a"]}], "keep": 3}', 422, "bad_field", "a number"),
    ('{"text": "a\\ud800b"}', 422, "lone_surrogate", "U+D800) at position 1"),
    ('{"words": ["a", "\\udfffb"]}', 422, "lone_surrogate", "words[1]"),
    ('{"text": "a", "model": "\\ud800"}', 422, "lone_surrogate", "model"),
    ('{"text": ' + "[" * 400 + '"\\ud800"' + "]" * 400 + "}", 422, "lone_surrogate", "text[0]"),
    ('{"\\ud800": "a"}', 422, "lone_surrogate", "name of a field"),
    ('{"conllu": 3}', 422, "bad_field", "a string"),
    ('{"conllu": ""}', 422, "bad_format", "at least one sentence"),
    ('{"conllu": "1\\tDogs\\n"}', 422, "bad_format", "conllu:1"),
    (
        '{"conllu": "1\\ta\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_\\n2\\tb\\t_\\t_\\t_\\t_\\t9\\t_\\t_\\t_\\n\\n"}',
        422,
        "bad_format",
        "HEAD",
    ),
    ('{"sentences": "a"}', 422, "bad_field", "a string"),
    ('{"sentences": [3]}', 422, "bad_data", "sentences[0]"),
    ('{"sentences": [{"forms": []}]}', 422, "bad_data", "no words"),
    ('{"sentences": [{"forms": ["a", "b"], "heads": [2, 1]}]}', 422, "bad_data", "not a tree"),
    ('{"sentences": [{"forms": ["a", "b"], "heads": [0]}]}', 422, "bad_data", "1 values for 2 words"),
    ('{"sentences": [{"forms": ["a"], "ranges": 3}]}', 422, "bad_data", "sentences[0]"),
    ('{"sentences": [{"forms": ["a"], "extra": 3}]}', 422, "bad_data", "extra"),
]


@pytest.mark.parametrize(("body", "status", "code", "words"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_told(client, body, status, code, words):
    reply = client.send("POST", "/v1/parse", body, JSON)
    assert (reply.status, reply.error["code"]) == (status, code), reply.body
    assert words in reply.error["message"]


@pytest.mark.parametrize("depth", [900, 950, 980, 990, 1000, 5000])
def test_half_a_character_at_any_depth(client, depth):
    body = '{"text": ' + "[" * depth + '"\\ud800"' + "]" * depth + "}"
    assert client.send("POST", "/v1/parse", body, JSON).error["code"] in ("lone_surrogate", "bad_json")


def test_bad_conllu_is_told_with_its_line(client):
    good = "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    error = client.parse(conllu=good + good.replace("0", "x")).error
    assert (error["line"], error["column"]) == (3, "HEAD")
    assert error["message"].startswith("conllu:3: ")


def test_a_sentence_too_long_for_a_cubic_chart_is_refused(client):
    error = client.parse(words=["a"] * 1001, model="graph-joint").error
    assert (error["status"], error["code"], error["longest"]) == (422, "long_sentence", 1000)
    error = client.parse(words=["a"] * 401, model="graph-joint", scores=True).error
    assert (error["code"], error["longest"]) == ("long_sentence", 400)
    assert "graph-joint with scores" in error["message"]
    assert client.parse(words=["a"] * 401, model="crf-tagger", scores=True).status == 200


def test_unknown_places_and_methods(client):
    assert client.get("/v2/parse").error["code"] == "not_found"
    reply = client.get("/v1/parse")
    assert reply.error["code"] == "bad_method"
    assert reply.headers["allow"] == "POST"
    assert client.get("/static/../app.py").status == 404
    assert client.get("/static/%2e%2e/app.py").status == 404


def test_openapi_describes_every_address_and_its_references_lead_somewhere(client):
    document = client.get("/openapi.json").json
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {"/v1/parse", "/v1/convert", "/v1/models", "/health"}
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document)):
        place = document
        for name in reference.split("/"):
            place = place[name]
    example = document["paths"]["/v1/parse"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert client.post("/v1/parse", example).status == 200


def test_pages_come_with_headers_that_keep_them_to_this_server(client):
    for path in ("/", "/docs", "/static/app.js", "/static/style.css", "/static/tree.css", "/static/icon.svg"):
        reply = client.get(path)
        assert reply.status == 200, path
        assert "default-src 'self'" in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in client.parse(text="Hi").headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", sorted(path for folder in STATIC for path in folder.iterdir()), ids=lambda path: path.name
)
def test_pages_load_nothing_from_elsewhere(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"(src|href)=\"//", text)


def test_both_languages_say_the_same_things():
    text = (STATIC[1] / "words.js").read_text(encoding="utf-8")
    table = text.split("const TEXTS = {")[1].split("\n};")[0].partition("\n")[2]
    texts = json.loads("{" + re.sub(r",(\s*(\]|\Z))", r"\1", table) + "}")
    assert len(texts) > 50
    for key, (english, chinese) in texts.items():
        placeholders = [sorted(re.findall(r"{\d}", str(said))) for said in (english, chinese)]
        assert placeholders[0] == placeholders[1], key
        assert len(english) > 0, key
        assert len(chinese) > 0, key
    assert [keys for keys, _ in texts["help"][0]] == [keys for keys, _ in texts["help"][1]]


def test_many_at_once_get_the_same_as_one_alone(client, tiny_models):
    texts = [f"Mary sees the {word} ." for word in ("cat", "dog", "house", "book")] * 10
    models = ["easyfirst-joint", "graph-joint", "transition-joint", "pipeline"]
    asked = [(text, models[i % 4]) for i, text in enumerate(texts)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pair: client.parse(text=pair[0], model=pair[1]).json["sentences"], asked))
    for (text, model), sentences in zip(asked, found, strict=True):
        assert [s["heads"] for s in sentences] == [s.heads for s in tiny_models[model](text)]
