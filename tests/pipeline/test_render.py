import time
from pathlib import Path
from shutil import which

import pytest
from PIL import Image

from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, TimedOut, TooLarge
from pipeline.reader import Kind, Source
from pipeline.render import MAX_PIXELS, bounded_dpi, render
from tests.pipeline.writing import image_file, saved, scan, text_pdf

needs_poppler = pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")


def source(path: Path, kind: Kind = "pdf", seconds: float = 30.0, password: str | None = None) -> Source:
    return Source(path, kind, password, seconds, time.monotonic() + 30, 2_000_000_000)


@needs_poppler
def test_a_page_is_drawn_grey_at_the_resolution_asked_for(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"], ["two"]], password="sesame"))
    image = render(source(path, password="sesame"), Draft(2, 612, 792), 100)
    assert (image.mode, image.size) == ("L", (850, 1100))
    assert image.getextrema()[0] == 0


def test_a_huge_page_is_drawn_with_fewer_dots() -> None:
    assert bounded_dpi(200, 612, 792) == 200
    dots = bounded_dpi(200, 14_400, 14_400)
    assert (14_400 * dots / 72) ** 2 == pytest.approx(MAX_PIXELS)


@needs_poppler
def test_failures_are_plain(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"]]))
    with pytest.raises(TimedOut):
        render(source(path, seconds=1e-6), Draft(1, 612, 792), 100)
    with pytest.raises(CorruptDocument):
        render(source(path), Draft(7, 612, 792), 100)
    with pytest.raises(CorruptDocument):
        render(source(saved(tmp_path, b"%PDF-1.4 no more")), Draft(1, 612, 792), 100)


def test_a_frame_keeps_its_pixels(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(scan(["word"]), "PNG"))
    assert render(source(path, "image"), Draft(1, 612, 792), 300).size == (1275, 1650)


def test_a_frame_of_too_many_pixels_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(Image.new("1", (8000, 8000)), "PNG"))
    with pytest.raises(TooLarge):
        render(source(path, "image"), Draft(1, 612, 792), 300)
