"""Born-digital ingestion: CPU time a page, ours against `pdftotext -bbox` and against pypdfium2's plain text.

    python benchmarks/ingest.py [--data FOLDER] [--files 60] [--json]

Ours is all of it: the child process, the hand-over, the decision a page, reading order. `pdftotext -bbox` gives words
and boxes too; its output is not even parsed here. pypdfium2's `get_text_range` gives the text without boxes, in this
process, and so is a floor and no equal. CPU time counts child processes; one over it is pages a second per core.
"""

import argparse
import resource
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pypdfium2

from benchmarks._report import Row, report
from pipeline.child import close_children
from pipeline.ingest import IngestSettings, ingest

SAMPLES = Path(__file__).parents[1] / "samples"
SETTINGS = IngestSettings(ocr="never")


def ours(paths: Sequence[Path]) -> int:
    """Ingest the files; how many pages they have."""
    pages = sum(len(ingest(path, path.name, SETTINGS).pages) for path in paths)
    close_children()
    return pages


def pdftotext(paths: Sequence[Path]) -> None:
    """Words and boxes as XHTML."""
    for path in paths:
        subprocess.run(["pdftotext", "-bbox", str(path), "-"], check=True, capture_output=True)


def plain_text(paths: Sequence[Path]) -> None:
    """Text without boxes."""
    for path in paths:
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                page.get_textpage().get_text_range()


def cpu_seconds(work: Callable[[Sequence[Path]], object], paths: Sequence[Path]) -> float:
    """CPU time of this process and the children it waited for, while it works."""

    def spent() -> float:
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    before = spent()
    work(paths)
    return spent() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLES, help="a folder of born-digital PDFs, searched in depth")
    parser.add_argument("--files", type=int, default=60, help="how many of them, evenly chosen")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = sorted(options.data.rglob("*.pdf"))
    paths = found[:: max(len(found) // options.files, 1)][: options.files]
    pages = ours(paths)
    mine = 1000 * cpu_seconds(ours, paths) / pages
    rows = [
        Row(f"text-layer-vs-{peer}", mine, 1000 * cpu_seconds(work, paths) / pages, f"CPU milliseconds a page; {note}")
        for peer, work, note in (
            ("pdftotext-bbox", pdftotext, f"{pages} pages; ours {1000 / mine:.0f} pages a second per core"),
            ("pypdfium2-text", plain_text, "without boxes: a floor, not an equal"),
        )
    ]
    report(rows, options.json)


if __name__ == "__main__":
    main()
