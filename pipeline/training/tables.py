"""Tables of rows as data sets come: CSV, JSON lines or a JSON list, plain or compressed with gzip or xz."""

import csv
import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

_OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open}
_KINDS = (".csv", ".json", ".jsonl")
_LONGEST = 2**31 - 1  # csv's own limit of 128 KB is shorter than many a paper


def tables(folder: Path) -> list[Path]:
    """The tables in a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.is_file() and _kind(path) in _KINDS)


def stem(table: Path) -> str:
    """The table's name without what says its kind and compression: "train" of train.jsonl.xz."""
    return table.name.removesuffix(table.suffix if table.suffix in _OPENERS else "").removesuffix(_kind(table))


def rows(table: Path) -> Iterator[dict[str, Any]]:
    """The rows by column name; ValueError, naming the table, where it is damaged or holds something else."""
    try:
        with _open(table) as file:
            for row in _read(file, _kind(table)):
                if not isinstance(row, dict):
                    raise ValueError("a row has no column names")
                yield row
    except (ValueError, EOFError, OSError, lzma.LZMAError, csv.Error) as error:
        raise ValueError(f"{table} cannot be read as a table: {error}") from error


def row_path(table: Path, number: int) -> Path:
    """What an example is called that is a row of a table or a line of a file; numbers count from 1."""
    return table.with_name(f"{table.name}#{number}")


def _kind(table: Path) -> str:
    return Path(table.stem).suffix if table.suffix in _OPENERS else table.suffix


def _open(table: Path) -> TextIO:
    file: TextIO = _OPENERS.get(table.suffix, open)(table, "rt", encoding="utf-8-sig", newline="")
    return file


def _read(file: TextIO, kind: str) -> Iterator[Any]:
    if kind == ".csv":
        csv.field_size_limit(_LONGEST)
        yield from csv.DictReader(file)
    elif file.read(1) == "[":
        file.seek(0)
        yield from json.load(file)
    else:
        file.seek(0)
        yield from (json.loads(line) for line in file if line.strip())
