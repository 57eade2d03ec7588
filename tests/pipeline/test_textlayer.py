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
from pipeline.limits import Limits
from pipeline.reader import Source
from pipeline.render import render
from pipeline.textlayer import read_page
from pipeline.types import Box
from tests.pipeline.handmade import SHEET, drawn_pdf, mapped_pdf, raw_pdf
from tests.pipeline.writing import SENTENCES, pdf_canvas, saved, scan

HARD = Path(os.environ.get("LONGLEAF_TEST_DATA", "")) / "hard-pdfs" / "documents"


@contextmanager
def opened(path: Path) -> Iterator[object]:
    document = pdfium.FPDF_LoadDocument(str(path).encode(), None)
    yield document
    pdfium.FPDF_CloseDocument(document)


def read(canvas: Canvas, target: BytesIO, folder: Path) -> Draft:
    canvas.save()
    return read_pdf(target.getvalue(), folder)


def read_pdf(content: bytes, folder: Path, unit: float = 1.0) -> Draft:
    with opened(saved(folder, content)) as document:
        return read_page(document, 1, unit)


def texts(page: Draft) -> list[str]:
    return [word.text for word in page.words]


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
    source = Source(tmp_path / "something.bin", "pdf", tmp_path, Limits(), time.monotonic() + 30)
    ink = ImageOps.invert(render(source, page, 72)[0]).getbbox()
    assert page.words[0].box == pytest.approx(ink, abs=1.5)


def test_words_off_the_page_are_not_on_it(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target, (600, 800))
    canvas.setCropBox((100, 200, 500, 700))
    canvas.drawString(90, 500, "edge")
    canvas.drawString(20, 600, "out")
    page = read(canvas, target, tmp_path)
    assert [word.text for word in page.words] == ["edge"]
    assert page.words[0].box.x0 == 0.0


def turned(box: Box, turn: int, width: float, height: float) -> Box:
    """A box of an upright page of width × height, after that page was turned clockwise."""
    for _ in range(turn // 90 % 4):
        box, width, height = Box(height - box.y1, box.x0, height - box.y0, box.x1), height, width
    return box


@pytest.mark.parametrize("turn", [90, 180, 270, -90, 450])
def test_a_turned_page_has_the_same_words_in_the_same_order(tmp_path: Path, turn: int) -> None:
    upright = read_pdf(raw_pdf(SENTENCES), tmp_path)
    page = read_pdf(raw_pdf(SENTENCES, f"{SHEET} /Rotate {turn}"), tmp_path)
    assert texts(page) == texts(upright) == " ".join(SENTENCES).split()
    for word, known in zip(page.words, upright.words, strict=True):
        assert word.box == pytest.approx(turned(known.box, turn, 612, 792), abs=0.02)


@pytest.mark.parametrize(
    ("boxes", "size", "moved"),
    [
        ("/MediaBox [612 792 0 0]", (612, 792), 0),
        ("", (612, 792), 0),
        ("/MediaBox [0 0 0 0]", (612, 792), 0),
        (f"{SHEET} /CropBox [500 760 40 100]", (460, 660), 40),
        (f"{SHEET} /CropBox [-99 -99 999 999]", (612, 792), 0),
        (f"{SHEET} /CropBox [900 900 999 999]", (612, 792), 0),
        (f"{SHEET} /CropBox [0 0 0 0]", (612, 792), 0),
        ("/MediaBox [40 100 500 760]", (460, 660), 40),
    ],
    ids=["swapped", "missing", "empty", "crop swapped", "crop larger", "crop beside", "crop empty", "moved"],
)
def test_odd_boxes_of_a_page(boxes: str, size: tuple[float, float], moved: float, tmp_path: Path) -> None:
    page = read_pdf(raw_pdf(SENTENCES, boxes), tmp_path)
    assert (page.width, page.height) == size
    assert texts(page)[:3] == ["This", "Agreement", "is"]
    assert page.words[0].box == pytest.approx(
        (72.2 - moved, 75.4 - 0.8 * moved, 94.2 - moved, 84.2 - 0.8 * moved), abs=0.1
    )


@pytest.mark.parametrize("turn", [0, 90])
def test_a_page_may_have_a_unit_of_its_own(turn: int, tmp_path: Path) -> None:
    content = raw_pdf(SENTENCES, f"{SHEET} /UserUnit 2.5 /Rotate {turn}")
    plain, page = read_pdf(content, tmp_path), read_pdf(content, tmp_path, 2.5)
    assert (page.width, page.height) == (2.5 * plain.width, 2.5 * plain.height)
    assert texts(page) == texts(plain)
    for word, known in zip(page.words, plain.words, strict=True):
        assert word.box == pytest.approx([2.5 * edge for edge in known.box], abs=0.02)


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


def test_text_upside_down_is_read_in_its_own_order(target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    canvas.drawString(72, 700, "upright")
    canvas.rotate(180)
    for row in range(3):
        canvas.drawString(-500, -400 - 20 * row, f"row {row}")
    assert texts(read(canvas, target, tmp_path)) == ["upright", "row", "0", "row", "1", "row", "2"]


def test_a_font_of_negative_size_turns_the_text_again(tmp_path: Path) -> None:
    content = (
        raw_pdf(SENTENCES, f"{SHEET} /Rotate 180").replace(b"/F 12 Tf", b"/F -9 Tf").replace(b"0 0 1 72", b"0 0 1 572")
    )
    upright = raw_pdf(SENTENCES).replace(b"/F 12 Tf", b"/F 09 Tf")
    assert set(texts(read_pdf(content, tmp_path))) == set(texts(read_pdf(upright, tmp_path)))
    assert texts(read_pdf(content, tmp_path))[:4] == ["The", "term", "of", "this"]


def test_ligatures_are_letters_and_hyphens_are_kept(tmp_path: Path) -> None:
    page = read_pdf(drawn_pdf(["The oﬃce agree-", "ment of 2020\xad01\xad31 is co\xad", "operation"]), tmp_path)
    words = ["The", "office", "agree-", "ment", "of", "2020\xad01\xad31", "is", "co-", "operation"]
    assert texts(page) == words


@pytest.mark.parametrize(
    "text",
    ["שלום עולם טוב", "اتفاقية عدم الإفصاح", "הסכם מס 42 של Acme בתל אביב"],
    ids=["Hebrew", "Arabic", "with a number and a name"],
)
def test_what_runs_from_right_to_left_is_read_so(text: str, tmp_path: Path) -> None:
    """Glyphs are drawn from left to right, as most programs write them; letters and words come as they are spoken."""
    drawn = [word if word.isascii() else word[::-1] for word in reversed(text.split())]
    page = read_pdf(drawn_pdf([" ".join(drawn)]), tmp_path)
    assert texts(page) == text.split()


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("אביב בתל Acme Trading & Co של הסכם", "הסכם של Acme Trading & Co בתל אביב"),
        ("الإفصاح عدم Acme Inc 42 اتفاقية", "اتفاقية Acme Inc 42 عدم الإفصاح"),
        ("the company עולם שלום Ltd of Haifa", "the company שלום עולם Ltd of Haifa"),
    ],
    ids=["Hebrew", "Arabic", "English"],
)
def test_names_of_the_other_direction_are_read_in_their_own(seen: str, read: str, tmp_path: Path) -> None:
    """seen: the words from left to right, each written as it is spoken."""
    drawn = [word if word.isascii() else word[::-1] for word in seen.split()]
    assert texts(read_pdf(drawn_pdf([" ".join(drawn)]), tmp_path)) == read.split()


def test_shares_of_characters_that_say_nothing(tmp_path: Path) -> None:
    said = {"a": "\x00", "b": "\ue000", "c": "\ufffd", "d": "d"}
    page = read_pdf(mapped_pdf(["abcd dddd"], said.__getitem__), tmp_path)
    assert (page.controls, page.private_use, page.replacements) == (1 / 8, 1 / 8, 1 / 8)


@pytest.mark.parametrize(("modes", "share"), [((0, 0), 0.0), ((0, 3), 0.5), ((3, 3), 1.0), ((0, 2), 0.0)])
def test_share_of_text_that_is_not_drawn(modes: tuple[int, int], share: float, target: BytesIO, tmp_path: Path) -> None:
    canvas = pdf_canvas(target)
    for row, mode in enumerate(modes):
        text = canvas.beginText(72, 700 - 20 * row)
        text.setTextRenderMode(mode)
        text.textOut(SENTENCES[0])
        canvas.drawText(text)
    assert read(canvas, target, tmp_path).invisible == pytest.approx(share, abs=0.1)


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
