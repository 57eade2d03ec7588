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
from pipeline.spans import word_spans
from pipeline.types import Box, Word

_CLEAN: dict[int, str | None] = {
    **dict.fromkeys((*range(1, 0x20), 0x7F, *range(0x80, 0xA0), 0xFEFF, 0xFFFF)),
    **dict.fromkeys((0x02, 0xFFFE), "-"),
    0x00: "\ufffd",
    **dict.fromkeys((0xF0A7, 0xF0B7), "•"),
}
_CONTROLS = re.compile("[\x00\x01\x03-\x08\x0e-\x1f\x7f-\x9f]")
_PRIVATE = re.compile("[\ue000-\uf09f\uf0c0-\uf8ff]")
_HYPHEN_OR_NUL = re.compile("\ufffe")
_MAP_ERROR_STEP = 8
_MODE_SAMPLES = 32
_MAX_OBJECTS = 5_000
_MAX_DEPTH = 4
_LETTER = (0.0, 0.0, 612.0, 792.0)


@dataclass(frozen=True, slots=True)
class Frame:
    """From pdfium's page coordinates (origin bottom-left, not rotated) to the page as displayed.

    left, bottom, right, top: the visible rectangle.  quarter_turns: clockwise.  unit: points to one of its units.
    """

    left: float
    bottom: float
    right: float
    top: float
    quarter_turns: int
    unit: float = 1.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as displayed, in points."""
        width, height = (self.right - self.left) * self.unit, (self.top - self.bottom) * self.unit
        return (height, width) if self.quarter_turns % 2 else (width, height)

    def turns(self, angle: float) -> int:
        """The quarter turns (0–3, clockwise) of a character on the page as displayed; angle: its own, in radians."""
        return (round(angle / (math.pi / 2)) + self.quarter_turns) % 4

    def shows(self, left: float, bottom: float, right: float, top: float) -> bool:
        """Whether any of the rectangle is visible."""
        return right > self.left and left < self.right and top > self.bottom and bottom < self.top

    def place(self, left: float, bottom: float, right: float, top: float) -> Box:
        """The box as displayed, in points, origin top-left, clamped to the page."""
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
        if self.unit != 1.0:
            x0, y0, x1, y1 = x0 * self.unit, y0 * self.unit, x1 * self.unit, y1 * self.unit
        if not (x0 >= 0.0 and y0 >= 0.0 and x1 <= width and y1 <= height):
            x0, x1 = min(max(x0, 0.0), width), min(max(x1, 0.0), width)
            y0, y1 = min(max(y0, 0.0), height), min(max(y1, 0.0), height)
        return Box(round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def read_page(document: object, number: int, unit: float = 1.0) -> Draft:
    """Page `number` (from 1) of a pdfium document; ValueError where pdfium cannot load it.

    unit: points to one unit of the page (its /UserUnit), which pdfium does not tell.
    """
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
            return _draft(number, page, text_page, unit)
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


def _draft(number: int, page: object, text_page: object, unit: float) -> Draft:
    frame = _frame(page, unit)
    text = _text(text_page)
    words = _words(text_page, text, frame)
    images, marks = (0.0, True) if _spread(words, frame) else _drawn(page, frame)
    visible = max(len(text) - text.count(" "), 1)
    return Draft(
        number,
        *frame.size,
        words=tuple(words),
        unmapped=_unmapped(text_page, len(text)),
        private_use=len(_PRIVATE.findall(text)) / visible,
        replacements=text.count("\ufffd") / visible,
        controls=len(_CONTROLS.findall(text)) / visible,
        invisible=_invisible(text_page, len(text)),
        images=images,
        marks=marks,
    )


def _frame(page: object, unit: float) -> Frame:
    """The visible rectangle of the page (crop box within media box) and its rotation."""
    rectangle = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(rectangle))
    left, bottom, right, top = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
    if not (right > left and top > bottom):
        left, bottom, right, top = _media_box(page)
    return Frame(left, bottom, right, top, max(pdfium.FPDFPage_GetRotation(page), 0), unit)


def _media_box(page: object) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of the sheet, which is what is seen where the crop box lies beside it."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPage_GetMediaBox(page, *map(ctypes.byref, edges)):
        return _LETTER
    left, bottom, right, top = (edge.value for edge in edges)
    return min(left, right), min(bottom, top), max(left, right), max(bottom, top)


def _text(text_page: object) -> str:
    """The page's characters, one to each of pdfium's indices; halves of a surrogate pair count for two."""
    count = max(pdfium.FPDFText_CountChars(text_page), 0)
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return _HYPHEN_OR_NUL.sub(lambda match: _character(text_page, match.start()), text)
    # pdfium leaves characters without a letter out of the text: indices would not match, so ask one by one.
    return "".join(_character(text_page, index) for index in range(count))


def _character(text_page: object, index: int) -> str:
    code = pdfium.FPDFText_GetUnicode(text_page, index)
    return chr(code) if code < 0x110000 else "\ufffd"


def _clean(token: str) -> str:
    """A token without control characters, its surrogate pairs joined."""
    if token.isascii() and token.isprintable():
        return token
    return token.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").translate(_CLEAN)


def _words(text_page: object, text: str, frame: Frame) -> list[Word]:
    """The words in reading order, the upright ones before those that run up, down or upside down.

    Words partly off the page are clamped, words wholly off it are not on the page.
    """
    turned: tuple[list[Word], ...] = ([], [], [], [])
    for start, stop, edges in word_spans(text_page, text):
        token = _clean(text[start:stop])
        if token and frame.shows(*edges):
            turns = frame.turns(pdfium.FPDFText_GetCharAngle(text_page, start))
            if turns and pdfium.FPDFText_GetFontSize(text_page, start) < 0.0:
                turns = (turns + 2) % 4  # a negative size turns the text upside down
            turned[turns].append(Word(token, frame.place(*edges)))
    return [word for turns, words in enumerate(turned) for word in _in_order(words, turns)]


def _in_order(words: list[Word], turns: int) -> list[Word]:
    """Words that are turned alike, in the order in which they are read when they stand upright."""
    if not turns or not words:
        return reading_order(words)
    upright = [word._replace(box=_turned(word.box, turns)) for word in words]
    return [word._replace(box=_turned(word.box, 4 - turns)) for word in reading_order(upright)]


def _turned(box: Box, turns: int) -> Box:
    """The box after so many (1–3) quarter turns counter-clockwise around the page's top left corner."""
    x0, y0, x1, y1 = box
    return (Box(y0, -x1, y1, -x0), Box(-x1, -y1, -x0, -y0), Box(-y1, x0, -y0, x1))[turns - 1]


def _unmapped(text_page: object, count: int) -> float:
    """Share of (a sample of) the `count` characters that pdfium had to guess, their font not saying what they are."""
    sample = range(0, count, _MAP_ERROR_STEP)
    errors = sum(pdfium.FPDFText_HasUnicodeMapError(text_page, index) == 1 for index in sample)
    return errors / len(sample) if sample else 0.0


def _invisible(text_page: object, count: int) -> float:
    """Share of (a sample of) the `count` characters that are written and not drawn, as over a scan."""
    drawn = invisible = 0
    for index in range(0, count, count // _MODE_SAMPLES + 1):
        item = pdfium.FPDFText_GetTextObject(text_page, index)  # none for spaces that pdfium made up
        if item:
            drawn += 1
            invisible += pdfium.FPDFTextObj_GetTextRenderMode(item) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
    return invisible / drawn if drawn else 0.0


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
