import time
from pathlib import Path
from shutil import which

import pytest

from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, TimedOut
from pipeline.reader import Kind, Source
from pipeline.render import render
from tests.pipeline.writing import image_file, saved, scan, text_pdf

needs_poppler = pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")


def source(path: Path, kind: Kind = "pdf", seconds: float = 30.0) -> Source:
    return Source(path, kind, None, seconds, time.monotonic() + 30, 2_000_000_000)


@needs_poppler
def test_a_page_comes_back_as_a_grey_picture(tmp_path: Path) -> None:
    image = render(source(saved(tmp_path, text_pdf([["one"], ["two"]]))), Draft(2, 612, 792), 100)
    assert (image.mode, image.size, image.getextrema()) == ("L", (850, 1100), (0, 255))


def test_a_frame_keeps_its_pixels(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(scan(["word"]), "PNG"))
    assert render(source(path, "image"), Draft(1, 612, 792), 300).size == (1275, 1650)


@needs_poppler
def test_failures_are_those_of_documents(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"]]))
    with pytest.raises(TimedOut):
        render(source(path, seconds=1e-6), Draft(1, 612, 792), 100)
    with pytest.raises(CorruptDocument):
        render(source(path), Draft(7, 612, 792), 100)
