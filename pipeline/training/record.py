"""What a run of pretraining tells of itself: a file of JSON lines, one an evaluation."""

import json
import resource
from pathlib import Path
from typing import Any

import torch

Row = dict[str, Any]


class Record:
    """The rows of a run, in memory and in a file.

    step: the one the run goes on from; rows of later steps, and a final row, are of what is done again and are dropped.
    writes: whether to the file too, which one process of a run does.
    """

    def __init__(self, path: Path, step: int = 0, writes: bool = True) -> None:
        """Raises OSError where the file cannot be written, ValueError where it is not a record."""
        self.path, self.writes = path, writes
        found = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if step and path.is_file() else []
        self.rows: list[Row] = [row for row in found if row["step"] <= step and "final" not in row]
        if writes:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows), "utf-8")

    def last(self, name: str) -> float:
        """A figure of the last row, 0 before the first."""
        found: float = self.rows[-1][name] if self.rows else 0.0
        return found

    def add(self, row: Row) -> None:
        """Append a row."""
        self.rows.append(row)
        if self.writes:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(row)}\n")


def peak_memory_mb() -> float:
    """The most memory, in MB, that this process has used: of the GPU where there is one, else of the machine."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
