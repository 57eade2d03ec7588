"""A scan made fit for OCR: dark on light, without specks; and how its lines lie, seen on a small copy.

Each step is taken only where the picture needs it; `benchmarks/scans.py --steps` measures what each is worth.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from jdeskew.estimator import get_angle
from numpy.typing import NDArray
from PIL import Image, ImageOps

_DARK = 128
_NEIGHBOURHOOD = 51  # pixels around one within which paper is of one shade
_MIN_DEPTH, _NOISE_DEPTH = 8.0, 4.0  # ink is darker than its paper by so many levels, and by so many times the noise
_MIN_MARK, _MAX_MARK = 4, 0.5  # the size of a letter: at least so many pixels, at most this share of the picture
_SPECK, _MANY_SPECKS = 80, 0.0005  # levels from its neighbours; share of the pixels that are specks
_MAX_SKEW, _MIN_SKEW = 15.0, 0.3
_CLEARLY = 20  # rows so much crisper than columns are lines of text
_COARSE, _FINE = 600, 1200  # the longer side of the copies in which skew is sought, in pixels
_PAPER = 255


@dataclass(frozen=True, slots=True)
class Conditioned:
    """A picture fit for OCR.

    marks: how many shapes of a letter's size it has; 0 for a blank page.  width, height: their medians, in pixels.
    notes: what was done, in a few words each.
    """

    image: Image.Image
    marks: int
    width: float
    height: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Look:
    """smooth: the picture without its smallest details.  sizes: (width, height) of the shapes as large as letters.

    specks: where a pixel away from all ink is unlike its neighbours.
    """

    smooth: MatLike
    sizes: MatLike
    specks: NDArray[np.bool_]


def condition(image: Image.Image) -> Conditioned:
    """The picture (mode L) dark on light and without specks."""
    notes: list[str] = []
    pixels = np.asarray(image)
    look = _look(pixels)
    if np.median(pixels) < _DARK:
        # A dark desk around a light page is no reason: there the letters are dark all the same.
        inverted = _look(_PAPER - pixels)
        if len(inverted.sizes) > len(look.sizes):
            image, look = ImageOps.invert(image), inverted
            notes.append("white on black, inverted")
    if np.count_nonzero(look.specks) > _MANY_SPECKS * look.specks.size:
        image = _without(image, look)
        notes.append("specks, smoothed away")
    width, height = np.median(look.sizes, axis=0).tolist() if len(look.sizes) else (0.0, 0.0)
    return Conditioned(image, len(look.sizes), width, height, tuple(notes))


def is_sideways(image: Image.Image) -> bool:
    """Whether the lines of the picture seem to run up or down the page; sure only where there are many."""
    small = _stretched(_small(image, _COARSE))
    across, down = _crispness(small)
    if across > _CLEARLY * down:  # as on most pages
        return False
    across, down = map(max, (across, down), _crispness(level(small, _angle(small))))
    if across > _CLEARLY * down:
        return False
    turned = small.transpose(Image.Transpose.ROTATE_270)
    return max(down, _crispness(level(turned, _angle(turned)))[0]) > across


def skew_of(image: Image.Image) -> float:
    """Degrees by which the lines fall to the right, from -15 to 15; 0 where there are none, or hardly any slope."""
    small = _stretched(_small(image, _COARSE))
    if abs(_angle(small)) < _MIN_SKEW:
        return 0.0
    angle = _angle(_stretched(_small(image, _FINE)))
    before, after = (_crispness(picture)[0] for picture in (small, level(small, angle)))
    return round(angle, 2) if after > before else 0.0


def level(image: Image.Image, skew: float) -> Image.Image:
    """The picture with lines that fall by `skew` degrees made level, in a frame that holds all of it."""
    if not skew:
        return image
    paper = int(np.median(np.asarray(image)))
    return image.rotate(skew, Image.Resampling.BICUBIC, expand=True, fillcolor=paper)


def _look(pixels: MatLike) -> _Look:
    """What a picture of dark ink shows."""
    smooth = cv2.medianBlur(pixels, 3)
    rough = cv2.absdiff(pixels, smooth)
    depth = max(_MIN_DEPTH, _NOISE_DEPTH * float(np.median(rough)))
    ink = cv2.adaptiveThreshold(smooth, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _NEIGHBOURHOOD, depth)
    shapes = cv2.connectedComponentsWithStats(ink)[2][1:]
    sizes = shapes[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
    longer = sizes.max(axis=1)
    near_ink = cv2.dilate(ink, np.ones((5, 5), np.uint8))
    letters = sizes[(longer >= _MIN_MARK) & (longer <= _MAX_MARK * max(pixels.shape))]
    return _Look(smooth, letters, (rough > _SPECK) & (near_ink == 0))


def _without(image: Image.Image, look: _Look) -> Image.Image:
    """The picture with its specks painted over; smoothed all over, Tesseract was seen to miss whole lines."""
    made = Image.fromarray(np.where(look.specks, look.smooth, np.asarray(image)))
    made.info = dict(image.info)
    return made


def _angle(image: Image.Image) -> float:
    return float(get_angle(np.asarray(image), angle_max=_MAX_SKEW))


def _small(image: Image.Image, side: int) -> Image.Image:
    """A copy about so many pixels long."""
    return image.reduce(max(1, round(max(image.size) / side)))


def _stretched(image: Image.Image) -> Image.Image:
    """The picture from black to white, so that faint lines count as well."""
    return ImageOps.autocontrast(image, cutoff=(0.1, 0))


def _crispness(image: Image.Image) -> tuple[float, float]:
    """How sharply ink and paper alternate from row to row, and from column to column: lines of text make one large."""
    ink = _PAPER - np.asarray(image).astype(np.float64)
    across, down = (float(np.square(np.diff(ink.sum(axis))).sum()) / ink.shape[axis] for axis in (1, 0))
    return across, down
