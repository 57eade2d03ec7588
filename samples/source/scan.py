"""Turns a PDF into a scan of itself: pages that are only images, askew, speckled and slightly blurred."""

import time
from pathlib import Path

import numpy as np
from pdf2image import convert_from_path
from PIL import Image, ImageFilter

DPI = 150
ANGLES = (0.9, -1.2, 0.5, -0.7, 1.4, -0.4)
SPECKS = 90
QUALITY = 38
MADE = time.gmtime(0)


def age(page: Image.Image, angle: float, random: np.random.Generator) -> Image.Image:
    """One page as a worn copier would give it back: turned by `angle` degrees, same size."""
    paper = 244
    turned = page.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255)
    grey = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.6)), dtype=np.float64)
    grey = 30.0 + grey * (paper - 30.0) / 255.0
    for _ in range(SPECKS):
        x, y = int(random.integers(page.width - 3)), int(random.integers(page.height - 3))
        size = int(random.integers(1, 4))
        grey[y : y + size, x : x + size] = random.integers(40, 150)
    grey += random.normal(0.0, 2.0, grey.shape)
    return Image.fromarray(grey.clip(0, 255).astype(np.uint8))


def write(source: Path, path: Path) -> None:
    """Writes the scan of the PDF at `source`; needs poppler. The same pages give the same scan."""
    random = np.random.default_rng(7)
    pages = convert_from_path(source, dpi=DPI, grayscale=True)
    first, *others = (age(page, angle, random) for page, angle in zip(pages, ANGLES, strict=True))
    first.save(
        path,
        save_all=True,
        append_images=others,
        resolution=DPI,
        quality=QUALITY,
        creationDate=MADE,
        modDate=MADE,
    )
