"""CUAD: commercial contracts; one JSON object a line in `labels.jsonl` (file, split, clauses), files in `documents/`.

A clause holds the passages that were marked (`text`) and the annotators' answer, which is the value.
"""

import json
from pathlib import Path
from typing import Any

from pipeline.training.formats import Example, require_file, require_split

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
    """The values of `split`."""
    return sorted({row["split"] for row in _rows(folder / "labels.jsonl")})


def read(folder: Path, split: str) -> list[Example]:
    """The contracts of a split, in order, with the answers that are not empty."""
    require_split(folder, split, splits(folder))
    labels = folder / "labels.jsonl"
    return [
        Example(
            require_file(folder / "documents" / row["file"], labels),
            "commercial_contract",
            "contract",
            _values(row["clauses"]),
        )
        for row in _rows(labels)
        if row["split"] == split
    ]


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
