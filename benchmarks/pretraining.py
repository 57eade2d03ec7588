"""Families of models pretrained alike (same documents, tokens, hidden words and seed), each in a process of its own.

python benchmarks/pretraining.py --data PATH … --tokens N --out OUT     runs them; a second time only what is missing
python benchmarks/pretraining.py RUN …                                  tells of runs of `longleaf pretrain`, by folder

Both with [--json]. Without anything: tiny models, for a moment, on samples/, which only shows that it works.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.catalogue import find_model
from benchmarks._report import print_markdown

FAMILIES = ("sw", "distance", "longleaf", "hnet-4096", "fnet-4096", "bert-layout")
SAMPLES = Path(__file__).parents[1] / "samples"
COLUMNS = ("family", "million parameters", "perplexity", "s / 1,000 tokens", "peak memory, MB", "kWh", "CO2, kg")


def final_row(run: Path) -> dict[str, Any] | None:
    """The figures of a run that is done, None of one that is not."""
    record = run / "pretraining.jsonl"
    lines = record.read_text("utf-8").splitlines() if record.is_file() else []
    row: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    return row if "final" in row else None


def pretrain(family: str, options: argparse.Namespace, out: Path) -> Path:
    """Run a family, where it is not done; returns the run's folder."""
    run = out / family
    if final_row(run) is None:
        settings = {
            "preset": family,
            "start": options.start,
            "out": run,
            "size": options.size,
            "tokens": options.tokens,
            "window": options.window,
            "batch-tokens": options.batch_tokens,
            "learning-rate": options.learning_rate,
            "seed": options.seed,
        }
        named = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
        data = [part for path in options.data for part in ("--data", str(path))]
        command = [sys.executable, "-m", "app.cli", "pretrain", *data, *named, "--resume", "--cost"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return run


def show(runs: Sequence[Path], as_json: bool) -> None:
    """A table row or a JSON line for each run that is done."""
    rows = [row for row in map(final_row, runs) if row is not None]
    if as_json:
        for row in rows:
            print(json.dumps({"name": f"pretraining-{row['preset']}", **row}))
        return
    print_markdown(COLUMNS, [cells(row) for row in rows])


def cells(row: dict[str, Any]) -> list[str]:
    """What the table says of a run; kWh and CO2 only where they were measured."""
    cost = row.get("cost")
    return [
        row["preset"],
        f"{row['parameters'] / 1e6:.1f}",
        f"{row['perplexity']:.4g}",
        f"{row['seconds_per_1000_tokens']:.3g}",
        f"{row['memory_mb']:,.0f}",
        f"{cost['energy_kwh']:.3g}" if cost else "",
        f"{cost['co2_kg']:.3g}" if cost else "",
    ]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="*", metavar="RUN", help="folders that `longleaf pretrain` wrote")
    parser.add_argument("--data", type=Path, nargs="+", help="PDFs and texts, as for `longleaf pretrain`")
    parser.add_argument("--families", nargs="+", default=FAMILIES, help="presets")
    parser.add_argument("--start", type=Path, default=find_model(None), help="the folder of the tokenizer")
    parser.add_argument("--out", type=Path, help="keep the runs there")
    parser.add_argument("--size", default="small")
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--window", type=int, default=4096)
    parser.add_argument("--batch-tokens", type=int, default=8192)
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.runs and not options.data:
        options.data, options.size, options.tokens, options.window = [SAMPLES], "tiny", 20_000, 1024
    return options


def main() -> None:
    options = parsed()
    if options.runs:
        show(options.runs, options.json)
        return
    with TemporaryDirectory() as folder:
        show([pretrain(family, options, options.out or Path(folder)) for family in options.families], options.json)


if __name__ == "__main__":
    main()
