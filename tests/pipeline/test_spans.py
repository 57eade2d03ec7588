from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.pipeline.reading import read_pages
from tests.pipeline.writing import LETTER, pdf_canvas, saved

Piece = tuple[float, float, str, float]  # x of the right end, baseline from the top, text, size


def column(x: float, y: float, texts: Iterable[str], pitch: float = 14.0) -> list[Piece]:
    """Texts flush right, one below the other."""
    return [(x, y + pitch * index, text, 10.0) for index, text in enumerate(texts)]


def words_of(pieces: Iterable[Piece], folder: Path, sheet: int = 0, content: int = 0) -> list[str]:
    """The words of a page on which the pieces are drawn one by one.

    sheet, content: degrees by which the sheet is turned for display, and by which what is drawn on it is turned.
    """
    target = BytesIO()
    canvas = pdf_canvas(target)
    canvas.setPageRotation(sheet)
    canvas.translate(*{0: (0, 0), 90: (700, 0), 180: (700, 800), 270: (0, 800)}[content])
    canvas.rotate(content)
    for x, y, text, size in pieces:
        canvas.setFont("Times-Roman", size)
        canvas.drawRightString(x, LETTER[1] - y, text)
    canvas.save()
    (page,) = read_pages(saved(folder, target.getvalue()))
    for word in page.words:
        assert min(word.box.x1 - word.box.x0, word.box.y1 - word.box.y0) < 20.0, word
    return [word.text for word in page.words]


@pytest.mark.parametrize("pitch", [9.0, 12.0, 30.0])
@pytest.mark.parametrize("content", [0, 90, 180, 270])
@pytest.mark.parametrize("sheet", [0, 90])
def test_a_column_of_digits_is_a_word_a_line(pitch: float, content: int, sheet: int, tmp_path: Path) -> None:
    pieces = column(500, 300, "1234", pitch)
    assert words_of(pieces, tmp_path, sheet, content) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("texts", [("14", "3", "5"), ("3", "14", "5", "95"), ("7", "8", "9", "Total"), ("X", "X", "-")])
def test_lines_of_a_column_may_differ_in_length(texts: tuple[str, ...], tmp_path: Path) -> None:
    assert words_of(column(550, 110, texts), tmp_path) == list(texts)


def test_a_table_drawn_column_by_column_is_read_row_by_row(tmp_path: Path) -> None:
    pieces = column(100, 110, ("Oak", "Elm", "Ash")) + column(200, 110, "123") + column(300, 110, ("40", "5", "6"))
    assert words_of(pieces, tmp_path) == "Oak 1 40 Elm 2 5 Ash 3 6".split()


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (0, [("area in x", 0, 10), ("2", 5, 6)]),
        (180, [("area in x", 0, 10), ("2", 5, 6)]),
        (0, [("10", 0, 10), ("th", 5, 6)]),
        (90, [("10", 0, 10), ("th", 5, 6)]),
        (0, [("$19", 0, 20), ("99", 8, 9)]),
        (0, [("H", 0, 10), ("2", -2, 6), ("O", 0, 10)]),
        (90, [("see", 0, 10), ("1,2", 5, 6)]),
        (0, [(letter, 0, 10) for letter in "copy’,"]),
        (90, [(letter, 0, 10) for letter in "-_’.*_"]),
        (270, [(letter, 0, 10) for letter in "-_’.*_"]),
    ],
)
def test_raised_and_lowered_characters_stay_in_their_word(
    content: int, parts: list[tuple[str, float, float]], tmp_path: Path
) -> None:
    pieces, x = [], 100.0
    for text, rise, size in parts:
        x += stringWidth(text, "Times-Roman", size)
        pieces.append((x, 300 - rise, text, size))
    assert words_of(pieces, tmp_path, content=content) == "".join(text for text, _, _ in parts).split()


def test_a_word_drawn_letter_by_letter_on_a_slope_is_one_word(tmp_path: Path) -> None:
    target = BytesIO()
    canvas = pdf_canvas(target)
    canvas.setFont("Helvetica", 60)
    canvas.translate(100, 200)
    canvas.rotate(40)
    x = 0.0
    for letter in "SPECIMEN":
        canvas.drawString(x, 0, letter)
        x += canvas.stringWidth(letter, "Helvetica", 60)
    canvas.save()
    (page,) = read_pages(saved(tmp_path, target.getvalue()))
    assert [word.text for word in page.words] == ["SPECIMEN"]
