"""``plait serve`` as a process: it starts, answers, ends cleanly, and says in one line what is wrong."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from web_client import Client

pytest.importorskip("starlette", reason="plait serve needs starlette; pip install 'plait[web]'")
pytest.importorskip("uvicorn", reason="plait serve needs uvicorn; pip install 'plait[web]'")


@pytest.fixture(scope="module")
def model_file(tiny_models, tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "tiny.plait"
    tiny_models["easyfirst-joint"].save(path)
    return str(path)


UNLIMITED = ("--max-words", "1000000", "--max-sentence", "1000000")  # so that work can last


def plait(*arguments):
    return [sys.executable, "-m", "plait", *arguments]


def refused(*arguments):
    done = subprocess.run(plait("serve", *arguments), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"error: .*\n", done.stderr)
    return done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_told_to_stop(model_file, number):
    command = plait("serve", "--model", model_file, "--model", f"second={model_file}", "--port", "0", "--threads", "2")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        line = server.stderr.readline()
        found = re.fullmatch(r"plait serves tiny, second at (http://127\.0\.0\.1:\d+/) \(stop with Ctrl-C\)\n", line)
        assert found, line
        client = Client(found[1])
        assert client.get("/health").json["models"] == ["tiny", "second"]
        assert client.parse(text="Dogs bark .", model="second").json["sentences"][0]["heads"] == [2, 0, 2]
        server.send_signal(number)
        assert server.wait(20) == 0
        assert server.stderr.read() == ""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_it_does_not_wait_for_a_long_work_when_told_to_stop(model_file):
    with subprocess.Popen(
        plait("serve", "--model", model_file, "--port", "0", "--timeout", "0.2", *UNLIMITED),
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        client = Client(re.search(r"http:\S+", server.stderr.readline())[0])
        assert client.parse(words=["a"] * 150_000).status in (200, 504)
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0
        assert time.monotonic() - begun < 10


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_requests_that_outlast_the_end_are_told(model_file):
    program = "import plait.web.server as s; s.GRACE = 1; from plait.cli.main import main; raise SystemExit(main())"
    command = [
        sys.executable,
        "-c",
        program,
        "serve",
        "--model",
        model_file,
        "--port",
        "0",
        "--threads",
        "1",
        *UNLIMITED,
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, ThreadPoolExecutor(1) as pool:
        client = Client(re.search(r"http:\S+", server.stderr.readline())[0])
        waiting = pool.submit(client.parse, words=[["a"] * 40_000] * 10)
        while client.get("/health").json["requests"] == 0:
            time.sleep(0.01)
        server.send_signal(signal.SIGTERM)
        assert waiting.result().error["code"] == "stopping"
        assert server.wait(20) == 0
        assert server.stderr.read() == ""


def test_a_port_in_use_is_told(model_file):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = refused("--model", model_file, "--port", str(port))
    assert message == f"error: port {port} of 127.0.0.1 is in use; choose another with --port (0: any free port)\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "nowhere/x.plait"], "nowhere/x.plait"),
        (["--host", "no.such.host.invalid"], "--host"),
        (["--host", "192.0.2.1"], "192.0.2.1"),
        (["--port", "99999"], "99999"),
        (["--threads", "0"], "threads"),
        (["--max-body", "many"], "not a size"),
        (["--max-body", "0"], "not a size"),
        (["--timeout", "0"], "timeout"),
        (["--concurrency", "0"], "concurrency"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(model_file, arguments, words):
    given = arguments if "--model" in arguments else [*arguments, "--model", model_file]
    assert words in refused(*given)


def test_two_models_of_one_name_are_refused(model_file):
    assert "NAME=PATH" in refused("--model", model_file, "--model", model_file)


def test_sizes_are_read():
    from plait.cli.serve import Size

    assert [Size().convert(text, None, None) for text in ("500", "2k", "4M", "1G")] == [500, 2048, 4 << 20, 1 << 30]
