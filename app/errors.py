"""What goes wrong over HTTP, told as RFC 9457 problems with a stable `code`.

PROBLEMS   every code, its status and an example sentence; OpenAPI shows them from here
Problem    raise it anywhere under a route
install    the handlers that turn every error there can be into a problem body
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from app.batcher import NotReadyError
from pipeline.errors import DocumentError

log = logging.getLogger("longleaf.http")

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem: its HTTP status, and an example of its sentence."""

    status: int
    example: str


PROBLEMS = {
    "empty_file": Kind(400, "The file is empty."),
    "invalid_body": Kind(400, "The body of the request cannot be read as a form."),
    "not_found": Kind(404, "There is nothing at this address."),
    "method_not_allowed": Kind(405, "This address does not answer to that method."),
    "too_large": Kind(413, "The upload is larger than the limit of 209,715,200 bytes."),
    "too_many_pages": Kind(413, "The document has 7,214 pages; the limit is 5,000."),
    "out_of_memory": Kind(413, "Reading the document needed more memory than the limit."),
    "out_of_scratch": Kind(413, "Reading the document had to write more to disk than the limit."),
    "not_a_document": Kind(415, "The file is none of PDF, PNG, JPEG, TIFF, WebP, mail (.eml) and Word (.docx)."),
    "no_attachment": Kind(422, "The mail has no attachment that is read."),
    "invalid_request": Kind(422, "file: Field required."),
    "unknown_schema": Kind(422, "There is no schema 'lease'; there are: nda."),
    "no_decoder": Kind(422, "The model cannot summarise: it has no decoder."),
    "password_required": Kind(422, "The document is encrypted; send its password in the field 'password'."),
    "corrupt_document": Kind(422, "The file begins as a PDF and cannot be opened as one."),
    "document_error": Kind(422, "The document cannot be read."),
    "client_gone": Kind(499, "The client went away before the answer was ready."),
    "internal_error": Kind(500, "Something went wrong on our side; the request's id finds it in the log."),
    "converter_unavailable": Kind(503, "Word files are read through LibreOffice, which is not installed."),
    "ocr_unavailable": Kind(503, "The OCR language 'fra' is not installed."),
    "not_ready": Kind(503, "The model is still loading."),
    "timed_out": Kind(504, "Reading the document took longer than the limit of 1,800 seconds."),
}
UPLOAD_PROBLEMS = [
    code
    for code in PROBLEMS
    if code not in ("not_found", "method_not_allowed", "unknown_schema", "no_decoder", "client_gone")
]
BY_STATUS = {400: "invalid_body", 404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "not_a_document"}


class Problem(HTTPException):
    """Ends the request with a problem. errors: the fields at fault, each with `field` and `message`."""

    def __init__(self, code: str, detail: str | None = None, errors: list[dict[str, str]] | None = None) -> None:
        super().__init__(PROBLEMS[code].status, detail or PROBLEMS[code].example)
        self.code = code
        self.errors = errors


def problem_response(problem: Problem, request_id: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """The problem as an answer: type, title, status, detail, code, request_id and, for fields at fault, errors."""
    status = problem.status_code
    body = problem_body(problem.code, problem.detail, request_id)
    if problem.errors:
        body["errors"] = problem.errors
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers = {"Retry-After": "5", **(headers or {})}
    return JSONResponse(body, status, headers, MEDIA_TYPE)


def problem_body(code: str, detail: str, request_id: str) -> dict[str, Any]:
    """The members every problem has. `about:blank` says that the title is the status's phrase; `code` tells more."""
    status = PROBLEMS[code].status
    title = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else "Client Closed Request"
    return {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "request_id": request_id,
    }


def documented(*codes: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's description of the problems a route may answer with, an example of each, grouped by status."""
    responses: dict[int | str, dict[str, Any]] = {}
    for code in codes:
        kind = PROBLEMS[code]
        response = responses.setdefault(
            kind.status,
            {
                "description": HTTPStatus(kind.status).phrase,
                "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": {}}},
            },
        )
        example = problem_body(code, kind.example, "6f0c1b1e5a1d4c0f9c4f0f6f2d3e4a5b")
        response["content"][MEDIA_TYPE]["examples"][code] = {"value": example}
    return responses


def install(app: FastAPI) -> None:
    """Make every error that a route can raise a problem body; what is left is the middleware's."""

    def answer(request: Request, problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
        return problem_response(problem, request.state.request_id, headers)

    @app.exception_handler(Problem)
    async def _problem(request: Request, error: Problem) -> JSONResponse:
        return answer(request, error)

    @app.exception_handler(DocumentError)
    async def _document(request: Request, error: DocumentError) -> JSONResponse:
        code = error.code if error.code in PROBLEMS else DocumentError.code
        return answer(request, Problem(code, str(error)))

    @app.exception_handler(NotReadyError)
    async def _not_ready(request: Request, error: NotReadyError) -> JSONResponse:
        return answer(request, Problem("not_ready", str(error)))

    @app.exception_handler(RequestValidationError)
    async def _validation(request: Request, error: RequestValidationError) -> JSONResponse:
        errors = [{"field": _field(e["loc"]), "message": str(e["msg"])} for e in error.errors()]
        detail = "; ".join(f"{e['field']}: {e['message']}" for e in errors) + "."
        return answer(request, Problem("invalid_request", detail, errors))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        code = BY_STATUS.get(error.status_code, "internal_error")
        told = error.detail if error.status_code in (400, 413) else None
        return answer(request, Problem(code, told), dict(error.headers or {}))


def _field(location: Iterable[str | int]) -> str:
    """A field's name without where it stood: ("body", "file") → "file"."""
    return ".".join(str(part) for part in location if part not in ("body", "query", "path", "header")) or "body"
