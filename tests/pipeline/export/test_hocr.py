"""hOCR held to the rules of its specification (1.2) that concern what we write."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from lxml import etree

from pipeline.export import hocr
from pipeline.types import Document
from tests.pipeline.export.reading import DOCUMENT, written

X = "{http://www.w3.org/1999/xhtml}"
PLACED = {
    "ocr_page": {"body"},
    "ocr_header": {"ocr_page"},
    "ocr_footer": {"ocr_page"},
    "ocr_par": {"ocr_page", "ocr_header", "ocr_footer"},
    "ocr_line": {"ocr_par"},
    "ocrx_word": {"ocr_line"},
}
PROPERTIES = {
    "bbox": r"\d+ \d+ \d+ \d+",
    "image": r'"[^"]+"',
    "ppageno": r"\d+",
    "scan_res": r"\d+ \d+",
    "textangle": r"[\d.]+",
    "x_wconf": r"\d+",
}


def elements(document: Document) -> Iterator[tuple[etree._Element, dict[str, str]]]:
    """Every element of the body with its properties, each checked."""
    root = etree.fromstring(written(hocr, document), etree.XMLParser(load_dtd=False))
    assert root.tag == f"{X}html"
    capabilities = root.xpath("//*[@name='ocr-capabilities']/@content")[0].split()
    identifiers = root.xpath("//@id")
    assert len(identifiers) == len(set(identifiers))
    for element in root.find(f"{X}body").iterdescendants():
        kind, above = element.get("class"), element.getparent()
        assert kind in capabilities
        assert (above.get("class") or above.tag.removeprefix(X)) in PLACED[kind]
        found = dict(part.split(" ", 1) for part in element.get("title").split("; "))
        assert "bbox" in found
        assert all(re.fullmatch(PROPERTIES[name], value) for name, value in found.items()), found
        yield element, found


def box(properties: dict[str, str]) -> list[int]:
    return [int(edge) for edge in properties["bbox"].split()]


def test_it_keeps_the_rules_and_boxes_lie_within_each_other() -> None:
    boxes: dict[etree._Element, list[int]] = {}
    for element, properties in elements(DOCUMENT):
        boxes[element] = x0, y0, x1, y1 = box(properties)
        assert x0 <= x1
        assert y0 <= y1
        outer = boxes.get(element.getparent(), [0, 0, 9999, 9999])
        assert outer[0] <= x0
        assert outer[1] <= y0
        assert x1 <= outer[2]
        assert y1 <= outer[3]


def test_pages_words_places_and_confidence() -> None:
    found = list(elements(DOCUMENT))
    pages = [properties for element, properties in found if element.get("class") == "ocr_page"]
    assert [page["ppageno"] for page in pages] == ["0", "1", "2"]
    assert pages[0] == {
        "image": "\"a 'contract' & more.pdf\"",
        "bbox": "0 0 2550 3300",
        "ppageno": "0",
        "scan_res": "300 300",
    }
    words = {element.text: properties for element, properties in found if element.get("class") == "ocrx_word"}
    assert list(words) == "Title first line next <line> after gap head body Договор 7".split()
    assert words["first"] == {"bbox": "300 417 508 467", "x_wconf": "100"}
    assert words["gap"]["x_wconf"] == "50"


def test_headers_and_footers_and_failures_are_told() -> None:
    told = {element.get("class"): "".join(element.itertext()).split() for element, _ in elements(DOCUMENT)}
    assert (told["ocr_header"], told["ocr_footer"]) == (["head"], ["7"])
    assert b'<meta name="failure" content="2 timed_out"/>' in written(hocr, DOCUMENT)


@pytest.mark.parametrize(("rotation", "skew", "angle"), [(0, 0.0, None), (90, 0.0, "90"), (0, 1.5, "358.5")])
def test_lines_say_how_they_are_turned(rotation: int, skew: float, angle: str | None) -> None:
    page = replace(DOCUMENT.pages[0], rotation=rotation, skew=skew)
    found = elements(Document("a", "", (page,)))
    angles = {properties.get("textangle") for element, properties in found if element.get("class") == "ocr_line"}
    assert angles == {angle}
