import json
import lzma
from pathlib import Path

import pytest

from pipeline.training.formats import provisions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"label": f"label {i % 3}", "text": f"Provision {i}\nof the contract."} for i in range(500)]
    rows.append({"label": "other", "text": "provision 7 of  the CONTRACT."})
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "provisions.jsonl.xz").write_bytes(lzma.compress(lines.encode()))
    return tmp_path


def test_every_provision_is_in_one_split(folder: Path) -> None:
    parts = {split: provisions.read(folder, split) for split in provisions.splits(folder)}
    names = [example.path.name for part in parts.values() for example in part]
    assert len(set(names)) == len(names) == 501
    assert 360 < len(parts["train"]) < 440
    assert min(len(parts["test"]), len(parts["validation"])) > 25


def test_a_text_that_comes_again_is_in_the_same_split(folder: Path) -> None:
    split = {e.path.name: part for part in provisions.splits(folder) for e in provisions.read(folder, part)}
    assert split["provisions.jsonl.xz#8"] == split["provisions.jsonl.xz#501"]


def test_a_row_is_named_by_its_number(folder: Path) -> None:
    [first] = [
        e for split in provisions.splits(folder) for e in provisions.read(folder, split) if e.path.name[-2:] == "#1"
    ]
    assert (first.path, first.label) == (folder / "provisions.jsonl.xz#1", "label 0")
    assert first.text == "Provision 0\nof the contract."
