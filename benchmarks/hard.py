"""A folder of odd and broken documents read in one process: what became of each, and what was left behind.

    python benchmarks/hard.py --data DATA/hard-pdfs/documents [--expected tests/pipeline/hard_outcomes.json] [--json]

Prints the number of documents by outcome, the slowest, this process's memory after the first twenty documents, when all
that is loaded once is loaded, and after the last, and what is left of processes and scratch folders. Exits with 1 where
something is left, memory has grown by more than 50 MB or, with --expected, an outcome is not the one written there.
"""

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.batch import documents_in
from pipeline.child import close_children
from pipeline.errors import DocumentError
from pipeline.ingest import IngestSettings, ingest
from pipeline.scratch import scratch_root

_WARM = 20
_MAX_GROWTH = 50  # MB


def outcome_of(path: Path) -> str:
    """ "read", "partly read: " and what the other pages failed of, or the error's code."""
    try:
        document = ingest(path, path.name, IngestSettings())
    except DocumentError as error:
        return error.code
    if document.pages_read + document.pages_failed != len(document.pages):
        return "pages not accounted for"
    failures = sorted({page.failure for page in document.pages if page.failure})
    return f"partly read: {', '.join(failures)}" if failures else "read"


def resident_mb() -> float:
    """This process's memory in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processes() -> int:
    """How many processes this one has started that are still there."""
    threads = Path("/proc/self/task").iterdir()
    return sum(len((thread / "children").read_text().split()) for thread in threads)


def measure(folder: Path) -> dict[str, Any]:
    """Read all documents of a folder, one after the other."""
    outcomes: dict[str, str] = {}
    seconds: dict[str, float] = {}
    before = 0.0
    started = time.perf_counter()
    for number, path in enumerate(documents_in(folder)):
        if number <= _WARM:
            before = resident_mb()
        begun = time.perf_counter()
        outcomes[path.name] = outcome_of(path)
        seconds[path.name] = round(time.perf_counter() - begun, 2)
        print(f"{number + 1:4d} {seconds[path.name]:7.2f} s {path.name}: {outcomes[path.name]}", file=sys.stderr)
    close_children()
    return {
        "documents": len(outcomes),
        "outcomes": dict(Counter(outcomes.values()).most_common()),
        "seconds": round(time.perf_counter() - started, 1),
        "slowest": dict(sorted(seconds.items(), key=lambda item: -item[1])[:5]),
        "memory before, MB": round(before, 1),
        "memory after, MB": round(resident_mb(), 1),
        "processes left": processes(),
        "files left in scratch": sum(1 for _ in scratch_root().rglob("*")),
        "by document": outcomes,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of documents")
    parser.add_argument("--expected", type=Path, help="a JSON file: the documents of each outcome but those read")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        tempfile.tempdir = scratch
        found = measure(options.data)
    outcomes = found.pop("by document")
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name}: {value}")
    grown = found["memory after, MB"] - found["memory before, MB"]
    wrong = ["something is left"] * bool(found["processes left"] or found["files left in scratch"])
    wrong += [f"memory has grown by {grown:.0f} MB"] * (grown > _MAX_GROWTH)
    if options.expected:
        listed = json.loads(options.expected.read_text("utf-8"))
        expected = {name: outcome for outcome, names in listed.items() for name in names}
        wrong += [
            f"{name}: {outcome}, not {expected.get(name, 'read')}"
            for name, outcome in outcomes.items()
            if outcome != expected.get(name, "read")
        ]
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
