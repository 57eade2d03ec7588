"""Where the words of a PDF page's text start, stop and stand. Runs inside the reader's child process only.

A call into pdfium costs about a microsecond, so only a box is asked for where a word is in one piece. Characters drawn
each by itself and one below the other are one word to pdfium: a column of "1", "2", "3" is "123". Only their baselines
tell such a column from a word with raised, lowered or slanting characters.
"""

import ctypes
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pypdfium2.raw as pdfium

# pdfium marks a hyphen at the end of a line with U+0002 or U+FFFE, and joins the word's other half to it.
_TOKEN = re.compile("[^\\s\x02\ufffe]+[\x02\ufffe]?")
_NEW_LINE = 0.7  # times the font size; characters raised or lowered on a line are moved by less

Edges = tuple[float, float, float, float]


def word_spans(text_page: object, text: str) -> Iterator[tuple[int, int, Edges]]:
    """Where each word starts and stops in the text, and its left, bottom, right and top; not those without a size."""
    buffers = [ctypes.c_double() for _ in range(4)]
    references = [ctypes.byref(buffer) for buffer in buffers]
    left, top, right, bottom = buffers
    spans = [match.span() for match in _TOKEN.finditer(text)][::-1]
    while spans:
        start, stop = spans.pop()
        rectangles = pdfium.FPDFText_CountRects(text_page, start, stop - start)
        if rectangles < 1:
            continue
        pdfium.FPDFText_GetRect(text_page, 0, *references)
        x0, y0, x1, y1 = left.value, bottom.value, right.value, top.value
        may_be_stacked = False
        for index in range(1, rectangles):
            pdfium.FPDFText_GetRect(text_page, index, *references)
            may_be_stacked = may_be_stacked or bottom.value > y1 or top.value < y0
            x0, y0 = min(x0, left.value), min(y0, bottom.value)
            x1, y1 = max(x1, right.value), max(y1, top.value)
        if may_be_stacked and len(lines := [*_lines(text_page, start, stop)]) > 1:
            spans += reversed(lines)
            continue
        yield start, stop, (x0, y0, x1, y1)


class _Place(NamedTuple):
    """Where a character stands on its baseline, which way that runs (radians), and the size it is drawn in."""

    x: float
    y: float
    angle: float
    size: float

    def is_level(self, following: "_Place") -> bool:
        """Whether the next character stands on the same line."""
        across = (following.y - self.y) * math.cos(self.angle) - (following.x - self.x) * math.sin(self.angle)
        return abs(across) < _NEW_LINE * max(self.size, following.size)


def _lines(text_page: object, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The characters start … stop - 1 of a page's text, line by line: where each starts and stops."""
    places = [_place(text_page, index) for index in range(start, stop)]
    for index, (one, following) in enumerate(pairwise(places), start=start + 1):
        if not one.is_level(following):
            yield start, index
            start = index
    yield start, stop


def _place(text_page: object, index: int) -> _Place:
    x, y, matrix = ctypes.c_double(), ctypes.c_double(), pdfium.FS_MATRIX()
    pdfium.FPDFText_GetCharOrigin(text_page, index, ctypes.byref(x), ctypes.byref(y))
    pdfium.FPDFText_GetMatrix(text_page, index, ctypes.byref(matrix))
    size = abs(pdfium.FPDFText_GetFontSize(text_page, index)) * math.hypot(matrix.c, matrix.d)
    return _Place(x.value, y.value, pdfium.FPDFText_GetCharAngle(text_page, index), size)
