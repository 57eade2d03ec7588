"""RapidOCR: PaddleOCR's models by ONNX Runtime, all from PyPI, `pip install longleaf[rapidocr]`."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import metadata
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from pipeline.errors import CorruptDocument, OcrUnavailable
from pipeline.merge import reading_order
from pipeline.ocr import _languages
from pipeline.types import Box, Word

# What the one model in the package reads, in Tesseract's codes: PP-OCRv6 small.
_LANGUAGES = frozenset(
    "afr aze bos cat ces chi_sim chi_tra cym dan deu eng est eus fin fra gle glg hrv hun ind isl ita jpn kmr lat lav"
    " lit ltz mlt mri msa nld nor oci pol por que ron slk slv spa sqi srp_latn swa swe tgl tur uzb vie".split()
)
_SETTINGS: dict[str, Any] = {
    "Global.log_level": "critical",
    "Global.text_score": 0.0,  # whatever was read is kept, with its confidence
    "Global.use_cls": False,  # lines upside down are read as they stand: the image is upright
    "Global.return_word_box": True,
    "Global.return_single_char_box": True,
    # As many pages are read at once as there are cores.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
_LETTER_WIDTH = 612.0  # points
_LOADING = Lock()


def recognise(image: Image.Image, languages: str, seconds: float) -> list[Word]:
    """The words of the image, columns one after the other; a word has the confidence of its line."""
    check(languages)
    with _LOADING:
        engine = _engine()
    try:
        found = engine(image)
    except Exception as error:  # of many kinds, without a common one
        raise CorruptDocument("RapidOCR cannot read the page.") from error
    if not len(found):
        return []
    letters = found.word_results if len(found.word_results) == len(found.txts) else [()] * len(found.txts)
    lines = zip(found.txts, found.scores, found.boxes, letters, strict=True)
    return _ordered([word for line in lines for word in _words(*line, image.size)], image.width)


def check(languages: str) -> None:
    """OcrUnavailable where RapidOCR is not installed or cannot read one of the languages."""
    version()
    _languages.require("RapidOCR", languages, _LANGUAGES)


def version() -> str:
    """The engine's name and version; OcrUnavailable where it is not installed."""
    try:
        return f"rapidocr {metadata.version('rapidocr')} on onnxruntime {metadata.version('onnxruntime')}"
    except metadata.PackageNotFoundError as error:
        raise OcrUnavailable("RapidOCR is not installed: pip install longleaf[rapidocr].") from error


@cache
def _engine() -> Callable[[Image.Image], Any]:
    """The engine, its models loaded at the first page; its calls may run side by side."""
    from rapidocr import RapidOCR

    return RapidOCR(params=_SETTINGS)


def _words(
    text: str, score: float, corners: ArrayLike, letters: Sequence[tuple[str, float, ArrayLike]], size: tuple[int, int]
) -> Iterator[Word]:
    """The words of a line. corners: (4, 2) in pixels; letters: (letter, confidence, corners), without the spaces."""
    if "".join(letter for letter, _, _ in letters) == "".join(text.split()):
        boxes = [_around(around, size) for _, _, around in letters]
    else:
        boxes = _shares(text, _around(corners, size))
    start = 0
    for part in text.split():
        x0, y0, x1, y1 = zip(*boxes[start : start + len(part)], strict=True)
        yield Word(part, Box(min(x0), min(y0), max(x1), max(y1)), float(score))
        start += len(part)


def _ordered(words: list[Word], width: int) -> list[Word]:
    """The words, column by column, as a page of that many pixels is read that is about as wide as a letter."""
    points = _LETTER_WIDTH / width
    scaled = [word._replace(box=Box(*(edge * points for edge in word.box))) for word in words]
    given = {id(small): word for small, word in zip(scaled, words, strict=True)}
    return [given[id(small)] for small in reading_order(scaled)]


def _around(corners: ArrayLike, size: tuple[int, int]) -> Box:
    """The upright box around the corners (4, 2), within an image of that size."""
    points = np.clip(np.asarray(corners, dtype=float), 0, size)
    return Box(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _shares(text: str, line: Box) -> list[Box]:
    """The box of each letter of the line but the spaces, all equally wide."""
    share = (line.x1 - line.x0) / len(text)
    starts = (line.x0 + share * index for index, letter in enumerate(text) if not letter.isspace())
    return [line._replace(x0=start, x1=start + share) for start in starts]
