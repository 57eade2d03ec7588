"""Invoices: PDFs anywhere below `datasets/invoices/`, all of one class, all for training."""

from pathlib import Path

from pipeline.training.formats import Example, require_split


def recognises(folder: Path) -> bool:
    """Whether there is a PDF where invoices are kept."""
    return any(_files(folder))


def splits(folder: Path) -> list[str]:
    """Only `train`."""
    return ["train"]


def read(folder: Path, split: str) -> list[Example]:
    """Every invoice, by path."""
    require_split(folder, split, splits(folder))
    return [Example(path, "receipt_or_invoice") for path in _files(folder)]


def _files(folder: Path) -> list[Path]:
    return sorted((folder / "datasets" / "invoices").rglob("*.pdf"))
