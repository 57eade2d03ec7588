"""Kleister-NDA: a folder per split with `documents.txt` and, line by line, `expected.tsv`; the files in `documents/`.

`expected.tsv` holds `key=value` pairs with underscores for spaces. A split without it has no values,
and may list documents that are not there, which are passed over.
"""

from pathlib import Path

from pipeline.training.formats import Example, require_file, require_split


def recognises(folder: Path) -> bool:
    """Whether there are documents and at least one list of them."""
    return (folder / "documents").is_dir() and bool(splits(folder))


def splits(folder: Path) -> list[str]:
    """The sub-folders with a list of documents."""
    return sorted(path.parent.name for path in folder.glob("*/documents.txt"))


def read(folder: Path, split: str) -> list[Example]:
    """The documents of a split in the order of its list; ValueError if the lists differ in length."""
    require_split(folder, split, splits(folder))
    listing, expected = folder / split / "documents.txt", folder / split / "expected.tsv"
    paths = [folder / "documents" / name for name in listing.read_text(encoding="utf-8").splitlines()]
    if not expected.exists():
        return [Example(path, "non_disclosure_agreement") for path in paths if path.is_file()]
    rows = expected.read_text(encoding="utf-8").splitlines()
    if len(rows) != len(paths):
        raise ValueError(f"{listing} has {len(paths)} lines and {expected} has {len(rows)}")
    return [
        Example(require_file(path, listing), "non_disclosure_agreement", "nda", _values(row), normalised=True)
        for path, row in zip(paths, rows, strict=True)
    ]


def _values(row: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition("=") for pair in row.split())
    return tuple((key, value.replace("_", " ")) for key, _, value in pairs)
