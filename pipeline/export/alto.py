"""ALTO 4.4: XML with pages, margins, blocks, lines and words, all places in 1200ths of an inch.

A page that could not be read is there without words; its `QUALITY_DETAIL` is the error's code.
"""

from collections.abc import Sequence
from itertools import count
from typing import BinaryIO

from pipeline.export._lines import Line, Paragraph, clean, parts
from pipeline.export._xml import PROGRAM, VERSION, Xml
from pipeline.reader import Source
from pipeline.types import Box, Document, Page, around

MEDIA_TYPE = "application/xml"
EXTENSION = ".alto.xml"

_UNIT, _PER_POINT = "inch1200", 1200 / 72
_NAMESPACE = "http://www.loc.gov/standards/alto/ns-v4#"
_SCHEMA = "http://www.loc.gov/standards/alto/v4/alto-4-4.xsd"
_ROOT = {
    "xmlns": _NAMESPACE,
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:schemaLocation": f"{_NAMESPACE} {_SCHEMA}",
    "SCHEMAVERSION": "4.4",
}


def write(document: Document, original: Source | None, target: BinaryIO) -> None:
    """One XML document for all pages."""
    xml = Xml(target)
    with xml.element("alto", _ROOT):
        with xml.element("Description"):
            xml.leaf("MeasurementUnit", text=_UNIT)
            with xml.element("sourceImageInformation"):
                xml.leaf("fileName", text=clean(document.name))
                xml.leaf("fileIdentifier", {"fileIdentifierLocation": "sha256"}, document.sha256)
            with xml.element("Processing", {"ID": "reading"}), xml.element("processingSoftware"):
                xml.leaf("softwareName", text=PROGRAM)
                xml.leaf("softwareVersion", text=VERSION)
        with xml.element("Layout"):
            for page in document.pages:
                _page(xml, page)


def _page(xml: Xml, page: Page) -> None:
    name, found = f"page_{page.number}", parts(page)
    attributes = {"ID": name, "PHYSICAL_IMG_NR": page.number, "PROCESSINGREFS": "reading"}
    attributes |= {"WIDTH": _units(page.width), "HEIGHT": _units(page.height)}
    if page.failure:
        attributes["QUALITY_DETAIL"] = page.failure
    angle = (page.rotation - page.skew) % 360  # ALTO counts counter-clockwise
    if angle:
        attributes["ROTATION"] = f"{angle:g}"
    numbers = count(1)
    # The schema wants the margins before what they surround.
    with xml.element("Page", attributes):
        if found.header:
            _space(xml, "TopMargin", name, numbers, found.header)
        if found.footer:
            _space(xml, "BottomMargin", name, numbers, found.footer)
        _space(xml, "PrintSpace", name, numbers, found.body)


def _space(xml: Xml, kind: str, page: str, numbers: "count[int]", paragraphs: Sequence[Paragraph]) -> None:
    with xml.element(kind, _place([line.box for paragraph in paragraphs for line in paragraph])):
        for paragraph, number in zip(paragraphs, numbers, strict=False):
            name = f"{page}_block_{number}"
            with xml.element("TextBlock", {"ID": name, **_place([line.box for line in paragraph])}):
                for i, line in enumerate(paragraph, start=1):
                    _line(xml, f"{name}_line_{i}", line)


def _line(xml: Xml, name: str, line: Line) -> None:
    with xml.element("TextLine", {"ID": name, **_place([line.box])}):
        for i, word in enumerate(line.words, start=1):
            if i > 1:
                xml.leaf("SP")
            attributes = {"ID": f"{name}_word_{i}", "CONTENT": word.text, "WC": round(word.confidence, 4)}
            xml.leaf("String", attributes | _place([word.box]))


def _place(boxes: Sequence[Box]) -> dict[str, object]:
    """Where something is that surrounds the boxes; nothing where there is none."""
    if not boxes:
        return {}
    x0, y0, x1, y1 = map(_units, around(boxes))
    return {"HPOS": x0, "VPOS": y0, "WIDTH": x1 - x0, "HEIGHT": y1 - y0}


def _units(points: float) -> int:
    return round(points * _PER_POINT)
