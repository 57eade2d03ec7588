"""Peak memory of ingesting and classifying a whole document against that of its first pages, in processes of their own.

python benchmarks/memory.py [--data PDF] [--pages 50] [--json]
"""

import argparse
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdfium2

from app.catalogue import find_model
from benchmarks._report import Row, report
from pipeline.ingest import ingest
from pipeline.predict import Predictor

SAMPLE = Path(__file__).parents[1] / "samples" / "contract.pdf"


def peak_of(path: Path) -> float:
    """Megabytes that reading and classifying the document takes at most, the model included."""
    found = subprocess.run([sys.executable, __file__, "--only", str(path)], check=True, capture_output=True, text=True)
    return float(found.stdout)


def classify(path: Path) -> float:
    """The same, in this process."""
    Predictor(find_model(None)).predict([ingest(path, path.name)])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLE, help="a long PDF")
    parser.add_argument("--pages", type=int, default=50, help="how many first pages to hold it against")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(classify(options.only))
        return
    with TemporaryDirectory() as folder, pypdfium2.PdfDocument(options.data) as whole:
        first = Path(folder) / "first.pdf"
        with pypdfium2.PdfDocument.new() as part:
            part.import_pages(whole, list(range(min(options.pages, len(whole)))))
            part.save(first)
        note = f"megabytes; {len(whole)} pages, peer the first {options.pages}"
        report([Row("memory-whole-vs-first-pages", peak_of(options.data), peak_of(first), note)], options.json)


if __name__ == "__main__":
    main()
