"""Words with boxes from a PDF page's text layer. Runs inside the reader's child process only.

pdfium gives characters in content order; a call into it costs about a microsecond, so the text of a page is
fetched in one call and only one box per word is asked for.
"""

import ctypes
import re
from dataclasses import dataclass

import pypdfium2.raw as pdfium

from pipeline.merge import reading_order
from pipeline.types import Box, Word

_TOKEN = re.compile(r"\S+")
_CONTROL = {code: None for code in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0xAD, 0xFEFF, 0xFFFF)}
_HYPHENS = {0x02: "-", 0xFFFE: "-"}
_CLEAN = {**_CONTROL, **_HYPHENS}
_MAP_ERROR_STEP = 8
_MAX_OBJECTS = 5_000
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class PageText:
    """What the text layer of one page holds, and what is needed to judge it.

    width, height: in points, as displayed.  words: in reading order.
    unmapped: share (0–1) of characters whose font says not which letter they are.
    images: share (0–1) of the page under images.  marks: whether anything at all is drawn on the page.
    """

    width: float
    height: float
    words: list[Word]
    unmapped: float
    images: float
    marks: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """From pdfium's page coordinates (origin bottom-left, not rotated) to the page as displayed."""

    left: float
    bottom: float
    right: float
    top: float
    quarter_turns: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as displayed, in points."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.quarter_turns % 2 else (width, height)

    def place(self, left: float, bottom: float, right: float, top: float) -> Box:
        """The box as displayed, origin top-left, clamped to the page."""
        match self.quarter_turns:
            case 0:
                x0, y0, x1, y1 = left - self.left, self.top - top, right - self.left, self.top - bottom
            case 1:
                x0, y0, x1, y1 = bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
            case 2:
                x0, y0, x1, y1 = self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
            case _:
                x0, y0, x1, y1 = self.top - top, self.right - right, self.top - bottom, self.right - left
        width, height = self.size
        return Box(
            round(min(max(x0, 0.0), width), 2),
            round(min(max(y0, 0.0), height), 2),
            round(min(max(x1, 0.0), width), 2),
            round(min(max(y1, 0.0), height), 2),
        )


def read_page(document: object, index: int) -> PageText:
    """The page `index` (from 0) of a pdfium document; ValueError where pdfium cannot load it."""
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        raise ValueError(f"Page {index + 1} cannot be loaded.")
    try:
        text_page = pdfium.FPDFText_LoadPage(page)
        if not text_page:
            raise ValueError(f"The text of page {index + 1} cannot be loaded.")
        try:
            return _page_text(page, text_page)
        finally:
            pdfium.FPDFText_ClosePage(text_page)
    finally:
        pdfium.FPDF_ClosePage(page)


def _page_text(page: object, text_page: object) -> PageText:
    frame = _frame(page)
    words = _words(text_page, frame)
    images, marks = (0.0, True) if _spread(words, frame) else _drawn(page, frame)
    width, height = frame.size
    return PageText(width, height, reading_order(words, width), _unmapped(text_page), images, marks)


def _frame(page: object) -> Frame:
    """The visible rectangle of the page (crop box within media box) and its rotation."""
    rectangle = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(rectangle))
    turns = max(pdfium.FPDFPage_GetRotation(page), 0)
    return Frame(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top, turns)


def _text(text_page: object) -> str:
    """The page's characters, one to each of pdfium's character indices."""
    count = max(pdfium.FPDFText_CountChars(text_page), 0)
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "replace")
    if len(text) == count:
        return text
    # pdfium leaves characters without a letter out of the text: indices would not match, so ask one by one.
    codes = (pdfium.FPDFText_GetUnicode(text_page, index) for index in range(count))
    return "".join(chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd" for code in codes)


def _words(text_page: object, frame: Frame) -> list[Word]:
    """The words in content order. Words partly off the page are clamped, words wholly off it are not on the page."""
    words = []
    edges = [ctypes.c_double() for _ in range(4)]
    references = [ctypes.byref(edge) for edge in edges]
    left, top, right, bottom = edges
    for match in _TOKEN.finditer(_text(text_page)):
        text = match.group().translate(_CLEAN)
        rectangles = pdfium.FPDFText_CountRects(text_page, match.start(), match.end() - match.start())
        if not text or rectangles < 1:
            continue
        pdfium.FPDFText_GetRect(text_page, 0, *references)
        x0, y0, x1, y1 = left.value, bottom.value, right.value, top.value
        for index in range(1, rectangles):
            pdfium.FPDFText_GetRect(text_page, index, *references)
            x0, y0 = min(x0, left.value), min(y0, bottom.value)
            x1, y1 = max(x1, right.value), max(y1, top.value)
        if x1 < frame.left or x0 > frame.right or y1 < frame.bottom or y0 > frame.top:
            continue
        words.append(Word(text, frame.place(x0, y0, x1, y1)))
    return words


def _unmapped(text_page: object) -> float:
    """Share of (a sample of) the characters that pdfium could not map to Unicode."""
    sample = range(0, max(pdfium.FPDFText_CountChars(text_page), 0), _MAP_ERROR_STEP)
    errors = sum(pdfium.FPDFText_HasUnicodeMapError(text_page, index) == 1 for index in sample)
    return errors / len(sample) if sample else 0.0


def _spread(words: list[Word], frame: Frame) -> bool:
    """Whether the words fill so much of the page's height that they cannot be a header or a footer alone."""
    _, height = frame.size
    bands = {int(10 * word.box.y0 / (height or 1.0)) for word in words}
    return len(words) >= 50 and len(bands) >= 5


def _drawn(page: object, frame: Frame) -> tuple[float, bool]:
    """Share of the page under images, and whether anything is drawn at all."""
    page_width, page_height = frame.size
    covered, marks = 0.0, False
    for index in range(min(pdfium.FPDFPage_CountObjects(page), _MAX_OBJECTS)):
        item = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        marks = True
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE or (kind == pdfium.FPDF_PAGEOBJ_FORM and _has_image(item)):
            covered += _area(item, frame)
    return min(covered / (page_width * page_height or 1.0), 1.0), marks


def _has_image(form: object, depth: int = 0) -> bool:
    """Whether a form object holds an image, however deep (within reason)."""
    for index in range(min(pdfium.FPDFFormObj_CountObjects(form), _MAX_OBJECTS)):
        item = pdfium.FPDFFormObj_GetObject(form, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            return True
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH and _has_image(item, depth + 1):
            return True
    return False


def _area(item: object, frame: Frame) -> float:
    """The area of the object's bounds on the page, in square points."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(item, *map(ctypes.byref, edges)):
        return 0.0
    box = frame.place(*(edge.value for edge in edges))
    return (box.x1 - box.x0) * (box.y1 - box.y0)
