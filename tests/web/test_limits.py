"""Limits on size, time and concurrency, with a model that waits until it is told to go on."""

import socket
import time
from urllib.parse import urlsplit

import pytest
from waiting_model import WaitingModel, in_background, until
from web_client import JSON

pytest.importorskip("starlette", reason="plait serve needs starlette; pip install 'plait[web]'")

from plait import OptionError
from plait.web.catalogue import Catalogue
from plait.web.limits import Limits


@pytest.fixture
def waiting():
    model = WaitingModel()
    yield model
    model.go.set()


def test_a_body_over_the_limit_is_refused(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(max_body=1000))
    assert client.parse(text="a" * 900).status == 200
    reply = client.parse(text="a" * 2000)
    assert (reply.status, reply.error["code"], reply.error["max_body"]) == (413, "too_large", 1000)
    pieces = (b"x" * 100 for _ in range(30))
    chunked = client.send("POST", "/v1/parse", pieces)
    assert chunked.error["code"] == "too_large"
    assert client.parse(text="a").status == 200


def test_an_announced_giant_is_refused_before_it_is_sent(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(max_body=1000))
    place = urlsplit(client.address)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        connection.sendall(b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_slow_work_gets_504_and_its_place_is_free_only_when_it_is_done(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(threads=1, concurrency=2, timeout=0.4))
    begun = time.monotonic()
    reply = client.parse(text="wait")
    assert (reply.status, reply.error["code"]) == (504, "timeout")
    assert 0.3 < time.monotonic() - begun < 5
    assert client.get("/health").json["requests"] == 1  # the thread is still at it
    waiting.go.set()
    until(lambda: client.get("/health").json["requests"] == 0)
    assert client.parse(text="a").status == 200


def test_time_is_looked_at_between_sentences(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(threads=1, timeout=0.3))
    thread, replies = in_background(lambda: client.parse(text="wait\nnever"))
    thread.join()
    assert replies[0].status == 504
    waiting.go.set()
    until(lambda: client.get("/health").json["requests"] == 0)
    assert "never" not in waiting.seen


def test_more_than_allowed_at_once_get_503_and_when_to_come_again(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(threads=1, concurrency=2, timeout=20))
    running = [in_background(lambda: client.parse(text="wait")) for _ in range(2)]
    until(lambda: client.get("/health").json["requests"] == 2)
    reply = client.parse(text="a")
    assert (reply.status, reply.error["code"], reply.headers["retry-after"]) == (503, "busy", "1")
    waiting.go.set()
    for thread, replies in running:
        thread.join()
        assert replies[0].status == 200
    assert client.parse(text="a").status == 200


def test_a_client_that_hangs_up_is_not_worked_for(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(threads=1, concurrency=5, timeout=20))
    thread, _ = in_background(lambda: client.parse(text="wait"))
    until(lambda: "wait" in waiting.seen)
    with pytest.raises(TimeoutError):
        client.send("POST", "/v1/parse", '{"text": "gone"}', JSON, timeout=0.3)
    until(lambda: client.get("/health").json["requests"] == 1)
    waiting.go.set()
    thread.join()
    assert "gone" not in waiting.seen


def test_a_body_that_never_comes_gets_408(start, waiting):
    client = start(Catalogue([("m", waiting)]), Limits(timeout=0.3))
    place = urlsplit(client.address)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        connection.sendall(b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert connection.recv(100).startswith(b"HTTP/1.1 408 ")
    assert client.get("/health").json["requests"] == 0


def test_a_fault_of_our_own_is_told_without_its_inside(start, waiting, capfd):
    client = start(Catalogue([("m", waiting)]))
    reply = client.parse(text="fail")
    assert (reply.status, reply.error["code"]) == (500, "internal")
    assert "secret" not in reply.text
    assert "secret" in capfd.readouterr().err
    documents = client.parse(text=["fail", "a"]).json["documents"]
    assert documents[0]["error"]["code"] == "internal"
    assert documents[1]["sentences"][0]["forms"] == ["a"]


def test_two_models_of_one_name_and_no_model_are_refused(waiting):
    with pytest.raises(OptionError, match="NAME=PATH"):
        Catalogue([("m", waiting), ("m", waiting)])
    with pytest.raises(OptionError, match="no model"):
        Catalogue([])
