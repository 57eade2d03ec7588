"""A scan read by an OCR engine, whichever way it lies and whatever it looks like; the boxes are of the scan as given.

    picture ─ condition ─→ dark on light ─ turn ─ level ─ enlarge ─→ engine ─→ words ─ boxes turned back ─→ Scan

A page is read as it stands, or where its lines run up or down as `orientation` says. If that makes little sense it is
read once more the way up that `orientation` says, and the reading that makes more sense is kept.
"""

import time
from dataclasses import dataclass
from functools import cached_property
from math import cos, radians, sin
from types import ModuleType

from PIL import Image

from pipeline.condition import condition, is_sideways, level, skew_of
from pipeline.draw import MAX_SIDE
from pipeline.errors import TimedOut
from pipeline.orientation import turn_upright
from pipeline.types import Box, Word

_UNSURE = 0.6
_FEW_MARKS = 200  # on a page of so few letters more turns may be tried than are likely
_SMALL, _ENLARGED = 11.0, 2  # pixels of a letter's size below which a picture is enlarged, and by how much
_TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}


@dataclass(frozen=True, slots=True)
class Scan:
    """What was read of a picture. Boxes are in its pixels, as it was given.

    rotation: degrees clockwise (0, 90, 180 or 270) by which it had to be turned.  skew: degrees by which its lines then
    fell to the right.  notes: what else was done, or why nothing was read, in a few words each.
    """

    words: tuple[Word, ...]
    rotation: int = 0
    skew: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        """The mean confidence of its words (0–1); 0 for no words."""
        return sum(word.confidence for word in self.words) / max(len(self.words), 1)

    @property
    def sense(self) -> float:
        """How much it says, in letters, as far as one can be sure of them."""
        return sum(len(word.text) * word.confidence for word in self.words)


@dataclass(frozen=True)
class _Reader:
    """Reads one conditioned picture in any turn. base: 90 where its lines run up or down, else 0.  end: of
    its time, on the monotonic clock."""

    image: Image.Image
    base: int
    factor: int
    engine: ModuleType
    languages: str
    end: float

    @cached_property
    def upright(self) -> int | None:
        """Degrees clockwise that turn the picture upright; None where one cannot tell."""
        page, _ = self._level(self.base)
        turn = turn_upright(page, self._seconds_left())
        return None if turn is None else (self.base + turn) % 360

    def read(self, rotation: int) -> Scan:
        """The words where the picture is turned by `rotation`, levelled and enlarged."""
        page, skew = self._level(rotation)
        page = _enlarged(page, self.factor)
        words = self.engine.recognise(page, self.languages, self._seconds_left())
        boxes = (_turned_back(word.box, page, self.factor, rotation - skew, self.image) for word in words)
        return Scan(tuple(word._replace(box=box) for word, box in zip(words, boxes, strict=True)), rotation, skew)

    def _seconds_left(self) -> float:
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimedOut("Reading the page took longer than the limit.")
        return left

    def _level(self, rotation: int) -> tuple[Image.Image, float]:
        """The picture turned by `rotation` and made level, and the skew it had."""
        turned = self.image.transpose(_TURNS[rotation]) if rotation else self.image
        skew = skew_of(turned)
        return level(turned, skew), skew


def read_scan(image: Image.Image, engine: ModuleType, languages: str, seconds: float) -> Scan:
    """The words of a grey picture (mode L), by an engine of `pipeline/ocr`; its errors pass through. Thread-safe.

    A blank page is not given to the engine and has no words. TimedOut after so many seconds.
    """
    fit = condition(image)
    if not fit.marks:
        return Scan((), notes=("blank scan",))
    sideways = is_sideways(fit.image)
    small = (fit.width if sideways else fit.height) < _SMALL and _ENLARGED * max(image.size) <= MAX_SIDE
    reader = _Reader(
        fit.image, 90 if sideways else 0, _ENLARGED if small else 1, engine, languages, time.monotonic() + seconds
    )
    best = _best(reader, fit.marks)
    notes = (*fit.notes, *(["small text, enlarged"] if small else []))
    if not any(letter.isalnum() for word in best.words for letter in word.text):
        return Scan((), notes=(*notes, "no text found"))
    return Scan(best.words, best.rotation, best.skew, notes)


def _best(reader: _Reader, marks: int) -> Scan:
    """The reading that makes the most sense; no more turns are tried than are likely."""
    first = reader.base
    if reader.base and reader.upright is not None:
        first = reader.upright
    best = reader.read(first)
    if best.confidence >= _UNSURE or not best.words:
        return best
    others = (180, 270, 90, 0) if marks <= _FEW_MARKS else (0,)
    for rotation in others if reader.upright is None else (reader.upright,):
        if rotation != best.rotation and best.confidence < _UNSURE:
            best = max(best, reader.read(rotation), key=lambda scan: scan.sense)
    return best


def _enlarged(image: Image.Image, factor: int) -> Image.Image:
    """The picture so many times as large, and its dots an inch with it."""
    if factor == 1:
        return image
    made = image.resize((image.width * factor, image.height * factor), Image.Resampling.LANCZOS)
    if dpi := image.info.get("dpi"):
        made.info = {**image.info, "dpi": (dpi[0] * factor, dpi[1] * factor)}
    return made


def _turned_back(box: Box, page: Image.Image, factor: int, clockwise: float, image: Image.Image) -> Box:
    """The box around the rectangle of `page` where it lies on the picture that the page was made of.

    The page is the picture turned clockwise about its middle and then enlarged.
    """
    across, down = cos(radians(clockwise)), sin(radians(clockwise))
    corners = [
        ((x - page.width / 2) / factor, (y - page.height / 2) / factor)
        for x in (box.x0, box.x1)
        for y in (box.y0, box.y1)
    ]
    xs = [min(max(x * across + y * down + image.width / 2, 0), image.width) for x, y in corners]
    ys = [min(max(y * across - x * down + image.height / 2, 0), image.height) for x, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))
