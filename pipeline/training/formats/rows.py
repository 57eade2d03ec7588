"""Texts as rows, as Hugging Face and LexGLUE publish them; recognised by the names of the columns.

    text, label              one class             LEDGAR, SCOTUS (LexGLUE's own files: clause_type, issue_area)
    text, labels             several or none       UNFAIR-ToS, EUR-LEX, ECtHR (its own: facts, violated_articles)
    text, summary            a summary             BillSum, ScisummNet
    article, abstract        a summary             PubMed, arXiv

A table (CSV, JSON or JSON lines, plain, .gz or .xz) is a split of its own name (train, validation, val, dev, test), or
its rows name their split in a column `split` or `data_type`. A text may be a list of paragraphs. Classes may be
numbers; their names are taken from `labels.json`, a list, or from the features of Hugging Face's `dataset_info.json`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.training.formats import Example, require_split
from pipeline.training.tables import row_path, rows, stem, tables

_TEXT = ("text", "facts", "article")
_CLASS = ("label", "clause_type", "issue_area")
_CLASSES = ("labels", "violated_articles")
_SUMMARY = ("summary", "abstract")
_SPLIT = ("split", "data_type")
_NAMES = ("train", "validation", "val", "dev", "test")


def recognises(folder: Path) -> bool:
    """Whether a table of it has the columns, and a split."""
    return bool(_usable(folder))


def splits(folder: Path) -> list[str]:
    """The names of the tables, or the values of the column."""
    return sorted({split for table in _usable(folder) for split, _, _ in _rows(table)})


def read(folder: Path, split: str) -> list[Example]:
    """The rows of a split, in order; ValueError for a row without text or with a class that has no name."""
    require_split(folder, split, splits(folder))
    names = _names(folder)
    found = [(number, row, table) for table in _usable(folder) for of, number, row in _rows(table) if of == split]
    return [_example(row_path(table, number), row, names) for number, row, table in found]


def _usable(folder: Path) -> list[Path]:
    """The tables with the columns and a split."""
    found = []
    for table in tables(folder):
        try:
            first = next(rows(table), {})
        except ValueError:
            continue
        known = _column(first, _TEXT) and _column(first, (*_CLASS, *_CLASSES, *_SUMMARY))
        if known and (stem(table) in _NAMES or _column(first, _SPLIT)):
            found.append(table)
    return found


def _rows(table: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Each row's split, number from 1, and columns."""
    for number, row in enumerate(rows(table), start=1):
        column = _column(row, _SPLIT)
        yield str(row[column]) if column else stem(table), number, row


def _column(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of the names that is a column of the row."""
    return next((name for name in names if name in row), None)


def _example(path: Path, row: dict[str, Any], names: Sequence[str]) -> Example:
    text = _joined(row.get(_column(row, _TEXT) or ""))
    if text is None:
        raise ValueError(f"{path} has no text")
    several, one, summary = (_column(row, columns) for columns in (_CLASSES, _CLASS, _SUMMARY))
    try:
        label = _name(row[one], names) if one and not several else None
        labels = tuple(filter(None, (_name(value, names) for value in _list(row[several])))) if several else None
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"{path}: its class cannot be understood: {error}") from error
    return Example(path, label, text=text, labels=labels, summary=_joined(row[summary]) if summary else None)


def _joined(value: Any) -> str | None:  # noqa: ANN401 (what JSON holds)
    """A text, or paragraphs one below the other; None for none."""
    return "\n".join(value) if isinstance(value, list) else value or None


def _list(value: Any) -> list[Any]:  # noqa: ANN401
    """A list, in CSV written as JSON."""
    found = json.loads(value) if isinstance(value, str) else value
    if not isinstance(found, list):
        raise ValueError(f"{found!r} is no list")
    return found


def _name(value: str | int | None, names: Sequence[str]) -> str | None:
    """The name of a class that may be a number; None for -1 and for nothing, which mean that it is not known."""
    if value in (None, "", -1, "-1"):
        return None
    numbered = isinstance(value, int) or str(value).isdigit()
    return names[int(str(value))] if names and numbered else str(value)


def _names(folder: Path) -> list[str]:
    """The classes by number, none where the folder does not name them."""
    listed, described = folder / "labels.json", folder / "dataset_info.json"
    if listed.is_file():
        return _described(listed, lambda found: found)
    if described.is_file():
        return _described(described, lambda found: _feature_names(found["features"]))
    return []


def _described(file: Path, names: Callable[[Any], Any]) -> list[str]:
    try:
        found = names(json.loads(file.read_text("utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} does not name the classes: {error}") from error
    if not isinstance(found, list):
        raise ValueError(f"{file} does not name the classes: it holds no list of names")
    return [str(name) for name in found]


def _feature_names(features: Mapping[str, Any]) -> list[str]:
    """Of Hugging Face's ClassLabel, or a sequence of them."""
    feature = features.get(_column(features, (*_CLASS, *_CLASSES)) or "", {})
    return list(feature.get("names") or feature.get("feature", {}).get("names") or [])
