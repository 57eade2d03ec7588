"""hOCR 1.2: XHTML with pages, paragraphs, lines and words, their boxes in pixels at 300 dots an inch.

A page that could not be read is there without words; a `meta` element `failure` holds its number and the error's code.
"""

from typing import BinaryIO

from pipeline.export._lines import Line, Paragraph, clean, parts
from pipeline.export._xml import PROGRAM, VERSION, Xml
from pipeline.reader import Source
from pipeline.types import Box, Document, Page, around

MEDIA_TYPE = "text/vnd.hocr+html; charset=utf-8"
EXTENSION = ".hocr"

_DPI = 300
_DOCTYPE = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
)
_CAPABILITIES = "ocr_page ocr_header ocr_footer ocr_par ocr_line ocrx_word ocrp_wconf"


def write(document: Document, original: Source | None, target: BinaryIO) -> None:
    """One XHTML document."""
    xml = Xml(target, _DOCTYPE)
    with xml.element("html", {"xmlns": "http://www.w3.org/1999/xhtml"}):
        with xml.element("head"):
            xml.leaf("title", text=clean(document.name))
            xml.leaf("meta", {"http-equiv": "Content-Type", "content": "text/html; charset=utf-8"})
            xml.leaf("meta", {"name": "ocr-system", "content": f"{PROGRAM} {VERSION}"})
            xml.leaf("meta", {"name": "ocr-capabilities", "content": _CAPABILITIES})
            xml.leaf("meta", {"name": "ocr-langs", "content": "unknown"})
            xml.leaf("meta", {"name": "ocr-number-of-pages", "content": len(document.pages)})
            for page in document.pages:
                if page.failure:
                    xml.leaf("meta", {"name": "failure", "content": f"{page.number} {page.failure}"})
        with xml.element("body"):
            for page in document.pages:
                _page(xml, document, page)


def _page(xml: Xml, document: Document, page: Page) -> None:
    number, found = page.number, parts(page)
    image = clean(document.name).replace('"', "'").replace("\\", "/")
    title = (
        f'image "{image}"; {_bbox(Box(0, 0, page.width, page.height))}; ppageno {number - 1}; scan_res {_DPI} {_DPI}'
    )
    with xml.element("div", {"class": "ocr_page", "id": f"page_{number}", "title": title}):
        for kind, paragraphs in (("ocr_header", found.header), ("", found.body), ("ocr_footer", found.footer)):
            name = f"{number}_{kind.removeprefix('ocr_')}".rstrip("_")
            if kind and paragraphs:
                box = around(line.box for paragraph in paragraphs for line in paragraph)
                with xml.element("div", {"class": kind, "id": f"block_{name}", "title": _bbox(box)}):
                    _paragraphs(xml, page, name, paragraphs)
            else:
                _paragraphs(xml, page, name, paragraphs)


def _paragraphs(xml: Xml, page: Page, name: str, paragraphs: tuple[Paragraph, ...]) -> None:
    for i, paragraph in enumerate(paragraphs, start=1):
        box = around(line.box for line in paragraph)
        with xml.element("p", {"class": "ocr_par", "id": f"par_{name}_{i}", "title": _bbox(box)}):
            for j, line in enumerate(paragraph, start=1):
                _line(xml, page, f"{name}_{i}_{j}", line)


def _line(xml: Xml, page: Page, name: str, line: Line) -> None:
    angle = (page.rotation - page.skew) % 360  # hOCR counts counter-clockwise
    title = _bbox(line.box) + (f"; textangle {angle:g}" if angle else "")
    with xml.element("span", {"class": "ocr_line", "id": f"line_{name}", "title": title}):
        for k, word in enumerate(line.words, start=1):
            about = f"{_bbox(word.box)}; x_wconf {100 * word.confidence:.0f}"
            xml.leaf("span", {"class": "ocrx_word", "id": f"word_{name}_{k}", "title": about}, word.text)


def _bbox(box: Box) -> str:
    return "bbox " + " ".join(str(round(edge * _DPI / 72)) for edge in box)
