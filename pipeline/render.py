"""A page as a picture for OCR: grey, upright, one page at a time."""

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pdf2image import convert_from_path
from pdf2image.exceptions import PDFPageCountError, PDFPopplerTimeoutError, PDFSyntaxError, PopplerNotInstalledError
from PIL import Image

from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, OcrUnavailable, TimedOut
from pipeline.reader import Source

MAX_PIXELS = 40_000_000


def render(source: Source, draft: Draft, dpi: int) -> Image.Image:
    """The page in grey; a huge page in as few dots an inch as keep it under MAX_PIXELS.

    Raises CorruptDocument, TooLarge, TimedOut or OcrUnavailable (no poppler).
    """
    if source.kind == "image":
        return _frame(source, draft.number)
    return _pdf_page(source, draft.number, bounded_dpi(dpi, draft.width, draft.height))


def bounded_dpi(dpi: int, width: float, height: float) -> float:
    """At most `dpi` dots an inch, fewer where a page of width × height points would have more than MAX_PIXELS."""
    area = max(width * height, 1.0) / 72.0**2
    return min(float(dpi), math.sqrt(MAX_PIXELS / area))


def _pdf_page(source: Source, number: int, dpi: float) -> Image.Image:
    seconds = min(source.page_seconds, source.seconds_left())
    # A dict: poppler and subprocess take fractions and None, which the annotations of pdf2image leave out.
    options: dict[str, Any] = {"dpi": dpi, "timeout": seconds, "userpw": source.password}
    try:
        images = convert_from_path(
            source.path, first_page=number, last_page=number, grayscale=True, use_cropbox=True, **options
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


def _frame(source: Source, number: int) -> Image.Image:
    """A frame of an image file, decoded in a child process."""
    with TemporaryDirectory(prefix="longleaf-") as folder:
        target = Path(folder) / "frame.pgm"
        for _ in source.ask("frame", number=number, target=str(target), pixels=MAX_PIXELS):
            pass
        with Image.open(target, formats=("PPM",)) as image:
            image.load()
        return image
