"""Error responses: a status, a code for programs, a message for people."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from plait.errors import DataError, FormatError, ModelError, OptionError, PlaitError

# answers of the interface load nothing at all
API_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


class ApiError(Exception):
    """An error response; ``details`` are further fields, such as the line of an error."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None, **details: Any) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after
        self.details = {key: value for key, value in details.items() if value is not None}

    def record(self) -> dict[str, Any]:
        """The value of ``error`` in the response."""
        return {"status": self.status, "code": self.code, "message": self.message, **self.details}


def api_error(error: Exception) -> ApiError:
    """The response to an exception; an unexpected one is printed on the server and not sent.

    >>> found = api_error(FormatError("is not a number", line=3, column="HEAD", value="x"))
    >>> found.status, found.code, found.details
    (422, 'bad_format', {'line': 3, 'column': 'HEAD'})
    """
    if isinstance(error, ApiError):
        return error
    if isinstance(error, FormatError):
        return ApiError(422, "bad_format", str(error), line=error.line, column=error.column, sentence=error.sentence)
    if isinstance(error, PlaitError) and not isinstance(error, ModelError):
        codes = {DataError: "bad_data", OptionError: "unsupported", PlaitError: "bad_input"}
        return ApiError(422, next(code for kind, code in codes.items() if isinstance(error, kind)), str(error))
    if isinstance(error, MemoryError):
        return ApiError(503, "out_of_memory", "the server is out of memory; send less", retry_after=5)
    traceback.print_exception(error, file=sys.stderr)
    return ApiError(500, "internal", f"internal error ({type(error).__name__}); see the log of the server")


def json_response(record: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response of the API."""
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    return Response(body, status, {**API_HEADERS, **(headers or {})}, "application/json")


def error_response(error: ApiError) -> Response:
    """The response for an error."""
    retry = {} if error.retry_after is None else {"retry-after": str(error.retry_after)}
    return json_response({"error": error.record()}, error.status, retry)
