from collections.abc import Callable, Sequence
from shutil import which
from types import ModuleType, SimpleNamespace
from typing import cast

import pytest
from PIL import Image, ImageDraw, ImageOps

from pipeline import scan as scanning
from pipeline.ocr import tesseract
from pipeline.scan import Scan, read_scan
from pipeline.types import Box, Word
from tests.pipeline.writing import SENTENCES, scan

needs_tesseract = pytest.mark.skipif(which("tesseract") is None, reason="tesseract is not installed")
PAGE = scan(SENTENCES, size=(1275, 400), height=28)


def engine(recognise: Callable[[Image.Image], Sequence[Word]]) -> ModuleType:
    """An OCR engine of a test."""
    return cast(ModuleType, SimpleNamespace(recognise=lambda image, languages, seconds: recognise(image)))


def ink(image: Image.Image) -> list[Word]:
    """One word around all that is dark."""
    box = ImageOps.invert(image).point(lambda level: 255 * (level > 100)).getbbox()
    return [Word("ink", Box(*box), 1.0)] if box else []


def by_place(found: Scan) -> dict[str, Box]:
    return {word.text: word.box for word in found.words}


def overlap(one: Box, other: Box) -> float:
    """The share of `one` that lies in `other`."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return max(across, 0) * max(down, 0) / ((one.x1 - one.x0) * (one.y1 - one.y0))


@pytest.mark.parametrize("level", [0, 128, 250, 255])
def test_a_blank_scan_is_not_given_to_the_engine(level: int) -> None:
    def recognise(image: Image.Image) -> list[Word]:
        raise AssertionError("a blank page was read")

    assert read_scan(Image.new("L", (600, 800), level), engine(recognise), "eng", 60.0) == Scan(
        (), notes=("blank scan",)
    )


def test_a_page_with_one_letter_is_read() -> None:
    image = scan(["7"], size=(1275, 1650), height=20)
    assert [word.text for word in read_scan(image, engine(ink), "eng", 60.0).words] == ["ink"]


def test_a_page_on_which_only_marks_are_read_has_no_text() -> None:
    found = read_scan(PAGE, engine(lambda image: [Word("—", Box(0, 0, 9, 9), 0.9)]), "eng", 60.0)
    assert (found.words, found.notes) == ((), ("no text found",))


def test_white_on_black_is_inverted() -> None:
    found = read_scan(ImageOps.invert(PAGE), engine(ink), "eng", 60.0)
    assert found.notes == ("white on black, inverted",)
    assert found.words[0].box == pytest.approx(ink(PAGE)[0].box, abs=1)


def test_a_light_page_on_a_dark_desk_is_not_inverted() -> None:
    desk = Image.new("L", (2400, 1600), 20)
    desk.paste(PAGE, (500, 600))
    assert read_scan(desk, engine(ink), "eng", 60.0).notes == ()


def test_small_text_is_enlarged_and_its_boxes_are_not() -> None:
    seen: list[Image.Image] = []

    def recognise(page: Image.Image) -> list[Word]:
        seen.append(page)
        return ink(page)

    image = PAGE.resize((425, 133), Image.Resampling.LANCZOS)
    image.info["dpi"] = (50, 50)
    found = read_scan(image, engine(recognise), "eng", 60.0)
    assert (seen[0].size, seen[0].info["dpi"]) == ((850, 266), (100, 100))
    assert found.notes == ("small text, enlarged",)
    assert found.words[0].box == pytest.approx(ink(image)[0].box, abs=2)


def test_specks_are_smoothed_away() -> None:
    image = PAGE.copy()
    draw = ImageDraw.Draw(image)
    for place in range(0, image.width * image.height, 997):
        draw.point((place % image.width, place // image.width), fill=0)
    found = read_scan(image, engine(ink), "eng", 60.0)
    assert found.notes == ("specks, smoothed away",)
    assert found.words[0].box == pytest.approx(ink(PAGE)[0].box, abs=3)


@pytest.mark.parametrize("skew", [-12.0, -2.0, 0.0, 0.6, 5.0])
def test_a_tilted_page_is_levelled_and_its_boxes_tilted_back(skew: float) -> None:
    image = PAGE.rotate(-skew, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    levelled: list[Box] = []

    def recognise(page: Image.Image) -> list[Word]:
        (word,) = ink(page)
        levelled.append(word.box)
        return [word]

    found = read_scan(image, engine(recognise), "eng", 60.0)
    assert found.skew == pytest.approx(skew, abs=0.25)
    assert levelled[0].y1 - levelled[0].y0 == pytest.approx(ink(PAGE)[0].box.y1 - ink(PAGE)[0].box.y0, abs=8)
    (tilted,) = ink(image)
    assert overlap(tilted.box, found.words[0].box) > 0.98
    box = found.words[0].box
    assert 0 <= box.x0 < box.x1 <= image.width
    assert 0 <= box.y0 < box.y1 <= image.height


def test_the_way_up_that_makes_most_sense_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "turn_upright", lambda image, seconds: 180)
    confidences = iter([0.3, 0.2])

    def recognise(page: Image.Image) -> list[Word]:
        return [Word("word", Box(0, 0, 10, 10), next(confidences))]

    assert read_scan(PAGE, engine(recognise), "eng", 60.0).rotation == 0


def test_a_full_page_that_orientation_cannot_tell_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "turn_upright", lambda image, seconds: None)
    pages: list[Image.Image] = []

    def recognise(page: Image.Image) -> list[Word]:
        pages.append(page)
        return [Word("word", Box(0, 0, 10, 10), 0.1)]

    read_scan(scan(SENTENCES * 4, height=28), engine(recognise), "eng", 60.0)
    assert len(pages) == 1


@needs_tesseract
@pytest.mark.parametrize(("turned", "tilted"), [(90, 0), (180, 0), (270, 3)])
def test_a_page_however_it_lies_has_its_words_where_they_are(turned: int, tilted: int) -> None:
    upright = by_place(read_scan(PAGE, tesseract, "eng", 60.0))
    image = PAGE.rotate(-turned, expand=True).rotate(-tilted, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    found = read_scan(image, tesseract, "eng", 60.0)
    assert (found.rotation, round(found.skew)) == (360 - turned, tilted)
    words = by_place(found)
    assert len(words.keys() & upright.keys()) >= 0.97 * len(upright)
    if not tilted:
        assert_turned(words, upright, turned, image)


def assert_turned(words: dict[str, Box], upright: dict[str, Box], turned: int, image: Image.Image) -> None:
    """The boxes are those of the upright page, turned clockwise."""
    for text in words.keys() & upright.keys():
        x0, y0, x1, y1 = upright[text]
        width, height = image.size
        expected = {
            90: Box(width - y1, x0, width - y0, x1),
            180: Box(width - x1, height - y1, width - x0, height - y0),
        }[turned]
        assert overlap(words[text], expected) > 0.8


@needs_tesseract
def test_a_word_upside_down_is_read() -> None:
    found = read_scan(scan(["Agreement"], size=(600, 300), height=40).rotate(180), tesseract, "eng", 60.0)
    assert ([word.text for word in found.words], found.rotation) == (["Agreement"], 180)
