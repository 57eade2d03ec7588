"""OCR of a scan: ours against the plain loop of pytesseract over pdf2image's pages, both in this run.

    python benchmarks/ocr.py [--data PDF] [--pages 12] [--json]

The scan is made of the pages of a PDF (the sample contract unless given), drawn at 200 dots an inch.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytesseract
from pdf2image import convert_from_path

from benchmarks._report import Row, report
from pipeline.ingest import IngestSettings, ingest

SAMPLE = Path(__file__).parents[1] / "samples" / "contract.pdf"
DPI = 200


def make_scan(source: Path, pages: int, target: Path) -> None:
    """Write a PDF of so many pictures, the pages of `source` over and over."""
    drawn = convert_from_path(source, dpi=DPI, grayscale=True, last_page=pages)
    images = [drawn[number % len(drawn)] for number in range(pages)]
    images[0].save(target, format="PDF", save_all=True, append_images=images[1:], resolution=float(DPI))


def plain_loop(path: Path) -> int:
    """The words that pytesseract finds, page by page."""
    found = (
        pytesseract.image_to_data(image, output_type=pytesseract.Output.DICT)["text"]
        for image in convert_from_path(path, dpi=DPI)
    )
    return sum(bool(text.strip()) for page in found for text in page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLE, help="the PDF to make the scan of")
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scan.pdf"
        make_scan(options.data, options.pages, path)
        start = time.perf_counter()
        document = ingest(path, path.name, IngestSettings(dpi=DPI))
        ours = time.perf_counter() - start
        start = time.perf_counter()
        found = plain_loop(path)
        peer = time.perf_counter() - start
    words = sum(len(page.words) for page in document.pages)
    note = f"seconds; {options.pages} pages, {words} words, peer {found}"
    report([Row("ocr-vs-pytesseract-loop", ours, peer, note)], options.json)


if __name__ == "__main__":
    main()
