import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from shutil import which

import pypdfium2.raw as pdfium
import pytest
from PIL import ImageOps
from reportlab.pdfgen.canvas import Canvas

from pipeline.decide import Draft
from pipeline.reader import Source
from pipeline.render import render
from pipeline.textlayer import read_page
from pipeline.types import Box
from tests.pipeline.writing import pdf_canvas, saved, scan

HARD = Path(os.environ.get("LONGLEAF_TEST_DATA", "")) / "hard-pdfs" / "documents"


@contextmanager
def opened(path: Path) -> Iterator[object]:
    document = pdfium.FPDF_LoadDocument(str(path).encode(), None)
    yield document
    pdfium.FPDF_CloseDocument(document)


def read(canvas: Canvas, target: BytesIO, folder: Path) -> Draft:
    canvas.save()
    with opened(saved(folder, target.getvalue())) as document:
        return read_page(document, 1)


@pytest.fixture
def target() -> BytesIO:
    return BytesIO()


@pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_boxes_are_where_the_ink_is_on_the_page_as_displayed(target: BytesIO, tmp_path: Path, turn: int) -> None:
    canvas = pdf_canvas(target, (600, 800))
    canvas.setPageRotation(turn)
    canvas.setCropBox((50, 100, 550, 580))
    canvas.setFont("Helvetica", 14)
    canvas.drawString(90, 300, "Word")
    page = read(canvas, target, tmp_path)
    assert (page.width, page.height) == ((480, 500) if turn % 180 else (500, 480))
    source = Source(tmp_path / "something.bin", "pdf", None, 30, time.monotonic() + 30, 2_000_000_000)
    ink = ImageOps.invert(render(source, page, 72)).getbbox()
    assert page.words[0].box == pytest.approx(ink, abs=1.5)


def test_words_off_the_page_are_not_on_it(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target, (600, 800))
    canvas.setCropBox((100, 200, 500, 700))
    canvas.drawString(90, 500, "edge")
    canvas.drawString(20, 600, "out")
    page = read(canvas, target, tmp_path)
    assert [word.text for word in page.words] == ["edge"]
    assert page.words[0].box.x0 == 0.0


def test_text_up_the_margin_is_read_after_the_page(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.saveState()
    canvas.rotate(90)
    canvas.drawString(400, -20, "registered copy")
    canvas.restoreState()
    for row in range(10):
        canvas.drawString(72, 700 - 30 * row, f"line {row}")
    page = read(canvas, target, tmp_path)
    assert [word.text for word in page.words[:4]] == ["line", "0", "line", "1"]
    assert [word.text for word in page.words[-2:]] == ["registered", "copy"]


def test_a_page_of_sideways_text_is_read_in_its_own_order(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.rotate(90)
    for row in range(5):
        canvas.drawString(72, -72 - 20 * row, f"row {row}")
    assert [word.text for word in read(canvas, target, tmp_path).words[:4]] == ["row", "0", "row", "1"]


def test_what_was_filled_in_is_read_where_it_stands(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.drawString(72, 705, "Advertiser:")
    canvas.drawString(72, 605, "Agency:")
    canvas.acroForm.textfield(value="Smith Committee", x=150, y=698, width=200, height=20)
    words = [word.text for word in read(canvas, target, tmp_path).words]
    assert words == ["Advertiser:", "Smith", "Committee", "Agency:"]


def test_coverage_tells_a_scan_from_a_page_with_a_logo(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.drawInlineImage(scan([]), 0, 0, 612, 400)
    page = read(canvas, target, tmp_path)
    assert page.images == pytest.approx(400 / 792, abs=0.01)
    assert page.marks


def test_an_image_inside_a_form_counts(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.beginForm("wrapped", 0, 0, 612, 792)
    canvas.drawInlineImage(scan([]), 0, 0, 612, 792)
    canvas.endForm()
    canvas.doForm("wrapped")
    assert read(canvas, target, tmp_path).images == pytest.approx(1.0, abs=0.01)


def test_a_page_with_nothing_on_it_has_no_marks(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.showPage()
    page = read(canvas, target, tmp_path)
    assert (page.words, page.marks, page.images) == ((), False, 0.0)


def test_a_page_that_is_not_there_is_an_error(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.save()
    with opened(saved(tmp_path, target.getvalue())) as document, pytest.raises(ValueError, match="cannot be loaded"):
        read_page(document, 2)


@pytest.mark.skipif(not HARD.is_dir(), reason="LONGLEAF_TEST_DATA names no folder that holds hard-pdfs")
def test_odd_files_give_words_on_the_page_or_a_plain_error() -> None:
    for path in sorted(HARD.iterdir())[::6]:
        with opened(path) as document:
            for number in range(1, min(pdfium.FPDF_GetPageCount(document), 3) + 1 if document else 1):
                try:
                    page = read_page(document, number)
                except ValueError:
                    continue
                edge = Box(0, 0, page.width + 0.01, page.height + 0.01)
                for word in page.words:
                    assert word.text == word.text.strip() != ""
                    assert edge.x0 <= word.box.x0 <= word.box.x1 <= edge.x1
                    assert edge.y0 <= word.box.y0 <= word.box.y1 <= edge.y1
