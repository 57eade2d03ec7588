"""A made-up document of thousands of pages, a third of them scans: memory, scratch, and when its first page is there.

    python benchmarks/long.py [--pages 2000] [--against 50] [--json]

Both lengths are read in processes of their own, while this one looks twice a second at the memory of the reading
process and all it started (proportional set size), and at its scratch folders. Every page has its number printed on it,
in the text layer or the picture. Exits with 1 where a page is missing or, in a text layer, has another number, where
the long document takes more than 1.5 times the memory of the short one, or more than 100 MB of scratch space.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from benchmarks._report import Row, report
from pipeline.ingest import ingest
from pipeline.types import Page

_WIDTH, _HEIGHT = 612.0, 792.0
_WORDS = "the party agrees that each notice under this agreement shall be given in writing to the other".split()
_LINES, _WORDS_A_LINE = 34, 11
_LINES_OF_A_SCAN = 6


def make(pages: int, target: Path) -> None:
    """Write the document; each third page is a scan."""
    draw = random.Random(0)
    canvas = Canvas(str(target), pagesize=(_WIDTH, _HEIGHT), invariant=True, pageCompression=1)
    for number in range(1, pages + 1):
        lines = [f"page {number}", *(" ".join(draw.choices(_WORDS, k=_WORDS_A_LINE)) for _ in range(_LINES))]
        if number % 3 == 0:
            canvas.drawImage(ImageReader(_scan(lines[: 1 + _LINES_OF_A_SCAN])), 0, 0, _WIDTH, _HEIGHT)
        else:
            for index, line in enumerate(lines):
                canvas.drawString(60, _HEIGHT - 60 - 20 * index, line)
        canvas.showPage()
    canvas.save()


def _scan(lines: list[str]) -> BytesIO:
    image = Image.new("1", (1275, 1650), 1)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(30)
    for index, line in enumerate(lines):
        pen.text((120, 120 + 60 * index), line, font=font, fill=0)
    target = BytesIO()
    image.save(target, format="PNG")
    target.seek(0)
    return target


def read(path: Path) -> None:
    """Read the document in this process; prints a JSON line for the first page and one for the whole."""
    started = time.perf_counter()
    first: list[float] = []

    def on_page(page: Page, done: int, total: int) -> None:
        if page.number == 1:
            first.append(time.perf_counter() - started)
        if sys.stderr.isatty() or done % 100 == 0:
            print(f"{done} of {total}", file=sys.stderr)

    document = ingest(path, path.name, on_page=on_page)
    wrong = [page.number for page in document.pages if page.source == "text" and _number(page) != page.number]
    print(
        json.dumps(
            {
                "pages": len(document.pages),
                "read": document.pages_read,
                "failed": document.pages_failed,
                "scans": sum(page.source == "ocr" for page in document.pages),
                "words": sum(len(page.words) for page in document.pages),
                "wrong": wrong,
                "first page, s": round(first[0], 2),
                "seconds": round(time.perf_counter() - started, 1),
            }
        )
    )


def _number(page: Page) -> int:
    return int(page.words[1].text)


def watch(path: Path, scratch: Path) -> dict[str, Any]:
    """Read the document in another process and look at it from outside: peak memory of all its processes and of its
    own, and peak scratch space, in MB."""
    environment = {**os.environ, "TMPDIR": str(scratch)}
    command = [sys.executable, "-m", "benchmarks.long", "--only", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        peak = own = used = 0.0
        while process.poll() is None:
            sizes = {pid: _memory(pid) for pid in _tree(process.pid)}
            peak, own = max(peak, sum(sizes.values())), max(own, sizes.get(process.pid, 0.0))
            used = max(used, sum(_size(file) for file in scratch.rglob("*")))
            time.sleep(0.5)
        assert process.stdout
        found: dict[str, Any] = json.loads(process.stdout.read())
    return {**found, "memory, MB": round(peak), "own memory, MB": round(own), "scratch, MB": round(used, 1)}


def _tree(process: int) -> Iterator[int]:
    """The process and all below it."""
    yield process
    try:
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _tree(int(child))
    except OSError:
        return


def _memory(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _size(file: Path) -> float:
    try:
        return file.stat().st_size / 1e6
    except OSError:
        return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--against", type=int, default=50, help="the pages of the shorter document")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        read(options.only)
        return
    found = {}
    with TemporaryDirectory() as folder:
        for pages in (options.against, options.pages):
            path, scratch = Path(folder) / f"{pages}.pdf", Path(folder) / f"scratch-{pages}"
            scratch.mkdir()
            make(pages, path)
            found[pages] = watch(path, scratch)
            print(found[pages], file=sys.stderr)
    short, whole = found[options.against], found[options.pages]
    report(
        [
            Row("memory-long-vs-short", whole["memory, MB"], short["memory, MB"], "megabytes of all processes"),
            Row("scratch-long-vs-short", whole["scratch, MB"], short["scratch, MB"], "megabytes at most"),
            Row("first-page-vs-whole", whole["first page, s"], whole["seconds"], "seconds"),
        ],
        options.json,
    )
    too_much = whole["memory, MB"] > 1.5 * short["memory, MB"] or whole["scratch, MB"] > 100
    sys.exit(too_much or bool(whole["wrong"]) or whole["read"] != options.pages)


if __name__ == "__main__":
    main()
