"""One file per kind of data set, recognised from the folder. The contract of a file:

    recognises(folder: Path) -> bool
    splits(folder: Path) -> list[str]
    read(folder: Path, split: str) -> list[Example]

`read` raises ValueError where there is no such split, FileNotFoundError where a listed document is absent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from models.registry import names, pick


@dataclass(frozen=True)
class Example:
    """One document of a data set and what is known about it.

    path: its file; of a row of a table its own name, such as rows.jsonl#12. No two documents share one.
    text: the document itself, where it is a row and not a file.
    label: its document class, None if unknown.  labels: of a data set in which a document may have several classes or
    none, those it has; None for any other.  summary: what people wrote of it in short, None if nobody did.
    schema: the extraction schema of the values, None if there are none.
    values: (entity type, value) pairs, said of the document as a whole, not located in it.  normalised: whether they
    are in their normalised form already, to be compared as they are.
    """

    path: Path
    label: str | None
    schema: str | None = None
    values: tuple[tuple[str, str], ...] = ()
    normalised: bool = False
    text: str | None = None
    labels: tuple[str, ...] | None = None
    summary: str | None = None


def open_format(folder: Path) -> ModuleType:
    """The format that recognises the folder; FileNotFoundError if it is no folder, ValueError if none recognises it."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder")
    known = names("pipeline.training.formats")
    for name in known:
        module = pick("pipeline.training.formats", name)
        if module.recognises(folder):
            return module
    raise ValueError(f"{folder} is no data set of a known format; looked for: {', '.join(known)}")


def require_split(folder: Path, split: str, splits: Sequence[str]) -> None:
    """ValueError, naming the splits there are, if this is not one of them."""
    if split not in splits:
        raise ValueError(f"{folder} has no split {split!r}; there are: {', '.join(splits)}")


def require_file(path: Path, listed_in: Path) -> Path:
    """The path itself; FileNotFoundError if a data set lists a document that is not there."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist, though {listed_in} lists it")
    return path
