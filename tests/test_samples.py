"""The sample documents are what they are said to be, and can be made again."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import pytest
from pdf2image import convert_from_path
from PIL import Image

from pipeline.ocr import tesseract
from samples import make
from samples.source import order, receipt, scan

SAMPLES = Path(__file__).parents[1] / "samples"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
BORN_DIGITAL = ("nda.pdf", "contract.pdf", "order.pdf")
LARGEST = {
    "nda.pdf": 150_000,
    "nda-scan.pdf": 800_000,
    "contract.pdf": 200_000,
    "order.pdf": 100_000,
    "receipt.png": 100_000,
}
ALL_TOGETHER = 1_200_000
STATES = """
Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho Illinois Indiana
Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska
Nevada New.Hampshire New.Jersey New.Mexico New.York North.Carolina North.Dakota Ohio Oklahoma Oregon Pennsylvania
Rhode.Island South.Carolina South.Dakota Tennessee Texas Utah Vermont Virginia Washington Wisconsin Wyoming
"""


def page_texts(path: Path) -> list[str]:
    """The text layer of each page, on one line."""
    with pypdfium2.PdfDocument(path) as document:
        return [" ".join(page.get_textpage().get_text_range().split()) for page in document]


def recognised(image: Image.Image) -> str:
    """What Tesseract reads in the image, on one line."""
    return " ".join(word.text for word in tesseract.recognise(image, "eng", 60.0))


@pytest.fixture(scope="module")
def remade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples made afresh."""
    folder = tmp_path_factory.mktemp("samples")
    make.make(folder)
    return folder


def test_every_sample_is_described() -> None:
    assert {path.name for path in SAMPLES.glob("*.p[dn]*")} == EXPECTED.keys() == LARGEST.keys()


def test_samples_are_small() -> None:
    sizes = {name: (SAMPLES / name).stat().st_size for name in LARGEST}
    assert not {name: size for name, size in sizes.items() if size > LARGEST[name]}
    assert sum(sizes.values()) <= ALL_TOGETHER


@pytest.mark.parametrize("name", BORN_DIGITAL)
def test_making_them_again_gives_the_same_text(name: str, remade: Path) -> None:
    assert page_texts(remade / name) == page_texts(SAMPLES / name)


@pytest.mark.parametrize("name", BORN_DIGITAL)
def test_what_is_expected_stands_on_the_pages_named_and_on_no_other(name: str) -> None:
    pages = [text.lower() for text in page_texts(SAMPLES / name)]
    assert len(pages) == EXPECTED[name]["pages"]
    for entity in EXPECTED[name]["entities"]:
        found = [number for number, text in enumerate(pages, 1) if entity["text"].lower() in text]
        assert found == entity["pages"], entity


def test_the_contract_names_its_law_on_page_40_only() -> None:
    pattern = re.compile(rf"\b({'|'.join(STATES.split())}|governing law)\b", re.IGNORECASE)
    found = {number: pattern.findall(text) for number, text in enumerate(page_texts(SAMPLES / "contract.pdf"), 1)}
    assert {number for number, names in found.items() if names} == {40}
    assert {name.lower() for name in found[40]} == {"illinois", "governing law"}


def test_no_page_of_the_contract_repeats_another() -> None:
    words = [set(re.findall(r"\w+ \w+ \w+", text)) for text in page_texts(SAMPLES / "contract.pdf")]
    for number, page in enumerate(words[1:], 1):
        assert all(len(page & other) < 0.2 * len(page) for other in words[:number]), f"page {number + 1}"


def test_the_order_adds_up() -> None:
    assert order.money(order.total()) in {entity["text"] for entity in EXPECTED["order.pdf"]["entities"]}
    assert sum(line.amount for line in order.LINES) == order.total()


def test_the_scan_holds_images_only_and_can_be_read(remade: Path) -> None:
    assert page_texts(SAMPLES / "nda-scan.pdf") == [""] * 6
    with pypdfium2.PdfDocument(SAMPLES / "nda-scan.pdf") as document:
        assert [sum(1 for _ in page.get_objects()) for page in document] == [1] * 6
    first, again = (
        np.asarray(convert_from_path(folder / "nda-scan.pdf", dpi=50, last_page=1, grayscale=True)[0], dtype=np.float64)
        for folder in (SAMPLES, remade)
    )
    assert np.abs(first - again).mean() < 2
    image = convert_from_path(SAMPLES / "nda-scan.pdf", dpi=200, last_page=1, grayscale=True)[0]
    text = recognised(image)
    parties = [entity["text"] for entity in EXPECTED["nda-scan.pdf"]["entities"] if entity["label"] == "party"]
    assert not [party for party in parties if party not in text]


def test_pages_of_the_scan_are_askew_by_different_angles() -> None:
    assert len(set(scan.ANGLES)) == EXPECTED["nda-scan.pdf"]["pages"]
    assert all(0 < abs(angle) <= 1.5 for angle in scan.ANGLES)


def test_the_receipt_can_be_read() -> None:
    image = Image.open(SAMPLES / "receipt.png").convert("L")
    text = recognised(image)
    assert not [entity for entity in EXPECTED["receipt.png"]["entities"] if entity["text"] not in text]
    difference = np.asarray(image.convert("L"), dtype=np.float64) - np.asarray(receipt.draw(), dtype=np.float64)
    assert np.abs(difference).mean() < 6
