"""Whatever goes wrong over HTTP is a problem body with a stable code, and harms nobody else."""

import logging
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from app import schemas
from app.settings import Settings
from tests.app.serving import ready, serving, wait_until
from tests.fakes import AGREEMENT, EXPLOSIVE, REPORT, FakeInfo, FakePredictor, pdf

LIMITS = Settings(max_bytes=200_000, max_pages=3, readers=4)


@pytest.fixture
def predictor() -> FakePredictor:
    return FakePredictor()


@pytest.fixture
def client(predictor: FakePredictor) -> Iterator[httpx.Client]:
    with ready(predictor, LIMITS) as client:
        yield client
        predictor.gate.set()


def post(client: httpx.Client, content: bytes, path: str = "/classify", name: str = "a.pdf") -> httpx.Response:
    return client.post(path, files={"file": (name, content)})


def problem(response: httpx.Response, status: int, code: str) -> schemas.Problem:
    """The body, checked."""
    assert (response.status_code, response.json().get("code")) == (status, code)
    assert response.headers["content-type"] == "application/problem+json"
    body = schemas.Problem.model_validate(response.json())
    assert body.status == status
    assert body.request_id == response.headers["X-Request-ID"]
    assert body.title
    assert body.detail.endswith(".")
    return body


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 400, "empty_file"),
        (b"only words", 415, "not_a_document"),
        (b"%PDF-1.7\nnothing that follows is one", 422, "corrupt_document"),
        (pdf("locked", password="sesame"), 422, "password_required"),
        (pdf(*"abcd"), 413, "too_many_pages"),
        (b"%PDF" + bytes(210_000), 413, "too_large"),
        (b"%PDF" + bytes(5_000_000), 413, "too_large"),
    ],
)
def test_documents_that_cannot_be_read(client: httpx.Client, content: bytes, status: int, code: str) -> None:
    problem(post(client, content), status, code)


def test_a_body_is_refused_before_its_end(client: httpx.Client) -> None:
    head = b"POST /classify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF' + bytes(300_000)
    with connected(client) as connection:
        connection.sendall(head + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n")
        connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_missing_part_is_named(client: httpx.Client) -> None:
    body = problem(client.post("/classify", data={"password": "x"}), 422, "invalid_request")
    assert body.errors == [schemas.FieldError(field="file", message="Field required")]
    problem(client.post("/classify", json={"file": "x"}), 422, "invalid_request")
    problem(client.post("/classify", data={"file": "not a file"}), 422, "invalid_request")


def test_one_file_a_request(client: httpx.Client) -> None:
    files = [("file", ("a.pdf", AGREEMENT)), ("file", ("b.pdf", REPORT))]
    body = problem(client.post("/classify", files=files), 422, "invalid_request")
    assert body.errors == [schemas.FieldError(field="file", message="Send one file a request")]


def test_a_broken_form(client: httpx.Client) -> None:
    headers = {"Content-Type": "multipart/form-data"}
    problem(client.post("/classify", content=b"???", headers=headers), 400, "invalid_body")


def test_an_unknown_schema_is_told_the_known_ones(client: httpx.Client) -> None:
    body = problem(post(client, AGREEMENT, "/extract?schema=lease"), 422, "unknown_schema")
    assert body.detail == "There is no schema 'lease'; there are: nda."


def test_a_model_without_a_decoder_cannot_summarise(client: httpx.Client, predictor: FakePredictor) -> None:
    predictor.info = FakeInfo(tasks=("classify", "extract"))
    with ready(predictor) as other:
        body = problem(post(other, AGREEMENT, "/summarize"), 422, "no_decoder")
        assert body.detail == "The model cannot summarise: it has no decoder."


@pytest.mark.parametrize(("field", "sent"), [("beams", "0"), ("beams", "17"), ("max_new_tokens", "many")])
def test_options_of_a_summary_have_bounds(client: httpx.Client, field: str, sent: str) -> None:
    response = client.post("/summarize", files={"file": ("a.pdf", AGREEMENT)}, data={field: sent})
    body = problem(response, 422, "invalid_request")
    assert [error.field for error in body.errors or ()] == [field]


def test_addresses_and_methods(client: httpx.Client) -> None:
    problem(client.get("/nowhere"), 404, "not_found")
    response = client.get("/classify")
    problem(response, 405, "method_not_allowed")
    assert response.headers["Allow"] == "POST"


def test_a_fault_shows_no_trace_and_is_logged(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response = post(client, EXPLOSIVE)
    body = problem(response, 500, "internal_error")
    assert "secret" not in response.text
    [record] = [record for record in caplog.records if body.request_id in record.getMessage()]
    assert record.exc_info


def test_documents_are_refused_until_the_model_is_loaded(predictor: FakePredictor) -> None:
    loading = threading.Event()

    def load() -> FakePredictor:
        loading.wait(30)
        return predictor

    with serving(load) as client:
        body = problem(client.get("/ready"), 503, "not_ready")
        assert "loading" in body.detail
        assert problem(post(client, AGREEMENT), 503, "not_ready")
        assert client.get("/ready").headers["Retry-After"]
        assert client.get("/health").is_success
        loading.set()
        wait_until(lambda: client.get("/ready").is_success)
        assert post(client, AGREEMENT).is_success


def test_a_model_that_cannot_be_loaded_is_never_ready() -> None:
    def load() -> FakePredictor:
        raise OSError("/somewhere/secret cannot be read")

    with serving(load) as client:
        wait_until(lambda: "could not be loaded" in client.get("/ready").text)
        assert "secret" not in problem(client.get("/ready"), 503, "not_ready").detail
        assert client.get("/health").is_success


def test_a_failing_document_does_not_harm_its_batch(client: httpx.Client, predictor: FakePredictor) -> None:
    predictor.gate.clear()
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(post, client, REPORT)
        wait_until(lambda: predictor.batches == [1])
        others = [pool.submit(post, client, content) for content in (AGREEMENT, EXPLOSIVE, REPORT)]
        assert client.get("/health").is_success, "the event loop is free while the model works"
        predictor.gate.set()
        answers = [future.result() for future in (first, *others)]
    assert [answer.status_code for answer in answers] == [200, 200, 500, 200]


def test_what_a_vanished_client_asked_for_is_given_up(
    client: httpx.Client, predictor: FakePredictor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "longleaf.http")
    predictor.gate.clear()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(post, client, REPORT, name="first")
        wait_until(lambda: predictor.batches == [1])
        vanish(client, AGREEMENT)
        wait_until(lambda: "'/classify' 4" in caplog.text)
        last = pool.submit(post, client, REPORT, name="last")
        predictor.gate.set()
        assert first.result().is_success
        assert last.result().is_success
    assert predictor.names == ["first", "last"]


def vanish(client: httpx.Client, content: bytes) -> None:
    """Send a whole request, give it time to be read, and hang up before its answer."""
    request = client.build_request("POST", "/classify", files={"file": ("vanished", content)})
    head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    with connected(client) as connection:
        connection.sendall(f"POST /classify HTTP/1.1\r\n{head}\r\n".encode() + request.read())
        time.sleep(0.2)


def connected(client: httpx.Client) -> socket.socket:
    """A bare connection to the service."""
    return socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=10)
