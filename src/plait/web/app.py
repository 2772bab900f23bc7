"""The web application: addresses, answers, and the page's files. Everything heavy happens in the desk's threads."""

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
from plait.web.answering import Answer, answer_convert, answer_parse
from plait.web.asking import CONVERT_FIELDS, PARSE_FIELDS, read_asked
from plait.web.bodies import Bodies
from plait.web.budget import is_large
from plait.web.desk import Desk, Later, Ticket
from plait.web.door import Door
from plait.web.faults import API_HEADERS, ApiError, api_error, error_response, json_response
from plait.web.limits import Limits
from plait.web.openapi import openapi_document
from plait.web.served import Catalogue

STATIC = Path(__file__).with_name("static")

# pages may load what this server has and nothing else
PAGE_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def make_app(catalogue: Catalogue, limits: Limits | None = None, hosts: frozenset[str] | None = None) -> Starlette:
    """The application that serves these models; any ASGI server can run it.

    hosts: the names that requests may be addressed to, without ports; None allows all (``door.allowed_hosts``).
    """
    limits = limits or Limits()
    desk = Desk(limits)
    bodies = Bodies(limits)
    application = Starlette(
        routes=[
            Route("/", partial(_file, "index.html")),
            Route("/docs", partial(_file, "docs.html")),
            Route("/openapi.json", partial(_description, catalogue, limits)),
            Route("/health", partial(_health, catalogue, desk)),
            Route("/v1/models", partial(_models, catalogue, limits)),
            Route("/v1/parse", partial(_parse, catalogue, desk, bodies), methods=["POST"]),
            Route("/v1/convert", partial(_convert, desk, bodies), methods=["POST"]),
            Mount("/static", _Files(packages=[("plait.web", "static"), ("plait.draw", "static")])),
        ],
        middleware=[Middleware(Door, hosts=hosts)],
        exception_handlers={ApiError: _told, HTTPException: _http_told, Exception: _told},
    )
    application.state.desk = desk
    return application


async def _parse(catalogue: Catalogue, desk: Desk, bodies: Bodies, request: Request) -> Response:
    def work(body: bytes, ticket: Ticket) -> Answer | Later[Answer]:
        asked = read_asked(body, *_told_beside(request), PARSE_FIELDS, desk.limits)
        served = catalogue.find(asked.model, asked.sample)
        large = is_large(asked, served, desk.limits)
        answer = partial(answer_parse, asked, served, desk.limits, ticket.check)
        return Later(answer) if large and not ticket.large else answer()

    return await _worked(desk, bodies, request, work)


async def _convert(desk: Desk, bodies: Bodies, request: Request) -> Response:
    def work(body: bytes, ticket: Ticket) -> Answer:
        asked = read_asked(body, *_told_beside(request), CONVERT_FIELDS, desk.limits)
        return answer_convert(asked, desk.limits, ticket.check)

    return await _worked(desk, bodies, request, work)


def _told_beside(request: Request) -> tuple[str, Mapping[str, str]]:
    """What a request tells outside its body: the type, and fields in the address."""
    return request.headers.get("content-type", ""), request.query_params


async def _worked(
    desk: Desk, bodies: Bodies, request: Request, work: Callable[[bytes, Ticket], Answer | Later[Answer]]
) -> Response:
    """Let the desk do the work on the request's body; a place at the desk is taken only when the body is here."""
    body = await bodies.read(request)
    ticket = desk.enter()
    try:
        answer = await desk.work(request, ticket, len(body), partial(work, body, ticket))
    except Exception as error:
        raise api_error(error) from None
    finally:
        ticket.give_back()
    return bodies.answer(answer.body, answer.media, API_HEADERS)


async def _models(catalogue: Catalogue, limits: Limits, request: Request) -> Response:
    return json_response({"models": catalogue.describe(limits)})


async def _health(catalogue: Catalogue, desk: Desk, request: Request) -> Response:
    return json_response(
        {
            "status": "ok",
            "version": plait.__version__,
            "models": list(catalogue.models),
            "requests": desk.inside,
            "concurrency": desk.limits.concurrency,
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


async def _told(request: Request, error: Exception) -> Response:
    return error_response(api_error(error))


async def _http_told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: ("not_found", f"there is nothing at {request.url.path[:80]}; see /docs"),
             405: ("bad_method", f"{request.method} is not for {request.url.path[:80]}; see /docs")}  # fmt: skip
    code, message = codes.get(error.status_code, ("http", error.detail))
    record = ApiError(error.status_code, code, message).record()
    return json_response({"error": record}, error.status_code, error.headers)
