"""SROIE: receipts; a folder per split with an image (.jpg or .png) and its fields (.json) under the same name.

Receipts without an image are passed over.
"""

import json
from pathlib import Path

from pipeline.training.formats import Example, require_split

_ENTITIES = ("company", "date", "address", "total")


def recognises(folder: Path) -> bool:
    """Whether a sub-folder holds an image with its fields."""
    return bool(splits(folder))


def splits(folder: Path) -> list[str]:
    """The sub-folders that hold an image with its fields."""
    return sorted(path.name for path in folder.iterdir() if path.is_dir() and _images(path))


def read(folder: Path, split: str) -> list[Example]:
    """The receipts of a split, by name, with the fields that are not empty."""
    require_split(folder, split, splits(folder))
    return [
        Example(image, "receipt_or_invoice", "receipt", _values(image.with_suffix(".json")))
        for image in _images(folder / split)
    ]


def _images(folder: Path) -> list[Path]:
    images = (path for pattern in ("*.jpg", "*.png") for path in folder.glob(pattern))
    return sorted(image for image in images if image.with_suffix(".json").is_file())


def _values(fields: Path) -> tuple[tuple[str, str], ...]:
    known = json.loads(fields.read_text(encoding="utf-8"))
    return tuple((entity, known[entity].strip()) for entity in _ENTITIES if known.get(entity, "").strip())
