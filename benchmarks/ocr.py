"""OCR of a scan: ours against three ways to read the same pages, all in this run, one process a core.

    python benchmarks/ocr.py [--data PDF] [--pages 12] [--json]

The scan is made of the pages of a PDF (the sample contract unless given), drawn at 200 dots an inch. The peers:

- a plain loop of pytesseract over pdf2image's pages, as tutorials have it: one page after the other, Tesseract with
  as many threads as it takes;
- `ocrmypdf --sidecar` with as many jobs as there are cores and no PDF to be written, where it is on the PATH
  (`pip install ocrmypdf`, in an environment of its own);
- bare `tesseract`, one process a core with one thread each. Whoever has a PDF has to draw its pages first, so
  `pdftoppm` at the same resolution is part of its time; the note says how long Tesseract alone took.
"""

import argparse
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytesseract
from pdf2image import convert_from_path

from benchmarks._report import Row, report
from pipeline.ingest import IngestSettings, ingest
from pipeline.slots import cores

SAMPLE = Path(__file__).parents[1] / "samples" / "contract.pdf"
DPI = 200


def make_scan(source: Path, pages: int, target: Path) -> None:
    """Write a PDF of so many pictures, the pages of `source` over and over."""
    drawn = convert_from_path(source, dpi=DPI, grayscale=True, last_page=pages)
    images = [drawn[number % len(drawn)] for number in range(pages)]
    images[0].save(target, format="PDF", save_all=True, append_images=images[1:], resolution=float(DPI))


def ours(path: Path) -> int:
    """The words that Longleaf finds."""
    return sum(len(page.words) for page in ingest(path, path.name, IngestSettings(dpi=DPI)).pages)


def plain_loop(path: Path) -> int:
    """The words that pytesseract finds, page by page."""
    found = (
        pytesseract.image_to_data(image, output_type=pytesseract.Output.DICT)["text"]
        for image in convert_from_path(path, dpi=DPI)
    )
    return sum(bool(text.strip()) for page in found for text in page)


def ocrmypdf(path: Path) -> int:
    """The words that OCRmyPDF finds."""
    text = path.with_suffix(".txt")
    options = ["--jobs", str(cores()), "--output-type", "none", "--sidecar", str(text)]
    subprocess.run(["ocrmypdf", "--quiet", *options, str(path), "-"], check=True)
    return len(text.read_text(encoding="utf-8").split())


def draw(path: Path) -> int:
    """The pages as pictures beside the file; no word is read yet."""
    subprocess.run(["pdftoppm", "-gray", "-r", str(DPI), str(path), str(path.with_name("page"))], check=True)
    return 0


def bare_tesseract(path: Path) -> int:
    """The words that Tesseract finds on the pages drawn."""
    pages = "\0".join(map(str, sorted(path.parent.glob("page-*.pgm"))))
    command = ["xargs", "-0", "-n", "1", "-P", str(cores()), "sh", "-c", 'tesseract "$0" stdout 2>&-']
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, input=pages, env=environment, check=True, capture_output=True, text=True)
    return len(done.stdout.split())


def timed(work: Callable[[Path], int], path: Path) -> tuple[float, int]:
    """(seconds, how many words the work finds)."""
    start = time.perf_counter()
    answer = work(path)
    return time.perf_counter() - start, answer


def compare(path: Path, pages: int) -> list[Row]:
    """A row for each peer that is installed."""
    seconds, words = timed(ours, path)
    about = f"seconds; {pages} pages, {cores()} cores, {words} words"
    peer, found = timed(plain_loop, path)
    rows = [Row("ocr-vs-pytesseract-loop", seconds, peer, f"{about}, peer {found}")]
    if shutil.which("ocrmypdf"):
        peer, found = timed(ocrmypdf, path)
        rows.append(Row("ocr-vs-ocrmypdf", seconds, peer, f"{about}, peer {found}"))
    drawing, _ = timed(draw, path)
    peer, found = timed(bare_tesseract, path)
    note = f"{about}, peer {found}; {peer:.4g} without the {drawing:.4g} to draw the pages"
    return [*rows, Row("ocr-vs-bare-tesseract", seconds, drawing + peer, note)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLE, help="the PDF to make the scan of")
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scan.pdf"
        make_scan(options.data, options.pages, path)
        rows = compare(path, options.pages)
    report(rows, options.json)
    if not shutil.which("ocrmypdf") and not options.json:
        print("ocr-vs-ocrmypdf is left out: ocrmypdf is not on the PATH.")


if __name__ == "__main__":
    main()
