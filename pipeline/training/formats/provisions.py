"""Provisions of contracts with the headings they stood under, as LEDGAR was made: `provisions.jsonl.xz` (label, text).

The data names no splits. A provision's is drawn by the hash of its text without case and spacing, so that one that
stands in several contracts is in one split: 80 % train, 10 % validation, 10 % test.
"""

import hashlib
from pathlib import Path

from pipeline.training.formats import Example, require_split
from pipeline.training.tables import row_path, rows

_TABLE = "provisions.jsonl.xz"
_SPLITS = {0: "test", 1: "validation"}  # of ten equal shares; the others are train


def recognises(folder: Path) -> bool:
    """Whether the table is there."""
    return (folder / _TABLE).is_file()


def splits(folder: Path) -> list[str]:
    """The three that are drawn."""
    return ["test", "train", "validation"]


def read(folder: Path, split: str) -> list[Example]:
    """The provisions of a split, in order."""
    require_split(folder, split, splits(folder))
    table = folder / _TABLE
    return [
        Example(row_path(table, number), row["label"], text=row["text"])
        for number, row in enumerate(rows(table), start=1)
        if _drawn(row["text"]) == split
    ]


def _drawn(text: str) -> str:
    digest = hashlib.sha256(" ".join(text.lower().split()).encode()).digest()
    return _SPLITS.get(int.from_bytes(digest[:8]) % 10, "train")
