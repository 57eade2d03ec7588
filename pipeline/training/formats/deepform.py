"""DeepForm: advertising orders; `labels.csv` (file, split, a column per entity type) and the files in `documents/`."""

from pathlib import Path

from pipeline.training.formats import Example, require_file, require_split
from pipeline.training.formats.table import rows, splits

_ENTITIES = ("contract_num", "advertiser", "gross_amount", "flight_from", "flight_to")


def recognises(folder: Path) -> bool:
    """Whether the table is there and has the columns of DeepForm."""
    table = folder / "labels.csv"
    return table.is_file() and {"file", "split", *_ENTITIES} <= set(rows(table)[0])


def read(folder: Path, split: str) -> list[Example]:
    """The rows of a split, in order, with the values that are not empty."""
    require_split(folder, split, splits(folder))
    table = folder / "labels.csv"
    return [
        Example(require_file(folder / "documents" / row["file"], table), "advertising_order", "ad_order", _values(row))
        for row in rows(table)
        if row["split"] == split
    ]


def _values(row: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((entity, row[entity].strip()) for entity in _ENTITIES if row[entity].strip())
