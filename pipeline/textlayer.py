"""Words with boxes from a PDF page's text layer. Runs inside the reader's child process only.

pdfium gives characters in content order; a call into it costs about a microsecond, so the text of a page is
fetched in one call and only one box per word is asked for.
"""

import ctypes
import math
import re
from dataclasses import dataclass

import pypdfium2.raw as pdfium

from pipeline.decide import Draft
from pipeline.merge import reading_order
from pipeline.types import Box, Word

# pdfium marks a hyphen at the end of a line with U+0002 or U+FFFE, and joins the word's other half to it.
_TOKEN = re.compile("[^\\s\x02\ufffe]+[\x02\ufffe]?")
_CLEAN: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), 0x7F, *range(0x80, 0xA0), 0xAD, 0xFEFF, 0xFFFF)),
    **dict.fromkeys((0x02, 0xFFFE), "-"),
    **dict.fromkeys((0xF0A7, 0xF0B7), "•"),
}
_MEANINGLESS = re.compile("[\x00\x01\x03-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf09f\uf0c0-\uf8ff]")
_MAP_ERROR_STEP = 8
_MAX_OBJECTS = 5_000
_MAX_DEPTH = 4


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

    def is_sideways(self, angle: float) -> bool:
        """Whether a character turned by `angle` (radians) runs up or down the page as displayed."""
        return (round(angle / (math.pi / 2)) + self.quarter_turns) % 2 == 1

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
        if not (x0 >= 0.0 and y0 >= 0.0 and x1 <= width and y1 <= height):
            x0, x1 = min(max(x0, 0.0), width), min(max(x1, 0.0), width)
            y0, y1 = min(max(y0, 0.0), height), min(max(y1, 0.0), height)
        return Box(round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def read_page(document: object, number: int) -> Draft:
    """Page `number` (from 1) of a pdfium document; ValueError where pdfium cannot load it."""
    page = _load(document, number)
    if _is_form(page) and pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        # What was filled in is now part of the page; pdfium sees that only when the page is loaded anew.
        pdfium.FPDF_ClosePage(page)
        page = _load(document, number)
    try:
        text_page = pdfium.FPDFText_LoadPage(page)
        if not text_page:
            raise ValueError(f"The text of page {number} cannot be loaded.")
        try:
            return _draft(number, page, text_page)
        finally:
            pdfium.FPDFText_ClosePage(text_page)
    finally:
        pdfium.FPDF_ClosePage(page)


def _load(document: object, number: int) -> object:
    page = pdfium.FPDF_LoadPage(document, number - 1)
    if not page:
        raise ValueError(f"Page {number} cannot be loaded.")
    return page


def _is_form(page: object) -> bool:
    """Whether text may stand on the page in form fields, typewriter notes or stamps."""
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MAX_OBJECTS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP):
            return True
    return False


def _draft(number: int, page: object, text_page: object) -> Draft:
    frame = _frame(page)
    text = _text(text_page)
    across, sideways = _words(text_page, text, frame)
    words = reading_order(across) + sideways
    images, marks = (0.0, True) if _spread(words, frame) else _drawn(page, frame)
    return Draft(
        number,
        *frame.size,
        words=tuple(words),
        unmapped=_unmapped(text_page, len(text)),
        meaningless=_meaningless(text),
        images=images,
        marks=marks,
    )


def _frame(page: object) -> Frame:
    """The visible rectangle of the page (crop box within media box) and its rotation."""
    rectangle = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(rectangle))
    turns = max(pdfium.FPDFPage_GetRotation(page), 0)
    return Frame(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top, turns)


def _text(text_page: object) -> str:
    """The page's characters, one to each of pdfium's indices; halves of a surrogate pair count for two."""
    count = max(pdfium.FPDFText_CountChars(text_page), 0)
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    # pdfium leaves characters without a letter out of the text: indices would not match, so ask one by one.
    codes = (pdfium.FPDFText_GetUnicode(text_page, index) for index in range(count))
    return "".join(chr(code) if 0 < code < 0x110000 else "\ufffd" for code in codes)


def _clean(token: str) -> str:
    """A token without control characters, its surrogate pairs joined."""
    if token.isascii() and token.isprintable():
        return token
    return token.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").translate(_CLEAN)


def _words(text_page: object, text: str, frame: Frame) -> tuple[list[Word], list[Word]]:
    """The words that run across the page as displayed, and those that run up or down it; both in content order.

    Words partly off the page are clamped, words wholly off it are not on the page.
    """
    across: list[Word] = []
    sideways: list[Word] = []
    edges = [ctypes.c_double() for _ in range(4)]
    references = [ctypes.byref(edge) for edge in edges]
    left, top, right, bottom = edges
    for match in _TOKEN.finditer(text):
        token = _clean(match.group())
        rectangles = pdfium.FPDFText_CountRects(text_page, match.start(), match.end() - match.start())
        if not token or rectangles < 1:
            continue
        pdfium.FPDFText_GetRect(text_page, 0, *references)
        x0, y0, x1, y1 = left.value, bottom.value, right.value, top.value
        for index in range(1, rectangles):
            pdfium.FPDFText_GetRect(text_page, index, *references)
            x0, y0 = min(x0, left.value), min(y0, bottom.value)
            x1, y1 = max(x1, right.value), max(y1, top.value)
        if x1 >= frame.left and x0 <= frame.right and y1 >= frame.bottom and y0 <= frame.top:
            angle = pdfium.FPDFText_GetCharAngle(text_page, match.start())
            words = sideways if frame.is_sideways(angle) else across
            words.append(Word(token, frame.place(x0, y0, x1, y1)))
    return across, sideways


def _meaningless(text: str) -> float:
    """Share of the characters that stand for no letter or sign."""
    return len(_MEANINGLESS.findall(text)) / max(len(text) - text.count(" "), 1)


def _unmapped(text_page: object, count: int) -> float:
    """Share of (a sample of) the `count` characters that pdfium had to guess, their font not saying what they are."""
    sample = range(0, count, _MAP_ERROR_STEP)
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
