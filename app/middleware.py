"""What surrounds every request: its id, the limit on its body, its line in the log, and the last resort."""

import logging
import re
import time
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Problem, problem_response

log = logging.getLogger("longleaf.http")

REQUEST_ID = "X-Request-ID"
FORM_BYTES = 64 * 1024  # what a form with one file may hold beside the file


class RequestMiddleware:
    """Plain ASGI, so that bodies stream through and a client's going away is seen at once.

    A request keeps the id its client gave in X-Request-ID, if that is a plain word, or is given one. A body of more
    than `max_bytes` and the form around it is refused as soon as that is known. An error nobody foresaw is logged
    with its trace and answered with `internal_error`.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what is no HTTP request passes through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers)
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = time.perf_counter(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        try:
            await self.app(scope, self._limited(receive, headers), send_with_id)
        except Exception:
            log.exception("unforeseen error, request %s", request_id)
            if status:  # half an answer is out; only the server can cut the connection
                raise
            await problem_response(Problem("internal_error"), request_id)(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - started
            log.info("%s %r %d in %.3f s, request %s", scope["method"], scope["path"], status, seconds, request_id)

    def _limited(self, receive: Receive, headers: Headers) -> Receive:
        """Receive the body, counting; raises Problem, inside the route that reads it, once it is too large."""
        limit, seen = self.max_bytes + FORM_BYTES, 0
        announced = headers.get("content-length", "")

        async def counted() -> Message:
            nonlocal seen
            if announced.isdecimal() and int(announced) > limit:
                raise self._too_large()
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise self._too_large()
            return message

        return counted

    def _too_large(self) -> Problem:
        return Problem("too_large", f"The upload is larger than the limit of {self.max_bytes:,} bytes.")


def _request_id(headers: Headers) -> str:
    given = headers.get(REQUEST_ID, "")
    return given if re.fullmatch(r"[\w.-]{1,64}", given, re.ASCII) else uuid4().hex
