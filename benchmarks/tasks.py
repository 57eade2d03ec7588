"""Text classification as in LexGLUE: families trained and measured on the same texts, by the code of the command line.

    python benchmarks/tasks.py --data DATA --start START [--families sw hnet-4096] [--documents 2000] [--json]

    provisions        a provision of a contract → its heading         DATA/provisions, one class
    unfair-tos        a sentence of terms of service → unfair kinds   DATA/unfair-tos, several classes or none
    contract-types    a whole contract, a PDF → its type              DATA/cuad, one class, long documents

A family is a preset; START is a BERT-type checkpoint in whose size all are made or, with {family} in its path, a
Longleaf model of each. Trained on `train`, one document in ten of which chooses the best epoch; measured on `test`.
Seconds of training are those of `run_training` with every PDF read before; seconds per 1,000 documents are the model's
own.
"""

import argparse
import json
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pipeline.ingest import IngestSettings
from pipeline.training.evaluate import run_evaluation
from pipeline.training.finetune import run_training
from pipeline.training.prepare import examples_of, read_examples

TASKS = {
    "provisions": ("provisions", "train", "test"),
    "unfair-tos": ("unfair-tos", "train", "test"),
    "contract-types": ("cuad", "train-types", "test-types"),
}
FAMILIES = ("bert-layout", "sw", "distance", "longleaf", "fnet-4096", "hnet-4096")
COLUMNS = {
    "family": "family",
    "task": "task",
    "learned": "documents",
    "measured": "measured",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "training": "seconds of training",
    "per_1000": "seconds per 1,000 documents",
}


def measure(family: str, task: str, cache: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The row of a family on a task."""
    folder, train, test = TASKS[task]
    learned, measured = [(options.data / folder, train)], [(options.data / folder, test)]
    with TemporaryDirectory() as made, redirect_stdout(sys.stderr):  # the Trainer prints as it goes
        started = time.perf_counter()
        model = run_training(
            learned,
            Path(made) / family,
            cache,
            Path(str(options.start).format(family=family)),
            preset_name=family,
            epochs=options.epochs,
            learning_rate=options.learning_rate,
            window=options.window,
            batch_tokens=options.batch_tokens,
            limit=options.documents,
        )
        seconds = time.perf_counter() - started
        found = run_evaluation(model, measured, cache, "classify", limit=options.test_documents)
    return {
        "family": family,
        "task": task,
        "learned": len(examples_of(learned, options.documents)),
        "measured": found["documents"],
        "micro_f1": found["metrics"]["micro_f1"],
        "macro_f1": found["metrics"]["macro_f1"],
        "training": seconds,
        "per_1000": 1000 * found["seconds"] / found["documents"],
    }


def read_all(task: str, cache: Path, options: argparse.Namespace) -> None:
    """Read every file of a task once, so that no family pays for it."""
    folder, train, test = TASKS[task]
    for split, limit in ((train, options.documents), (test, options.test_documents)):
        files = [example for example in examples_of([(options.data / folder, split)], limit) if example.text is None]
        for _ in read_examples(files, cache, IngestSettings()):
            pass


def show(row: dict[str, Any]) -> None:
    """A line of the markdown table."""
    cells = [f"{row[name]:.3f}" if name.endswith("f1") else row[name] for name in COLUMNS]
    print("|", " | ".join(f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in cells), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the data sets")
    parser.add_argument("--start", type=Path, required=True, help="a checkpoint, or one of each {family}")
    parser.add_argument("--cache", type=Path, help="where PDFs that were read are kept")
    parser.add_argument("--families", nargs="+", default=FAMILIES, help="presets")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--documents", type=int, help="draw no more than so many to learn from")
    parser.add_argument("--test-documents", type=int, help="draw no more than so many to measure on")
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    parser.add_argument(
        "--window", type=int, default=4096, help="tokens of a training window, at most the family's own"
    )
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        print("|", " | ".join(COLUMNS.values()), "|\n" + "|---" * len(COLUMNS) + "|")
    with TemporaryDirectory() as folder:
        cache = options.cache or Path(folder)
        for task in options.tasks:
            read_all(task, cache, options)
            for family in options.families:
                row = measure(family, task, cache, options)
                if options.json:
                    print(json.dumps({"name": f"{task}-{family}", **row}), flush=True)
                else:
                    show(row)


if __name__ == "__main__":
    main()
