"""A page as a picture for OCR, drawn in a child process (`pipeline.draw`): grey, upright, one page at a time."""

from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from pipeline.decide import Draft
from pipeline.reader import Source


def render(source: Source, draft: Draft, dpi: int) -> Image.Image:
    """The page in grey: a PDF's `dpi` dots an inch, fewer where it is huge; an image's own pixels.

    Raises CorruptDocument, TooLarge, TimedOut, OutOfMemory or OcrUnavailable (no poppler).
    """
    with TemporaryDirectory(prefix="longleaf-") as folder:
        target = Path(folder) / "page.pgm"
        details = {"number": draft.number, "width": draft.width, "height": draft.height, "dpi": dpi}
        for _ in source.ask("draw", **details, target=str(target)):
            pass
        with Image.open(target, formats=("PPM",)) as image:
            image.load()
        return image
