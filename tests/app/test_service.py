"""The service over a real socket, with real ingestion and a fake model: what a client sees when all goes well."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app import schemas
from tests.app.serving import ready
from tests.fakes import AGREEMENT, REPORT, FakePredictor, pdf

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with ready(FakePredictor()) as client:
        yield client


def post(client: httpx.Client, path: str, content: bytes, name: str = "a.pdf", **fields: str) -> httpx.Response:
    return client.post(path, files={"file": (name, content)}, data=fields)


def test_classify_says_what_it_is_and_what_that_rests_on(client: httpx.Client) -> None:
    answer = post(client, "/classify", AGREEMENT, "agreement.pdf").raise_for_status().json()
    assert (answer["name"], answer["label"], answer["confidence"]) == ("agreement.pdf", "non_disclosure_agreement", 0.9)
    assert answer["scores"] == {"non_disclosure_agreement": 0.9, "annual_report": 0.1}
    assert (answer["pages"], answer["pages_read"], answer["pages_failed"], answer["failures"]) == (2, 2, 0, [])
    assert answer["tokens"] == 14
    assert answer["model"] == "fake 1"
    assert [page["source"] for page in answer["page_details"]] == ["text", "text"]
    assert answer["page_details"][0]["words"] == 8
    seconds = answer["seconds"]
    assert seconds["reading"] > 0
    assert seconds["total"] == pytest.approx(seconds["reading"] + seconds["waiting"] + seconds["model"], abs=0.001)


def test_extract_says_what_and_where(client: httpx.Client) -> None:
    answer = post(client, "/extract", AGREEMENT).raise_for_status().json()
    assert (answer["schema"], answer["note"]) == ("nda", None)
    first, second = answer["entities"]
    assert (first["label"], first["text"], first["page"]) == ("party", "AlphaCorp", 1)
    assert first["value"] == {"text": "ALPHACORP", "parts": None}
    assert second["text"] == "BetaCorp"
    [[page, x0, y0, x1, y1]] = first["boxes"]
    size = answer["page_details"][page - 1]
    assert 0 <= x0 < x1 <= size["width"]
    assert 80 < y0 < y1 < 100, "the line stands 92 points below the top"
    assert y1 <= size["height"]


def test_classify_says_all_classes_of_a_document(client: httpx.Client) -> None:
    assert post(client, "/classify", AGREEMENT).json()["labels"] == ["non_disclosure_agreement"]


def test_summarize_says_it_in_short(client: httpx.Client) -> None:
    answer = post(client, "/summarize", AGREEMENT, max_new_tokens="3", beams="2").raise_for_status().json()
    assert answer["summary"] == "This agreement is"
    assert (answer["pages"], answer["pages_read"], answer["tokens"], answer["windows"]) == (2, 2, 14, 1)
    assert post(client, "/summarize", REPORT).json()["summary"].endswith("ended in June")


def test_a_class_without_a_schema_says_so(client: httpx.Client) -> None:
    answer = post(client, "/extract", REPORT).raise_for_status().json()
    assert (answer["schema"], answer["entities"]) == (None, [])
    assert "annual_report" in answer["note"]


@pytest.mark.parametrize("where", ["form", "query"])
def test_a_schema_may_be_asked_for_in_the_form_or_the_address(client: httpx.Client, where: str) -> None:
    path, fields = ("/extract", {"schema": "nda"}) if where == "form" else ("/extract?schema=nda", {})
    answer = post(client, path, REPORT, **fields).raise_for_status().json()
    assert [entity["text"] for entity in answer["entities"]] == ["GammaCorp"]


def test_the_content_decides_not_the_name(client: httpx.Client) -> None:
    assert post(client, "/classify", AGREEMENT, "picture.png").is_success
    assert post(client, "/classify", b"plain words", "a.pdf").status_code == 415


def test_a_picture_is_read_by_ocr(client: httpx.Client) -> None:
    answer = post(client, "/classify", (SAMPLES / "receipt.png").read_bytes(), "receipt.png").raise_for_status().json()
    assert [page["source"] for page in answer["page_details"]] == ["ocr"]
    assert answer["page_details"][0]["words"] > 20


def test_an_encrypted_document_needs_its_password(client: httpx.Client) -> None:
    locked = pdf("confidential", password="sesame")
    assert post(client, "/classify", locked).json()["code"] == "password_required"
    assert post(client, "/classify", locked, password="wrong").json()["code"] == "password_required"
    assert post(client, "/classify", locked, password="sesame").json()["label"] == "non_disclosure_agreement"


@pytest.mark.parametrize(
    ("sent", "kept"), [("../../etc/passwd", "passwd"), ("C:\\files\\a.pdf", "a.pdf"), ("a\u202eb.pdf", "ab.pdf")]
)
def test_a_name_is_made_harmless(client: httpx.Client, sent: str, kept: str) -> None:
    assert post(client, "/classify", REPORT, sent).json()["name"] == kept


def test_the_service_tells_of_itself(client: httpx.Client) -> None:
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/ready").json() == {"status": "ready", "model": "fake"}
    [model] = client.get("/models").json()["models"]
    assert model["tasks"] == ["classify", "extract", "summarize"]
    assert model["schemas"] == {"nda": ["party"]}
    assert model["classes"] == ["non_disclosure_agreement", "annual_report"]


def test_every_answer_carries_its_request_id(client: httpx.Client) -> None:
    assert client.get("/health", headers={"X-Request-ID": "mine-1"}).headers["X-Request-ID"] == "mine-1"
    given = client.get("/health", headers={"X-Request-ID": "not a plain word"}).headers["X-Request-ID"]
    assert len(given) == 32
    assert given != client.get("/nowhere").headers["X-Request-ID"]


def test_openapi_shows_an_example_of_every_answer(client: httpx.Client) -> None:
    components = client.get("/openapi.json").json()["components"]["schemas"]
    schemas.Classification.model_validate(components["Classification"]["example"])
    schemas.Extraction.model_validate(components["Extraction"]["example"])
    schemas.Summary.model_validate(components["Summary"]["example"])


def test_openapi_shows_every_problem(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()
    responses = schema["paths"]["/extract"]["post"]["responses"]
    examples: dict[str, Any] = {}
    for status, response in responses.items():
        for code, example in response["content"].get("application/problem+json", {}).get("examples", {}).items():
            assert schemas.Problem.model_validate(example["value"]).status == int(status)
            examples[code] = example
    assert {"empty_file", "not_a_document", "password_required", "corrupt_document"} <= examples.keys()
    assert {"too_many_pages", "too_large", "unknown_schema", "timed_out", "internal_error"} <= examples.keys()
    assert "HTTPValidationError" not in schema["components"]["schemas"]


def test_openapi_has_no_dangling_reference(client: httpx.Client) -> None:
    text = client.get("/openapi.json").text
    schema = client.get("/openapi.json").json()
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= schema["components"]["schemas"].keys()
