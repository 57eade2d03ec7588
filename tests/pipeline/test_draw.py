from io import BytesIO
from pathlib import Path
from shutil import which

import pikepdf
import pytest
from PIL import Image

from pipeline.draw import MAX_SIDE, bounded_dpi, draw_frame, draw_pdf_page
from pipeline.errors import CorruptDocument, TooLarge
from tests.pipeline.writing import image_file, saved, text_pdf

MAX_PIXELS = 40_000_000
MEMORY = 1_000_000_000
needs_poppler = pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")


def frame(folder: Path, image: Image.Image, kind: str = "PNG", **options: object) -> Image.Image:
    return draw_frame(saved(folder, image_file(image, kind, **options)), 1, MAX_PIXELS, MEMORY)[0]


@needs_poppler
def test_a_page_is_drawn_grey_at_the_resolution_asked_for(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"], ["two"]], password="sesame"))
    image = draw_pdf_page(path, 2, 100, "sesame")
    assert (image.mode, image.size) == ("L", (850, 1100))
    assert image.getextrema()[0] == 0


@needs_poppler
@pytest.mark.parametrize("password", ["user", "owner"])
def test_either_password_opens_a_page(tmp_path: Path, password: str) -> None:
    target = BytesIO()
    with pikepdf.open(BytesIO(text_pdf([["one"]]))) as pdf:
        pdf.save(target, encryption=pikepdf.Encryption(owner="owner", user="user", R=6))
    assert draw_pdf_page(saved(tmp_path, target.getvalue()), 1, 50, password).getextrema()[0] < 200


@needs_poppler
def test_what_poppler_cannot_draw_is_corrupt(tmp_path: Path) -> None:
    path = saved(tmp_path, text_pdf([["one"]]))
    with pytest.raises(CorruptDocument):
        draw_pdf_page(path, 7, 100, None)
    with pytest.raises(CorruptDocument):
        draw_pdf_page(saved(tmp_path, b"%PDF-1.4 no more"), 1, 100, None)


def test_a_huge_page_is_drawn_with_fewer_dots() -> None:
    assert bounded_dpi(200, 612, 792, MAX_PIXELS) == 200
    dots = bounded_dpi(200, 14_400, 14_400, MAX_PIXELS)
    assert (14_400 * dots / 72) ** 2 == pytest.approx(MAX_PIXELS)
    assert 200_000 * bounded_dpi(200, 20, 200_000, MAX_PIXELS) / 72 == pytest.approx(MAX_SIDE)


def test_a_huge_photograph_is_decoded_smaller(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(Image.new("L", (4000, 3000), 255), "JPEG"))
    image, share = draw_frame(path, 1, 1_000_000, MEMORY)
    assert (image.size, share) == ((1000, 750), 0.25)
    assert draw_frame(path, 1, MAX_PIXELS, MEMORY)[1] == 1.0


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (30, 20), (0, 0, 0, 0))
    image.putpixel((3, 4), (0, 0, 0, 255))
    drawn = frame(tmp_path, image)
    assert (drawn.mode, drawn.getpixel((0, 0)), drawn.getpixel((3, 4))) == ("L", 255, 0)


def test_sixteen_bits_a_pixel_keep_their_contrast(tmp_path: Path) -> None:
    image = Image.new("I;16", (30, 20), 65535)
    image.putpixel((3, 4), 20_000)
    drawn = frame(tmp_path, image)
    assert (drawn.getpixel((0, 0)), drawn.getpixel((3, 4))) == (255, 77)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "CMYK", "LA"])
def test_every_kind_of_pixel_becomes_grey(tmp_path: Path, mode: str) -> None:
    kind = "TIFF" if mode == "CMYK" else "PNG"
    assert frame(tmp_path, Image.new("L", (30, 20), 255).convert(mode), kind).getextrema() == (255, 255)


def test_a_huge_scan_is_made_smaller(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(Image.new("1", (4000, 3000), 1), "TIFF"))
    image, share = draw_frame(path, 1, 3_000_000, MEMORY)
    assert (image.size, share) == ((2000, 1500), 0.5)


def test_too_many_pixels_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    path = saved(tmp_path, image_file(Image.new("1", (8000, 8000)), "PNG"))
    with pytest.raises(TooLarge):
        draw_frame(path, 1, MAX_PIXELS, 100_000_000)


@pytest.mark.parametrize("kind", ["JPEG", "TIFF", "PNG", "WEBP"])
@pytest.mark.parametrize("turned", [1, 3, 6, 8])
def test_a_photograph_is_drawn_upright_whatever_its_format(tmp_path: Path, kind: str, turned: int) -> None:
    upright = Image.new("L", (40, 80), 255)
    upright.paste(0, (0, 0, 40, 20))
    back = {1: None, 3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}[turned]
    exif = Image.Exif()
    exif[0x0112] = turned
    stored = upright.transpose(back) if back else upright
    drawn = frame(tmp_path, stored.convert("RGB") if kind == "WEBP" else stored, kind, exif=exif)
    assert drawn.size == (40, 80)
    top, bottom = drawn.getpixel((20, 5)), drawn.getpixel((20, 70))
    assert isinstance(top, int)
    assert isinstance(bottom, int)
    assert (top < 60, bottom > 200) == (True, True)


def test_a_cut_off_image_is_an_error(tmp_path: Path) -> None:
    content = image_file(Image.effect_noise((300, 300), 90), "JPEG")
    with pytest.raises(OSError, match="truncated"):
        draw_frame(saved(tmp_path, content[: len(content) // 2]), 1, MAX_PIXELS, MEMORY)
