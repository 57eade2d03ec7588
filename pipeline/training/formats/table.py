"""A table of labels: `labels.csv` with the columns file, label, split, and the files in `documents/`."""

import csv
from pathlib import Path

from pipeline.training.formats import Example, require_file, require_split

_COLUMNS = {"file", "label", "split"}


def recognises(folder: Path) -> bool:
    """Whether the table is there and has the three columns."""
    table = folder / "labels.csv"
    return table.is_file() and set(rows(table)[0]) >= _COLUMNS


def splits(folder: Path) -> list[str]:
    """The values of the column `split`."""
    return sorted({row["split"] for row in rows(folder / "labels.csv")})


def read(folder: Path, split: str) -> list[Example]:
    """The rows of a split, in order."""
    require_split(folder, split, splits(folder))
    table = folder / "labels.csv"
    return [
        Example(require_file(folder / "documents" / row["file"], table), row["label"])
        for row in rows(table)
        if row["split"] == split
    ]


def rows(table: Path) -> list[dict[str, str]]:
    """The rows of a table by column name; one empty row where the table has none."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file)) or [{}]
