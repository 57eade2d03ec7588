"""A page as a picture for OCR, drawn in a child process (`pipeline.draw`): grey, as displayed, one page at a time."""

from PIL import Image

from pipeline.decide import Draft
from pipeline.reader import Source, lone


def render(source: Source, draft: Draft, dpi: int) -> tuple[Image.Image, tuple[str, ...]]:
    """(the page in grey, notes): a PDF's in `dpi` dots an inch, an image's own pixels; where it is huge fewer, noted.

    The picture's `info["dpi"]` says how many dots an inch these are on the page as displayed.
    Raises CorruptDocument, TooLarge, TimedOut, OutOfMemory, OutOfScratch or OcrUnavailable (no poppler).
    """
    target = source.scratch / f"page-{draft.number}.pgm"
    try:
        details = {"number": draft.number, "width": draft.width, "height": draft.height, "dpi": dpi}
        unit = source.units.get(draft.number, 1.0)
        share = lone(source.ask("draw", **details, unit=unit, target=str(target)))["share"]
        with Image.open(target, formats=("PPM",)) as image:  # of no more pixels than the limits allow
            image.load()
        dots = image.width * 72.0 / draft.width if draft.width else dpi
        image.info["dpi"] = (dots, dots)
    finally:
        target.unlink(missing_ok=True)
    return image, (f"huge page, drawn with {share:.0%} of the resolution",) if share < 1 else ()
