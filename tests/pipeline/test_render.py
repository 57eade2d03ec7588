import time
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, TimedOut
from pipeline.kinds import Kind
from pipeline.limits import Limits
from pipeline.reader import Source
from pipeline.render import render
from tests.pipeline.writing import image_file, saved, scan, text_pdf

LIMITS = Limits()
needs_poppler = pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")


def source(path: Path, kind: Kind = "pdf", limits: Limits = LIMITS) -> Source:
    return Source(path, kind, path.parent, limits, time.monotonic() + 30)


@needs_poppler
def test_a_page_comes_back_as_a_grey_picture(tmp_path: Path) -> None:
    image, notes = render(source(saved(tmp_path, text_pdf([["one"], ["two"]]))), Draft(2, 612, 792), 100)
    assert (image.mode, image.size, image.getextrema(), notes) == ("L", (850, 1100), (0, 255), ())


@needs_poppler
def test_a_huge_page_is_drawn_with_fewer_dots_and_says_so(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"]]))
    image, notes = render(source(path, limits=Limits(max_pixels=93_500)), Draft(1, 612, 792), 100)
    assert (image.size, notes) == ((269, 348), ("huge page, drawn with 32% of the resolution",))


@needs_poppler
def test_a_page_in_larger_units_has_as_many_pixels_as_its_points_say(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"]]))
    image, _ = render(replace(source(path), units={1: 2.0}), Draft(1, 1224, 1584), 50)
    assert image.size == (850, 1100)


def test_nothing_is_left_of_a_picture(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(scan(["word"]), "PNG"))
    render(source(path, "image"), Draft(1, 612, 792), 100)
    assert list(tmp_path.iterdir()) == [path]


def test_a_frame_keeps_its_pixels(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(scan(["word"]), "PNG"))
    image, notes = render(source(path, "image"), Draft(1, 612, 792), 300)
    assert (image.size, notes) == ((1275, 1650), ())


@needs_poppler
def test_failures_are_those_of_documents(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"]]))
    with pytest.raises(TimedOut):
        render(source(path, limits=Limits(page_seconds=1e-6)), Draft(1, 612, 792), 100)
    with pytest.raises(CorruptDocument):
        render(source(path), Draft(7, 612, 792), 100)
