"""The web application: addresses, answers, and the page's files. Everything heavy happens in the desk's threads."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import plait
from plait.web.answering import Answer, answer_convert, answer_parse
from plait.web.asking import CONVERT_FIELDS, PARSE_FIELDS, read_asked
from plait.web.faults import ApiError, api_error
from plait.web.limits import Desk, Limits, Ticket
from plait.web.openapi import openapi_document
from plait.web.served import Catalogue

STATIC = Path(__file__).with_name("static")

# pages may load what this server has and nothing else; answers of the interface load nothing at all
PAGE_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
API_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}

Handler = Callable[[Request], Awaitable[Response]]


def make_app(catalogue: Catalogue, limits: Limits | None = None) -> Starlette:
    """The application that serves these models; any ASGI server can run it."""
    desk = Desk(limits or Limits())
    application = Starlette(
        routes=[
            Route("/", partial(_file, "index.html")),
            Route("/docs", partial(_file, "docs.html")),
            Route("/openapi.json", partial(_description, catalogue, desk.limits)),
            Route("/health", partial(_health, catalogue, desk)),
            Route("/v1/models", partial(_models, catalogue)),
            Route("/v1/parse", partial(_parse, catalogue, desk), methods=["POST"]),
            Route("/v1/convert", partial(_convert, desk), methods=["POST"]),
            Mount("/static", _Files(packages=[("plait.web", "static"), ("plait.draw", "static")])),
        ],
        exception_handlers={ApiError: _told, HTTPException: _http_told, Exception: _told},
    )
    application.state.desk = desk
    return application


async def _parse(catalogue: Catalogue, desk: Desk, request: Request) -> Response:
    def work(body: bytes, ticket: Ticket) -> Answer:
        asked = read_asked(body, request.headers.get("content-type", ""), request.query_params, PARSE_FIELDS)
        return answer_parse(asked, catalogue.find(asked.model, asked.sample), ticket.check)

    return await _worked(desk, request, work)


async def _convert(desk: Desk, request: Request) -> Response:
    def work(body: bytes, ticket: Ticket) -> Answer:
        asked = read_asked(body, request.headers.get("content-type", ""), request.query_params, CONVERT_FIELDS)
        return answer_convert(asked)

    return await _worked(desk, request, work)


async def _worked(desk: Desk, request: Request, work: Callable[[bytes, Ticket], Answer]) -> Response:
    """Let the desk do the work on the request's body, within the limits."""
    ticket = desk.enter()
    try:
        body = await desk.read_body(request, ticket)
    except BaseException:
        ticket.give_back()
        raise
    try:
        answer = await desk.work(request, ticket, partial(work, body))
    except Exception as error:
        raise api_error(error) from None
    return Response(answer.body, media_type=answer.media, headers=API_HEADERS)


async def _models(catalogue: Catalogue, request: Request) -> Response:
    return _json({"models": catalogue.describe()})


async def _health(catalogue: Catalogue, desk: Desk, request: Request) -> Response:
    return _json(
        {
            "status": "ok",
            "version": plait.__version__,
            "models": list(catalogue.models),
            "requests": desk.inside,
            "concurrency": desk.limits.concurrency,
        }
    )


async def _description(catalogue: Catalogue, limits: Limits, request: Request) -> Response:
    return _json(openapi_document(list(catalogue.models), limits))


async def _file(name: str, request: Request) -> Response:
    return FileResponse(STATIC / name, headers=PAGE_HEADERS)


class _Files(StaticFiles):
    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """As Starlette does, with the headers of the pages."""
        response = super().file_response(*arguments, **options)
        response.headers.update(PAGE_HEADERS)
        return response


def _json(record: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    return Response(body, status, {**API_HEADERS, **(headers or {})}, "application/json")


async def _told(request: Request, error: Exception) -> Response:
    found = api_error(error)
    retry = {} if found.retry_after is None else {"retry-after": str(found.retry_after)}
    return _json({"error": found.record()}, found.status, retry)


async def _http_told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: ("not_found", f"there is nothing at {request.url.path[:80]}; see /docs"),
             405: ("bad_method", f"{request.method} is not for {request.url.path[:80]}; see /docs")}  # fmt: skip
    code, message = codes.get(error.status_code, ("http", error.detail))
    record = ApiError(error.status_code, code, message).record()
    return _json({"error": record}, error.status_code, error.headers)
