"""Terms of service sentence by sentence: `sentences/*.txt` and, line by line, `tags/*.txt`, a file a company.

A tag is a kind of clause and how unfair it is ("ltd2"). As in LexGLUE's UNFAIR-ToS (arXiv:2110.00976 section 3.2) a
sentence's classes are the kinds among the eight of `_CLASSES` that are potentially (2) or clearly (3) unfair in it;
nearly nine sentences in ten have none.

LexGLUE splits by company, 30 for train, 10 for validation and 10 for test. The companies here are others: they are
split in the same shares, in the order of the hash of their names.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from pipeline.training.formats import Example, require_file, require_split
from pipeline.training.tables import row_path

_CLASSES = {
    "a": "arbitration",
    "ch": "unilateral_change",
    "cr": "content_removal",
    "j": "jurisdiction",
    "law": "choice_of_law",
    "ltd": "limitation_of_liability",
    "ter": "unilateral_termination",
    "use": "contract_by_using",
}
_UNFAIR = ("2", "3")
_FIFTHS = {"train": (0, 3), "validation": (3, 4), "test": (4, 5)}


def recognises(folder: Path) -> bool:
    """Whether there are sentences and tags."""
    return any((folder / "sentences").glob("*.txt")) and (folder / "tags").is_dir()


def splits(folder: Path) -> list[str]:
    """The three that are drawn."""
    return sorted(_FIFTHS)


def read(folder: Path, split: str) -> list[Example]:
    """The sentences of the split's companies without blank lines; ValueError where lines and tags differ in number."""
    require_split(folder, split, splits(folder))
    files = sorted((folder / "sentences").glob("*.txt"), key=lambda path: hashlib.sha256(path.stem.encode()).digest())
    first, last = (len(files) * fifth // 5 for fifth in _FIFTHS[split])
    return [example for file in files[first:last] for example in _sentences(file, folder / "tags" / file.name)]


def _sentences(file: Path, tags: Path) -> Iterator[Example]:
    lines, tagged = (path.read_text("utf-8").split("\n") for path in (file, require_file(tags, file)))
    if len(lines) != len(tagged):
        raise ValueError(f"{file} has {len(lines)} lines and {tags} has {len(tagged)}")
    for number, (line, found) in enumerate(zip(lines, tagged, strict=True), start=1):
        if line.strip():
            yield Example(row_path(file, number), None, text=line.strip(), labels=_unfair(found.split()))


def _unfair(tags: list[str]) -> tuple[str, ...]:
    kinds = {tag[:-1] for tag in tags if tag.endswith(_UNFAIR)}
    return tuple(name for kind, name in _CLASSES.items() if kind in kinds)
