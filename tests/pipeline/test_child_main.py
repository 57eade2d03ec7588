from pathlib import Path

import pytest
from PIL import Image

from pipeline.child_main import answer
from tests.pipeline.writing import image_file, saved, text_pdf


def read(path: Path, kind: str, first: int = 1) -> list[dict[str, object]]:
    return list(answer({"task": "read", "path": str(path), "kind": kind, "password": None, "first": first}))


def frame(path: Path, target: Path, number: int = 1, pixels: int = 10**6) -> dict[str, object]:
    (reply,) = answer({"task": "frame", "path": str(path), "number": number, "target": str(target), "pixels": pixels})
    return reply


def test_reading_can_begin_at_a_later_page(tmp_path: Path) -> None:
    replies = read(saved(tmp_path, text_pdf([["one"], ["two"], ["three"]])), "pdf", first=3)
    assert replies[0] == {"pages": 3}
    assert [reply.get("number") for reply in replies[1:]] == [3, None]
    assert replies[-1] == {"end": True}


def test_every_failure_is_one_reply_with_a_code(tmp_path: Path) -> None:
    (reply,) = read(tmp_path / "missing", "image")
    assert (reply["error"], reply["end"]) == ("corrupt_document", True)


@pytest.mark.parametrize("dots", [1, 72, 9999])
def test_a_resolution_that_cannot_be_meant_is_not_believed(tmp_path: Path, dots: int) -> None:
    path = saved(tmp_path, image_file(Image.new("L", (400, 200)), "PNG", dpi=(dots, dots)))
    size = read(path, "image")[1]
    assert (size["width"], size["height"]) == (144, 72)


def test_a_frame_is_grey_and_what_is_transparent_is_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (30, 20), (0, 0, 0, 0))
    image.putpixel((3, 4), (0, 0, 0, 255))
    assert frame(saved(tmp_path, image_file(image, "PNG")), tmp_path / "frame") == {"end": True}
    with Image.open(tmp_path / "frame") as drawn:
        assert (drawn.mode, drawn.getpixel((0, 0)), drawn.getpixel((3, 4))) == ("L", 255, 0)


def test_sixteen_bits_a_pixel_keep_their_contrast(tmp_path: Path) -> None:
    image = Image.new("I;16", (30, 20), 65535)
    image.putpixel((3, 4), 20_000)
    frame(saved(tmp_path, image_file(image, "PNG")), tmp_path / "frame")
    with Image.open(tmp_path / "frame") as drawn:
        assert (drawn.getpixel((0, 0)), drawn.getpixel((3, 4))) == (255, 77)


def test_too_many_pixels_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(Image.new("1", (2000, 2000)), "TIFF"))
    assert frame(path, tmp_path / "frame")["error"] == "too_large"


def test_a_cut_off_image_is_corrupt(tmp_path: Path) -> None:
    content = image_file(Image.effect_noise((300, 300), 90), "JPEG")
    reply = frame(saved(tmp_path, content[: len(content) // 2]), tmp_path / "frame")
    assert reply["error"] == "corrupt_document"
