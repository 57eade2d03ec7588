"""What pdfium does not tell of a PDF, and damaged PDFs mended, by qpdf. Runs inside the reader's child process only."""

from dataclasses import dataclass
from pathlib import Path

import pikepdf

from pipeline.errors import CorruptDocument

_DAMAGE = ("damaged", "reconstruct", "unexpected EOF", "end of file")


@dataclass(frozen=True, slots=True)
class Inspected:
    """What qpdf sees.

    units: points to a unit of the page, on the pages (from 1) where it is not 1.  damaged: whether qpdf had to guess.
    lost: the pages of a damaged file whose content is gone, or partly so.
    """

    units: dict[int, float]
    damaged: bool
    lost: list[int]


def inspect(path: Path, password: str | None) -> Inspected:
    """pikepdf.PdfError where the file cannot be opened."""
    with pikepdf.open(path, password=password or "", suppress_warnings=True) as pdf:
        units = {number: _unit(page) for number, page in enumerate(pdf.pages, start=1) if "/UserUnit" in page.obj}
        damaged = any(sign in str(warning) for warning in pdf.get_warnings() for sign in _DAMAGE)
        lost = [number for number, page in enumerate(pdf.pages, start=1) if damaged and _is_lost(page)]
    return Inspected({number: unit for number, unit in units.items() if unit != 1.0}, damaged, lost)


def _is_lost(page: pikepdf.Page) -> bool:
    """Whether what a page shows is missing: a page without content is legal, but not likely where a file is damaged."""
    contents = page.obj.get("/Contents")
    streams = [contents] if isinstance(contents, pikepdf.Stream) else list(contents or [])
    try:
        for stream in streams:
            stream.read_bytes()
    except (pikepdf.PdfError, AttributeError):
        return True
    return not streams


def _unit(page: pikepdf.Page) -> float:
    """PDF 2.0, table 31: a positive number; anything else is not believed."""
    try:
        unit = float(page.obj["/UserUnit"])
    except (TypeError, ValueError):
        return 1.0
    return unit if 0.01 <= unit <= 75_000 else 1.0


def repair(path: Path, target: Path, password: str | None) -> None:
    """Write the file anew, with whatever qpdf finds of it; CorruptDocument where that is no page."""
    try:
        with pikepdf.open(path, password=password or "", suppress_warnings=True) as pdf:
            if not len(pdf.pages):
                raise CorruptDocument("The document holds no page.")
            pdf.save(target)
    except pikepdf.PasswordError:
        raise
    except (pikepdf.PdfError, RuntimeError, ValueError) as error:
        raise CorruptDocument("The file begins as a PDF but cannot be opened as one, nor repaired.") from error
