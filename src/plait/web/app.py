"""The web application: routes, responses, and the page's files. All heavy work is done by the worker pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import plait
from plait.web.bodies import Bodies
from plait.web.budget import is_large
from plait.web.catalogue import Catalogue
from plait.web.errors import API_HEADERS, ApiError, api_error, error_response, json_response
from plait.web.host_check import HostCheck
from plait.web.limits import Limits
from plait.web.openapi import openapi_document
from plait.web.requests import CONVERT_FIELDS, PARSE_FIELDS, read_request
from plait.web.responses import Answer, answer_convert, answer_parse
from plait.web.worker_pool import Deferred, Slot, WorkerPool

STATIC = Path(__file__).with_name("static")

# pages may load nothing from other servers
PAGE_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def make_app(catalogue: Catalogue, limits: Limits | None = None, hosts: frozenset[str] | None = None) -> Starlette:
    """The application that serves these models; any ASGI server can run it.

    hosts: the names that requests may be addressed to, without ports; None allows all (``host_check.allowed_hosts``).
    """
    limits = limits or Limits()
    workers = WorkerPool(limits)
    bodies = Bodies(limits)
    application = Starlette(
        routes=[
            Route("/", partial(_file, "index.html")),
            Route("/docs", partial(_file, "docs.html")),
            Route("/openapi.json", partial(_description, catalogue, limits)),
            Route("/health", partial(_health, catalogue, workers)),
            Route("/v1/models", partial(_models, catalogue, limits)),
            Route("/v1/parse", partial(_parse, catalogue, workers, bodies), methods=["POST"]),
            Route("/v1/convert", partial(_convert, workers, bodies), methods=["POST"]),
            Mount("/static", _Files(packages=[("plait.web", "static"), ("plait.draw", "static")])),
        ],
        middleware=[Middleware(HostCheck, hosts=hosts)],
        exception_handlers={
            ApiError: _api_error_response,
            HTTPException: _http_error_response,
            Exception: _api_error_response,
        },
    )
    application.state.workers = workers
    return application


async def _parse(catalogue: Catalogue, workers: WorkerPool, bodies: Bodies, request: Request) -> Response:
    def work(body: bytes, slot: Slot) -> Answer | Deferred[Answer]:
        wanted = read_request(body, *_outside_body(request), PARSE_FIELDS, workers.limits)
        served = catalogue.find(wanted.model, wanted.sample)
        large = is_large(wanted, served, workers.limits)
        answer = partial(answer_parse, wanted, served, workers.limits, slot.check)
        return Deferred(answer) if large and not slot.large else answer()

    return await _process(workers, bodies, request, work)


async def _convert(workers: WorkerPool, bodies: Bodies, request: Request) -> Response:
    def work(body: bytes, slot: Slot) -> Answer:
        wanted = read_request(body, *_outside_body(request), CONVERT_FIELDS, workers.limits)
        return answer_convert(wanted, workers.limits, slot.check)

    return await _process(workers, bodies, request, work)


def _outside_body(request: Request) -> tuple[str, Mapping[str, str]]:
    """What a request contains outside its body: the content type, and fields in the query string."""
    return request.headers.get("content-type", ""), request.query_params


async def _process(
    workers: WorkerPool, bodies: Bodies, request: Request, work: Callable[[bytes, Slot], Answer | Deferred[Answer]]
) -> Response:
    """Process the request's body in the worker pool; a slot is taken only after the body has arrived."""
    body = await bodies.read(request)
    slot = workers.enter()
    try:
        answer = await workers.work(request, slot, len(body), partial(work, body, slot))
    except Exception as error:
        raise api_error(error) from None
    finally:
        slot.release()
    return bodies.answer(answer.body, answer.media, API_HEADERS)


async def _models(catalogue: Catalogue, limits: Limits, request: Request) -> Response:
    return json_response({"models": catalogue.describe(limits)})


async def _health(catalogue: Catalogue, workers: WorkerPool, request: Request) -> Response:
    return json_response(
        {
            "status": "ok",
            "version": plait.__version__,
            "models": list(catalogue.models),
            "requests": workers.active,
            "concurrency": workers.limits.concurrency,
        }
    )


async def _description(catalogue: Catalogue, limits: Limits, request: Request) -> Response:
    return json_response(openapi_document(list(catalogue.models), limits))


async def _file(name: str, request: Request) -> Response:
    return FileResponse(STATIC / name, headers=PAGE_HEADERS)


class _Files(StaticFiles):
    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """As Starlette does, with the headers of the pages."""
        response = super().file_response(*arguments, **options)
        response.headers.update(PAGE_HEADERS)
        return response


async def _api_error_response(request: Request, error: Exception) -> Response:
    return error_response(api_error(error))


async def _http_error_response(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path[:80]
    codes = {
        404: ("not_found", f"no such path: {path}; see /docs"),
        405: ("bad_method", f"{request.method} is not supported by {path}; see /docs"),
    }
    found = ApiError(error.status_code, *codes.get(error.status_code, ("http", error.detail)))
    return json_response({"error": found.record()}, found.status, error.headers)
