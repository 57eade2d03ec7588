"""Pages drawn in grey, for OCR. Runs inside the reader's child process only, so that poppler runs under its limits."""

import math
from pathlib import Path
from typing import Any

from pdf2image import convert_from_path
from pdf2image.exceptions import PDFPageCountError, PDFSyntaxError, PopplerNotInstalledError
from PIL import Image, ImageOps

from pipeline.errors import CorruptDocument, OcrUnavailable, TooLarge

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
_ORIENTATION = 0x0112
_COPIES = 2  # bytes a pixel that the grey copies of an image take
MAX_SIDE = 30_000  # Tesseract takes pictures of at most 32,767 pixels across or down


def draw_pdf_page(path: Path, number: int, dpi: float, password: str | None) -> Image.Image:
    """Page `number` (from 1) as displayed, `dpi` dots an inch; CorruptDocument or OcrUnavailable."""
    # A dict: poppler takes fractions and None, which the annotations of pdf2image leave out.
    options: dict[str, Any] = {"dpi": dpi, "userpw": password, "ownerpw": password}
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


def bounded_dpi(dpi: float, width: float, height: float, max_pixels: int) -> float:
    """At most `dpi` dots an inch, fewer where a page of width × height points would have more than `max_pixels`, or
    more than MAX_SIDE on one side."""
    area, side = max(width * height, 1.0) / 72.0**2, max(width, height, 1.0) / 72.0
    return min(float(dpi), math.sqrt(max_pixels / area), MAX_SIDE / side)


def draw_frame(path: Path, number: int, max_pixels: int, memory_bytes: int) -> tuple[Image.Image, float]:
    """(image `number` (from 1) of an image file, upright, on white; the share of its width that it is drawn with).

    One of more than `max_pixels` is made smaller, a JPEG while it is decoded; TooLarge where decoding it would take
    more than `memory_bytes`.
    """
    # A file and not its path: pixels that Pillow maps into memory come out wrong where a TIFF is turned.
    with path.open("rb") as file, Image.open(file, formats=FORMATS) as image:
        image.seek(number - 1)
        turned = orientation(image) != 1
        width, height = image.size
        shrink = math.sqrt(max_pixels / max(width * height, 1))
        if shrink < 1:
            image.draft("L", (int(width * shrink / 2) + 1, int(height * shrink / 2) + 1))
        pixels = image.width * image.height
        if pixels * (len(image.getbands()) + _COPIES) > max(memory_bytes, _COPIES * max_pixels):
            raise TooLarge(f"Image {number} has {width} × {height} pixels, which take more memory than the limit.")
        share = image.width / width
        grey = opaque(ImageOps.exif_transpose(image) if turned else image).convert("L")
        factor = math.ceil(math.sqrt(pixels / max_pixels))
        return (grey.reduce(factor) if factor > 1 else grey), share / factor


def orientation(image: Image.Image) -> int:
    """How a photograph is turned, 1–8 as EXIF has it; told without decoding any pixel."""
    if image.format == "TIFF":  # Pillow turns it itself
        return 1
    if image.format == "PNG" and "exif" not in image.info:  # Pillow would look for it behind the pixels
        return 1
    found = image.getexif().get(_ORIENTATION, 1)
    return found if found in range(1, 9) else 1


def opaque(image: Image.Image) -> Image.Image:
    """The image in 8 bits a channel at most; white where it is transparent."""
    if image.mode.startswith("I"):
        return image.convert("I").point(lambda level: level * (255 / 65535)).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image
