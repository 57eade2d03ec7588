"""Scans that are not as they should be: ours against plain Tesseract on the same pictures.

    python benchmarks/scans.py --data ../shared/data/kleister-nda [--split dev-0 test-A] [--pages 30] [--steps] [--json]
    python benchmarks/scans.py --sroie ../shared/data/sroie/test [--receipts 100] [--json]

`--data`: pages with a text layer and no picture, one a document of the splits, chosen by a seed and drawn as scans:

- clean: 200 dots an inch;
- tilted-noisy: that, fallen 2° to the right, with Gaussian noise (sigma 20) and 0.5 % of the pixels black or white;
- low-resolution: 100 dots an inch.

The figure is the character error rate against the text layer: edits over characters, NFKC, white space as one space.
`--steps` adds a row for each step of `pipeline/scan.py` and `condition.py`, on pictures that need it alone: the
peer is what one gets without it. `train` is what the steps were chosen on; use it for further work on them.

`--sroie`: receipts as they were scanned. The figure is the share of annotated words that are not found, letter case
aside. Ours is `pipeline.scan` with Tesseract, the peer `pytesseract.image_to_string`; one thread each, wall clock.
"""

import argparse
import json
import os
import random
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pypdfium2
import pytesseract
from pdf2image import convert_from_path
from PIL import Image, ImageOps
from rapidfuzz.distance import Levenshtein

from benchmarks._report import print_markdown
from pipeline.ingest import IngestSettings, ingest
from pipeline.ocr import tesseract
from pipeline.scan import read_scan

SEED = 20
DPI = 200
MIN_WORDS = 100
COLUMNS = ("picture", "ours", "plain Tesseract", "ours, seconds a page", "plain, seconds a page", "pages")


class Sample(NamedTuple):
    """A page of a PDF (number from 1) and what it says."""

    path: Path
    number: int
    text: str

    def drawn(self, dpi: int = DPI) -> Image.Image:
        """The page in grey."""
        (image,) = convert_from_path(self.path, dpi=dpi, grayscale=True, first_page=self.number, last_page=self.number)
        image.info["dpi"] = (dpi, dpi)
        return image


def tilted(image: Image.Image, degrees: float) -> Image.Image:
    """The page fallen to the right, all of it in sight."""
    return image.rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)


def noisy(image: Image.Image, sigma: float, specks: float) -> Image.Image:
    """The picture with Gaussian noise, and with such a share of its pixels black or white."""
    draw = np.random.default_rng(SEED)
    pixels = np.asarray(image) + draw.normal(0, sigma, (image.height, image.width))
    chance = draw.random(pixels.shape)
    pixels[chance < specks / 2], pixels[chance > 1 - specks / 2] = 0, 255
    made = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    made.info = dict(image.info)
    return made


def faint(image: Image.Image) -> Image.Image:
    """The picture with letters 25 levels darker than the paper, and a little noise."""
    return noisy(image.point(lambda level: 150 + level * 25 // 255), 3, 0)


CONDITIONS: dict[str, Callable[[Sample], Image.Image]] = {
    "clean": Sample.drawn,
    "tilted-noisy": lambda page: noisy(tilted(page.drawn(), 2), 20, 0.005),
    "low-resolution": lambda page: page.drawn(DPI // 2),
}
STEPS: dict[str, Callable[[Sample], Image.Image]] = {
    "level (fallen 5°)": lambda page: tilted(page.drawn(), 5),
    "turn (upside down)": lambda page: page.drawn().transpose(Image.Transpose.ROTATE_180),
    "turn (on its left side)": lambda page: page.drawn().transpose(Image.Transpose.ROTATE_90),
    "turn (on its right side)": lambda page: page.drawn().transpose(Image.Transpose.ROTATE_270),
    "turn, level (on its side, fallen 3°)": lambda page: tilted(page.drawn().transpose(Image.Transpose.ROTATE_90), 3),
    "specks (1 % of the pixels)": lambda page: noisy(page.drawn(), 0, 0.01),
    "invert (white on black)": lambda page: ImageOps.invert(page.drawn()),
    "none (faint)": lambda page: faint(page.drawn()),
}


def samples(data: Path, splits: list[str], pages: int) -> Iterator[Sample]:
    """Pages that were born digital, one a document, the same in every run."""
    chosen = sorted({name for split in splits for name in (data / split / "documents.txt").read_text().split()})
    draw = random.Random(SEED)
    draw.shuffle(chosen)
    found = 0
    for name in chosen:
        path = data / "documents" / name
        if not path.exists():  # of test-A a part is here
            continue
        document = ingest(path, name, IngestSettings(ocr="never"))
        page = draw.choice(document.pages)
        text = normal(" ".join(word.text for word in page.words))
        if found < pages and len(page.words) >= MIN_WORDS and not has_picture(path, page.number):
            found += 1
            yield Sample(path, page.number, text)
        if found == pages:
            return


def has_picture(path: Path, number: int) -> bool:
    """Whether the page may be a scan with a text layer of its own."""
    with pypdfium2.PdfDocument(path) as document:
        return any(item.type == pypdfium2.raw.FPDF_PAGEOBJ_IMAGE for item in document[number - 1].get_objects())


def normal(text: str) -> str:
    """NFKC, white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def ours(image: Image.Image) -> str:
    """The words in the order they are read."""
    return normal(" ".join(word.text for word in read_scan(image, tesseract, "eng", 120.0).words))


def plain(image: Image.Image) -> str:
    """What Tesseract says by itself."""
    return normal(pytesseract.image_to_string(image))


def missed(text: str, annotated: str) -> int:
    """How many of the annotated words the text lacks."""
    return (Counter(annotated.casefold().split()) - Counter(text.casefold().split())).total()


def receipts(folder: Path, number: int) -> Iterator[tuple[Image.Image, str]]:
    """(picture, annotated words) of so many receipts."""
    for path in sorted(folder.glob("*.jpg"))[:number]:
        lines = path.with_suffix(".csv").read_text(encoding="utf-8", errors="replace").splitlines()
        with Image.open(path) as image:
            yield image.convert("L"), normal(" ".join(line.split(",", 8)[8] for line in lines if line.count(",") >= 8))


def measure(
    name: str, pictures: Iterator[tuple[Image.Image, str]], wrong: Callable[[str, str], int], size: Callable[[str], int]
) -> dict[str, object]:
    """The row of some pictures: what is wrong as a share of their size, and seconds a page."""
    mistakes, seconds, total, pages = [0, 0], [0.0, 0.0], 0, 0
    for image, text in pictures:
        for which, read in enumerate((ours, plain)):
            start = time.perf_counter()
            found = read(image)
            seconds[which] += time.perf_counter() - start
            mistakes[which] += wrong(found, text)
        total += size(text)
        pages += 1
    return {
        "name": name,
        "ours": mistakes[0] / total,
        "peer": mistakes[1] / total,
        "seconds": seconds[0] / pages,
        "peer_seconds": seconds[1] / pages,
        "pages": pages,
    }


def rows(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """A row a kind of picture."""
    if options.data:
        pages = list(samples(options.data, options.split, options.pages))
        for name, make in {**CONDITIONS, **(STEPS if options.steps else {})}.items():
            pictures = ((make(page), page.text) for page in pages)
            yield measure(name, pictures, Levenshtein.distance, len)
    if options.sroie:
        scans = receipts(options.sroie, options.receipts)
        yield measure("receipts, words missed", scans, missed, lambda text: len(text.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with documents/ and a folder a split")
    parser.add_argument("--split", nargs="+", default=["dev-0", "test-A"], help="train for developing")
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--steps", action="store_true", help="measure every step as well")
    parser.add_argument("--sroie", type=Path, help="a folder of .jpg and .csv")
    parser.add_argument("--receipts", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pytesseract.pytesseract.environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    measured = []
    for row in rows(options):
        measured.append([f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row.values()])
        if options.json:
            print(json.dumps(row), flush=True)
    if not options.json:
        print_markdown(COLUMNS, measured)


if __name__ == "__main__":
    main()
