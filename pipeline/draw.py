"""Pages drawn in grey, for OCR. Runs inside the reader's child process only, so that poppler runs under its limits."""

import math
from pathlib import Path
from typing import Any

from pdf2image import convert_from_path
from pdf2image.exceptions import PDFPageCountError, PDFSyntaxError, PopplerNotInstalledError
from PIL import Image, ImageOps

from pipeline.errors import CorruptDocument, OcrUnavailable, TooLarge

MAX_PIXELS = 40_000_000
FORMATS = ("PNG", "JPEG", "TIFF")


def draw_pdf_page(path: Path, number: int, dpi: float, password: str | None) -> Image.Image:
    """Page `number` (from 1) as displayed, `dpi` dots an inch; CorruptDocument or OcrUnavailable."""
    # A dict: poppler takes fractions and None, which the annotations of pdf2image leave out.
    options: dict[str, Any] = {"dpi": dpi, "userpw": password}
    try:
        images = convert_from_path(
            path, first_page=number, last_page=number, grayscale=True, use_cropbox=True, **options
        )
    except PopplerNotInstalledError as error:
        raise OcrUnavailable("Poppler is not installed; it draws the pages that need OCR.") from error
    except (PDFPageCountError, PDFSyntaxError, OSError, ValueError) as error:
        raise CorruptDocument(f"Page {number} cannot be drawn.") from error
    if not images:
        raise CorruptDocument(f"Page {number} cannot be drawn.")
    return images[0]


def bounded_dpi(dpi: int, width: float, height: float) -> float:
    """At most `dpi` dots an inch, fewer where a page of width × height points would have more than MAX_PIXELS."""
    area = max(width * height, 1.0) / 72.0**2
    return min(float(dpi), math.sqrt(MAX_PIXELS / area))


def draw_frame(path: Path, number: int) -> Image.Image:
    """Image `number` (from 1) of an image file, upright, on white; TooLarge where it has more than MAX_PIXELS."""
    with Image.open(path, formats=FORMATS) as image:
        image.seek(number - 1)
        if image.width * image.height > MAX_PIXELS:
            raise TooLarge(
                f"Image {number} has {image.width} × {image.height} pixels; at most {MAX_PIXELS:,} are read."
            )
        return _grey(ImageOps.exif_transpose(image))


def _grey(image: Image.Image) -> Image.Image:
    """The image in 8 bits of grey; white where it is transparent."""
    if image.mode.startswith("I"):
        return image.convert("I").point(lambda level: level * (255 / 65535)).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("L")
