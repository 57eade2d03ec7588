"""A page as a picture for OCR: grey, upright, one page at a time."""

import math
from pathlib import Path

from pdf2image import convert_from_path
from pdf2image.exceptions import PDFPageCountError, PDFPopplerTimeoutError, PDFSyntaxError, PopplerNotInstalledError
from PIL import Image

from pipeline.errors import CorruptDocument, OcrUnavailable, TimedOut
from pipeline.reader import Kind, borrowed_child

MAX_PIXELS = 40_000_000


def render(
    path: Path,
    kind: Kind,
    number: int,
    size: tuple[float, float],
    dpi: int,
    seconds: float,
    memory_bytes: int,
    password: str | None,
    scratch: Path,
) -> Image.Image:
    """Page `number` (from 1) of `size` points in grey; a huge page in as many dots an inch as keeps it in bounds.

    scratch: a private folder.  Raises CorruptDocument, TooLarge, TimedOut or OcrUnavailable (no poppler).
    """
    if kind == "image":
        return _frame(path, number, seconds, memory_bytes, scratch)
    return _pdf_page(path, number, _bounded(dpi, size), seconds, password)


def _bounded(dpi: int, size: tuple[float, float]) -> float:
    """At most `dpi` dots an inch, fewer where the page would have more than MAX_PIXELS."""
    area = max(size[0] * size[1], 1.0) / 72.0**2
    return min(float(dpi), math.sqrt(MAX_PIXELS / area))


def _pdf_page(path: Path, number: int, dpi: float, seconds: float, password: str | None) -> Image.Image:
    try:
        images = convert_from_path(
            path,
            dpi=dpi,
            first_page=number,
            last_page=number,
            grayscale=True,
            use_cropbox=True,
            userpw=password,
            timeout=seconds,
        )
    except PDFPopplerTimeoutError as error:
        raise TimedOut(f"Drawing page {number} took longer than {seconds:g} seconds.") from error
    except PopplerNotInstalledError as error:
        raise OcrUnavailable("Poppler is not installed; this page needs OCR.") from error
    except (PDFPageCountError, PDFSyntaxError, OSError, ValueError) as error:
        raise CorruptDocument(f"Page {number} cannot be drawn.") from error
    if not images:
        raise CorruptDocument(f"Page {number} cannot be drawn.")
    return images[0]


def _frame(path: Path, number: int, seconds: float, memory_bytes: int, scratch: Path) -> Image.Image:
    target = scratch / f"frame-{number}.pgm"
    request = {
        "task": "frame",
        "path": str(path),
        "number": number,
        "target": str(target),
        "pixels": MAX_PIXELS,
        "memory_bytes": memory_bytes,
    }
    try:
        with borrowed_child() as child:
            list(child.ask(request, seconds, seconds))
        image = Image.open(target, formats=("PPM",))
        image.load()
        return image
    finally:
        target.unlink(missing_ok=True)
