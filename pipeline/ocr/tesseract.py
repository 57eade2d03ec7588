"""Tesseract, a process a page. The page goes to it and the words come back by pipes.

pytesseract, which says what is installed, would write both to files that other users may read, and that stay behind
when this process is killed.
"""

import csv
import os
import subprocess
from functools import cache
from io import BytesIO

import pytesseract
from PIL import Image

from pipeline.errors import CorruptDocument, OcrUnavailable, TimedOut
from pipeline.ocr import _languages
from pipeline.types import Box, Word

_NO_LANGUAGES = {"equ", "osd", "snum"}  # models that Tesseract lists among its languages
_MISSING = "Tesseract is not installed; this page needs OCR."


def recognise(image: Image.Image, languages: str, seconds: float) -> list[Word]:
    """The words of the image in Tesseract's own block order; TimedOut after so many seconds.

    Empty words and layout rows (confidence below 0) are left out.
    """
    check(languages)
    dpi = image.info.get("dpi")
    options = ["-l", languages, *(["--dpi", f"{dpi[0]:.0f}"] if dpi else [])]
    page = BytesIO()
    image.save(page, format="PPM")
    lines = _run(page.getvalue(), options, seconds).split("\n")
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [_word(row) for row in rows if row["text"] and row["text"].strip() and float(row["conf"]) >= 0]


@cache  # which keeps no errors: what is installed later is found
def check(languages: str) -> None:
    """OcrUnavailable where Tesseract or one of the languages is not installed."""
    version()
    _languages.require("Tesseract", languages, set(pytesseract.get_languages()) - _NO_LANGUAGES)


@cache
def version() -> str:
    """The engine's name and version; OcrUnavailable where it is not installed."""
    try:
        return f"tesseract {pytesseract.get_tesseract_version()}"
    except (pytesseract.TesseractNotFoundError, SystemExit) as error:
        raise OcrUnavailable(_MISSING) from error


def _run(page: bytes, options: list[str], seconds: float) -> str:
    """Tesseract's table of one page; its process is gone afterwards, whatever happens."""
    # Tesseract's own threads gain little and take the cores of other pages.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    command = ["tesseract", "stdin", "stdout", *options, "tsv"]
    try:
        done = subprocess.run(command, input=page, capture_output=True, check=True, timeout=seconds, env=environment)
    except FileNotFoundError as error:
        raise OcrUnavailable(_MISSING) from error
    except subprocess.CalledProcessError as error:
        raise CorruptDocument("Tesseract cannot read the page.") from error
    except subprocess.TimeoutExpired as error:
        raise TimedOut(f"Tesseract took longer than {seconds:.0f} seconds for a page.") from error
    return done.stdout.decode()


def _word(row: dict[str, str]) -> Word:
    """The word of a row of the table."""
    left, top, width, height = (int(row[key]) for key in ("left", "top", "width", "height"))
    return Word(row["text"].strip(), Box(left, top, left + width, top + height), float(row["conf"]) / 100)
