"""Tesseract, through pytesseract."""

import os
from functools import cache

import pytesseract
from PIL import Image

from pipeline.errors import CorruptDocument, OcrUnavailable, TimedOut
from pipeline.types import Box, Word

_SECONDS = 120
_FEW_WORDS = 20
_UNSURE = 0.5
_FIND_ORIENTATION = "--psm 1"
# Tesseract's own threads gain little and take the cores of other pages. Set for it alone: in the environment of this
# process the limit would bind every other library that uses OpenMP.
pytesseract.pytesseract.environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}


def recognise(image: Image.Image, languages: str) -> list[Word]:
    """The words of the image in Tesseract's own block order; TimedOut after two minutes.

    A page that makes little sense is read once more in whichever way up it makes most.
    """
    _check(languages)
    words = _read(image, languages, "")
    if len(words) < _FEW_WORDS or _confidence(words) >= _UNSURE:
        return words
    return max(words, _read(image, languages, _FIND_ORIENTATION), key=_confidence)


def _read(image: Image.Image, languages: str, options: str) -> list[Word]:
    """One run of Tesseract. Empty words and layout rows (confidence below 0) are left out."""
    try:
        found = pytesseract.image_to_data(
            image, languages, options, timeout=_SECONDS, output_type=pytesseract.Output.DICT
        )
    except pytesseract.TesseractError as error:
        raise CorruptDocument("Tesseract cannot read the page.") from error
    except RuntimeError as error:
        raise TimedOut(f"Tesseract took longer than {_SECONDS} seconds for a page.") from error
    columns = (found[key] for key in ("text", "left", "top", "width", "height", "conf"))
    return [
        Word(text.strip(), Box(left, top, left + width, top + height), float(confidence) / 100)
        for text, left, top, width, height, confidence in zip(*columns, strict=True)
        if text.strip() and float(confidence) >= 0
    ]


def _confidence(words: list[Word]) -> float:
    """The mean confidence (0–1); 0 for no words."""
    return sum(word.confidence for word in words) / max(len(words), 1)


@cache
def version() -> str:
    """The engine's name and version; OcrUnavailable where it is not installed."""
    try:
        return f"tesseract {pytesseract.get_tesseract_version()}"
    except (pytesseract.TesseractNotFoundError, SystemExit) as error:
        raise OcrUnavailable("Tesseract is not installed; this page needs OCR.") from error


@cache
def _check(languages: str) -> None:
    """OcrUnavailable where Tesseract or one of the languages is not installed."""
    version()
    installed = pytesseract.get_languages()
    missing = [language for language in languages.split("+") if language not in installed]
    if missing:
        raise OcrUnavailable(
            f"Tesseract has no language {', '.join(missing)}; installed are {', '.join(sorted(installed))}."
        )
