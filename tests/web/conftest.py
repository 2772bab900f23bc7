"""A real server on a free port, with tiny models trained once a session."""

import threading

import pytest
from web_client import Client

import plait

OPTIONS = {
    "easyfirst-joint": {},
    "graph-joint": {"epochs": 3, "folds": 2},
    "transition-joint": {"epochs": 3, "beam": 4},
    "crf-segmenter": {},
    "crf-tagger": {},
    "pipeline": {},
}


@pytest.fixture(scope="session")
def tiny_models(tiny_file):
    return {system: plait.train(system, train=str(tiny_file), **options) for system, options in OPTIONS.items()}


@pytest.fixture(scope="session")
def start(request):
    """Start a server for a catalogue; it ends with the session."""
    for package in ("starlette", "uvicorn"):
        pytest.importorskip(package, reason=f"plait serve needs {package}; pip install 'plait[web]'")
    from plait.web.app import make_app
    from plait.web.host_check import allowed_hosts
    from plait.web.limits import Limits
    from plait.web.server import address_of, listen, make_server

    def starting(catalogue, limits=None) -> Client:
        listening = listen("127.0.0.1", 0)
        limits = limits or Limits()
        app = make_app(catalogue, limits, allowed_hosts("127.0.0.1"))
        server = make_server(app, limits)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()

        def stop() -> None:
            server.should_exit = True
            thread.join(20)
            app.state.workers.close()
            listening.close()

        request.addfinalizer(stop)
        return Client(address_of(listening, "127.0.0.1"))

    return starting


@pytest.fixture(scope="session")
def client(start, tiny_models) -> Client:
    from plait.web.catalogue import Catalogue
    from plait.web.limits import Limits

    return start(Catalogue(tiny_models.items()), Limits(threads=2))
