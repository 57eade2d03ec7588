from dataclasses import replace

import pytest

from pipeline.export import text
from pipeline.types import Box, Document, Page, Word
from tests.pipeline.export.reading import DOCUMENT, words, written


def test_lines_paragraphs_and_pages() -> None:
    expected = "Title\n\nfirst line\nnext <line>\n\nafter gap\n\f\fhead\n\nbody Договор\n\n7\n"
    assert written(text, DOCUMENT).decode() == expected


def turned(word: Word, rotation: int) -> Word:
    """A word of a page of 612 × 792 points on the page that has to be turned by so much to be that one."""
    x0, y0, x1, y1 = word.box
    boxes = {90: Box(y0, 612 - x1, y1, 612 - x0), 180: Box(612 - x1, 792 - y1, 612 - x0, 792 - y0)}
    return word._replace(box=boxes.get(rotation) or Box(792 - y1, x0, 792 - y0, x1))


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_scan_that_lies_on_its_side_has_the_same_lines(rotation: int) -> None:
    (page, *_) = DOCUMENT.pages
    width, height = (612, 792) if rotation == 180 else (792, 612)
    lying = tuple(turned(word, rotation) for word in page.words)
    other = replace(page, width=width, height=height, words=lying, rotation=rotation)
    upright, lain = (written(text, Document("a", "", (p,))) for p in (page, other))
    assert lain == upright


def test_a_line_may_run_to_the_left() -> None:
    first, second, third = words("עולם", "שלום", "other")
    page = Page(1, 612, 792, (second, first, third._replace(box=Box(72, 130, 122, 142))), "text")
    assert written(text, Document("a", "", (page,))).decode() == "שלום עולם\nother\n"
