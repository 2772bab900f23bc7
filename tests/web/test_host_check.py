"""Who may ask: requests for this server, and none that a page of another site makes a browser send."""

import pytest
from hostile_requests import malformed_requests
from web_client import JSON

pytest.importorskip("starlette", reason="plait serve needs starlette; pip install 'plait[web]'")

from starlette.datastructures import Headers

from plait import OptionError
from plait.web.host_check import HostCheck, allowed_hosts

LOCAL = allowed_hosts("127.0.0.1")
BODY = '{"text": "Dogs bark ."}'


def objection(hosts, method="POST", **headers):
    found = HostCheck(None, hosts).objection(Headers(headers), method)
    return found and found.code


@pytest.mark.parametrize("request_", list(malformed_requests()), ids=lambda hostile: hostile.name)
def test_what_is_malformed_or_foreign_is_refused(client, request_):
    reply = client.send("POST", request_.path, request_.body, request_.headers)
    assert reply.error["status"] in request_.statuses


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "[::1]"])
def test_names_of_this_machine_are_its_own(client, host):
    assert client.send("POST", "/v1/parse", BODY, {**JSON, "host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "a b", ":1"],
)
def test_other_names_are_refused_on_loopback(client, host):
    assert client.send("POST", "/v1/parse", BODY, {**JSON, "host": host}).error["code"] == "unknown_host"
    assert client.send("GET", "/", None, {"host": host}).status == 403


def test_pages_of_this_server_may_post(client):
    place = client.address.removeprefix("http://").rstrip("/")
    assert client.send("POST", "/v1/parse", BODY, {**JSON, "origin": f"http://{place}"}).status == 200
    foreign = client.send("POST", "/v1/parse", BODY, {**JSON, "origin": "http://evil.example"})
    assert foreign.error["code"] == "other_origin"
    plain = {"content-type": "text/plain", "origin": "http://evil.example"}
    assert client.send("POST", "/v1/parse", b"Dogs bark .", plain).error["code"] == "other_origin"


def test_origins_behind_a_proxy():
    hosts = allowed_hosts("127.0.0.1", ["nlp.example.org"])
    assert objection(hosts, host="nlp.example.org", origin="https://nlp.example.org") is None
    assert objection(hosts, host="127.0.0.1:8000", origin="https://nlp.example.org") is None
    assert objection(hosts, host="127.0.0.1:8000", origin="https://other.example.org") == "other_origin"
    assert objection(LOCAL, host="localhost:8000", origin="http://localhost:3000") == "other_origin"
    assert objection(LOCAL, host="localhost:80", origin="http://localhost") is None
    assert objection(LOCAL, host="localhost:8000", origin="file://localhost:8000") == "other_origin"
    assert objection(LOCAL, method="GET", host="localhost", origin="http://evil.example") is None


def test_on_other_addresses_names_are_checked_once_some_are_given():
    assert allowed_hosts("0.0.0.0") is None
    assert objection(None, host="anything.example") is None
    given = allowed_hosts("0.0.0.0", ["nlp.example.org"])
    assert objection(given, host="nlp.example.org:8000") is None
    assert objection(given, host="evil.example") == "unknown_host"


@pytest.mark.parametrize("name", ["", "a b", "host:80", "http://host", "host/path"])
def test_a_name_to_allow_must_be_one(name):
    with pytest.raises(OptionError, match="--allow-host"):
        allowed_hosts("127.0.0.1", [name])


@pytest.mark.parametrize(
    "kind", ["", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html"]
)
def test_only_json_and_bare_text_are_read(client, kind):
    error = client.send("POST", "/v1/parse", BODY, {"content-type": kind}).error
    assert (error["status"], error["code"]) == (415, "bad_content_type")


def test_half_a_character_in_one_text_of_a_batch_is_told_with_that_one(client):
    body = r'{"text": ["Dogs bark .", "a\ud800", "Cats sleep ."]}'
    documents = client.send("POST", "/v1/parse", body, JSON).json["documents"]
    assert [len(document.get("sentences", [])) for document in documents] == [1, 0, 1]
    assert documents[1]["error"]["code"] == "lone_surrogate"
    assert documents[1]["error"]["field"] == "text[1]"
