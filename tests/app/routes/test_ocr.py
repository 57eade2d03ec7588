"""POST /ocr over a real socket, with real ingestion, while the model is still being loaded."""

import io
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import httpx
import pikepdf
import pytest

from app import schemas
from models.registry import names, pick
from tests.app.serving import serving
from tests.fakes import AGREEMENT, FakePredictor, pdf

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    loaded = threading.Event()

    def load() -> FakePredictor:
        loaded.wait(60)
        return FakePredictor()

    with serving(load) as client:
        yield client
        loaded.set()


def post(client: httpx.Client, content: bytes, name: str = "a.pdf", **parameters: str) -> httpx.Response:
    fields = {"password": parameters.pop("password")} if "password" in parameters else {}
    return client.post("/ocr", files={"file": (name, content)}, data=fields, params=parameters)


def test_pages_words_and_places_without_a_model(client: httpx.Client) -> None:
    assert client.get("/ready").status_code == 503
    answer = post(client, AGREEMENT, "agreement.pdf").raise_for_status()
    read = schemas.Reading.model_validate(answer.json())
    assert (read.name, read.pages, read.pages_read, read.sources["text"]) == ("agreement.pdf", 2, 2, 2)
    first = read.page_details[0].content[0]
    assert (first.text, first.confidence) == ("This", 1)
    assert 80 < first.box[1] < first.box[3] < 100, "the line stands 92 points below the top"


@pytest.mark.parametrize("name", names("pipeline.export"))
def test_every_format_has_its_type_and_a_name_to_be_kept_under(client: httpx.Client, name: str) -> None:
    writer = pick("pipeline.export", name)
    answer = post(client, AGREEMENT, "Vertrag Größe.docx.pdf", format=name).raise_for_status()
    assert answer.headers["content-type"] == writer.MEDIA_TYPE
    assert int(answer.headers["content-length"]) == len(answer.content)
    kept = "Vertrag%20Gr%C3%B6%C3%9Fe.docx.pdf" + writer.EXTENSION.removeprefix(".pdf")
    assert answer.headers["content-disposition"] == f"attachment; filename*=utf-8''{kept}"
    if name == "pdf":
        assert answer.content == AGREEMENT, "it has text, so it is kept byte for byte"
    else:
        assert b"AlphaCorp" in answer.content


def test_a_picture_becomes_a_pdf_that_can_be_searched(client: httpx.Client) -> None:
    answer = post(client, (SAMPLES / "receipt.png").read_bytes(), "receipt.png", format="pdf").raise_for_status()
    with pikepdf.open(io.BytesIO(answer.content)) as opened:
        assert "/LongleafInvisible" in opened.pages[0].get_resources().Font


def test_an_unknown_format_is_a_problem(client: httpx.Client) -> None:
    answer = post(client, AGREEMENT, format="docx")
    assert answer.status_code == 422
    problem = answer.json()
    assert (problem["code"], problem["errors"][0]["field"]) == ("invalid_request", "format")
    assert "alto" in problem["detail"]


def test_what_cannot_be_read_is_a_problem(client: httpx.Client) -> None:
    assert post(client, b"", format="text").json()["code"] == "empty_file"
    assert post(client, b"plain words").json()["code"] == "not_a_document"
    locked = pdf("confidential", password="sesame")
    assert post(client, locked, format="pdf").json()["code"] == "password_required"
    assert post(client, locked, format="pdf", password="sesame").content == locked


def test_nothing_stays_on_the_disk(client: httpx.Client) -> None:
    def files() -> list[Path]:
        return list(Path(gettempdir()).glob("longleaf-*/*"))

    before = files()
    post(client, AGREEMENT, format="pdf").raise_for_status()
    assert set(files()) <= set(before)


def test_openapi_shows_the_formats_and_the_answer(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()
    described = schema["paths"]["/ocr"]["post"]
    (parameter,) = described["parameters"]
    assert parameter["schema"]["enum"] == names("pipeline.export")
    content = described["responses"]["200"]["content"]
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/Reading"}
    assert {"application/pdf", "application/xml", "text/plain", "text/vnd.hocr+html"} < content.keys()
    schemas.Reading.model_validate(schema["components"]["schemas"]["Reading"]["example"])
