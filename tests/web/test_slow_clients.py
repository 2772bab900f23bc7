"""Clients that hold on: they keep nobody else out, they are dropped in time, and they fill no memory."""

import asyncio
import socket
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from hostile_requests import HEAD, SLOW_CLIENTS, never_reads, one_byte_of_a_body, silent
from waiting_model import WaitingModel, in_background, until

pytest.importorskip("starlette", reason="plait serve needs starlette; pip install 'plait[web]'")

from plait.web import connections
from plait.web.catalogue import Catalogue
from plait.web.limits import Limits
from plait.web.memory_pool import MemoryPool


@pytest.fixture
def opened():
    """Sockets to be closed at the end of the test."""
    found = []
    yield found
    for connection in found:
        connection.close()


@pytest.fixture
def served(start, tiny_models):
    def starting(**limits):
        client = start(Catalogue([("m", tiny_models["easyfirst-joint"])]), Limits(**limits))
        place = urlsplit(client.address)
        return client, (place.hostname, place.port)

    return starting


def closed_within(connection, seconds):
    """Whether the server closes the connection, and when."""
    begun = time.monotonic()
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return time.monotonic() - begun < seconds


@pytest.mark.parametrize("kind", SLOW_CLIENTS)
def test_slow_clients_keep_nobody_out(served, opened, kind):
    client, place = served(concurrency=2, timeout=20)
    opened += [SLOW_CLIENTS[kind](*place) for _ in range(40)]
    begun = time.monotonic()
    assert client.parse(text="Dogs bark .").status == 200
    assert time.monotonic() - begun < 5
    until(lambda: client.get("/health").json["requests"] == 0)


def test_a_body_must_come_in_time(served, opened):
    _, place = served(body_timeout=0.3, timeout=20)
    opened.append(one_byte_of_a_body(*place))
    opened[0].settimeout(5)
    assert opened[0].recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("sent", [b"", HEAD])
def test_a_head_must_come_in_time(served, opened, monkeypatch, sent):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    client, place = served()
    opened.append(silent(*place))
    opened[0].sendall(sent)
    assert closed_within(opened[0], 5)
    assert client.parse(text="Dogs bark .").status == 200


def test_a_head_that_drips_must_be_whole_in_time(served, opened, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    _, place = served()
    opened.append(silent(*place))
    begun = time.monotonic()
    with suppress(OSError):  # reset, or a broken pipe
        while time.monotonic() - begun < 5:
            opened[0].sendall(b"X")
            time.sleep(0.05)
    assert time.monotonic() - begun < 3


def test_after_an_answer_the_next_head_must_come_in_time_too(served, opened, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(connections, "KEEP_ALIVE", 0.3)
    _, place = served()
    opened.append(silent(*place))
    opened[0].sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert opened[0].recv(1000).startswith(b"HTTP/1.1 200 ")
    opened[0].sendall(b"G")  # uvicorn's own timer ends with this byte
    assert closed_within(opened[0], 5)


def test_work_that_lasts_is_not_taken_for_a_slow_head(served, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    _, place = served()
    with socket.create_connection(place, timeout=10) as connection:
        body = b'{"words": ["a"]}'
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
        time.sleep(0.5)
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")


def test_an_answer_must_be_fetched(served, opened, monkeypatch):
    monkeypatch.setattr(connections, "STALL_SECONDS", 0.5)
    client, place = served()
    opened.append(never_reads(*place))
    time.sleep(2.0)  # what the system holds for the client can still be read, and then the connection is at its end
    assert closed_within(opened[0], 5)
    whole = client.post("/v1/convert", {"sentences": [{"forms": ["abcdefgh"] * 4000}] * 12, "format": "conllu"})
    assert len(whole.body) > 1_000_000


def test_the_slowest_connection_gives_way_to_the_newest(served, opened):
    client, place = served(connections=8)
    opened += [silent(*place) for _ in range(30)]
    assert client.parse(text="Dogs bark .").status == 200
    gone = sum(closed_within(connection, 0.2) for connection in opened[:20])
    assert gone == 20


def test_connections_that_are_worked_for_do_not_give_way(start, opened):
    model = WaitingModel()
    client = start(Catalogue([("m", model)]), Limits(connections=4, timeout=20))
    place = urlsplit(client.address)
    thread, replies = in_background(lambda: client.parse(text="wait"))
    until(lambda: "wait" in model.seen)
    opened += [silent(place.hostname, place.port) for _ in range(20)]
    assert closed_within(opened[0], 5)  # the server has seen them all come
    model.go.set()
    thread.join()
    assert replies[0].status == 200


def test_room_sends_the_oldest_away():
    events = []

    async def slow(pool, name, size, seconds):
        try:
            async with pool.allocate(seconds, size):
                await asyncio.sleep(0.2)
                events.append(f"{name} done")
        except TimeoutError:
            events.append(f"{name} away")

    async def main():
        pool = MemoryPool(100)
        async with asyncio.TaskGroup() as group:
            for name, size in (("none", 0), ("first", 60), ("second", 30), ("third", 50)):
                group.create_task(slow(pool, name, size, 5))
                await asyncio.sleep(0.01)
            assert pool.used == 80
        assert pool.used == 0
        await slow(pool, "late", 1, 0.05)
        await slow(pool, "giant", 101, 5)
        assert pool.used == 0

    asyncio.run(main())
    assert events == ["first away", "none done", "second done", "third done", "late away", "giant away"]


def chunked(place, chunk, count):
    """Send a body in chunks; whether all could be sent, and what came back."""
    size = b"%x\r\n" % len(chunk)
    body = (size + chunk + b"\r\n") * count + b"0\r\n\r\n"
    with socket.create_connection(place, timeout=10) as connection:
        try:
            connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body)
            return connection.recv(100)
        except ConnectionError:
            return b""


def test_a_body_in_single_bytes_is_cut_off(served):
    client, place = served()
    assert chunked(place, b" ", 100_000) == b""
    assert client.parse(text="Dogs bark .").status == 200
    assert chunked(place, b" " * 10, 100_000).startswith(b"HTTP/1.1 400 ")  # blanks are no JSON
    assert chunked(place, b" ", 1000).startswith(b"HTTP/1.1 400 ")
