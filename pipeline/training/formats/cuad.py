"""CUAD: commercial contracts; one JSON object a line in `labels.jsonl` (file, split, clauses), files in `documents/`.

A clause holds the passages that were marked (`text`) and the annotators' answer, which is the value.

Each split is there twice. In `train` every contract is a commercial contract with the values of its clauses; in
`train-types` the same contracts have their type as class (`distributor`, `joint_venture`, …) and no values. Where the
folder tells two spellings of a type apart ("Endorsement Agreement", "Endorsement") they are one here. Of the 160
contracts this was tried on, 106 train ones are of 23 types, with 1 to 13 contracts each; all types are kept.
"""

import json
import re
from pathlib import Path
from typing import Any

from pipeline.training.formats import Example, require_file, require_split

_TYPES = "-types"
_ENTITIES = {
    "Document Name": "document_name",
    "Parties": "party",
    "Agreement Date": "agreement_date",
    "Effective Date": "effective_date",
    "Expiration Date": "expiration_date",
    "Renewal Term": "renewal_term",
    "Notice Period To Terminate Renewal": "notice_period",
    "Governing Law": "governing_law",
}


def recognises(folder: Path) -> bool:
    """Whether the labels are there and hold clauses."""
    labels = folder / "labels.jsonl"
    return labels.is_file() and {"file", "split", "clauses"} <= set(_rows(labels)[0])


def splits(folder: Path) -> list[str]:
    """The values of `split`, and those with the types as classes where the types are known."""
    found = list(_rows(folder / "labels.jsonl"))
    named = {row["split"] for row in found}
    return sorted(named | {f"{row['split']}{_TYPES}" for row in found if "type" in row})


def read(folder: Path, split: str) -> list[Example]:
    """The contracts of a split, in order, with the answers that are not empty, or with their types."""
    require_split(folder, split, splits(folder))
    labels, typed = folder / "labels.jsonl", split.endswith(_TYPES)
    return [
        _example(require_file(folder / "documents" / row["file"], labels), row, typed)
        for row in _rows(labels)
        if row["split"] == split.removesuffix(_TYPES)
    ]


def _example(path: Path, row: dict[str, Any], typed: bool) -> Example:
    if typed:
        return Example(path, _type(row["type"]))
    return Example(path, "commercial_contract", "contract", _values(row["clauses"]))


def _type(written: str) -> str:
    """ "Joint Venture _ Filing" and "Joint Venture" → "joint_venture"."""
    words = re.sub(r"[\W_]+", " ", written).lower().split()
    return "_".join(word for word in words if word not in ("agreement", "agreements", "filing"))


def _values(clauses: dict[str, dict[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (entity, answer.strip())
        for clause, entity in _ENTITIES.items()
        for answer in clauses.get(clause, {}).get("answer", "").split(";")
        if answer.strip()
    )


def _rows(labels: Path) -> list[dict[str, Any]]:
    with labels.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()] or [{}]
