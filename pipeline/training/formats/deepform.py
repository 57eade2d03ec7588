"""DeepForm: advertising orders; `labels.csv` with the columns file, split and one per entity type, files in `documents/`."""

import csv
from pathlib import Path

from pipeline.training.formats import Example, require_file, require_split

_ENTITIES = ("contract_num", "advertiser", "gross_amount", "flight_from", "flight_to")


def recognises(folder: Path) -> bool:
    """Whether the table is there and has the columns of DeepForm."""
    table = folder / "labels.csv"
    return table.is_file() and {"file", "split", *_ENTITIES} <= set(_rows(table)[0])


def splits(folder: Path) -> list[str]:
    """The values of the column `split`."""
    return sorted({row["split"] for row in _rows(folder / "labels.csv")})


def read(folder: Path, split: str) -> list[Example]:
    """The rows of a split, in order, with the values that are not empty."""
    require_split(folder, split, splits(folder))
    table = folder / "labels.csv"
    return [
        Example(
            require_file(folder / "documents" / row["file"], table),
            "advertising_order",
            "ad_order",
            tuple((entity, row[entity].strip()) for entity in _ENTITIES if row[entity].strip()),
        )
        for row in _rows(table)
        if row["split"] == split
    ]


def _rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file)) or [{}]
